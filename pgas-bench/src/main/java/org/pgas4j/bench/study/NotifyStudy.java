package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedBytes;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Notifications between blocks of ranks 0 and 1, while further ranks are idle: half round trips of notified puts and of notifications
 * alone, to a block of the same device, of a peer, and of a peer through the host; then how fast many notified puts are. What they are
 * compared with are loops of loads and stores without the library, by one thread at each end, in the same run. A block on a GPU has 32
 * threads up to 256 bytes, 128 for 1 KiB, 512 above.
 */
public final class NotifyStudy extends Study {

    private static final int[] HOST_SIZES = {4, 8, 64, 1024, 8192};
    private static final int[] SMALL = {4, 8, 64, 256};
    /** Sizes that a block of more threads sends, on GPUs: of {@link #MEDIUM_THREADS} and {@link #LARGE_THREADS}. */
    private static final int[] MEDIUM = {1024};
    private static final int[] LARGE = {4096, 8192, 16384};
    private static final int REGION = 32 * 1024;
    private static final int THREADS = 32;
    private static final int MEDIUM_THREADS = 128;
    private static final int LARGE_THREADS = 512;
    private static final int CROWDS = 5;
    private static final int FLOOD_THREADS = 1024;
    private static final int CROWD = 64;
    private static final int EACH = 10;
    private static final int FLOOD_BYTES = 1 << 20;

    public NotifyStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    public static long heapBytes(boolean gpu) {
        return (gpu ? 160L << 20 : 8L << 20) + (24 << 20);
    }

    /** Collective. */
    public void run() {
        latencies(false);
        latencies(true);
        if (gpu) {
            copiesBeside();
        }
        int most = gpu ? blocksOfRank() : 2;
        for (int blocks : !gpu ? new int[] {1} : options.quick() ? new int[] {1, most} : upTo(most, 8, 32, 64)) {
            flood(blocks, most);
        }
        for (int blocks : gpu ? upTo(most, 8, 32) : new int[] {1}) {
            smallFlood(blocks, most);
        }
    }

    private static int[] upTo(int most, int... between) {
        return IntStream.concat(IntStream.of(1), IntStream.concat(IntStream.of(between).filter(blocks -> blocks < most), IntStream.of(most)))
                .toArray();
    }

    /** One for each multiprocessor, of which ranks of one GPU have a share each: blocks of both ranks wait for each other. */
    private int blocksOfRank() {
        int devices = (int) rank.allReduce((long) rank.device().ordinal(), ReduceOp.MAX) + 1;
        return Math.max(1, rank.device().multiprocessors() * devices / Math.max(devices, rank.ranks()));
    }

    // ---- latency

    private void latencies(boolean proxy) {
        SharedBytes base = device(2L * REGION);
        SharedBytes samples = device((long) count() * Double.BYTES);
        try (DeviceGrid blocks = grid(THREADS, proxy)) {
            if (!proxy) {
                measure(new Pairing(blocks, base, samples, 1, "same-device"));
            }
            measure(new Pairing(blocks, base, samples, 2, proxy ? "proxy" : "peer"));
        }
        if (gpu) {
            larger(base, samples, MEDIUM_THREADS, MEDIUM, proxy);
            larger(base, samples, LARGE_THREADS, LARGE, proxy);
        }
        rank.allFree(samples);
        rank.allFree(base);
    }

    private DeviceGrid grid(int threads, boolean proxy) {
        DeviceGrid.Options shape = DeviceGrid.Options.of(2, threads);
        return rank.createGrid(proxy ? shape.proxy() : shape);
    }

    /** Puts of sizes that take more threads. */
    private void larger(SharedBytes base, SharedBytes samples, int threads, int[] sizes, boolean proxy) {
        try (DeviceGrid blocks = grid(threads, proxy)) {
            if (!proxy) {
                measureSizes(new Pairing(blocks, base, samples, 1, "same-device"), sizes);
            }
            measureSizes(new Pairing(blocks, base, samples, 2, proxy ? "proxy" : "peer"), sizes);
        }
    }

    private void measureSizes(Pairing pairing, int[] sizes) {
        boolean direct = gpu && !pairing.reach.equals("proxy");
        Histogram release = direct ? times(pairing, 4, BlockKernels.RAW_RELEASE) : null;
        for (int bytes : sizes) {
            add("put-notify", bytes, pairing, times(pairing, bytes, BlockKernels.PUT_NOTIFY), release);
        }
    }

    private int count() {
        return options.quick() || !gpu ? 200 : 2000;
    }

    private record Pairing(DeviceGrid blocks, SharedBytes base, SharedBytes samples, int partner, String reach) {
    }

    /** Round trips of a sample. */
    private int batch(Pairing pairing) {
        return pairing.reach.equals("proxy") ? 2 : gpu ? 10 : 5;
    }

