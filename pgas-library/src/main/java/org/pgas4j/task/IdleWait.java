package org.pgas4j.task;

import java.util.concurrent.locks.LockSupport;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;

/**
 * Pauses of a rank without tasks, and the deadline: it passes when no rank of the job has begun a task for the job's timeout.
 * That is checked four times in this time, so the exception may come a quarter later.
 */
final class IdleWait {

    private static final int CHECKS = 4;
    private static final int SPINS = 64;
    private static final int YIELDS = 256;
    private static final long MAX_PARK_NS = 100_000;

    private final PoolMemory memory;
    private final Rank rank;
    private final long checkNs;
    private int pauses;
    private long nextCheckNs;
    private int checksWithoutChange;
    private long startedBefore;

    IdleWait(PoolMemory memory) {
        this.memory = memory;
        this.rank = memory.rank();
        this.checkNs = Math.max(1, rank.timeout().toNanos() / CHECKS);
    }

    /** The rank has run out of tasks. */
    void begin() {
        pauses = 0;
        nextCheckNs = System.nanoTime() + checkNs;
        startedBefore = -1;
    }

    /**
     * Waits a little.
     *
     * @throws PgasTimeoutException if the deadline has passed
     */
    void pause() {
        rank.progress();
        pauses++;
        if (pauses < SPINS) {
            Thread.onSpinWait();
            return;
        }
        if (pauses < YIELDS) {
            Thread.yield();
            return;
        }
        LockSupport.parkNanos(Math.min(MAX_PARK_NS, 100L * pauses));
        if (System.nanoTime() - nextCheckNs >= 0) {
            requireProgress();
        }
    }

    private void requireProgress() {
        long started = memory.sum(PoolMemory.STARTED_OFFSET);
        checksWithoutChange = started == startedBefore ? checksWithoutChange + 1 : 0;
        startedBefore = started;
        nextCheckNs = System.nanoTime() + checkNs;
        if (checksWithoutChange == CHECKS) {
            throw new PgasTimeoutException("wait of rank " + rank.rank() + " for tasks: no rank has begun one within "
                    + rank.timeout() + "; ranks that have not run out of tasks: " + busyRanks()
                    + "; raise pgas.timeout if a task takes so long");
        }
    }

    private String busyRanks() {
        StringBuilder busy = new StringBuilder();
        for (int target = 0; target < rank.ranks(); target++) {
            if ((rank.atomics().get(memory.on(target, PoolMemory.STARTED_OFFSET)) & 1) == 1) {
                busy.append(busy.isEmpty() ? "" : ", ").append(target);
            }
        }
        return busy.isEmpty() ? "none" : busy.toString();
    }
}
