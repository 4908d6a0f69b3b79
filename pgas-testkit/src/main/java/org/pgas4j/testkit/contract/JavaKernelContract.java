package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Kernels written in Java: loops over arrays of every layout, reductions, grids, and what they must not do. */
final class JavaKernelContract extends Contract {

    private static final long LENGTH = 10_000;
    private static final int TILE = 64;

    /** A value of two parts, which kernels pass by value. */
    private record Complex(double re, double im) {

        Complex times(Complex other) {
            return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
        }

        Complex plus(Complex other) {
            return new Complex(re + other.re, im + other.im);
        }

        double norm() {
            return re * re + im * im;
        }
    }

    private final Stream stream;

    JavaKernelContract(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    @Override
    void run() {
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            for (Layout layout : layouts()) {
                loops(layout);
            }
            mixed();
            neighbours();
            numbers();
            grids();
            histogram();
            faults();
        }
        refusals();
        new HostMemoryKernels(rank, check).run();
        new ScanKernels(rank, check).run();
        new ReductionKernels(rank, check).run();
        new BlockMemoryKernels(rank, check).run();
        new PrintKernels(rank, check).run();
        new ViewKernels(rank, check).run();
        new GridKernelContract(rank, check).run();
    }

    private List<Layout> layouts() {
        List<Layout> layouts = new ArrayList<>(List.of(Layout.even(), Layout.cyclic(), Layout.blocked(7), Layout.blocked(256),
                Layout.blocked(LENGTH), Layout.onRank(0), Layout.onRank(rank.ranks() - 1), Layout.replicated()));
        if (rank.ranks() > 1) {
            layouts.add(Layout.blocked(LENGTH / rank.ranks() + 100)); // the last rank has less, or nothing
        }
        return layouts;
    }

    /** Values are read back by the host, which finds each element by the pointer's own arithmetic. */
    private void loops(Layout layout) {
        SharedDoubles a = rank.allAllocDoubles(layout, LENGTH);
        SharedDoubles b = rank.allAllocDoubles(layout, LENGTH);
        SharedLongs visits = rank.allAllocLongs(layout, LENGTH);
        a.forAll(i -> a.put(i, i * 0.5));
        visits.forAll(i -> visits.put(i, 0));
        stream.sync();
        rank.barrier();
        double factor = 3;
        b.forAll(stream, i -> b.put(i, a.get(i) * factor + 1));
        stream.forAll(visits, 5, LENGTH - 3, 4, i -> visits.put(i, visits.get(i) + i));
        stream.sync();
        rank.barrier();
        double[] values = new double[(int) LENGTH];
        long[] visited = new long[(int) LENGTH];
        b.get(0, values);
        visits.get(0, visited);
        int wrong = 0;
        for (int i = 0; i < LENGTH; i++) {
            boolean visit = i >= 5 && i < LENGTH - 3 && (i - 5) % 4 == 0;
            wrong += values[i] == i * 0.5 * factor + 1 && visited[i] == (visit ? i : 0) ? 0 : 1;
        }
        check.same(0, wrong, "wrong elements of a loop over " + b);
        check.same(LENGTH * (LENGTH - 1) / 2, (long) (2 * a.reduce(stream, ReduceOp.SUM, i -> a.get(i))), "sum of " + a);
        check.same((LENGTH - 1) * 0.5, a.reduce(stream, ReduceOp.MAX, i -> a.get(i)), "maximum of " + a);
        check.same(-(LENGTH - 1L), a.reduceLongs(stream, ReduceOp.MIN, i -> -i), "minimum of " + a);
        slices(layout, a);
        rank.barrier();
        free(visits);
        free(b);
        free(a);
    }

    private void free(SharedArray array) {
        rank.allFree(array.layout() instanceof Layout.Replicated ? array.pointer().onRank(0) : array.pointer());
    }

    private void slices(Layout layout, SharedDoubles a) {
        SharedDoubles part = a.slice(100, 5000);
        check.same(5000L, part.reduceLongs(stream, ReduceOp.SUM, i -> part.get(i) == (i + 100) * 0.5 ? 1 : 0),
                "elements of a slice of " + layout);
        SharedDoubles inner = part.slice(11, 1000);
        check.same(1000L, inner.reduceLongs(stream, ReduceOp.SUM, i -> inner.get(i) == a.get(i + 111) ? 1 : 0),
                "elements of a slice of a slice of " + layout);
    }

