package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamGraph;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * This project's part of the study of peers, measured as the programs of peers measure theirs: half round trips of notified puts
 * between a block of rank 0 and one of rank 1, barriers of blocks of all ranks, collective operations of all ranks' streams in
 * graphs, and products of matrices. Times are those of the device, of products those of the host, and every result is checked in
 * the same run.
 */
public final class PeersStudy extends Study {

    private static final int[] PUTS = {4, 8, 64, 256, 1024, 4096, 8192, 16384};
    private static final long[] VECTORS = {8, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20};
    private static final long[] FEW = {8, 8 << 10, 256 << 10};
    private static final int REGION = 2 * 16384;
    private static final int WARP_BYTES = 1024;
    private static final int CAPTURED = 50;
    private static final int REPLAYS = 15;
    private static final int REPLAYS_OF_LARGE = 5;
    private static final long LARGE = 16 << 20;
    private static final int WARM_UPS = 10;
    /** Until a GPU that was idle runs at its full clock. */
    private static final int COLD_LAUNCHES = 100;
    private static final int CHECKED_ROUNDS = 20;
    private static final int PERIOD = 17;
    private static final double NS_PER_US = 1e3;

    private final int ranks;
    private boolean warms; // what is measured does not count: after a pause GPUs take up to a microsecond more