    private Histogram times(Pairing pairing, int bytes, int mode) {
        pairing.blocks.launch(BlockKernels.pingpong(pairing.blocks.threads()), pairing.base.local(), pairing.samples.local(),
                count(), batch(pairing), pairing.partner, bytes, mode, REGION);
        pairing.blocks.sync();
        return samples(pairing.samples.local(), count());
    }

    private void measure(Pairing pairing) {
        if (pairing.reach.equals("proxy")) {
            for (int i = 0; i < (options.quick() ? 2 : 10); i++) {
                times(pairing, 4, BlockKernels.PUT_NOTIFY); // until the host's part is compiled
            }
            parts(pairing);
        }
        boolean direct = gpu && !pairing.reach.equals("proxy");
        Histogram flag = direct ? times(pairing, 0, BlockKernels.RAW_FLAG) : null;
        Histogram release = direct ? times(pairing, 4, BlockKernels.RAW_RELEASE) : null;
        Histogram oneStore = direct ? times(pairing, 4, BlockKernels.RAW_ONE_STORE) : null;
        if (direct) {
            add("raw flag", 0, pairing, flag, null);
            add("raw release", 4, pairing, release, null);
            add("raw one store", 4, pairing, oneStore, null);
        }
        add("notify", 0, pairing, times(pairing, 0, BlockKernels.NOTIFY), flag);
        for (int bytes : gpu ? SMALL : HOST_SIZES) {
            add("put-notify", bytes, pairing, times(pairing, bytes, BlockKernels.PUT_NOTIFY), bytes <= 8 ? oneStore : release);
        }
    }

    private void add(String op, int bytes, Pairing pairing, Histogram times, Histogram baseline) {
        add(new Row("notify", op, "device", "device", pairing.reach, rank.processes(), bytes, times,
                2 * batch(pairing), baseline, 0)
                .with(Row.INITIATOR, "kernel").with(Row.WAITER, "kernel").with(Row.REACH, pairing.reach));
    }

    /**
     * Measures the parts of the way through the host: the call in the kernel, the helper's part, a round trip between the host and a
     * waiting kernel, and the driver's call that writes a device's counter, which the mailbox saves.
     */
    private void parts(Pairing pairing) {
        Histogram call;
        Histogram helper = SampleTimes.histogram();
        try (DeviceGrid crowd = rank.createGrid(DeviceGrid.Options.of(gpu ? CROWD : 2, THREADS).proxy())) {
            for (int i = 0; i < CROWDS; i++) {
                long before = crowd.timerNanos(0, 0);
                crowd.launch(BlockKernels.PARTS, pairing.samples.local(), count(), EACH);
                crowd.sync();
                if (first) {
                    SampleTimes.record(helper, (crowd.timerNanos(0, 0) - before) / (double) (EACH * crowd.perRank()));
                }
            }
            call = samples(pairing.samples.local(), count());
        }
        DeviceGrid blocks = pairing.blocks;
        rank.barrier();
        Histogram driver = SampleTimes.histogram();
        for (int i = -200; i < 1000 && first; i++) {
            long start = System.nanoTime();
            blocks.signal(blocks.firstRank(), 77); // no launch, no mailbox
            if (i >= 0) {
                SampleTimes.record(driver, System.nanoTime() - start);
            }
        }
        int rounds = count() * 5 / 4;
        blocks.launch(BlockKernels.ECHO, rounds, 0, 0);
        Histogram echo = SampleTimes.histogram();
        for (int i = 0; i < rounds && first; i++) {
            long start = System.nanoTime();
            blocks.signal(blocks.firstRank(), 5);
            rank.notifications().await(6, 1);
            if (i >= rounds - count()) {
                SampleTimes.record(echo, System.nanoTime() - start);
            }
        }
        blocks.sync();
        addPart("part: call in the kernel", "kernel", pairing, call, EACH);
        addPart("part: helper, one of many", "kernel", pairing, helper, EACH * (gpu ? CROWD : 2));
        addPart("part: driver call saved", "host", pairing, driver, 1);
        addPart("part: host to kernel and back", "host", pairing, echo, 1);
    }

    private void addPart(String op, String initiator, Pairing pairing, Histogram times, int batch) {
        add(new Row("notify", op, initiator.equals("host") ? "host" : "device", "device", pairing.reach,
                rank.processes(), 0, times, batch, null, 0).with(Row.INITIATOR, initiator).with(Row.WAITER, "none").with(Row.REACH, pairing.reach));
    }