    /** Arrays of different layouts in one loop: most elements are other ranks'. */
    private void mixed() {
        SharedDoubles a = rank.allAllocDoubles(Layout.even(), LENGTH);
        SharedInts b = rank.allAllocInts(Layout.cyclic(), LENGTH);
        SharedLongs c = rank.allAllocLongs(Layout.blocked(9), LENGTH);
        a.forAll(i -> a.put(i, i));
        b.forAll(i -> b.put(i, (int) i * 2));
        stream.sync();
        rank.barrier();
        c.forAll(i -> c.put(i, (long) a.get(LENGTH - 1 - i) + b.get(i) + c.rankOf(i)));
        stream.sync();
        rank.barrier();
        long[] values = new long[(int) LENGTH];
        c.get(0, values);
        int wrong = 0;
        for (int i = 0; i < LENGTH; i++) {
            wrong += values[i] == LENGTH - 1 - i + 2L * i + c.rankOf(i) ? 0 : 1;
        }
        check.same(0, wrong, "wrong elements of a loop over arrays of three layouts");
        rank.barrier();
        free(c);
        free(b);
        free(a);
    }

    /** The border between owners. */
    private void neighbours() {
        SharedDoubles a = rank.allAllocDoubles(Layout.even(), LENGTH);
        SharedDoubles b = rank.allAllocDoubles(Layout.even(), LENGTH);
        long last = LENGTH - 1;
        a.forAll(i -> a.put(i, i * i));
        stream.sync();
        rank.barrier();
        b.forAll(i -> b.put(i, i == 0 || i == last ? 0 : a.get(i - 1) - 2 * a.get(i) + a.get(i + 1)));
        check.same(2.0 * (LENGTH - 2), b.reduce(stream, ReduceOp.SUM, i -> b.get(i)), "second differences of squares");
        rank.barrier();
        free(b);
        free(a);
    }

    private static int escape(Complex c, int most) {
        Complex z = new Complex(0, 0);
        for (int n = 0; n < most; n++) {
            z = z.times(z).plus(c);
            if (z.norm() > 4) {
                return n;
            }
        }
        return most;
    }

    /** Records, 64-bit integers and floating point give the bits that Java gives. */
    private void numbers() {
        SharedLongs hashes = rank.allAllocLongs(Layout.even(), LENGTH);
        hashes.forAll(i -> hashes.put(i, value(i)));
        stream.sync();
        rank.barrier();
        long[] values = new long[(int) LENGTH];
        hashes.get(0, values);
        int wrong = 0;
        for (int i = 0; i < LENGTH; i++) {
            wrong += values[i] == value(i) ? 0 : 1;
        }
        check.same(0, wrong, "values that differ from Java's");
        rank.barrier();
        free(hashes);
    }

    private static long value(long i) {
        long x = i * 0x9E3779B97F4A7C15L;
        x ^= x >>> 31;
        double d = (x >> 12) * 0x1p-40 / (i + 1) % 17.5;
        float f = (float) d * 1.1f - 3;
        int n = (int) (x >>> 40) % 1000 / ((int) i % 7 + 8);
        return x ^ Double.doubleToRawLongBits(Math.sqrt(Math.abs(d))) ^ Float.floatToRawIntBits(f) + (long) f * n
                + escape(new Complex(i % 100 * 0.03 - 2, i / 100 * 0.025 - 1.25), 60) + Long.bitCount(x) - (int) (d * 1e12);
    }

    /** Memory of the block: each block reverses its tile, and sums it by a tree. */
    private void grids() {
        int blocks = 5;
        int threads = TILE;
        try (Buffer from = rank.device().alloc(ElementType.INT, (long) blocks * TILE);
                Buffer to = rank.device().alloc(ElementType.INT, (long) blocks * TILE);
                Buffer sums = rank.device().alloc(ElementType.LONG, blocks)) {
            stream.launch(new Kernel.Shape(blocks, threads), self -> {
                for (long i = self.global(); i < from.length(); i += self.globals()) {
                    from.putInt(i, (int) (i * i));
                }
            });
            stream.launch(new Kernel.Shape(blocks, threads), self -> reverse(self, from, to, sums));
            stream.sync();
            SharedLongs wrong = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
            wrong.forAll(r -> wrong.put(r, wrongSums(from, to, sums)));
            stream.sync();
            check.same(0L, wrong.get(rank.rank()), "tiles that are not reversed and summed");
            rank.barrier();
            free(wrong);
        }
    }

