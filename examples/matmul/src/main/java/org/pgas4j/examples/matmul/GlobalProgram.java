package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.Gemm;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.LocalPart;
import org.pgas4j.array.MatrixAlgorithm;
import org.pgas4j.array.Range;
import org.pgas4j.examples.matmul.Matmul.MatmulAlgorithm;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.Npy;

/**
 * C = A * B of global matrices: all three are spread in blocks over a grid of ranks, in device memory, C stays there, and the
 * library moves what a rank needs. No rank has a whole matrix. Index (j, i) is row i of column j, so that C' = B' * A' is computed.
 */
final class GlobalProgram {

    private static final long STAGING_BYTES = 64L << 20;

    private GlobalProgram() {
    }

    /** Collective. Returns the largest residual on rank 0, 0 elsewhere and where nothing was checked. */
    static double run(Rank rank, Inputs inputs, MatmulCase of, PrintStream out) throws IOException {
        GlobalLayout layout = GlobalLayout.of(of, inputs.rows(), inputs.columns(), inputs.n(), rank.ranks());
        try (GlobalArray a = GlobalArray.allocate(rank, of.dtype().type(), MemoryKind.DEVICE, layout.a());
                GlobalArray b = GlobalArray.allocate(rank, of.dtype().type(), MemoryKind.DEVICE, layout.b());
                GlobalArray c = GlobalArray.allocate(rank, of.dtype().resultType(), MemoryKind.DEVICE, layout.c())) {
            fill(rank, a, inputs.a());
            fill(rank, b, inputs.b());
            double residual;
            try (Buffer whole = of.algorithm() == MatmulAlgorithm.REPLICATED ? replicated(rank, a) : null) {
                residual = new GlobalMeasurement(rank, inputs, of, layout, out).run(a, b, c, () -> {
                    switch (of.algorithm()) {
                        case REPLICATED -> multiply(rank, of, whole, b.local(), c.local());
                        case PULL -> c.gemm(MatrixAlgorithm.PULL, of.dtype().precision(), 1, b, a, 0);
                        case REDUCE -> c.gemm(MatrixAlgorithm.REDUCE, of.dtype().precision(), 1, b, a, 0);
                        case AUTO -> c.gemm(of.dtype().precision(), 1, b, a, 0);
                    }
                });
            }
            write(rank, c, of);
            rank.barrier();
            return residual;
        } catch (SegmentMemoryException e) {
            throw new UsageException("no memory: " + e.getMessage(), e);
        }
    }

    /** Collective: all of a matrix in memory of this rank's device. */
    private static Buffer replicated(Rank rank, GlobalArray matrix) {
        rank.barrier();
        Buffer whole = DeviceArrays.alloc(rank, matrix.type(), matrix.length(0) * matrix.length(1), "A on every rank");
        matrix.all().get(whole);
        return whole;
    }

    /** This rank's columns of C, which are complete after a barrier. */
    private static void multiply(Rank rank, MatmulCase of, Buffer a, LocalPart b, LocalPart c) {
        if (c.count() > 0) {
            rank.stream().gemm(Gemm.of(of.dtype().precision(), c.length(1), c.length(0), b.length(1)), a, b.buffer(), c.buffer());
            rank.stream().sync();
        }
        rank.barrier();
    }

    /** Writes this rank's block of a matrix, some columns at a time. */
    private static void fill(Rank rank, GlobalArray matrix, MatrixSource source) {
        LocalPart local = matrix.local();
        if (local.count() == 0) {
            return;
        }
        Distribution distribution = matrix.distribution();
        int[] coordinates = distribution.coordinates(rank.rank());
        long firstColumn = distribution.axis(0).index(coordinates[0], 0);
        long firstRow = distribution.axis(1).index(coordinates[1], 0);
        Range rows = Range.of(firstRow, firstRow + local.length(1));
        long columnBytes = matrix.type().bytes(source.rows());
        long together = Math.clamp(STAGING_BYTES / columnBytes, 1, local.length(0));
        try (Arena arena = Arena.ofShared()) {
            Buffer staging = Buffer.ofHost(arena.allocate(together * columnBytes, Double.BYTES), matrix.type());
            for (long done = 0; done < local.length(0); done += together) {
                long count = Math.min(together, local.length(0) - done);
                source.columns(firstColumn + done, count, matrix.type(), staging.segment());
                put(matrix, Range.of(firstColumn + done, firstColumn + done + count), rows, staging, source.rows());
            }
        }
    }

    private static void put(GlobalArray matrix, Range columns, Range rows, Buffer staging, long height) {
        if (rows.length() == height) {
            matrix.section(columns, rows).put(staging);
            return;
        }
        for (long j = 0; j < columns.length(); j++) {
            matrix.section(Range.at(columns.from() + j), rows).put(staging.slice(j * height + rows.from(), rows.length()));
        }
    }

    private static void write(Rank rank, GlobalArray c, MatmulCase of) throws IOException {
        if (rank.rank() != 0 || of.out() == null) {
            return;
        }
        Range rows = Range.of(0, c.length(1));
        try (Arena arena = Arena.ofShared()) {
            Npy.write(of.out(), c.type(), c.length(1), c.length(0), new Npy.Columns() {

                private MemorySegment staging = MemorySegment.NULL;

                @Override
                public MemorySegment read(long first, long count) {
                    long bytes = c.type().bytes(count * rows.length());
                    staging = staging.byteSize() < bytes ? arena.allocate(bytes, Double.BYTES) : staging;
                    MemorySegment piece = staging.asSlice(0, bytes);
                    c.section(Range.of(first, first + count), rows).get(Buffer.ofHost(piece, c.type()));
                    return piece;
                }
            });
        }
    }
}
