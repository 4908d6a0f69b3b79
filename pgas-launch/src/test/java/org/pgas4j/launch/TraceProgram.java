package org.pgas4j.launch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/** Each rank puts to the next one, notifies it and waits for the one before, {@value #ROUNDS} times; {@code fail} fails then. */
public final class TraceProgram {

    static final int ROUNDS = 10;
    static final int BYTES = 1024;

    private TraceProgram() {
    }

    /** @param args nothing, or {@code fail} */
    public static void main(String[] args) {
        Pgas.run(new PgasConfig(), rank -> run(rank, args.length > 0));
    }

    private static void run(Rank rank, boolean fails) {
        SharedPointer memory = rank.allAlloc(rank.ranks(), BYTES);
        int next = (rank.rank() + 1) % rank.ranks();
        rank.barrier();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(BYTES, Long.BYTES);
            for (int round = 0; round < ROUNDS; round++) {
                rank.memput(memory.plus((long) next * BYTES), bytes, BYTES);
                rank.notifications().signal(next, 1);
                rank.notifications().await(1, 1);
            }
        }
        rank.barrier();
        if (fails && rank.rank() == 3) {
            throw new IllegalStateException("on purpose");
        }
        rank.barrier();
    }
}