    private static void reverse(KernelThread self, Buffer from, Buffer to, Buffer sums) {
        int[] tile = self.sharedInts(TILE);
        long[] partial = self.sharedLongs(TILE);
        int t = self.thread();
        tile[t] = from.getInt(self.global());
        partial[t] = tile[t];
        self.sync();
        to.putInt(self.global(), tile[TILE - 1 - t]);
        for (int half = TILE / 2; half > 0; half /= 2) {
            if (t < half) {
                partial[t] += partial[t + half];
            }
            self.sync();
        }
        if (t == 0) {
            sums.putLong(self.block(), partial[0]);
        }
    }

    private static long wrongSums(Buffer from, Buffer to, Buffer sums) {
        long wrong = 0;
        for (long block = 0; block < sums.length(); block++) {
            long sum = 0;
            for (int i = 0; i < TILE; i++) {
                int value = from.getInt(block * TILE + i);
                sum += value;
                wrong += to.getInt(block * TILE + TILE - 1 - i) == value ? 0 : 1;
            }
            wrong += sums.getLong(block) == sum ? 0 : 1;
        }
        return wrong;
    }

    /** Atomic additions of all ranks to all ranks' elements. */
    private void histogram() {
        int bins = 37;
        SharedLongs counts = rank.allAllocLongs(Layout.cyclic(), bins);
        SharedInts data = rank.allAllocInts(Layout.even(), LENGTH);
        counts.forAll(i -> counts.put(i, 0));
        stream.sync();
        rank.barrier();
        data.forAll(i -> counts.addTo((i * 31 + 7) % bins, 1));
        stream.sync();
        rank.barrier();
        long[] found = new long[bins];
        counts.get(0, found);
        long wrong = 0;
        for (long i = 0; i < LENGTH; i++) {
            found[(int) ((i * 31 + 7) % bins)]--;
        }
        for (long left : found) {
            wrong += Math.abs(left);
        }
        check.same(0L, wrong, "atomic additions that were lost or made twice");
        rank.barrier();
        free(data);
        free(counts);
    }

    private void fails(Class<? extends Throwable> cause, String what, Runnable launch) {
        check.refuses(KernelException.class, what, () -> {
            launch.run();
            try {
                stream.sync();
            } catch (KernelException e) {
                check.same(cause, e.getCause().getClass(), "cause of " + e);
                throw e;
            }
        }, "a fault of a kernel: " + cause.getSimpleName());
    }

    private void faults() {
        SharedDoubles a = rank.allAllocDoubles(Layout.even(), LENGTH);
        long own = a.firstOn(rank.rank());
        long divisor = 0;
        for (int round = 0; round < 2; round++) { // the device is usable afterwards
            fails(IndexOutOfBoundsException.class, "JavaKernelContract", () -> a.forAll(i -> a.put(i == own ? LENGTH : i, 1)));
            fails(ArithmeticException.class, "JavaKernelContract", () -> a.forAll(i -> a.put(i, i / divisor)));
            fails(IllegalStateException.class, "JavaKernelContract", () -> a.forAll(i -> a.put(i, odd(i))));
            a.forAll(i -> a.put(i, 7));
            check.same(7.0, a.reduce(stream, ReduceOp.MIN, i -> a.get(i)), "elements after faults");
        }
        try (Buffer few = rank.device().alloc(ElementType.INT, 10)) {
            fails(IndexOutOfBoundsException.class, "JavaKernelContract", () -> launchOne(self -> few.putInt(10, 1)));
            fails(IndexOutOfBoundsException.class, "JavaKernelContract", () -> launchOne(self -> few.putInt(-1, 1)));
        }
        rank.barrier();
        free(a);
    }

    private void launchOne(ThreadKernel kernel) {
        stream.launch(new Kernel.Shape(1, 1), kernel);
    }

    private static double odd(long i) {
        if (i >= 0) {
            throw new IllegalStateException("no index is odd enough");
        }
        return i;
    }

    private void refused(String what, IndexKernel kernel, SharedDoubles array) {
        check.refuses(KernelRefusedException.class, what, () -> array.forAll(kernel), what);
    }

    private void refusals() {
        SharedDoubles onHost = rank.allAllocDoubles(Layout.even(), 10);
        Buffer plain = Buffer.ofHost(MemorySegment.ofArray(new double[10]), ElementType.DOUBLE);
        refused("in host memory", i -> plain.putDouble(i, 1), onHost);
        refused("uses a field or a method of its object", i -> onHost.put(i, check.hashCode()), onHost);
        refused("allocates", i -> onHost.put(i, new ArrayList<Long>().size()), onHost);
        rank.barrier();
        free(onHost);
    }
}
