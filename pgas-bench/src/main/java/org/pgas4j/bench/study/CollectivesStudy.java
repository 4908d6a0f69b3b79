package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.Collectives;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamGraph;
import org.pgas4j.bench.result.Row;

/**
 * Collective operations on vectors of shared memory, beside a get of as many bytes from the next rank by all at once; the
 * reduction of a single value, beside the barrier. Bytes are those of the longer of a rank's two vectors, as NCCL's
 * tests count them. In each kind of memory the first size warms up for all.
 */
public final class CollectivesStudy extends Study {

    private static final long[] QUICK = {8, 8192, 1 << 20};
    private static final long[] FULL = {8, 512, 8192, 65536, 1 << 20, 16 << 20, 64 << 20};
    private static final int PERIOD = 1000;
    private static final ElementType[] SIXTEEN_BITS = {ElementType.HALF, ElementType.BFLOAT16};
    private static final int CAPTURED = 10;
    private static final int MANY_CAPTURED = 50; // on GPUs: what a launch takes is divided by it
    private static final long MANY_CAPTURED_BYTES = 1 << 20;
    private static final long KERNEL_MEMORY_BYTES = 40 << 20; // for kernels that meet

    private final Collectives collectives;
    private Turns ofVectors;
    private Turns ofHalves;
    private Turns queuedOnes;
    private Turns graphs;

