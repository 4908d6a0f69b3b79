package org.pgas4j.examples.stencil;

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
import org.pgas4j.examples.stencil.Stencil.StencilCase;

/** The field twice, in shared device memory: steps read one and write the other, in turn. Collective. */
abstract class DiffusionField implements Workload {

    final Rank rank;
    final StencilCase of;
    final Domain domain;
    private final SharedFloats[] arrays = new SharedFloats[2];

    DiffusionField(Rank rank, StencilCase of) {
        this.rank = rank;
        this.of = of;
        this.domain = new Domain(of.isize(), of.jsize(), of.levels(), rank.rank(), rank.ranks());
        try (var _ = rank.onDevice()) {
            for (int i = 0; i < arrays.length; i++) {
                arrays[i] = rank.allAllocFloats(Layout.blocked(domain.length()), domain.length() * rank.ranks());
            }
        }
    }

    /** Steps 0..{@code count - 1}; returns when all of them are done on this rank and the neighbours' last halos are here. */
    abstract void steps(int count);

    @Override
    public void run() {
        steps(of.steps());
    }

    /** Read by step {@code step}; step + 1 writes there again. */
    SharedFloats in(int step) {
        return arrays[step % 2];
    }

    /** Written by step {@code step}. */
    SharedFloats out(int step) {
        return arrays[(step + 1) % 2];
    }

    /** Sets everything to what it is before step 0, on all ranks. */
    @Override
    public void reset() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(domain.length() * Float.BYTES);
            for (int level = 0; level < domain.levels(); level++) {
                for (int row = 0; row < domain.rows(); row++) {
                    long start = domain.start(level, row);
                    for (int i = 0; i < domain.isize(); i++) {
                        host.set(ElementType.LAYOUT_FLOAT, (start + i) * Float.BYTES, Domain.initial(i, globalRow(row), level));
                    }
                }
            }
            for (SharedFloats array : arrays) {
                rank.stream().copy(array.local(), Buffer.ofHost(host, ElementType.FLOAT));
            }
            rank.stream().sync();
        }
        rank.barrier();
    }

    /** The largest difference of all ranks' own points after {@code steps} steps from the CPU's. */
    double maxError(int steps) {
        StencilReference reference = new StencilReference(domain, steps);
        double[] error = new double[1];
        forOwn(steps, (i, j, level, value) -> {
            double difference = Math.abs((double) value - reference.at(i, j, level));
            error[0] = Double.isNaN(difference) ? Double.MAX_VALUE : Math.max(error[0], difference);
        });
        return rank.allReduce(error[0], ReduceOp.MAX);
    }

    /** Of the bits of all ranks' own points after {@code steps} steps and of where they are. */
    long checksum(int steps) {
        long[] sum = new long[1];
        forOwn(steps, (i, j, level, value) -> {
            long where = ((long) j * domain.levels() + level) * domain.isize() + i;
            long mixed = (where << 32 ^ Float.floatToRawIntBits(value)) * 0x9E3779B97F4A7C15L;
            sum[0] += (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
        });
        return rank.allReduce(sum[0], ReduceOp.SUM);
    }

    /** A point of the field; {@code j} counts the rows of all ranks. */
    private interface AtPoint {

        void accept(int i, int j, int level, float value);
    }

    /** This rank's own points after {@code steps} steps, without halos. */
    private void forOwn(int steps, AtPoint body) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_FLOAT, domain.length());
            rank.stream().copy(Buffer.ofHost(host, ElementType.FLOAT), in(steps).local());
            rank.stream().sync();
            for (int level = 0; level < domain.levels(); level++) {
                for (int row = Domain.HALO; row < Domain.HALO + domain.jsize(); row++) {
                    for (int i = 0; i < domain.isize(); i++) {
                        body.accept(i, globalRow(row), level,
                                host.getAtIndex(ValueLayout.JAVA_FLOAT, domain.start(level, row) + i));
                    }
                }
            }
        }
    }

    private int globalRow(int row) {
        return domain.rank() * domain.jsize() + row - Domain.HALO;
    }

    @Override
    public void close() {
        for (SharedFloats array : arrays) {
            rank.allFree(array);
        }
    }
}
