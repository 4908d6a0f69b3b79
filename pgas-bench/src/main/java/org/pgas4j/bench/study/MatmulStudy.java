package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * C = A * B of order n in float, B and C by columns over two ranks or more, C brought together on rank 0's device. Rank 0's
 * columns are multiplied to where they belong, by both versions; what moves are those of all others. An iteration ends when all
 * of C is on rank 0's device and every rank knows. Compute is the time of the products alone, communication the rest.
 */
public final class MatmulStudy extends Study {

    private static final int[] QUICK = {50, 100, 150, 200, 250, 300, 1024};
    private static final int[] ON_HOST = {50, 100, 150, 200, 250, 300, 1024, 2048};
    private static final int[] ON_GPU = {50, 100, 150, 200, 250, 300, 1024, 2048, 4096, 8192, 16384};
    private static final long STAGING_BYTES = 16 << 20;
    private static final int NOT_A_NUMBER = 0xff;
    private static final int PROBED_COLUMNS = 16;
    private static final int PROBED_ROWS = 64;
    /** Of the sum of the products' magnitudes: many times what rounding does, a thousandth of an element. */
    private static final double TOLERANCE = 1e-6;
    private static final int MIX_A = 0x9E3779B9;
    private static final int MIX_B = 0x85EBCA6B;

