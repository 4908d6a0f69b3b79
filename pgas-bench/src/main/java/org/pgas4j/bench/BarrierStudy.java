package org.pgas4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;

/** Barriers of blocks: of one device and of all, by number of blocks. */
final class BarrierStudy {

    private static final long HIGHEST_PS = 1_000_000_000_000L;
    private static final int THREADS = 128;

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean gpu;

    BarrierStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    static long heapBytes() {
        return 64 << 20;
    }

    /** Collective. */
    void run() {
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
        Histogram histogram = new Histogram(HIGHEST_PS, 3);
        SharedBytes samples;
        try (Scope _ = rank.onDevice()) {
            samples = rank.allAllocBytes(Layout.replicated(), (long) count * Double.BYTES);
        }
        DeviceGrid.Options shape = DeviceGrid.Options.of(perRank, THREADS);
        try (DeviceGrid blocks = rank.createGrid(proxy ? shape.proxy() : shape); Arena arena = Arena.ofConfined()) {
            blocks.launch(BlockKernels.BARRIERS, samples.local(), count, batch, comm.ordinal());
            blocks.sync();
            if (rank.rank() == 0) {
                MemorySegment segment = Data.read(rank, samples.local(), arena);
                for (int i = 0; i < count; i++) {
                    histogram.recordValue(Math.clamp(Math.round(segment.getAtIndex(ValueLayout.JAVA_DOUBLE, i) * 1000), 1,
                            HIGHEST_PS));
                }
            }
            rank.barrier();
        }
        rank.allFree(samples);
        if (rank.rank() == 0) {
            String reach = comm == Comm.DEVICE ? "same-device" : proxy ? "proxy" : "peer";
            out.accept(new Row("barrier", "block barrier", "device", "device", reach, rank.processes(), 0, histogram, batch, null, 0)
                    .with(NotifyStudy.INITIATOR, "kernel").with(NotifyStudy.WAITER, "kernel").with(NotifyStudy.REACH, reach)
                    .with("blocks", perRank * (comm == Comm.DEVICE ? 1 : rank.ranks())));
        }
    }
}
