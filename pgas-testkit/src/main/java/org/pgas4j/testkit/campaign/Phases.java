package org.pgas4j.testkit.campaign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.Program;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * Each kind of operation in turn, for tests that make it fail on the way. Each rank prints {@code phases pid PID rank RANK}
 * before it begins and rank 0 {@code phases: done} at the end.
 */
@Command(name = "phases", description = "Does each kind of operation in turn.")
public final class Phases implements Program {

    private static final long BYTES = 64;
    private static final int TAG = 3;

    @Parameters(index = "0", arity = "0..1", paramLabel = "ROUNDS", description = "Default: ${DEFAULT-VALUE}.")
    private long rounds = 3;

    @Parameters(index = "1", arity = "0..1", paramLabel = "MARK", description = "Makes the command line unlike any other.")
    private String mark;

    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 20);
    }

    @Override
    public void run(Rank rank) {
        SharedPointer memory = rank.allAlloc(rank.ranks(), BYTES);
        SharedLock lock = rank.locks().allAlloc();
        MemorySegment own = Arena.ofAuto().allocate(BYTES, Long.BYTES);
        int next = (rank.rank() + 1) % rank.ranks();
        System.out.println("phases pid " + ProcessHandle.current().pid() + " rank " + rank.rank());
        for (long round = 0; round < rounds; round++) {
            rank.barrier();
            try (Scope _ = lock.lock()) {
                rank.progress(); // others queue up meanwhile
            }
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
        lock.allFree();
        rank.allFree(memory);
        if (rank.rank() == 0) {
            System.out.println("phases: done");
        }
    }
}
