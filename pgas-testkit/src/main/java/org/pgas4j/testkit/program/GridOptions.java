package org.pgas4j.testkit.program;

import org.pgas4j.DeviceGrid;
import picocli.CommandLine.Option;

/** Shape of a grid of blocks as options. */
public final class GridOptions {

    @InRange(min = 1)
    @Option(names = "--blocks", paramLabel = "N", description = "Blocks of each rank; default: ${DEFAULT-VALUE}.")
    public int blocks = 4;

    @InRange(min = 1)
    @Option(names = "--threads", paramLabel = "T", description = "Threads of a block; default: ${DEFAULT-VALUE}.")
    public int threads = 64;

    @Option(names = "--proxy", description = "Blocks reach each other through the host.")
    public boolean proxy;

    /** The options of a grid. */
    public DeviceGrid.Options shape() {
        DeviceGrid.Options shape = DeviceGrid.Options.of(blocks, threads);
        return proxy ? shape.proxy() : shape;
    }
}
