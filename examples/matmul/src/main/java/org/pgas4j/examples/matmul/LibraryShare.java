package org.pgas4j.examples.matmul;

import org.pgas4j.Buffer;
import org.pgas4j.Gemm;
import org.pgas4j.Rank;
import org.pgas4j.array.Axis;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Range;
import org.pgas4j.examples.matmul.Matmul.Dtype;
import org.pgas4j.examples.matmul.Matmul.MatmulAlgorithm;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;

/**
 * A rank's share of a product by the plain library, on copies of all that it needs, in memory of its own: nothing moves. For
 * products that are reduced it is a part of the inner dimension, else one of C's columns. The rank's thread.
 */
final class LibraryShare implements AutoCloseable {

    private final Rank rank;
    private final Gemm gemm;
    private final Buffer a;
    private final Buffer b;
    private final Buffer c;

    /** Collective. */
    LibraryShare(Rank rank, MatmulCase of, GlobalArray a, GlobalArray b) {
        this.rank = rank;
        Dtype dtype = of.dtype();
        boolean reduced = of.algorithm() == MatmulAlgorithm.REDUCE;
        long rows = a.length(1);
        Range columns = reduced ? Range.of(0, b.length(0)) : share(b.length(0), rank);
        Range inner = reduced ? share(a.length(0), rank) : Range.of(0, a.length(0));
        this.gemm = Gemm.of(dtype.precision(), rows, columns.length(), inner.length());
        this.a = DeviceArrays.alloc(rank, dtype.type(), rows * inner.length(), "the baseline's A");
        this.b = DeviceArrays.alloc(rank, dtype.type(), columns.length() * inner.length(), "the baseline's B");
        this.c = DeviceArrays.alloc(rank, dtype.resultType(), rows * columns.length(), "the baseline's C");
        a.section(inner, Range.of(0, rows)).get(this.a);
        b.section(columns, inner).get(this.b);
        rank.barrier();
    }

    private static Range share(long length, Rank rank) {
        Axis shares = Axis.block(length, rank.ranks());
        long from = Math.min(length, shares.block() * rank.rank());
        return Range.of(from, Math.min(length, from + shares.block()));
    }

    /** Collective: all ranks multiply at the same time; milliseconds from barrier to barrier. */
    double multiplyMs() {
        rank.barrier();
        long start = System.nanoTime();
        rank.stream().gemm(gemm, a, b, c);
        rank.stream().sync();
        rank.barrier();
        return (System.nanoTime() - start) / 1e6;
    }

    @Override
    public void close() {
        a.close();
        b.close();
        c.close();
    }
}
