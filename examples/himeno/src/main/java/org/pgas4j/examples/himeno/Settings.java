package org.pgas4j.examples.himeno;

import java.util.Locale;

/**
 * One measurement.
 *
 * @param planes     of the whole grid, the slowest index; the first and the last are boundary
 * @param rows       of a plane, with two of boundary
 * @param columns    of a row, with two of boundary; the fastest index
 * @param iterations of a run
 * @param runs       measured, after one that is not
 * @param style      who drives
 * @param blocks     of each rank; 0 for one for each multiprocessor
 * @param threads    of a block
 * @param proxy      borders take the way through the host, as if devices could not reach each other
 * @param verify     compare with {@link Reference}
 */
public record Settings(int planes, int rows, int columns, int iterations, int runs, Style style, int blocks, int threads,
                       boolean proxy, boolean verify) {

    /** Who drives the iterations. */
    public enum Style {
        /** Block ranks: one launch for all iterations. */
        BLOCKS,
        /** The host: for each iteration border planes, their puts beside the planes between, and a wait. */
        HOST;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Settings {
        if (planes < 3 || rows < 3 || columns < 3 || iterations < 1 || runs < 1 || blocks < 0 || threads < 1
                || threads > 1024) {
            throw new IllegalArgumentException("settings out of range: grid " + planes + "x" + rows + "x" + columns
                    + " iterations " + iterations + " runs " + runs + " blocks " + blocks + " threads " + threads
                    + " (expected: grid >= 3x3x3, iterations, runs >= 1, blocks >= 0, threads 1..1024)");
        }
    }

    /** A grid with 20 iterations in each of 5 runs of block ranks with 256 threads, verified. */
    public static Settings of(int planes, int rows, int columns) {
        return new Settings(planes, rows, columns, 20, 5, Style.BLOCKS, 0, 256, false, true);
    }

    /** For weak scaling: each rank computes {@code planesPerRank} planes. */
    public static Settings perRank(int planesPerRank, int rows, int columns, int ranks) {
        return of(Math.addExact(Math.multiplyExact(planesPerRank, ranks), 2), rows, columns);
    }

    /** The same with another style. */
    public Settings style(Style other) {
        return new Settings(planes, rows, columns, iterations, runs, other, blocks, threads, proxy, verify);
    }

    /** The same with another number of iterations and runs. */
    public Settings repeated(int otherIterations, int otherRuns) {
        return new Settings(planes, rows, columns, otherIterations, otherRuns, style, blocks, threads, proxy, verify);
    }

    /** The same with other blocks. */
    public Settings blocks(int perRank, int threadsOfBlock, boolean forcedProxy) {
        return new Settings(planes, rows, columns, iterations, runs, style, perRank, threadsOfBlock, forcedProxy, verify);
    }

    /** The same, verified or not. */
    public Settings verify(boolean wanted) {
        return new Settings(planes, rows, columns, iterations, runs, style, blocks, threads, proxy, wanted);
    }

    /** Points that an iteration computes. */
    public long points() {
        return (planes - 2L) * (rows - 2) * (columns - 2);
    }

    /** Shared device memory that a rank needs, bytes. */
    public long deviceHeap(int ranks) {
        return 2L * Float.BYTES * Slab.capacity(this, ranks);
    }
}
