package org.pgas4j.clock;

import java.util.function.LongSupplier;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/**
 * A clock whose readings on different ranks can be compared ({@code upc_tick}, for the whole job): the time of rank 0's JVM. Each
 * rank measures its offset by asking rank 0 for the time, many times, and keeps the answer that came fastest (Cristian,
 * "Probabilistic clock synchronization", Distributed Computing 3, 1989). That answer was given between question and receipt, so
 * the offset is wrong by half the time between the two at most.
 *
 * <p>The bound holds for the moment of measurement. Clocks of different machines drift apart, by up to 100 microseconds each
 * second if nothing corrects them: synchronize again before what matters. Any thread may read the clock.
 */
public final class JobClock {

    private final LongSupplier clock;
    private final long offsetNs;
    private final long errorNs;
    private final long maxErrorNs;

    private JobClock(LongSupplier clock, long offsetNs, long errorNs, long maxErrorNs) {
        this.clock = clock;
        this.offsetNs = offsetNs;
        this.errorNs = errorNs;
        this.maxErrorNs = maxErrorNs;
    }

    /**
     * Collective, and a barrier as well: measures the offsets of all ranks, at the same time. Takes some memory of the host
     * segments while it lasts.
     *
     * @throws org.pgas4j.PgasTimeoutException if a rank waits for another longer than the job's timeout
     */
    public static JobClock synchronize(Rank rank) {
        return synchronize(rank, System::nanoTime);
    }

    /** As {@link #synchronize(Rank)}, of another clock, in nanoseconds. */
    static JobClock synchronize(Rank rank, LongSupplier clock) {
        TimeQuestions.Offset offset = TimeQuestions.measure(rank, clock);
        return new JobClock(clock, offset.ns(), offset.errorNs(), rank.allReduce(offset.errorNs(), ReduceOp.MAX));
    }

    /** Time in nanoseconds since a moment that is the same for all ranks of the job; may be negative. */
    public long ticks() {
        return clock.getAsLong() + offsetNs;
    }

    /** Difference of rank 0's clock from this rank's, nanoseconds. */
    public long offsetNs() {
        return offsetNs;
    }

    /** Bound of the error of this rank's {@link #offsetNs}, nanoseconds; 0 on rank 0. */
    public long errorNs() {
        return errorNs;
    }

    /** The largest {@link #errorNs} of all ranks: readings of two ranks are comparable to within twice that. */
    public long maxErrorNs() {
        return maxErrorNs;
    }

    @Override
    public String toString() {
        return "JobClock[offsetNs=" + offsetNs + " errorNs=" + errorNs + " maxErrorNs=" + maxErrorNs + "]";
    }
}
