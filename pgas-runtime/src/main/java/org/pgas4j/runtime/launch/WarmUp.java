package org.pgas4j.runtime.launch;

import org.pgas4j.Pgas;

/** The shortest job there is. Java remembers the classes it loads, and starts the next jobs faster. */
public final class WarmUp {

    private WarmUp() {
    }

    /** @param args of the job */
    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            rank.barrier();
            System.out.println("rank " + rank.rank() + " of " + rank.ranks());
        });
    }
}