    /** Copies of 8 bytes by the copy engine, alone and while every multiprocessor has a block that waits for notifications. */
    private void copiesBeside() {
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(0, THREADS)); Arena arena = Arena.ofShared()) {
            Buffer host = Buffer.ofHost(arena.allocate(Long.BYTES, Long.BYTES), ElementType.LONG);
            Buffer device = rank.device().alloc(ElementType.LONG, 1);
            Histogram alone = copies(host, device);
            rank.barrier();
            // Block 0 of each rank waits for its host, the others for block 0.
            blocks.launch(BlockKernels.ECHO, 1, -1, rank.rank());
            Histogram beside = copies(host, device);
            blocks.signal(blocks.firstRank(), 5);
            rank.notifications().await(6, 1);
            blocks.sync();
            device.close();
            if (first) {
                add(new Row("notify", "copy beside waiting blocks", "device", "host", "local", rank.processes(), Long.BYTES,
                        beside, 1, alone, 0).with(Row.INITIATOR, "host").with(Row.WAITER, "kernel").with(Row.REACH, "same-device")
                        .with("blocks", blocks.perRank()));
            }
        }
    }

    private Histogram copies(Buffer host, Buffer device) {
        Histogram times = SampleTimes.histogram();
        for (int i = -count() / 4; i < count(); i++) {
            long start = System.nanoTime();
            rank.stream().copy(host, device);
            rank.stream().sync();
            if (i >= 0) {
                SampleTimes.record(times, System.nanoTime() - start);
            }
        }
        return times;
    }

    // ---- bandwidth

    private void flood(int wanted, int perRank) {
        int puts = gpu ? options.quick() ? 10 : 50 : 5;
        SharedBytes base = device((long) perRank * FLOOD_BYTES);
        SharedBytes times = device(2L * perRank * Long.BYTES);
        int rounds = options.quick() ? 5 : 15;
        Histogram notified = SampleTimes.histogram();
        Histogram plain = SampleTimes.histogram();
        // Where the memory of the other rank is out of reach there are no plain stores to compare with.
        boolean reached = rank.diagnostics().route(MemoryKind.DEVICE, base.pointer().onRank(first ? 1 : 0), FLOOD_BYTES).startsWith("direct");
        String reach = reached ? "peer" : "proxy";
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(perRank, FLOOD_THREADS))) {
            for (int round = -1; round < rounds; round++) {
                for (int how = 0; how < (reached ? 2 : 1); how++) {
                    blocks.launch(BlockKernels.FLOOD, base.local(), times.local(), wanted, puts, FLOOD_BYTES, how, perRank);
                    blocks.sync();
                    if (first && round >= 0) {
                        SampleTimes.record(how == 0 ? notified : plain, spanNs(times.local(), wanted) / puts / wanted);
                    }
                    rank.barrier();
                }
            }
        }
        add(new Row("notify", "put-notify flood", "device", "device", reach, rank.processes(), FLOOD_BYTES, notified,
                (long) puts * wanted, plain, 0).with(Row.INITIATOR, "kernel").with(Row.WAITER, "kernel").with(Row.REACH, reach).with("blocks", wanted));
        rank.allFree(times);
        rank.allFree(base);
    }

    /** Small notified puts of blocks by the host, as many as it can carry out. */
    private void smallFlood(int wanted, int perRank) {
        int puts = Math.max(1, (gpu ? options.quick() ? 20_000 : 200_000 : 2_000) / wanted);
        int rounds = options.quick() ? 5 : 15;
        SharedBytes base = device((long) perRank * Long.BYTES);
        SharedBytes times = device(2L * perRank * Long.BYTES);
        Histogram small = SampleTimes.histogram();
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(perRank, THREADS).proxy())) {
            for (int round = -3; round < rounds; round++) {
                blocks.launch(BlockKernels.FLOOD, base.local(), times.local(), wanted, puts, Long.BYTES, 0, perRank);
                blocks.sync();
                if (first && round >= 0) {
                    SampleTimes.record(small, spanNs(times.local(), wanted) / puts / wanted);
                }
                rank.barrier();
            }
        }
        add(new Row("notify", "small-put flood", "device", "device", "proxy", rank.processes(), Long.BYTES, small,
                (long) puts * wanted, null, 0).with(Row.INITIATOR, "kernel").with(Row.WAITER, "kernel").with(Row.REACH, "proxy")
                .with("blocks", wanted));
        rank.allFree(times);
        rank.allFree(base);
    }

    private double spanNs(Buffer block, int blocks) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = PatternBytes.read(rank, block, arena);
            long begin = Long.MAX_VALUE;
            long end = Long.MIN_VALUE;
            for (int i = 0; i < blocks; i++) {
                begin = Math.min(begin, segment.getAtIndex(ValueLayout.JAVA_LONG, 2L * i));
                end = Math.max(end, segment.getAtIndex(ValueLayout.JAVA_LONG, 2L * i + 1));
            }
            return end - begin;
        }
    }
}
