package org.pgas4j.bench.study;

import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.SharedBytes;
import org.pgas4j.bench.result.Row;

/** Barriers of blocks: of one device and of all, by number of blocks. */
public final class BarrierStudy extends Study {

    private static final int THREADS = 128;

    public BarrierStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    public static long heapBytes() {
        return 64 << 20;
    }

    /** Collective. */
    public void run() {
        int[] blocks = !gpu ? new int[] {1, 2, 4} : options.quick() ? new int[] {1, 132}
                : new int[] {1, 2, 4, 8, 16, 32, 64, 132, 264, 528};
        for (int perRank : blocks) {
            for (Comm comm : Comm.values()) {
                measure(perRank, comm, false);
            }
        }
        measure(blocks[blocks.length - 1], Comm.WORLD, true);
    }

    private void measure(int perRank, Comm comm, boolean proxy) {
        int count = options.quick() || proxy || !gpu ? 100 : 1000;
        int batch = gpu && !proxy ? 10 : 2;
        SharedBytes samples = device((long) count * Double.BYTES);
        DeviceGrid.Options shape = DeviceGrid.Options.of(perRank, THREADS);
        Histogram histogram;
        try (DeviceGrid blocks = rank.createGrid(proxy ? shape.proxy() : shape)) {
            blocks.launch(BlockKernels.BARRIERS, samples.local(), count, batch, comm.ordinal());
            blocks.sync();
            histogram = samples(samples.local(), count);
        }
        rank.allFree(samples);
        if (rank.rank() == 0) {
            String reach = comm == Comm.DEVICE ? "same-device" : proxy ? "proxy" : "peer";
            add(new Row("barrier", "block barrier", "device", "device", reach, rank.processes(), 0, histogram, batch, null, 0)
                    .with(Row.INITIATOR, "kernel").with(Row.WAITER, "kernel").with(Row.REACH, reach)
                    .with("blocks", perRank * (comm == Comm.DEVICE ? 1 : rank.ranks())));
        }
    }
}
