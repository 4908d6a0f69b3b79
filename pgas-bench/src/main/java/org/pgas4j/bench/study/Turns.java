package org.pgas4j.bench.study;

import org.HdrHistogram.Histogram;
import org.pgas4j.Rank;
import org.pgas4j.bench.result.ClockCost;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Times operations that all ranks take part in, in turns, so that a drift of the machine's speed meets all of them. Rank 0
 * measures, decides how often something is done and broadcasts it. Each operation is timed by itself, without what
 * reading the clock takes.
 */
final class Turns {

    private static final long WARM_UP_NS = 300_000_000L;
    private static final long WARM_UP_AGAIN_NS = 15_000_000L;
    private static final long BATCH_NS = 4_000_000L;
    private static final int BATCHES = 4;
    private static final int MAX_BATCH = 1_000_000;

    /** One operation as the calling rank takes part in it. */
    @FunctionalInterface
    interface Step {

        /** Nanoseconds it took; used on rank 0. */
        long once();
    }

    private final Rank rank;
    private final long measureNs;
    private final int rounds;
    private final Measuring measuring;
    private boolean warm;

    Turns(Rank rank, StudyOptions options) {
        this.rank = rank;
        this.measureNs = options.measureNs();
        this.rounds = options.rounds();
        this.measuring = options.measuring();
    }

    /** Collective: a histogram of picoseconds for each step, filled on rank 0. */
    Histogram[] measure(Step... steps) {
        long[] each = new long[steps.length];
        Histogram[] times = new Histogram[steps.length];
        for (int i = 0; i < steps.length; i++) {
            each[i] = warmUp(steps[i], warm ? WARM_UP_AGAIN_NS : WARM_UP_NS);
            times[i] = SampleTimes.histogram();
        }
        warm = true;
        if (measuring.samples() > 0) {
            return measureFixed(measuring.samples(), 0, steps);
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < steps.length; i++) {
                each[i] = runFor(steps[i], measureNs / rounds, each[i], times[i]);
            }
        }
        return times;
    }

    /** Collective: a given number of each step, an even share of it in each round, after {@code warmUps} unmeasured ones. */
    Histogram[] measureFixed(int count, int warmUps, Step... steps) {
        Histogram[] times = new Histogram[steps.length];
        for (int i = 0; i < steps.length; i++) {
            run(steps[i], warmUps, null);
            times[i] = SampleTimes.histogram();
        }
        for (int round = 0; round < rounds; round++) {
            int share = count * (round + 1) / rounds - count * round / rounds;
            for (int i = 0; i < steps.length; i++) {
                run(steps[i], share, times[i]);
            }
        }
        return times;
    }

    /** Nanoseconds that a step takes at the end of its warm-up. */
    private long warmUp(Step step, long own) {
        long start = System.nanoTime();
        SettledTimes times = new SettledTimes();
        long each = runFor(step, measuring.leastWarmUpNs(own) / (2 * BATCHES), 1, null);
        boolean more = true;
        while (more) {
            each = runFor(step, measuring.leastWarmUpNs(own) / (2 * BATCHES), each, null);
            times.add(each);
            long passed = System.nanoTime() - start;
            more = agree(passed < measuring.mostWarmUpNs(own) && (passed < measuring.leastWarmUpNs(own) || !times.isSettled()) ? 1 : 0)
                    > 0;
        }
        return each;
    }

    /**
     * Runs a step until the time is up, in batches that rank 0 sizes by how long the one before took.
     *
     * @param eachNs what a step takes, as far as is known
     * @return what it takes now
     */
    private long runFor(Step step, long forNs, long eachNs, Histogram into) {
        long start = System.nanoTime();
        long each = eachNs;
        int count = agree(into == null ? 1 : batch(forNs, each));
        while (count > 0) {
            each = Math.max(1, run(step, count, into) / count);
            long left = forNs - (System.nanoTime() - start);
            count = agree(left <= 0 ? 0 : Math.min(batch(forNs, each), batch(left * BATCHES, each)));
        }
        return each;
    }

    private static int batch(long forNs, long each) {
        return Math.clamp(Math.min(forNs / BATCHES, BATCH_NS) / each, 1, MAX_BATCH);
    }

    private int agree(int count) {
        return (int) rank.collectives().broadcast(count, 0);
    }

    /** Nanoseconds for all of them, what belongs to them but is not timed included. */
    private long run(Step step, int count, Histogram into) {
        boolean measured = rank.rank() == 0 && into != null;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long ns = step.once();
            if (measured) {
                SampleTimes.record(into, ClockCost.without(ns));
            }
        }
        rank.barrier();
        return System.nanoTime() - begin;
    }
}
