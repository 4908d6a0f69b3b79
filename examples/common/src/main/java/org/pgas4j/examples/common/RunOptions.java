package org.pgas4j.examples.common;

import picocli.CommandLine.Option;

/** Options of the examples that run in several styles, one of which is a grid of blocks; to be mixed in. */
public final class RunOptions {

    private static final int LAST = 900;

    @Option(names = "--blocks", order = LAST, paramLabel = "B", description = "blocks of each rank (default: as suits the device)")
    private Integer blocks;

    @Option(names = "--threads", order = LAST + 1, paramLabel = "T",
            description = "threads of a block, a multiple of 32 (default: ${DEFAULT-VALUE})")
    private int threads;

    @Option(names = "--proxy", order = LAST + 2, description = "blocks of different ranks reach each other through the host only")
    private boolean proxy;

    @Option(names = "--runs", order = LAST + 3, paramLabel = "K", description = "runs measured (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--warmup", order = LAST + 4, paramLabel = "K", description = "runs before those (default: ${DEFAULT-VALUE})")
    private int warmup;

    @Option(names = "--verify", order = LAST + 5, negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "compare with plain loops in Java (default: yes)")
    private boolean verify;

    /** With these defaults. */
    public RunOptions(int threads, int runs, int warmup) {
        this.threads = threads;
        this.runs = runs;
        this.warmup = warmup;
    }

    /** The options as settings, with so many blocks unless the option is given. */
    public RunSettings settings(int standardBlocks) {
        return new RunSettings(blocks == null ? standardBlocks : blocks, threads, proxy, warmup, runs, verify);
    }
}
