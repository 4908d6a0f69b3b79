package org.pgas4j.launch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/** Programs that are slow on purpose, by the name of the fault: {@code late}, {@code imbalance}, {@code one} or {@code fail}. */
public final class StatsProgram {

    private static final long BYTES = 256 << 10;

    private StatsProgram() {
    }

    /** @param args the fault */
    public static void main(String[] args) {
        Pgas.run(new PgasConfig(), rank -> run(rank, args[0]));
    }

    private static void run(Rank rank, String fault) {
        long startNs = System.nanoTime();
        SharedPointer memory = rank.allAlloc(rank.ranks(), BYTES);
        SharedPointer arrived = rank.allAlloc(1, Long.BYTES);
        switch (fault) {
            case "late" -> comeLate(rank, arrived, startNs);
            case "imbalance" -> put(rank, memory, (rank.rank() + 1) % rank.ranks(), rank.rank() == 2 ? 20 : 1);
            case "one", "fail" -> put(rank, memory, 1, 4);
            default -> throw new IllegalArgumentException(fault);
        }
        if (fault.equals("fail") && rank.rank() == 3) {
            throw new IllegalStateException("on purpose");
        }
        rank.barrier();
    }

    /** Rank 3 comes to two barriers when the others are there, and has then taken half of the time so far for itself. */
    private static void comeLate(Rank rank, SharedPointer arrived, long startNs) {
        rank.barrier();
        for (int step = 1; step <= 2; step++) {
            if (rank.rank() != 3) {
                rank.atomics().fetchAdd(arrived, 1);
            } else {
                while (rank.atomics().get(arrived) < (rank.ranks() - 1L) * step) {
                    Thread.yield();
                }
                long nowNs = System.nanoTime();
                while (System.nanoTime() - nowNs < nowNs - startNs) {
                    Thread.yield();
                }
            }
            rank.barrier();
        }
    }

    private static void put(Rank rank, SharedPointer memory, int target, int times) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(BYTES, Long.BYTES);
            for (int i = 0; i < times; i++) {
                rank.memput(memory.plus(target * BYTES), bytes, BYTES);
            }
        }
        rank.barrier();
    }
}
