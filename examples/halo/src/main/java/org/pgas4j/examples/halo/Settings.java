package org.pgas4j.examples.halo;

import java.util.Locale;

/**
 * One measurement.
 *
 * @param side    n of a rank's box of n x n x n floats
 * @param periods of a run
 * @param runs    measured, after one that is not
 * @param style   who starts the communication
 * @param blocks  of each rank; 0 for one for each multiprocessor
 * @param threads of a block
 * @param proxy   what blocks send takes the way through the host, as if devices could not reach each other
 * @param verify  compare with {@link Reference}
 */
public record Settings(int side, int periods, int runs, Style style, int blocks, int threads, boolean proxy, boolean verify) {

    /** Who starts the communication. */
    public enum Style {
        /** The host, which waits for the device before and after. */
        SYNC,
        /** The rank's stream; the host runs ahead. */
        STREAM,
        /**
         * The rank's stream, from a graph that is captured once; devices tell each other, and the host only launches. Where they do
         * not reach each other, period by period.
         */
        GRAPH,
        /** A kernel for each period. */
        KERNEL,
        /** A kernel for each period, which starts what the host has prepared; the rank's stream waits. */
        TRIGGERED,
        /** Block ranks, in one launch for all periods. */
        BLOCKS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Settings {
        if (side < 2 || side > 1290 || periods < 1 || runs < 1 || blocks < 0 || threads < 1 || threads > 1024) {
            throw new IllegalArgumentException("settings out of range: side " + side + " periods " + periods + " runs " + runs
                    + " blocks " + blocks + " threads " + threads
                    + " (expected: side 2..1290, periods, runs >= 1, blocks >= 0, threads 1..1024)");
        }
    }

    /** 100 periods in each of 5 runs of block ranks with 256 threads, verified. */
    public static Settings of(int side) {
        return new Settings(side, 100, 5, Style.BLOCKS, 0, 256, false, true);
    }

    /** The same with another style. */
    public Settings style(Style other) {
        return new Settings(side, periods, runs, other, blocks, threads, proxy, verify);
    }

    /** The same with other numbers of periods and runs. */
    public Settings repeated(int otherPeriods, int otherRuns) {
        return new Settings(side, otherPeriods, otherRuns, style, blocks, threads, proxy, verify);
    }

    /** The same with other blocks. */
    public Settings blocks(int perRank, int threadsOfBlock, boolean forcedProxy) {
        return new Settings(side, periods, runs, style, perRank, threadsOfBlock, forcedProxy, verify);
    }

    /** The same, verified or not. */
    public Settings verify(boolean wanted) {
        return new Settings(side, periods, runs, style, blocks, threads, proxy, wanted);
    }

    /** Floats of a face. */
    public int face() {
        return side * side;
    }

    /** Floats of a box. */
    public long box() {
        return (long) side * side * side;
    }

    /** Shared device memory that a rank needs, bytes. */
    public long deviceHeap() {
        return Float.BYTES * (2 * box() + 8L * face());
    }
}
