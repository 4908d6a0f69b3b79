package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.LocalPart;
import org.pgas4j.array.MatrixAlgorithm;
import org.pgas4j.array.Range;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Products of square matrices of bf16, as the programs of peers have them: A by rows over the ranks, gathered while it is
 * multiplied with each rank's columns of B; A by columns and B by rows, the product summed by rows. Times are the host's, from
 * barrier to barrier of a batch, of random numbers. The result is compared with a product by the library alone, of whole numbers
 * whose sums 16-bit floats hold exactly in any order.
 */
final class PeerProducts extends Study {

    static final int ORDER = 16_384;
    static final int SMALL_ORDER = 192;

    private static final ElementType TYPE = ElementType.BFLOAT16;
    private static final int BATCH = 3;
    private static final int SAMPLES = 5;
    private static final int VALUES = 1_000_003;
    /** Up to here bfloat16 has all whole numbers. */
    private static final double LARGEST_SUM = 256;
    /** Of a sum of products: no one in 10^15 is further from 0. */
    private static final double STANDARD_DEVIATIONS = 8;
    private static final double FLOPS_PER_US = 1e6; // of 10^12 a second
    private static final double NS_PER_US = 1e3;

    private int order;

    PeerProducts(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    /** Bytes of each rank's shared device memory: three matrices, and sums on their way, on two ranks or more. */
    static long heapBytes(int order) {
        return TYPE.bytes((long) order * order / 2) * 5;
    }

    /** Collective. */
    void run(int rows) {
        order = rows;
        Axis spread = Axis.block(order, rank.ranks());
        Axis whole = Axis.whole(order);
        Distribution byRows = Distribution.of(spread, whole);
        Distribution byColumns = Distribution.of(whole, spread);
        measure(PeerRows.GATHER_AND_PRODUCT, MatrixAlgorithm.PULL, byRows, byColumns, byColumns);
        measure(PeerRows.PRODUCT_AND_SCATTER, MatrixAlgorithm.REDUCE, byColumns, byRows, byRows);
    }

    private void measure(String op, MatrixAlgorithm algorithm, Distribution ofA, Distribution ofB, Distribution ofC) {
        try (GlobalArray a = GlobalArray.allocate(rank, TYPE, MemoryKind.DEVICE, ofA);
                GlobalArray b = GlobalArray.allocate(rank, TYPE, MemoryKind.DEVICE, ofB);
                GlobalArray c = GlobalArray.allocate(rank, TYPE, MemoryKind.DEVICE, ofC)) {
            fill(a, 1, this::whole);
            fill(b, 2, this::whole);
            c.fill(Double.NaN);
            c.gemm(algorithm, 1, a, b, 0);
            long wrong;
            try (Share share = new Share(a, b, c)) {
                share.multiply();
                wrong = rank.allReduce(share.wrong(), ReduceOp.SUM);
            }
            fill(a, 1, Random::nextGaussian);
            fill(b, 2, Random::nextGaussian);
            if (algorithm == MatrixAlgorithm.PULL) {
                try (Share share = new Share(a, b, c)) {
                    row(PeerRows.PRODUCT_ALONE, "local", times(share::multiply), 0);
                }
            }
            row(op, "global arrays", times(() -> c.gemm(algorithm, 1, a, b, 0)), wrong);
        }
    }

    /** Collective. */
    private Histogram times(Runnable product) {
        Histogram times = SampleTimes.histogram();
        for (int sample = -1; sample < SAMPLES; sample++) {
            rank.barrier();
            long begin = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                product.run();
            }
            rank.barrier();
            long ns = System.nanoTime() - begin;
            if (first && sample >= 0) {
                SampleTimes.record(times, (double) ns / BATCH);
            }
        }
        return times;
    }

    private void row(String op, String form, Histogram histogram, long wrong) {
        SampleTimes times = SampleTimes.of(histogram, BATCH);
        double flops = 2.0 * order * order * order / rank.ranks();
        long bytes = TYPE.bytes((long) order * order / rank.ranks());
        add(PeerRows.ours(op, form, "bf16", "peer", rank.processes(), rank.ranks(), bytes, times, wrong)
                .with(PeerRows.TFLOPS, flops / times.p50() / FLOPS_PER_US));
    }

    /** 1 or -1, or 0 so often that sums of their products stay below {@link #LARGEST_SUM}. */
    private double whole(Random random) {
        return random.nextDouble() * STANDARD_DEVIATIONS * Math.sqrt(order) > LARGEST_SUM ? 0 : random.nextBoolean() ? 1 : -1;
    }

    /** Collective: random numbers, which repeat after many: the power that a GPU takes, and so its rate, depend on them. */
    private void fill(GlobalArray matrix, int seed, ToDoubleFunction<Random> element) {
        Random random = new Random(seed * 31L + rank.rank());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment values = arena.allocate(TYPE.bytes(VALUES), TYPE.bytes());
            for (int i = 0; i < VALUES; i++) {
                values.setAtIndex(ValueLayout.JAVA_SHORT, i, TYPE.toBits((float) element.applyAsDouble(random)));
            }
            Buffer memory = matrix.local().buffer();
            for (long at = 0; at < memory.length(); at += VALUES) {
                long count = Math.min(VALUES, memory.length() - at);
                rank.stream().copy(memory.slice(at, count), Buffer.ofHost(values, TYPE).slice(0, count));
            }
            rank.stream().sync();
        }
        rank.barrier();
    }

    /** A rank's part of C by the library alone, from copies of all that it needs. */
    private final class Share implements AutoCloseable {

        private final GlobalArray c;
        private final Range rows;
        private final Range columns;
        private final Buffer left;
        private final Buffer right;
        private final Buffer result;

        /** Collective. */
        Share(GlobalArray a, GlobalArray b, GlobalArray c) {
            this.c = c;
            this.rows = range(0);
            this.columns = range(1);
            this.left = rank.device().alloc(TYPE, Math.max(1, rows.length() * order));
            this.right = rank.device().alloc(TYPE, Math.max(1, columns.length() * order));
            this.result = rank.device().alloc(TYPE, Math.max(1, rows.length() * columns.length()));
            a.section(rows, Range.of(0, order)).get(left);
            b.section(Range.of(0, order), columns).get(right);
            rank.barrier();
        }

        private Range range(int dimension) {
            Axis axis = c.distribution().axis(dimension);
            long from = Math.min(order, axis.block() * c.distribution().coordinates(rank.rank())[dimension]);
            return Range.of(from, Math.min(order, from + axis.block()));
        }

        /** Row-major matrices are the transposed ones of the library. */
        void multiply() {
            rank.stream().gemm(Gemm.of(Gemm.Precision.BFLOAT16, columns.length(), rows.length(), order), right, left, result);
            rank.stream().sync();
        }

        /** Elements of this rank's part that differ. */
        long wrong() {
            LocalPart local = c.local();
            long wrong = 0;
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment is = PatternBytes.read(rank, local.buffer(), arena);
                MemorySegment should = PatternBytes.read(rank, result, arena);
                for (long i = 0; i < rows.length(); i++) {
                    long row = local.at(i, 0);
                    for (long j = 0; j < columns.length(); j++) {
                        wrong += value(is, row + j) == value(should, i * columns.length() + j) ? 0 : 1;
                    }
                }
            }
            return wrong;
        }

        private static float value(MemorySegment elements, long at) {
            return TYPE.toFloat(elements.getAtIndex(ValueLayout.JAVA_SHORT, at));
        }

        @Override
        public void close() {
            left.close();
            right.close();
            result.close();
        }
    }
}
