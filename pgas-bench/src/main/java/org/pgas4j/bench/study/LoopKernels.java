package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.bench.result.Row;

/**
 * Triads over shared arrays by {@code forAll}, all ranks at once, each on its device, beside a triad of CUDA C++ on the local
 * parts, or a plain loop of the host. In the shifted one an element of {@code b} at each border is the next rank's. A time is
 * that of the slowest rank.
 */
final class LoopKernels {

    private static final Kernel TRIAD = new Kernel("triad", """
            extern "C" __global__ void triad(double *__restrict__ c, const double *__restrict__ a,
                                             const double *__restrict__ b, double s, long long n) {
                const long long step = (long long) gridDim.x * blockDim.x;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
                    c[i] = a[i] + s * b[i];
                }
            }
            """, null).withOptions("--fmad=false");

    private static final long LARGE = 1L << 26; // elements of a rank
    private static final long SMALL = 1L << 12;
    private static final double FACTOR = 3;
    private static final int WARM_UPS = 3;
    private static final int COUNT = 10;
    private static final int ARRAYS = 3;
    private static final double PS_PER_US = 1e6;
    private static final int CYCLE = 1000;

    private final Rank rank;
    private final long local;
    private final int rounds;
    private final KernelTimer timer;

    LoopKernels(Rank rank, boolean large, int rounds, KernelTimer timer) {
        this.rank = rank;
        this.local = large ? LARGE : SMALL;
        this.rounds = rounds;
        this.timer = timer;
    }

    /** Device memory of a rank. */
    static long heapBytes(boolean large) {
        return ARRAYS * (large ? LARGE : SMALL) * Double.BYTES + (8L << 20);
    }

    /** Collective. */
    void run(Consumer<Row> out) {
        SharedDoubles a;
        SharedDoubles b;
        SharedDoubles c;
        try (Scope _ = rank.onDevice()) {
            a = rank.allAllocDoubles(Layout.even(), local * rank.ranks());
            b = rank.allAllocDoubles(Layout.even(), local * rank.ranks());
            c = rank.allAllocDoubles(Layout.even(), local * rank.ranks());
        }
        a.forAll(i -> a.put(i, i % CYCLE));
        b.forAll(i -> b.put(i, i % CYCLE * 0.5));
        rank.stream().sync();
        rank.barrier();
        double s = FACTOR;
        long last = c.length() - 1;
        measure("triad", 0, c, () -> c.forAll(rank.stream(), i -> c.put(i, a.get(i) + s * b.get(i))), raw(a, b, c), out);
        measure("shifted", 1, c, () -> rank.stream().forAll(c, 0, last, 1, i ->
                c.put(i, a.get(i) + s * b.get(i + 1))), raw(a, b, c), out);
        rank.allFree(c);
        rank.allFree(b);
        rank.allFree(a);
    }

    /** The other form, which is measured and gives nothing that is checked. */
    private Runnable raw(SharedDoubles a, SharedDoubles b, SharedDoubles c) {
        if (rank.device().backend() == Backend.CUDA) {
            Kernel.Shape shape = rank.device().stridedShape(local);
            return () -> rank.stream().launch(TRIAD, shape, c.local(), a.local(), b.local(), FACTOR, local);
        }
        double[] as = new double[(int) local];
        double[] bs = new double[(int) local];
        double[] cs = new double[(int) local];
        return () -> {
            for (int i = 0; i < cs.length; i++) {
                cs[i] = as[i] + FACTOR * bs[i];
            }
        };
    }

    /** Collective. */
    private void measure(String op, int shift, SharedDoubles c, Runnable loop, Runnable raw, Consumer<Row> out) {
        rank.stream().fill(c.local(), 0);
        rank.stream().sync();
        rank.barrier();
        loop.run();
        rank.stream().sync();
        long wrong = rank.allReduce(wrong(c, shift), ReduceOp.SUM);
        double[] ours = new double[rounds];
        double[] others = new double[rounds];
        for (int round = -WARM_UPS; round < rounds; round++) {
            double us = slowest(loop);
            double other = slowest(raw);
            if (round >= 0) {
                ours[round] = us;
                others[round] = other;
            }
        }
        out.accept(KernelsStudy.row(rank, op, c.length(), ours, others, COUNT, wrong)
                .with(Row.BASELINE, rank.device().backend() == Backend.CUDA ? "CUDA C++" : "plain loop"));
    }

    private double slowest(Runnable action) {
        rank.barrier();
        return rank.allReduce((long) (timer.us(action, COUNT) * PS_PER_US), ReduceOp.MAX) / PS_PER_US;
    }

    /** Elements of this rank that are not what the loop gives. */
    private long wrong(SharedDoubles c, int shift) {
        long wrong = 0;
        long from = c.firstOn(rank.rank());
        Buffer part = c.local();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment found = PatternBytes.read(rank, part, arena);
            for (long k = 0; k < part.length(); k++) {
                long i = from + k;
                double expected = i + shift >= c.length() ? 0 : i % CYCLE + FACTOR * ((i + shift) % CYCLE * 0.5);
                wrong += found.getAtIndex(ElementType.LAYOUT_DOUBLE, k) == expected ? 0 : 1;
            }
        }
        return wrong;
    }
}
