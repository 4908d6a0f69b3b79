package org.pgas4j.launch.join;

import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.SharedLongs;

/**
 * Program that the tests of this package start: {@code sum} ends, {@code wait} does not, {@code ask} keeps the control plane busy
 * as well, {@code throw} fails on the last rank.
 */
public final class JoinProgram {

    private JoinProgram() {
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            SharedLongs numbers = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
            numbers.put(rank.rank(), 1L << rank.rank());
            rank.barrier();
            long sum = 0;
            for (int i = 0; i < rank.ranks(); i++) {
                sum += numbers.get(i);
            }
            System.out.println("rank " + rank.rank() + " of " + rank.ranks() + " in " + rank.processes() + " sum " + sum);
            rank.barrier();
            String what = rank.args().getFirst();
            if (what.equals("throw") && rank.rank() == rank.ranks() - 1) {
                throw new IllegalStateException("user's mistake");
            }
            while (!what.equals("sum")) {
                if (what.equals("ask")) {
                    rank.free(rank.memory().globalAlloc(1, 64)); // process 0 is asked
                } else {
                    rank.barrier();
                    Thread.sleep(5);
                }
            }
        });
    }
}
