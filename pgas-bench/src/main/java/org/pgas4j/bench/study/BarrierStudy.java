package org.pgas4j.bench.study;

import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.SharedBytes;
import org.pgas4j.bench.result.Row;

/**
 * Barriers of blocks: of one device and of all, by number of blocks; then all-reduces inside a kernel, of two blocks of a device and of a
 * block of every rank.
 */
public final class BarrierStudy extends Study {

    public static final String BARRIER = "block barrier";
    public static final String ALL_REDUCE = "block all-reduce";

    private static final int THREADS = 128;
    /** Bytes of all-reduces, and threads of their blocks. */
    private static final int[][] ALL_REDUCES = {{8, 32}, {64, 32}, {256, 32}, {1024, 128}, {2048, 256}, {4096, 512}, {8192, 512},
        {16384, 512}, {32768, 512}, {65536, 512}, {262144, 512}};
    private static final int REGION = 1 << 20;

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
        int most = gpu ? resident() : blocks[blocks.length - 1];
        int last = 0;
        for (int perRank : blocks) {
            if (perRank <= most) {
                for (Comm comm : Comm.values()) {
                    measure(perRank, comm, false);
                }
                last = perRank;
            }
        }
        measure(last, Comm.WORLD, true);
        for (int[] size : ALL_REDUCES) {
            for (Comm comm : Comm.values()) {
                allReduce(size[0], size[1], comm);
            }
        }
    }

    /** Blocks of each rank that can be resident at once, where as many ranks share a GPU as do here; they wait for each other. */
    private int resident() {
        int ranksOnDevice = rank.device().multiprocessors() / multiprocessors();
        return rank.device().residentBlocks(BlockKernels.BARRIERS, THREADS) / ranksOnDevice;
    }

    private void allReduce(int bytes, int threads, Comm comm) {
        int count = options.quick() || !gpu ? 100 : 1000;
        int batch = gpu ? 10 : 2;
        int perRank = comm == Comm.DEVICE ? 2 : 1;
        SharedBytes base = device((long) perRank * REGION);
        SharedBytes samples = device((long) count * Double.BYTES);
        Histogram histogram;
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(perRank, threads))) {
            blocks.launch(BlockKernels.allReduces(threads), base.local(), samples.local(), count, batch, comm.ordinal(), bytes, REGION);
            blocks.sync();
            histogram = samples(samples.local(), count);
        }
        rank.allFree(samples);
        rank.allFree(base);
        if (rank.rank() == 0) {
            String reach = comm == Comm.DEVICE ? "same-device" : "peer";
            add(new Row("barrier", ALL_REDUCE, "device", "device", reach, rank.processes(), bytes, histogram, batch, null, 0)
                    .with(Row.INITIATOR, "kernel").with(Row.WAITER, "kernel").with(Row.REACH, reach)
                    .with("blocks", comm == Comm.DEVICE ? 2 : rank.ranks()));
        }
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
            add(new Row("barrier", BARRIER, "device", "device", reach, rank.processes(), 0, histogram, batch, null, 0)
                    .with(Row.INITIATOR, "kernel").with(Row.WAITER, "kernel").with(Row.REACH, reach)
                    .with("blocks", perRank * (comm == Comm.DEVICE ? 1 : rank.ranks())));
        }
    }
}
