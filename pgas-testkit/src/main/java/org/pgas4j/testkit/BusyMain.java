package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * A program that never rests: puts, gets, barriers, collectives and allocations in random order until {@code seconds} have
 * passed. Prints {@code busy pid PID ranks FIRST} once its ranks are wired up, for tests that end it early.
 */
public final class BusyMain {

    private static final long BYTES = 4096;

    private BusyMain() {
    }

    public static void main(String[] args) {
        double seconds = args.length == 0 ? 2 : Double.parseDouble(args[0]);
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(1 << 20), rank -> run(rank, seconds));
    }

    private static void run(Rank rank, double seconds) {
        SharedPointer host = rank.allAlloc(rank.ranks(), BYTES);
        SharedPointer device;
        try (Scope _ = rank.onDevice()) {
            device = rank.allAlloc(rank.ranks(), BYTES);
        }
        rank.barrier();
        System.out.println("busy pid " + ProcessHandle.current().pid() + " rank " + rank.rank());
        // The same seed everywhere: collective operations come in the same order on all ranks.
        Random random = new Random(4711);
        MemorySegment memory = Arena.ofAuto().allocate(BYTES);
        long start = System.nanoTime();
        while (rank.allReduce((System.nanoTime() - start) / 1e9, ReduceOp.MAX) < seconds) {
            int step = random.nextInt(6);
            int target = random.nextInt(rank.ranks());
            SharedPointer there = (random.nextBoolean() ? host : device).onRank(target);
            switch (step) {
                case 0 -> rank.memput(there, memory, 1 + random.nextLong(BYTES));
                case 1 -> rank.memget(memory, there, 1 + random.nextLong(BYTES));
                case 2 -> rank.memset(there, step, BYTES);
                case 3 -> rank.collectives().broadcast(host, host.onRank(target), BYTES);
                case 4 -> {
                    rank.free(rank.alloc(1000));
                    rank.free(rank.memory().globalAlloc(rank.ranks(), 1000));
                }
                default -> rank.barrier(step);
            }
        }
        long used = rank.memory().stats(MemoryKind.HOST).usedBytes();
        rank.barrier();
        if (rank.rank() == 0) {
            System.out.println("busy: done, " + used + " bytes in use");
        }
    }
}
