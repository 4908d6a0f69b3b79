package org.pgas4j.examples.himeno;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedFloats;
import org.pgas4j.examples.common.Workload;
import org.pgas4j.examples.himeno.Himeno.HimenoCase;

/**
 * A rank's part of the grid on its device: two pressure fields in shared memory, the older and the newer in turn, and the
 * coefficients, arrays as in the benchmark though constant, in private memory.
 */
abstract class Solver implements Workload {

    private static final float[] COEFFICIENTS = {1, 1, 1, 1f / 6, 0, 0, 0, 1, 1, 1, 1, 0};

    final Rank rank;
    final HimenoCase of;
    final long capacity;
    final SharedFloats pressure;
    /** Fields a0..a3, b0..b2, c0..c2, bnd, wrk1. */
    final Buffer coefficients;

    /** Collective. */
    Solver(Rank rank, HimenoCase of) {
        this.rank = rank;
        this.of = of;
        this.capacity = of.capacity(rank.ranks());
        try (var _ = rank.onDevice()) {
            this.pressure = rank.allAllocFloats(Layout.replicated(), 2 * capacity);
        }
        this.coefficients = rank.device().allocFloats(COEFFICIENTS.length * capacity);
        try (Arena arena = Arena.ofShared()) {
            for (int i = 0; i < COEFFICIENTS.length; i++) {
                MemorySegment values = arena.allocate(ValueLayout.JAVA_FLOAT, capacity);
                for (long x = 0; x < capacity; x++) {
                    values.setAtIndex(ValueLayout.JAVA_FLOAT, x, COEFFICIENTS[i]);
                }
                rank.stream().copy(coefficients.slice(i * capacity, capacity), Buffer.ofHost(values, ElementType.FLOAT));
            }
            rank.stream().sync();
        }
    }

    /** Sums of the squared residuals of the last iteration, of this rank's blocks. */
    abstract Buffer sums();

    /** Planes that this rank computes. */
    int planes() {
        return of.count(rank.ranks(), rank.rank());
    }

    /** Planes of the rank before, 0 if this is the first. */
    int planesBelow() {
        return rank.rank() == 0 ? 0 : of.count(rank.ranks(), rank.rank() - 1);
    }

    /** This rank's part, for kernels. */
    HimenoPart part(Tiles tiles) {
        return new HimenoPart(tiles, capacity, planes(), planesBelow(), of.rows(), of.columns());
    }

    long planeSize() {
        return (long) of.rows() * of.columns();
    }

    /** Both pressure fields as the benchmark starts. */
    @Override
    public void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment start = arena.allocate(ValueLayout.JAVA_FLOAT, capacity);
            long plane = planeSize();
            for (int i = 0; i < planes() + 2; i++) {
                float value = HimenoReference.start(of.first(rank.ranks(), rank.rank()) - 1 + i, of.planes());
                for (long x = i * plane; x < (i + 1) * plane; x++) {
                    start.setAtIndex(ValueLayout.JAVA_FLOAT, x, value);
                }
            }
            for (long part = 0; part < 2; part++) {
                rank.stream().copy(pressure.local().slice(part * capacity, capacity), Buffer.ofHost(start, ElementType.FLOAT));
            }
            rank.stream().sync();
        }
    }

    /** Sum of the squared residuals of the last iteration over all ranks. Collective. */
    double gosa() {
        Buffer sums = sums();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_DOUBLE, sums.length());
            rank.stream().copy(Buffer.ofHost(host, ElementType.DOUBLE), sums);
            rank.stream().sync();
            double sum = 0;
            for (long i = 0; i < sums.length(); i++) {
                sum += host.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            }
            return rank.allReduce(sum, ReduceOp.SUM);
        }
    }

    /** Rank 0: largest difference of any rank's pressure after the iterations from {@code expected}, the whole grid. */
    double difference(float[][] expected) {
        long plane = planeSize();
        double largest = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_FLOAT, plane);
            for (int owner = 0; owner < rank.ranks(); owner++) {
                for (int i = 0; i < of.count(rank.ranks(), owner); i++) {
                    long from = of.iterations() % 2 * capacity + (i + 1) * plane;
                    rank.memget(host, pressure.pointer(from).onRank(owner), plane * Float.BYTES);
                    for (int x = 0; x < plane; x++) {
                        float found = host.getAtIndex(ValueLayout.JAVA_FLOAT, x);
                        double difference = Math.abs((double) found - expected[of.first(rank.ranks(), owner) + i][x]);
                        largest = Double.isNaN(difference) ? Double.POSITIVE_INFINITY : Math.max(largest, difference);
                    }
                }
            }
        }
        return largest;
    }

    @Override
    public void close() {
        rank.allFree(pressure);
        coefficients.close();
    }
}
