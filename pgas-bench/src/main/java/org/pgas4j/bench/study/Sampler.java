package org.pgas4j.bench.study;

import org.HdrHistogram.Histogram;
import org.pgas4j.bench.result.ClockCost;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Times two versions of one operation in turns, so that a drift of the machine's speed meets both. Short operations are
 * timed in batches: a sample is the mean of its batch ({@link #batch}), and operations timed one by one after them, without what
 * reading the clock takes, have the tail.
 */
final class Sampler {

    private static final long SAMPLE_NS = 20_000;
    /** Less, and the compiler has not finished with the shortest operations. */
    private static final long WARM_UP_NS = 400_000_000L;
    private static final int ROUNDS = 20;
    private static final int MAX_SINGLES = 100_000;

    /** Does an operation {@code count} times. */
    @FunctionalInterface
    interface Batch {
        void run(int count);
    }

    private final Measuring measuring;
    private final long measureNs;
    private final Histogram own = SampleTimes.histogram();
    private final Histogram baseline = SampleTimes.histogram();
    private final Histogram singles = SampleTimes.histogram();
    private long batch = 1;

    /** A tenth of the time after warming up with {@link StudyOptions#quick}. */
    Sampler(StudyOptions options) {
        measuring = options.measuring();
        measureNs = options.quick() ? 100_000_000L : 1_000_000_000L;
    }

    /** Measures; {@code raw} may be null. */
    void measure(Batch system, Batch raw) {
        int count = warmUp(system);
        batch = count;
        int rawBatch = raw == null ? 0 : warmUp(raw);
        for (int round = 0; round < ROUNDS; round++) {
            sample(system, count, own);
            if (raw != null) {
                sample(raw, rawBatch, baseline);
            }
        }
        if (count > 1) {
            oneByOne(system, MAX_SINGLES, System.nanoTime() + measureNs / 2);
        }
    }

    private void oneByOne(Batch system, int most, long endNs) {
        for (int i = 0; i < most && System.nanoTime() - endNs < 0; i++) {
            long begin = System.nanoTime();
            system.run(1);
            record(singles, System.nanoTime() - begin, 1);
        }
    }

    /** Measures a given number of batches of both, for operations that all ranks do together; {@code raw} may be null. */
    void measureFixed(int rounds, int count, Batch system, Batch raw) {
        for (int round = -rounds / 5; round < rounds; round++) {
            long begin = System.nanoTime();
            system.run(count);
            long middle = System.nanoTime();
            if (raw != null) {
                raw.run(count);
            }
            long end = System.nanoTime();
            if (round >= 0) {
                recordOwn(middle - begin, count);
                if (raw != null) {
                    recordBaseline(end - middle, count);
                }
            }
        }
        oneByOne(system, count, System.nanoTime() + Long.MAX_VALUE / 2); // as many on all ranks
    }

    /** Records a batch timed elsewhere. */
    void recordOwn(long nanos, int count) {
        batch = count;
        record(own, nanos, count);
    }

    /** Records a batch of the raw version timed elsewhere. */
    void recordBaseline(long nanos, int count) {
        record(baseline, nanos, count);
    }

    private static void record(Histogram into, long nanos, int count) {
        SampleTimes.record(into, ClockCost.without(nanos) / count);
    }

    /**
     * Runs until the time is up and returns how many operations make a sample: as many as took 20 microseconds at the best
     * speed seen, so that a disturbed moment does not leave a sample with too few operations for the clock.
     */
    int warmUp(Batch batch) {
        int count = 1;
        long best = Long.MAX_VALUE;
        long start = System.nanoTime();
        SettledTimes times = new SettledTimes();
        long least = measuring.leastWarmUpNs(WARM_UP_NS);
        long passed = 0;
        while (passed < least || passed < measuring.mostWarmUpNs(WARM_UP_NS) && !times.isSettled()) {
            long begin = System.nanoTime();
            batch.run(count);
            long now = System.nanoTime();
            passed = now - start;
            long picos = Math.max(1, (now - begin) * 1000 / count);
            times.add(picos);
            best = Math.min(best, picos);
            count = (int) Math.max(1, Math.min(100_000, SAMPLE_NS * 1000 / best));
        }
        return count;
    }

    private void sample(Batch batch, int count, Histogram into) {
        long end = System.nanoTime() + measureNs / ROUNDS;
        long begin = System.nanoTime();
        int samples = 0;
        while (begin < end || samples < 3) {
            batch.run(count);
            long now = System.nanoTime();
            record(into, now - begin, count);
            begin = now;
            samples++;
        }
    }

    /** Summary of the operation. */
    SampleTimes times() {
        return SampleTimes.of(own, batch, batch == 1 ? own : singles);
    }

    /** Picoseconds per operation of the raw version. */
    Histogram baseline() {
        return baseline;
    }
}