    public MatmulStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
    }

    /** @param gpu true if the ranks may compute on a GPU */
    public static int[] orders(StudyOptions options, boolean gpu) {
        if (options.sizes() != null) {
            return ints(options.sizes());
        }
        return options.quick() ? QUICK : gpu ? ON_GPU : ON_HOST;
    }

    /** Bytes of shared heap of either kind: the largest C. */
    public static long heapBytes(int[] orders) {
        long largest = Arrays.stream(orders).max().orElseThrow();
        return Float.BYTES * largest * largest + (1 << 20);
    }

    /** Collective. */
    public void run(int[] orders) {
        Turns turns = turns();
        for (int n : orders) {
            try (Product product = new Product(n)) {
                product.measure(turns);
            }
        }
    }

    private static float a(long row, long column) {
        return value((int) (row * 31 + column), MIX_A);
    }

    private static float b(long row, long column) {
        return value((int) (row * 37 + column), MIX_B);
    }

    /** Between -1 and 1, all of its bits of use. */
    private static float value(int index, int mix) {
        int hash = index * mix;
        hash ^= hash >>> 15;
        hash *= mix | 1;
        hash ^= hash >>> 13;
        return hash / (float) (1 << 31);
    }

    /** Value of an element. */
    @FunctionalInterface
    private interface Elements {
        float at(long row, long column);
    }

    private final class Product implements AutoCloseable {
        private final int n;
        private final long firstColumn;
        private final long columns;
        private final SharedPointer sharedC;
        private final SharedPointer sharedHost;
        private final SharedPointer target;
        private final SharedPointer hostTarget;
        private final Buffer a;
        private final Buffer b;
        private final Buffer result;
        private final Buffer c;
        private final Buffer received;
        private final SharedPointer hostReceived;
        private final SharedPointer hostResult;
        private final MemorySegment hostSource;

        Product(int n) {
            this.n = n;
            long width = Math.ceilDiv((long) n, (long) rank.ranks());
            firstColumn = Math.min(n, rank.rank() * width);
            columns = Math.min(width, n - firstColumn);
            long bytes = Float.BYTES * (long) n * n;
            sharedC = onDevice(bytes);
            try (Scope _ = rank.offDevice()) {
                sharedHost = rank.allAlloc(rank.ranks(), bytes);
            }
            long offset = Float.BYTES * firstColumn * n;
            target = sharedC.onRank(0).cast(0, 1).plus(offset);
            hostTarget = sharedHost.onRank(0).cast(0, 1).plus(offset);
            SharedPointer own = sharedHost.onRank(rank.rank()).cast(0, 1);
            c = rank.memory().local(sharedC.onRank(rank.rank()), ElementType.FLOAT, (long) n * n);
            hostResult = own.plus(offset);
            hostSource = rank.local(own).asSlice(offset, Float.BYTES * columns * n);
            received = c.slice(width * n, (n - width) * n);
            hostReceived = own.plus(Float.BYTES * width * n);
            a = rank.device().allocFloats((long) n * n);
            b = rank.device().allocFloats(Math.max(1, columns * n));
            result = first ? c.slice(0, columns * n) : rank.device().allocFloats(Math.max(1, columns * n));
            rank.stream().fill(c, NOT_A_NUMBER);
            rank.stream().sync();
            fill(a, 0, n, MatmulStudy::a);
            fill(b, firstColumn, columns, MatmulStudy::b);
            rank.barrier();
        }

        private void fill(Buffer matrix, long from, long count, Elements elements) {
            long together = Math.clamp(STAGING_BYTES / (Float.BYTES * (long) n), 1, Math.max(1, count));
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment staging = arena.allocate(Float.BYTES * together * n, 128);
                for (long done = 0; done < count; done += together) {
                    long part = Math.min(together, count - done);
                    for (long column = 0; column < part; column++) {
                        for (long row = 0; row < n; row++) {
                            staging.setAtIndex(ValueLayout.JAVA_FLOAT, column * n + row, elements.at(row, from + done + column));
                        }
                    }
                    rank.stream().copy(matrix.slice(done * n, part * n),
                            Buffer.ofHost(staging.asSlice(0, Float.BYTES * part * n), ElementType.FLOAT));
                    rank.stream().sync();
                }
            }
        }

        void measure(Turns turns) {
            Histogram[] times = turns.measure(this::userLevel, this::runtime, this::productAlone);
            long userWrong = check(this::userLevel);
            long wrong = check(this::runtime);
            if (first) {
                double compute = SampleTimes.median(times[2]);
                String route = rank.diagnostics().route(MemoryKind.DEVICE, sharedC.onRank(rank.ranks() - 1),
                        moved() / (rank.ranks() - 1)); // a rank's columns
                emit("matmul", "user-level", "direct-host", times[0], Double.NaN, userWrong, compute);
                emit("matmul", "runtime", route, times[1], SampleTimes.median(times[0]), wrong, compute);
                emit("gemm", "raw", "raw", times[2], Double.NaN, 0, compute);
            }
        }

        private long moved() {
            return received.bytes();
        }

        private void emit(String op, String style, String route, Histogram times, double baseline, long wrong, double compute) {
            SampleTimes summary = SampleTimes.of(times, 1);
            add(options.label(new Row("matmul", op, "device", "device", route, rank.processes(), moved(), summary,
                    baseline, wrong, Map.of()), style).with(Row.N, (long) n).with("compute_us", compute)
                    .with("communication_us", Math.max(0, summary.p50() - compute))
                    .with("gflops", 2.0 * n * n * n / summary.p50() / 1e3));
        }

        // ---- steps

        private void gemm() {
            if (columns > 0) {
                rank.stream().gemm(n, columns, n, 1, a, n, b, n, 0, result, n);
            }
        }

        private long userLevel() {
            long begin = System.nanoTime();
            gemm();
            if (!first && columns > 0) {
                rank.stream().memput(hostResult, result); // by pointer: the segment is registered with the device
            }
            rank.stream().sync();
            rank.barrier();
            if (!first && columns > 0) {
                rank.memput(hostTarget, hostSource, hostSource.byteSize());
            }
            rank.barrier();
            if (first) {
                rank.stream().memget(received, hostReceived);
                rank.stream().sync();
            }
            rank.barrier();
            return System.nanoTime() - begin;
        }

        private long runtime() {
            long begin = System.nanoTime();
            gemm();
            if (!first && columns > 0) {
                rank.stream().memput(target, result);
            }
            rank.stream().sync();
            rank.barrier();
            return System.nanoTime() - begin;
        }

        private long productAlone() {
            long begin = System.nanoTime();
            gemm();
            rank.stream().sync();
            rank.barrier();
            return System.nanoTime() - begin;
        }

        // ---- check

        /** Collective: elements of C, of those looked at, that are not the product's after one more iteration. */
        private long check(Turns.Step step) {
            rank.stream().fill(c, NOT_A_NUMBER);
            rank.stream().sync();
            rank.barrier();
            step.once();
            long wrong = 0;
            if (first) {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment column = arena.allocate(Float.BYTES * (long) n, 128);
                    for (int i = 0; i < PROBED_COLUMNS; i++) {
                        long at = (long) i * (n - 1) / (PROBED_COLUMNS - 1); // the first and the last among them
                        rank.stream().copy(Buffer.ofHost(column, ElementType.FLOAT), c.slice(at * n, n));
                        rank.stream().sync();
                        wrong += wrongIn(column, at);
                    }
                }
            }
            return rank.collectives().broadcast(wrong, 0);
        }

        private long wrongIn(MemorySegment column, long at) {
            long wrong = 0;
            for (int i = 0; i < PROBED_ROWS; i++) {
                long row = (long) i * (n - 1) / (PROBED_ROWS - 1);
                double sum = 0;
                double magnitude = 0;
                for (long k = 0; k < n; k++) {
                    double product = (double) MatmulStudy.a(row, k) * MatmulStudy.b(k, at);
                    sum += product;
                    magnitude += Math.abs(product);
                }
                double error = Math.abs(column.getAtIndex(ValueLayout.JAVA_FLOAT, row) - sum);
                if (!(error <= TOLERANCE * magnitude)) { // also for what is no number
                    wrong++;
                }
            }
            return wrong;
        }

        @Override
        public void close() {
            rank.barrier();
            a.close();
            b.close();
            if (!first) {
                result.close();
            }
            rank.allFree(sharedHost);
            rank.allFree(sharedC);
        }
    }
}
