package org.pgas4j.bench.lab;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Requests of an open loop: they are due at times that do not depend on how long others take, and each is timed from when it was
 * due. One requester does them in order, so a request that is due while another is served waits: latencies have that wait in them,
 * which a closed loop leaves out.
 */
public final class OpenLoop {

    private static final int LOOKS = 400_000;

    private final long[] dueNs;
    private final long[] doneNs;

    private OpenLoop(long[] dueNs) {
        this.dueNs = dueNs;
        this.doneNs = new long[dueNs.length];
    }

    /** Times between arrivals of a mean: exponential ({@code poisson}) or all the same. */
    static long[] gaps(int count, double meanNs, boolean poisson, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] gaps = new long[count];
        Arrays.setAll(gaps, _ -> Math.round(poisson ? -Math.log(1 - random.nextDouble()) * meanNs : meanNs));
        return gaps;
    }

    /**
     * Runs requests to their end.
     *
     * @param count   requests
     * @param meanNs  mean time between two
     * @param poisson false for a fixed rate
     * @param clock   nanoseconds
     * @param idle    waits until a time at most, or less
     * @param request does a request
     */
    public static OpenLoop run(int count, double meanNs, boolean poisson, long seed, LongSupplier clock, LongUnaryOperator idle,
            Runnable request) {
        long[] due = gaps(count, meanNs, poisson, seed);
        long at = clock.getAsLong();
        for (int i = 0; i < count; i++) {
            at += due[i];
            due[i] = at;
        }
        OpenLoop loop = new OpenLoop(due);
        for (int i = 0; i < count; i++) {
            while (clock.getAsLong() - due[i] < 0) {
                idle.applyAsLong(due[i]);
            }
            request.run();
            loop.doneNs[i] = clock.getAsLong();
        }
        return loop;
    }

    /** Requests. */
    public int count() {
        return dueNs.length;
    }

    /** Nanoseconds from when a request was due until it was done. */
    public long latencyNs(int request) {
        return doneNs[request] - dueNs[request];
    }

    /** Time from the first arrival to the last completion. */
    public long wholeNs() {
        return doneNs[doneNs.length - 1] - dueNs[0];
    }

    /**
     * Number of requests in the system by Little's law, divided by the number that was seen there at {@value #LOOKS} random
     * moments, one in each part of the time, as even ones would keep step with a fixed rate: 1 if latencies are those of the
     * requests (J. Little, A proof for the queuing formula L = lambda W, 1961).
     *
     * @param meanLatencyNs mean of the latencies as they were recorded
     */
    public double littleRatio(double meanLatencyNs) {
        return count() / (double) wholeNs() * meanLatencyNs / seen();
    }

    private double seen() {
        SplittableRandom random = new SplittableRandom(count());
        long sum = 0;
        int arrived = 0;
        int left = 0;
        for (int look = 0; look < LOOKS; look++) {
            double at = dueNs[0] + (look + random.nextDouble()) / LOOKS * wholeNs();
            while (arrived < dueNs.length && dueNs[arrived] <= at) {
                arrived++;
            }
            while (left < doneNs.length && doneNs[left] <= at) {
                left++;
            }
            sum += arrived - left;
        }
        return (double) sum / LOOKS;
    }
}