    public PeersStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.ranks = rank.ranks();
    }

    /** Bytes of shared device memory of each rank. */
    public static long heapBytes(StudyOptions options, boolean gpu) {
        long[] sizes = sizes(options, gpu);
        return Math.max(2 * sizes[sizes.length - 1], PeerProducts.heapBytes(order(options, gpu))) + (gpu ? 64 << 20 : 8 << 20);
    }

    private static long[] sizes(StudyOptions options, boolean gpu) {
        return options.sizes() != null ? options.sizes().stream().mapToLong(Long::longValue).sorted().toArray()
                : gpu && !options.quick() ? VECTORS : FEW;
    }

    private static int order(StudyOptions options, boolean gpu) {
        return gpu && !options.quick() ? PeerProducts.ORDER : PeerProducts.SMALL_ORDER;
    }

    /** Collective. */
    public void run() {
        for (int threads : gpu ? new int[] {WARP, 128, 512} : new int[] {WARP}) {
            puts(threads);
        }
        barriers(1);
        if (gpu) {
            barriers(rank.device().multiprocessors());
        }
        try (StreamCollectives queued = rank.collectives().onStreams()) {
            long[] sizes = sizes(options, gpu);
            warms = gpu;
            if (warms) {
                collectives(queued, sizes[0]);
                warms = false;
            }
            for (long bytes : sizes) {
                collectives(queued, bytes);
                halves(queued, bytes);
            }
        } catch (UnsupportedOperationException e) {
            if (first) {
                System.err.println("no collectives on streams here: " + e.getMessage());
            }
        }
        new PeerProducts(rank, options, this::add).run(order(options, gpu));
    }

    // ---- blocks

    private int count() {
        return gpu ? 100 : 50;
    }

    private int batch() {
        return gpu ? 20 : 5;
    }

    private void puts(int threads) {
        SharedBytes base = device(REGION);
        SharedBytes samples = device((long) count() * Double.BYTES);
        SharedBytes wrong = device(Long.BYTES);
        String reach = reach(base);
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(1, threads))) {
            PutPlace place = new PutPlace(grid, base.local(), samples.local(), wrong.local(), reach);
            if (threads == WARP) {
                put(place, 0, true);
            }
            for (int bytes : PUTS) {
                if (threads == WARP ? bytes <= WARP_BYTES || !gpu : bytes >= threads) {
                    put(place, bytes, false);
                }
            }
        }
        rank.allFree(wrong);
        rank.allFree(samples);
        rank.allFree(base);
    }

    private record PutPlace(DeviceGrid grid, Buffer base, Buffer samples, Buffer wrong, String reach) {
    }

    private void put(PutPlace place, int bytes, boolean alone) {
        long wrong = alone ? 0 : counted(place.wrong, () -> place.grid.launch(PeerBlocks.CHECKED, place.base, place.wrong,
                CHECKED_ROUNDS, 1, bytes, REGION), place.grid);
        for (int i = gpu ? alone ? -COLD_LAUNCHES : -1 : 0; i <= 0; i++) { // the last is measured
            place.grid.launch(PeerBlocks.pingpong(place.grid.threads()), place.base, place.samples, count(), batch(), 1, bytes,
                    alone ? 1 : 0, REGION);
            place.grid.sync();
        }
        add(PeerRows.ours(alone ? PeerRows.NOTIFY : PeerRows.PUT_NOTIFY, "block of " + place.grid.threads(), "", place.reach,
                rank.processes(), ranks, bytes, SampleTimes.of(samples(place.samples, count()), 2L * batch()), wrong));
    }

    /** Collective: way from rank 0's device to rank 1's. */
    private String reach(SharedBytes base) {
        boolean same = rank.collectives().broadcast(rank.device().ordinal(), 0) == rank.collectives()
                .broadcast(rank.device().ordinal(), 1);
        boolean direct = rank.diagnostics().route(MemoryKind.DEVICE, base.pointer().onRank(1), REGION).startsWith("direct");
        return same ? "same-device" : direct ? "peer" : "proxy";
    }

    private void barriers(int perRank) {
        int threads = 128;
        SharedBytes samples = device((long) count() * Double.BYTES);
        SharedBytes slots = device((long) perRank * perRank * ranks * Integer.BYTES);
        SharedBytes wrong = device(Long.BYTES);
        Histogram times;
        long missing;
        try (DeviceGrid grid = rank.createGrid(DeviceGrid.Options.of(perRank, threads))) {
            missing = counted(wrong.local(), () -> grid.launch(PeerBlocks.BARRIERS_CHECKED, slots.local(), wrong.local(),
                    CHECKED_ROUNDS), grid);
            for (int i = 0; i < (gpu ? 2 : 1); i++) { // the last is measured
                grid.launch(BlockKernels.BARRIERS, samples.local(), count(), batch(), Comm.WORLD.ordinal());
                grid.sync();
            }
            times = samples(samples.local(), count());
        }
        rank.allFree(wrong);
        rank.allFree(slots);
        rank.allFree(samples);
        add(PeerRows.ours(PeerRows.BARRIER, "blocks of " + threads, "", "peer", rank.processes(), ranks, 0,
                SampleTimes.of(times, batch()), missing).with(PeerRows.BLOCKS, perRank * ranks));
    }

    /** Collective: number that a program has counted on the devices of all ranks. */
    private long counted(Buffer counter, Runnable launch, DeviceGrid grid) {
        PatternBytes.clear(rank, counter, 0);
        launch.run();
        grid.sync();
        try (Arena arena = Arena.ofConfined()) {
            return rank.allReduce(PatternBytes.read(rank, counter, arena).get(ValueLayout.JAVA_LONG, 0), ReduceOp.SUM);
        }
    }

    // ---- collectives

    /** Queues an operation on vectors. */
    @FunctionalInterface
    private interface Queued {
        void on(Stream stream, Buffer to, Buffer from);
    }

    /** Element of a result by index. */
    @FunctionalInterface
    private interface Expected {
        float at(long index);
    }

    private void collectives(StreamCollectives queued, long bytes) {
        long count = bytes / Float.BYTES;
        on(queued, ElementType.FLOAT, count, vectors -> {
            reduce(vectors, count);
            if (count % ranks == 0) {
                long part = count / ranks;
                measure(vectors, "reduceScatter", count, part, (s, to, from) -> queued.reduceScatter(s, to, from, ReduceOp.SUM),
                        i -> sum(rank.rank() * part + i));
                measure(vectors, "allGather", part, count, queued::allGather, i -> value(i % part, (int) (i / part)));
                measure(vectors, "exchange", count, count, queued::exchange,
                        i -> value(rank.rank() * part + i % part, (int) (i / part)));
            } else if (first) {
                System.out.println("# missing: " + PeerRows.OURS + ": reduceScatter, allGather and exchange of " + bytes
                        + " bytes: not the same number of floats for each of " + ranks + " ranks");
            }
            measure(vectors, "broadcast", count, count, (s, _, from) -> queued.broadcast(s, from, 0), i -> value(i, 0));
        });
    }

    /** The sum of 16-bit floats, the one operation that depends on the type. */
    private void halves(StreamCollectives queued, long bytes) {
        long count = bytes / Short.BYTES;
        on(queued, ElementType.BFLOAT16, count, vectors -> reduce(vectors, count));
    }

    private void reduce(Vectors vectors, long count) {
        measure(vectors, "allReduce", count, count, (s, to, from) -> vectors.queued.allReduce(s, to, from, ReduceOp.SUM), this::sum);
    }

    /** Collective: on two vectors of each rank. */
    private void on(StreamCollectives queued, ElementType type, long count, Consumer<Vectors> operations) {
        long bytes = count * type.bytes();
        SharedPointer dst = onDevice(bytes);
        SharedPointer src = onDevice(bytes);
        operations.accept(new Vectors(queued, type, local(dst, type, count), local(src, type, count),
                rank.diagnostics().route(MemoryKind.DEVICE, src.onRank((rank.rank() + 1) % ranks), bytes)));
        rank.allFree(src);
        rank.allFree(dst);
    }

    private record Vectors(StreamCollectives queued, ElementType type, Buffer to, Buffer from, String route) {

        float get(MemorySegment host, long index) {
            return type == ElementType.FLOAT ? host.getAtIndex(ValueLayout.JAVA_FLOAT, index)
                    : type.toFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, index));
        }

        void set(MemorySegment host, long index, float value) {
            if (type == ElementType.FLOAT) {
                host.setAtIndex(ValueLayout.JAVA_FLOAT, index, value);
            } else {
                host.setAtIndex(ValueLayout.JAVA_SHORT, index, type.toBits(value));
            }
        }

        String name() {
            return type == ElementType.FLOAT ? "f32" : "bf16";
        }
    }

    private Buffer local(SharedPointer pointer, ElementType type, long count) {
        return rank.memory().local(pointer.onRank(rank.rank()), type, count);
    }

    /** Collective: checks one operation, measures many in a graph, and checks what those have left. */
    private void measure(Vectors vectors, String op, long in, long out, Queued operation, Expected expected) {
        Buffer from = vectors.from.slice(0, in);
        Buffer to = vectors.to.slice(0, out);
        Buffer result = op.equals("broadcast") ? from : to;
        Stream stream = rank.stream();
        PatternBytes.clear(rank, to, -1);
        fill(vectors, from);
        rank.barrier();
        operation.on(stream, to, from);
        stream.sync();
        long wrong = wrong(vectors, result, expected);
        long bytes = Math.max(in, out) * vectors.type.bytes();
        Histogram times = SampleTimes.histogram();
        try (StreamGraph graph = stream.capture(s -> {
            for (int i = 0; i < CAPTURED; i++) {
                operation.on(s, to, from);
            }
        })) {
            KernelTimer timer = new KernelTimer(rank);
            for (int replay = -WARM_UPS; replay < (bytes >= LARGE ? REPLAYS_OF_LARGE : REPLAYS); replay++) {
                rank.barrier();
                vectors.queued.barrier(stream);
                double us = timer.us(() -> stream.launch(graph), 1) / CAPTURED;
                if (first && replay >= 0) {
                    SampleTimes.record(times, us * NS_PER_US);
                }
            }
        }
        wrong += wrong(vectors, result, expected);
        wrong = rank.allReduce(wrong, ReduceOp.SUM);
        if (warms) {
            return;
        }
        add(PeerRows.ours(op, "graph", vectors.name(), vectors.route, rank.processes(), ranks, bytes, SampleTimes.of(times, CAPTURED),
                wrong));
    }

    /** Small whole numbers, whose sums 16-bit floats hold exactly too. */
    private static float value(long index, int of) {
        return index % PERIOD + of;
    }

    private float sum(long index) {
        return (float) (index % PERIOD) * ranks + ranks * (ranks - 1) / 2f;
    }

    private void fill(Vectors vectors, Buffer buffer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(buffer.bytes(), Float.BYTES);
            for (long i = 0; i < buffer.length(); i++) {
                vectors.set(host, i, value(i, rank.rank()));
            }
            rank.stream().copy(buffer, Buffer.ofHost(host, vectors.type));
            rank.stream().sync();
        }
    }

    private long wrong(Vectors vectors, Buffer buffer, Expected expected) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = PatternBytes.read(rank, buffer, arena);
            long wrong = 0;
            for (long i = 0; i < buffer.length(); i++) {
                wrong += vectors.get(host, i) == expected.at(i) ? 0 : 1;
            }
            return wrong;
        }
    }
}
