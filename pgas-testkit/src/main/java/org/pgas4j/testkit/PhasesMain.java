package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;

/**
 * A program that does each kind of operation in turn, {@code rounds} times, for tests that make it fail on the way. Each
 * rank prints {@code phases pid PID rank RANK} before it begins and rank 0 {@code phases: done} at the end. The second
 * argument is for the tests: it makes the command line unlike any other.
 */
public final class PhasesMain {

    private static final long BYTES = 64;
    private static final int TAG = 3;

    private PhasesMain() {
    }

    public static void main(String[] args) {
        long rounds = args.length == 0 ? 3 : Long.parseLong(args[0]);
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(1 << 20), rank -> run(rank, rounds));
    }

    private static void run(Rank rank, long rounds) {
        SharedPointer memory = rank.allAlloc(rank.ranks(), BYTES);
        MemorySegment own = Arena.ofAuto().allocate(BYTES, Long.BYTES);
        int next = (rank.rank() + 1) % rank.ranks();
        System.out.println("phases pid " + ProcessHandle.current().pid() + " rank " + rank.rank());
        for (long round = 0; round < rounds; round++) {
            rank.barrier();
            rank.memput(memory.onRank(next), own, BYTES);
            rank.fence();
            rank.memget(own, memory.onRank(next), BYTES);
            rank.notifications().signal(next, TAG);
            rank.notifications().await(TAG, 1);
            long counted = rank.allReduce(1L, ReduceOp.SUM);
            if (counted != rank.ranks()) {
                throw new AssertionError("allReduce of ones: " + counted + " (expected: " + rank.ranks() + ")");
            }
            rank.free(rank.alloc(100));
        }
        rank.allFree(memory);
        if (rank.rank() == 0) {
            System.out.println("phases: done");
        }
    }
}
