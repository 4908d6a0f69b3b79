package org.pgas4j.examples.common;

import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Rank;
import org.pgas4j.UsageException;

/**
 * Repetition and blocks of one measurement, the same on all ranks.
 *
 * @param blocks  of each rank; 0 for one for each multiprocessor
 * @param threads of a block, a multiple of 32
 * @param proxy   blocks of different ranks reach each other through the host only
 * @param warmup  runs before those measured
 * @param runs    runs measured
 * @param verify  compare with a plain reference
 */
public record RunSettings(int blocks, int threads, boolean proxy, int warmup, int runs, boolean verify) {

    private static final int WARP = 32;
    private static final int MAX_THREADS = 1024;

    public RunSettings {
        OptionCheck.inRange("--blocks", blocks, 0, 1 << 16);
        OptionCheck.inRange("--threads", threads, WARP, MAX_THREADS);
        if (threads % WARP != 0) {
            throw new UsageException("--threads " + threads + " (expected: a multiple of " + WARP + ")");
        }
        OptionCheck.atLeast(0, "--warmup", warmup);
        OptionCheck.atLeast(1, "--runs", runs);
    }

    /** The blocks of all ranks. Collective. */
    public DeviceGrid grid(Rank rank) {
        return rank.createGrid(shape(rank, blocks));
    }

    /** The options of {@link #grid}, with {@code onHost} blocks in place of 0 on the host device. */
    public DeviceGrid.Options shape(Rank rank, int onHost) {
        DeviceGrid.Options options = DeviceGrid.Options.of(
                blocks == 0 && rank.device().backend() == Backend.HOST ? onHost : blocks, threads);
        return proxy ? options.proxy() : options;
    }
}
