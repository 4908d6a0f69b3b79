package org.pgas4j.testkit.contract;

import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Reductions by each operation: over a shared array, its prefixes, and over the warps and blocks of a grid. */
final class ReductionKernels extends Contract {

    private static final int LENGTH = 3000;
    private static final int BLOCKS = 3;
    private static final int THREADS = 72; // two whole warps and a part of one
    private static final int WARP = 32;

    private final Stream stream;

    ReductionKernels(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    @Override
    void run() {
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            for (ReduceOp op : ReduceOp.values()) {
                arrays(op, Layout.even());
                arrays(op, Layout.onRank(0)); // the others have no element
                prefixes(op);
                blocks(op);
            }
            reals();
        }
    }

    /** Values with both signs and one bit in common, none of them 0. */
    private static long dense(long i) {
        return i * 0x9E3779B97F4A7C15L | 16;
    }

    /** Values of which some are 0. */
    private static long sparse(long i) {
        return i % 5 == 0 ? i << 20 : 0;
    }

    /** Two of the same value make it 0 or 1 where the operation has nothing else. */
    private static long truth(ReduceOp op, long value) {
        return op == ReduceOp.LOGICAL_AND || op == ReduceOp.LOGICAL_OR ? op.apply(value, value) : value;
    }

    private static double real(long i) {
        return i % 1000 == 7 ? 2 : 1;
    }

    private void arrays(ReduceOp op, Layout layout) {
        SharedLongs a = rank.allAllocLongs(layout, LENGTH);
        long full = truth(op, dense(0));
        long some = truth(op, sparse(0));
        for (int i = 1; i < LENGTH; i++) {
            full = op.apply(full, dense(i));
            some = op.apply(some, sparse(i));
        }
        check.same(full, a.reduceLongs(stream, op, i -> dense(i)), op + " of values over " + layout);
        check.same(some, a.reduceLongs(stream, op, i -> sparse(i)), op + " of values and zeros over " + layout);
        if (op.isDefinedFor(ElementType.DOUBLE)) {
            double all = real(0);
            for (int i = 1; i < LENGTH; i++) {
                all = op.apply(all, real(i));
            }
            check.same(all, a.reduce(stream, op, i -> real(i)), op + " of reals over " + layout);
        } else {
            check.refuses(IllegalArgumentException.class, "integers only", () -> a.reduce(stream, op, i -> i), op + " of reals");
        }
        rank.barrier();
        rank.allFree(a);
    }

    private void prefixes(ReduceOp op) {
        SharedLongs a = rank.allAllocLongs(Layout.even(), LENGTH);
        SharedLongs b = rank.allAllocLongs(Layout.even(), LENGTH);
        a.scan(stream, op, i -> sparse(i + 1));
        b.scanExclusive(stream, op, i -> sparse(i + 1));
        long[] with = new long[LENGTH];
        long[] before = new long[LENGTH];
        a.get(0, with);
        b.get(0, before);
        long wrong = 0;
        long all = truth(op, sparse(1));
        for (int i = 0; i < LENGTH; i++) {
            wrong += i == 0 || before[i] == all ? 0 : 1;
            all = i == 0 ? all : op.apply(all, sparse(i + 1));
            wrong += with[i] == all ? 0 : 1;
        }
        check.same(0L, wrong, "wrong prefixes by " + op);
        check.same(with[0], op.apply(before[0], with[0]), "neutral value of " + op);
        rank.barrier();
        rank.allFree(b);
        rank.allFree(a);
    }

    /** Each thread leaves what it gets of its warp and of its block. */
    private void blocks(ReduceOp op) {
        int count = 4 * BLOCKS * THREADS;
        SharedLongs results = rank.allAllocLongs(Layout.blocked(count), (long) count * rank.ranks());
        Buffer out = results.local();
        stream.launch(new Kernel.Shape(BLOCKS, THREADS), self -> {
            long i = self.global();
            out.putLong(4 * i, self.warpReduce(op, dense(i)));
            out.putLong(4 * i + 1, self.blockReduce(op, dense(i)));
            out.putLong(4 * i + 2, self.warpReduce(op, (int) dense(i)));
            out.putLong(4 * i + 3, self.blockReduce(op, (int) sparse(i)));
        });
        stream.sync();
        long[] found = new long[count];
        results.get((long) count * rank.rank(), found);
        long wrong = 0;
        for (int i = 0; i < BLOCKS * THREADS; i++) {
            int block = i / THREADS * THREADS;
            int warp = block + i % THREADS / WARP * WARP;
            int warpEnd = Math.min(warp + WARP, block + THREADS);
            long longs = dense(warp);
            int ints = (int) dense(warp);
            for (int k = warp + 1; k < warpEnd; k++) {
                longs = op.apply(longs, dense(k));
                ints = (int) op.apply((long) ints, (int) dense(k));
            }
            long all = dense(block);
            int few = (int) sparse(block);
            for (int k = block + 1; k < block + THREADS; k++) {
                all = op.apply(all, dense(k));
                few = (int) op.apply((long) few, (int) sparse(k));
            }
            wrong += found[4 * i] == longs && found[4 * i + 1] == all && found[4 * i + 2] == ints && found[4 * i + 3] == few ? 0 : 1;
        }
        check.same(0L, wrong, "threads with wrong results of their warp or block by " + op);
        rank.barrier();
        rank.allFree(results);
    }

    private static void reals(KernelThread self, Buffer out) {
        float own = self.thread() == 3 ? 0.5f : 1;
        out.putDouble(8 * self.global(), self.warpReduce(ReduceOp.SUM, own));
        out.putDouble(8 * self.global() + 1, self.blockReduce(ReduceOp.PRODUCT, own));
        out.putDouble(8 * self.global() + 2, self.blockReduce(ReduceOp.MIN, own));
        out.putDouble(8 * self.global() + 3, self.warpReduce(ReduceOp.LOGICAL_AND, own));
        out.putDouble(8 * self.global() + 4, self.blockReduce(ReduceOp.SUM, (double) own));
        out.putDouble(8 * self.global() + 5, self.warpReduce(ReduceOp.PRODUCT, (double) own));
        out.putDouble(8 * self.global() + 6, self.warpReduce(ReduceOp.MAX, (double) own));
        out.putDouble(8 * self.global() + 7, self.blockReduce(ReduceOp.LOGICAL_OR, (double) own - 1));
    }

    /** Sums and products that are exact in any order; the thread with another value is in the first warp. */
    private void reals() {
        int count = 8 * THREADS;
        SharedDoubles results = rank.allAllocDoubles(Layout.blocked(count), (long) count * rank.ranks());
        Buffer out = results.local();
        stream.launch(new Kernel.Shape(1, THREADS), self -> reals(self, out));
        stream.sync();
        double[] found = new double[count];
        results.get((long) count * rank.rank(), found);
        long wrong = 0;
        for (int i = 0; i < THREADS; i++) {
            boolean first = i < WARP;
            double sum = Math.min(WARP, THREADS - i / WARP * WARP) - (first ? 0.5 : 0);
            double[] right = {sum, 0.5, 0.5, 1, THREADS - 0.5, first ? 0.5 : 1, 1, 1};
            wrong += Arrays.equals(right, Arrays.copyOfRange(found, 8 * i, 8 * i + 8)) ? 0 : 1;
        }
        check.same(0L, wrong, "threads with wrong reals of their warp or block");
        rank.barrier();
        rank.allFree(results);
    }
}
