package org.pgas4j.runtime.blocks;

/** Timers of a rank's blocks, which the service starts and stops on their behalf; read by any thread. */
final class BlockTimers {

    /** Intervals kept of a timer; older ones are in the sum alone. */
    static final int MAX_INTERVALS = 256;

    private static final int TIMERS = BlockLayout.TIMERS;

    private final int blocks;
    private final long[] starts;
    private final boolean[] running;
    private final long[] sums;
    private final long[] counts;
    private final long[][] intervals; // rings, made when a timer first stops

    BlockTimers(int blocks) {
        this.blocks = blocks;
        this.starts = new long[blocks * TIMERS];
        this.running = new boolean[blocks * TIMERS];
        this.sums = new long[blocks * TIMERS];
        this.counts = new long[blocks * TIMERS];
        this.intervals = new long[blocks * TIMERS][];
    }

    private int index(int block, int timer) {
        if (block < 0 || block >= blocks || timer < 0 || timer >= TIMERS) {
            throw new IndexOutOfBoundsException("timer out of range: block=" + block + " timer=" + timer + " (expected: 0.."
                    + (blocks - 1) + ", 0.." + (TIMERS - 1) + ")");
        }
        return block * TIMERS + timer;
    }

    synchronized void start(int block, int timer, long nowNs) {
        int index = index(block, timer);
        starts[index] = nowNs;
        running[index] = true;
    }

    /** Does nothing to a timer that does not run. */
    synchronized void stop(int block, int timer, long nowNs) {
        int index = index(block, timer);
        if (!running[index]) {
            return;
        }
        running[index] = false;
        long intervalNs = nowNs - starts[index];
        if (intervals[index] == null) {
            intervals[index] = new long[MAX_INTERVALS];
        }
        intervals[index][(int) (counts[index]++ % MAX_INTERVALS)] = intervalNs;
        sums[index] += intervalNs;
    }

    synchronized long sumNs(int block, int timer) {
        return sums[index(block, timer)];
    }

    /** The last intervals, the oldest first, ns. */
    synchronized long[] intervalsNs(int block, int timer) {
        int index = index(block, timer);
        long count = counts[index];
        long[] last = new long[(int) Math.min(count, MAX_INTERVALS)];
        for (int i = 0; i < last.length; i++) {
            last[i] = intervals[index][(int) ((count - last.length + i) % MAX_INTERVALS)];
        }
        return last;
    }
}