    public CollectivesStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.collectives = rank.collectives();
    }

    private static long[] sizes(StudyOptions options) {
        return options.sizes() != null ? options.sizes().stream().mapToLong(Long::longValue).toArray()
                : options.quick() ? QUICK : FULL;
    }

    public static long heapBytes(StudyOptions options) {
        return 2 * Arrays.stream(sizes(options)).max().orElseThrow() + KERNEL_MEMORY_BYTES;
    }

    /** Collective. */
    public void run() {
        values();
        try (StreamCollectives onStreams = onStreams()) {
            for (MemoryKind kind : MemoryKind.values()) {
                ofVectors = turns();
                ofHalves = turns();
                queuedOnes = turns();
                graphs = turns();
                for (long bytes : sizes(options)) {
                    vectors(kind, whole(bytes, rank.ranks()), onStreams);
                }
            }
        }
    }

    /** Null where there are none. Rank 0 prints the forms they take, or why there are none. */
    private StreamCollectives onStreams() {
        try {
            StreamCollectives onStreams = collectives.onStreams();
            if (first) {
                System.out.println("# on streams: " + onStreams.explain().replace(System.lineSeparator(), ";"));
            }
            return onStreams;
        } catch (UnsupportedOperationException e) {
            if (first) {
                System.err.println("no collectives on streams here: " + e.getMessage());
            }
            return null;
        }
    }

    /** A double of each rank at least, the same number of each. */
    private static long whole(long bytes, int ranks) {
        long each = (long) ranks * Double.BYTES;
        return Math.ceilDiv(bytes, each) * each;
    }

    private void values() {
        Histogram[] times = turns().measure(() -> time(() -> rank.allReduce(1.0, ReduceOp.SUM)), () -> time(rank::barrier));
        double sum = rank.allReduce(rank.rank() + 0.5, ReduceOp.SUM);
        add(new Row("collectives", "allReduce of a double", "host", "host", "direct-host", rank.processes(), 0, times[0], 1,
                times[1], sum == rank.ranks() * rank.ranks() / 2.0 ? 0 : 1));
    }

    private static long time(Runnable operation) {
        long begin = System.nanoTime();
        operation.run();
        return System.nanoTime() - begin;
    }

    /** @param onStreams null for none */
    private void vectors(MemoryKind kind, long bytes, StreamCollectives onStreams) {
        SharedPointer src = allocate(kind, bytes);
        SharedPointer dst = allocate(kind, bytes);
        Buffer from = local(src, bytes);
        Buffer to = local(dst, bytes);
        long count = from.length();
        long part = count / rank.ranks();
        SharedPointer other = src.onRank((rank.rank() + 1) % rank.ranks());
        fill(from);
        fill(to);
        rank.barrier();
        Histogram[] times = ofVectors.measure(() -> getThenBarrier(to, other),
                () -> time(() -> collectives.allReduce(to, from, ReduceOp.SUM)),
                () -> time(() -> collectives.broadcast(from, 1)),
                () -> time(() -> collectives.allGather(to, from.slice(0, part))),
                () -> time(() -> collectives.reduceScatter(to.slice(0, part), from, ReduceOp.SUM)),
                () -> time(() -> collectives.exchange(to, from)));
        String route = rank.diagnostics().route(kind, other, bytes);
        add(kind, route, "allReduce", bytes, times[1], times[0], checked(to, from, this::reduceAll));
        add(kind, route, "broadcast", bytes, times[2], times[0], checked(to, from, this::broadcast));
        add(kind, route, "allGather", bytes, times[3], times[0], checked(to, from, this::gatherAll));
        add(kind, route, "reduceScatter", bytes, times[4], times[0], checked(to, from, this::reduceParts));
        add(kind, route, "exchange", bytes, times[5], times[0], checked(to, from, this::exchange));
        StreamCollectives queued = kind == MemoryKind.DEVICE ? onStreams : null;
        if (queued != null) {
            onStream(queued, to, from, other, route);
        }
        for (ElementType type : SIXTEEN_BITS) {
            halves(queued, rank.memory().local(dst.onRank(rank.rank()), type, bytes / Short.BYTES),
                    rank.memory().local(src.onRank(rank.rank()), type, bytes / Short.BYTES), other, route);
        }
        rank.allFree(dst);
        rank.allFree(src);
    }

    /** Sums of 16-bit floats, by the host and, on devices, in a graph. */
    private void halves(StreamCollectives onStreams, Buffer to, Buffer from, SharedPointer other, String route) {
        String op = "allReduce of " + from.type();
        Histogram[] times = ofHalves.measure(() -> getThenBarrier(to, other),
                () -> time(() -> collectives.allReduce(to, from, ReduceOp.SUM)));
        long wrong = checked(to, from, (sums, halves) -> {
            collectives.allReduce(sums, halves, ReduceOp.SUM);
            return wrongSums(sums);
        });
        add(from.kind(), route, op, from.bytes(), times[1], times[0], wrong);
        if (onStreams != null) {
            inGraph(op, route, to, from, other, s -> onStreams.allReduce(s, to, from, ReduceOp.SUM), () -> wrongSums(to));
        }
    }

    /** Element i is i mod 2: sums of up to 256 ranks are exact in both types. */
    private void fillOnes(Buffer halves) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(halves.bytes(), Short.BYTES);
            for (long i = 0; i < halves.length(); i++) {
                host.setAtIndex(ValueLayout.JAVA_SHORT, i, halves.type().toBits(i % 2));
            }
            rank.stream().copy(halves, Buffer.ofHost(host, halves.type()));
            rank.stream().sync();
        }
    }

    private long wrongSums(Buffer halves) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(halves.bytes(), Short.BYTES);
            rank.stream().copy(Buffer.ofHost(host, halves.type()), halves);
            rank.stream().sync();
            long wrong = 0;
            for (long i = 0; i < halves.length(); i++) {
                float sum = halves.type().toFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, i));
                wrong += sum == i % 2 * rank.ranks() ? 0 : 1;
            }
            return wrong;
        }
    }

    /** One reduction queued and waited for, and each operation in a graph of several. */
    private void onStream(StreamCollectives all, Buffer to, Buffer from, SharedPointer other, String route) {
        long count = from.length();
        long part = count / rank.ranks();
        Histogram[] times = queuedOnes.measure(() -> getThenBarrier(to, other), () -> time(() -> queued(all, to, from)));
        long wrong = checked(to, from, (sum, vector) -> {
            queued(all, sum, vector);
            return wrong(sum, this::sum);
        });
        add(MemoryKind.DEVICE, route, "allReduce on a stream", from.bytes(), times[1], times[0], wrong);
        inGraph("allReduce", route, to, from, other, s -> all.allReduce(s, to, from, ReduceOp.SUM), () -> wrong(to, this::sum));
        inGraph("broadcast", route, to, from, other, s -> all.broadcast(s, from, 1), () -> wrong(from, i -> value(1, i)));
        inGraph("allGather", route, to, from, other, s -> all.allGather(s, to, from.slice(0, part)),
                () -> wrong(to, i -> value((int) (i / part), i % part)));
        inGraph("reduceScatter", route, to, from, other, s -> all.reduceScatter(s, to.slice(0, part), from, ReduceOp.SUM),
                () -> wrong(to.slice(0, part), i -> sum(rank.rank() * part + i)));
        inGraph("exchange", route, to, from, other, s -> all.exchange(s, to, from),
                () -> wrong(to, i -> value((int) (i / part), rank.rank() * part + i % part)));
    }

    private void queued(StreamCollectives all, Buffer to, Buffer from) {
        all.allReduce(rank.stream(), to, from, ReduceOp.SUM);
        rank.stream().sync();
    }

    private void inGraph(String op, String route, Buffer to, Buffer from, SharedPointer other, Consumer<Stream> queue,
                         LongSupplier wrong) {
        int captured = gpu && from.bytes() <= MANY_CAPTURED_BYTES ? MANY_CAPTURED : CAPTURED;
        try (StreamGraph graph = rank.stream().capture(s -> {
            for (int i = 0; i < captured; i++) {
                queue.accept(s);
            }
        })) {
            Histogram[] times = graphs.measure(() -> getThenBarrier(to, other), () -> time(() -> launched(graph)) / captured);
            long found = checked(to, from, (_, _) -> {
                launched(graph);
                return wrong.getAsLong();
            });
            add(new Row("collectives", op + " in a graph", "device", "device", route, rank.processes(), from.bytes(), times[1],
                    captured, times[0], found));
        }
    }

    private void launched(StreamGraph graph) {
        rank.stream().launch(graph);
        rank.stream().sync();
    }

    private long getThenBarrier(Buffer to, SharedPointer other) {
        long ns = time(() -> rank.memget(to, other));
        rank.barrier();
        return ns;
    }

    private SharedPointer allocate(MemoryKind kind, long bytes) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    private Buffer local(SharedPointer pointer, long bytes) {
        return rank.memory().local(pointer.onRank(rank.rank()), ElementType.DOUBLE, bytes / Double.BYTES);
    }

    private void add(MemoryKind kind, String route, String op, long bytes, Histogram times, Histogram copies, long wrong) {
        String memory = kind == MemoryKind.HOST ? "host" : "device";
        add(new Row("collectives", op, memory, memory, route, rank.processes(), bytes, times, 1, copies, wrong));
    }

    // ---- data

    /** Does an operation once more; wrong elements of the result. */
    @FunctionalInterface
    private interface Checked {
        long wrong(Buffer to, Buffer from);
    }

    /** Collective: wrong elements on all ranks. */
    private long checked(Buffer to, Buffer from, Checked operation) {
        fill(from);
        PatternBytes.write(rank, to, 0);
        rank.barrier();
        return rank.allReduce(operation.wrong(to, from), ReduceOp.SUM);
    }

    private static double value(int of, long index) {
        return index % PERIOD + of * 0.25;
    }

    /** Of all ranks' values: multiples of a quarter, which a double holds exactly. */
    private double sum(long index) {
        return rank.ranks() * value(0, index) + 0.25 * rank.ranks() * (rank.ranks() - 1) / 2;
    }

    private void fill(Buffer buffer) {
        if (buffer.type().is16BitFloat()) {
            fillOnes(buffer);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(buffer.bytes(), Double.BYTES);
            for (long i = 0; i < buffer.length(); i++) {
                host.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value(rank.rank(), i));
            }
            rank.stream().copy(buffer, Buffer.ofHost(host, ElementType.DOUBLE));
            rank.stream().sync();
        }
    }

    @FunctionalInterface
    private interface Expected {
        double at(long index);
    }

    private long wrong(Buffer buffer, Expected expected) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(buffer.bytes(), Double.BYTES);
            rank.stream().copy(Buffer.ofHost(host, ElementType.DOUBLE), buffer);
            rank.stream().sync();
            long wrong = 0;
            for (long i = 0; i < buffer.length(); i++) {
                wrong += host.getAtIndex(ValueLayout.JAVA_DOUBLE, i) == expected.at(i) ? 0 : 1;
            }
            return wrong;
        }
    }

    private long reduceAll(Buffer to, Buffer from) {
        collectives.allReduce(to, from, ReduceOp.SUM);
        return wrong(to, this::sum);
    }

    private long broadcast(Buffer to, Buffer from) {
        collectives.broadcast(from, 1);
        return wrong(from, i -> value(1, i));
    }

    private long gatherAll(Buffer to, Buffer from) {
        long part = from.length() / rank.ranks();
        collectives.allGather(to, from.slice(0, part));
        return wrong(to, i -> value((int) (i / part), i % part));
    }

    private long reduceParts(Buffer to, Buffer from) {
        long part = from.length() / rank.ranks();
        collectives.reduceScatter(to.slice(0, part), from, ReduceOp.SUM);
        return wrong(to.slice(0, part), i -> sum(rank.rank() * part + i));
    }

    private long exchange(Buffer to, Buffer from) {
        long part = from.length() / rank.ranks();
        collectives.exchange(to, from);
        return wrong(to, i -> value((int) (i / part), rank.rank() * part + i % part));
    }
}
