package org.pgas4j.testkit.contract;

import java.util.List;
import org.pgas4j.KernelException;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Scans of shared arrays by kernels, beside the same in a loop. */
final class ScanKernels extends Contract {

    private static final int LENGTH = 5000; // several tiles for each thread block of some
    private static final long MODULUS = 1_000_003;

    private final Stream stream;

    ScanKernels(Rank rank, Tally check) {
        super(rank, check);
        this.stream = rank.stream();
    }

    @Override
    void run() {
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            for (Layout layout : List.of(Layout.even(), Layout.blocked(300), Layout.onRank(rank.ranks() - 1), Layout.replicated(),
                    Layout.blocked(LENGTH / rank.ranks() + 100))) {
                integers(layout);
            }
            reals();
            slices();
            small();
        }
    }

    private static long value(long i) {
        return i * i % 1000 - 300;
    }

    /** Composition of functions x -> a * x + b, packed: associative, and not commutative. */
    private static long compose(long f, long g) {
        long a = (f >> 32) * (g >> 32) % MODULUS;
        long b = ((g >> 32) * (f & 0xffffffffL) + (g & 0xffffffffL)) % MODULUS;
        return a << 32 | b;
    }

    private static long function(long i) {
        return (i % 7 + 1) << 32 | i % 13;
    }

    private void integers(Layout layout) {
        SharedLongs a = rank.allAllocLongs(layout, LENGTH);
        SharedLongs b = rank.allAllocLongs(layout, LENGTH);
        a.scan(stream, ReduceOp.SUM, i -> value(i));
        b.scanExclusive(stream, ReduceOp.MAX, i -> value(i));
        long[] sums = values(a);
        long[] most = values(b);
        rank.barrier();
        b.forAll(i -> b.put(i, function(i)));
        stream.sync();
        rank.barrier();
        a.scan(stream, b, (f, g) -> compose(f, g));
        long[] composed = values(a);
        rank.barrier();
        b.scanExclusive(stream, b, 77, (f, g) -> compose(f, g)); // in place
        long[] before = values(b);
        long wrong = 0;
        long sum = 0;
        long high = Long.MIN_VALUE;
        long function = 77;
        for (int i = 0; i < LENGTH; i++) {
            wrong += most[i] == high && before[i] == function ? 0 : 1;
            sum += value(i);
            high = Math.max(high, value(i));
            function = i == 0 ? function(0) : compose(function, function(i));
            wrong += sums[i] == sum && composed[i] == function ? 0 : 1;
        }
        check.same(0L, wrong, "wrong prefixes of integers over " + layout);
        rank.barrier();
        rank.allFree(b);
        rank.allFree(a);
    }

    private long[] values(SharedLongs array) {
        long[] values = new long[(int) array.length()];
        array.get(0, values);
        return values;
    }

    /** Sums that are exact in any order. */
    private void reals() {
        SharedDoubles a = rank.allAllocDoubles(Layout.even(), LENGTH);
        a.forAll(i -> a.put(i, 0.5 * i));
        stream.sync();
        rank.barrier();
        a.scan(stream, ReduceOp.SUM, i -> a.get(i) + 1); // in place
        check.same(0.25 * (LENGTH - 1) * LENGTH + LENGTH, a.get(LENGTH - 1), "sum of all");
        check.same(0.25 * 1233 * 1234 + 1234, a.get(1233), "sum of some");
        rank.barrier();
        a.scanExclusive(stream, a, -1, (x, y) -> Math.max(x, y));
        check.same(-1.0, a.get(0), "first of an exclusive scan");
        check.same(0.25 * 1233 * 1234 + 1234, a.get(1234), "largest before");
        rank.barrier();
        check.refuses(KernelException.class, "ScanKernels", () -> a.scan(stream, ReduceOp.SUM, i -> 1 / (i - i)), "a fault of a scan");
        rank.barrier();
        rank.allFree(a);
    }

    /** Ranks' parts in another order than the ranks. */
    private void slices() {
        SharedLongs whole = rank.allAllocLongs(Layout.blocked(10), 20L * rank.ranks());
        whole.forAll(i -> whole.put(i, 0));
        stream.sync();
        rank.barrier();
        long from = 15;
        SharedLongs part = whole.slice(from, Math.min(10L * rank.ranks() - 5, whole.length() - from));
        part.scan(stream, ReduceOp.SUM, i -> 1);
        long wrong = 0;
        for (long i = 0; i < whole.length(); i++) {
            wrong += whole.get(i) == (i >= from && i < from + part.length() ? i - from + 1 : 0) ? 0 : 1;
        }
        check.same(0L, wrong, "wrong prefixes of a slice");
        rank.barrier();
        rank.allFree(whole);
    }

    private void small() {
        SharedLongs few = rank.allAllocLongs(Layout.even(), 2);
        few.scan(stream, ReduceOp.PRODUCT, i -> i + 3);
        check.same(12L, few.get(1), "product of two");
        rank.barrier();
        rank.allFree(few);
        SharedLongs none = rank.allAllocLongs(Layout.cyclic(), 0);
        none.scan(stream, ReduceOp.SUM, i -> i);
        rank.allFree(none);
    }
}
