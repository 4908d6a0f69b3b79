package org.pgas4j.examples.matvec;

import java.util.Locale;

/**
 * One measurement.
 *
 * @param vectors of a batch, {@link Data#SIDE} floats each
 * @param batches of a run
 * @param depth   batches under way at once
 * @param runs    measured, after one that is not
 * @param style   who sends and serves
 * @param blocks  of each rank; 0 for one for each multiprocessor
 * @param threads of a block, a multiple of 32
 * @param proxy   blocks' messages take the way through the host, as if devices could not reach each other
 * @param verify  compare every result with the reference
 */
public record Settings(int vectors, int batches, int depth, int runs, Style style, int blocks, int threads, boolean proxy,
                       boolean verify) {

    /** Who sends and serves. */
    public enum Style {
        /** The blocks of the devices, in one launch. */
        BLOCKS,
        /** The hosts: puts, notifications, and a kernel for each batch. */
        HOST;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Settings {
        if (vectors < 1 || batches < 1 || depth < 1 || runs < 1 || blocks < 0 || threads < 32 || threads > 1024
                || threads % 32 != 0) {
            throw new IllegalArgumentException("settings out of range: vectors " + vectors + " batches " + batches + " depth "
                    + depth + " runs " + runs + " blocks " + blocks + " threads " + threads
                    + " (expected: >= 1, blocks >= 0, threads 32..1024 and a multiple of 32)");
        }
    }

    /** 64 batches in each of 5 runs of block ranks with 256 threads, two batches under way, verified. */
    public static Settings of(int vectors) {
        return new Settings(vectors, 64, 2, 5, Style.BLOCKS, 0, 256, false, true);
    }

    /** The same with another style. */
    public Settings style(Style other) {
        return new Settings(vectors, batches, depth, runs, other, blocks, threads, proxy, verify);
    }

    /** The same with other numbers of batches, of batches under way, and of runs. */
    public Settings repeated(int otherBatches, int otherDepth, int otherRuns) {
        return new Settings(vectors, otherBatches, otherDepth, otherRuns, style, blocks, threads, proxy, verify);
    }

    /** The same with other blocks. */
    public Settings blocks(int perRank, int threadsOfBlock, boolean forcedProxy) {
        return new Settings(vectors, batches, depth, runs, style, perRank, threadsOfBlock, forcedProxy, verify);
    }

    /** The same, verified or not. */
    public Settings verify(boolean wanted) {
        return new Settings(vectors, batches, depth, runs, style, blocks, threads, proxy, wanted);
    }

    /** Bytes of a batch. */
    public long batchBytes() {
        return (long) vectors * Data.SIDE * Float.BYTES;
    }

    /** Shared device memory that a rank needs, bytes. */
    public long deviceHeap() {
        return 2 * Math.max(batches, depth) * batchBytes();
    }
}
