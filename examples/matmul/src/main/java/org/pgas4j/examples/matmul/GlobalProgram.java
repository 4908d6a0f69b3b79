package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.LocalPart;
import org.pgas4j.array.MatrixAlgorithm;
import org.pgas4j.array.MatrixView;
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
        GlobalLayout layout = GlobalLayout.of(of, inputs.rows(), inputs.columns(), inputs.n(), rank.ranks(),
                rank.device().backend() == Backend.HOST);
        try (GlobalArray a = GlobalArray.allocate(rank, of.dtype().type(), MemoryKind.DEVICE, layout.a());
                GlobalArray b = GlobalArray.allocate(rank, of.dtype().type(), MemoryKind.DEVICE, layout.b());
                GlobalArray c = GlobalArray.allocate(rank, of.dtype().resultType(), MemoryKind.DEVICE, layout.c());
                GlobalArray turnedA = turned(rank, a, of.transposed().isA());
                GlobalArray turnedB = turned(rank, b, of.transposed().isB())) {
            fill(rank, a, inputs.a());
            fill(rank, b, inputs.b());
            MatrixView left = view(b, turnedB);
            MatrixView right = view(a, turnedA);
            if (of.algorithm() == MatmulAlgorithm.AUTO && rank.rank() == 0 && !of.json()) {
                out.println(c.explainGemm(left, right));
            }
            double residual;
            try (Buffer whole = of.algorithm() == MatmulAlgorithm.REPLICATED ? replicated(rank, a) : null) {
                residual = new GlobalMeasurement(rank, inputs, of, layout, out).run(a, b, c, () -> {
                    switch (of.algorithm()) {
                        case REPLICATED -> multiply(rank, of, whole, b.local(), c.local());
                        case PULL -> c.gemm(MatrixAlgorithm.PULL, of.dtype().precision(), 1, left, right, 0);
                        case REDUCE -> c.gemm(MatrixAlgorithm.REDUCE, of.dtype().precision(), 1, left, right, 0);
                        case SUMMA -> c.gemm(MatrixAlgorithm.SUMMA, of.dtype().precision(), 1, left, right, 0);
                        case CANNON -> c.gemm(MatrixAlgorithm.CANNON, of.dtype().precision(), 1, left, right, 0);
                        case AUTO -> c.gemm(of.dtype().precision(), 1, left, right, 0);
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

    /** Collective: memory for the transposed matrix; null if it is not wanted. */
    private static GlobalArray turned(Rank rank, GlobalArray matrix, boolean wanted) {
        Distribution distribution = matrix.distribution();
        return wanted ? GlobalArray.allocate(rank, matrix.type(), MemoryKind.DEVICE,
                Distribution.of(distribution.axis(1), distribution.axis(0))) : null;
    }

    /** Collective: the matrix, or the same elements in the transposed one. */
    private static MatrixView view(GlobalArray matrix, GlobalArray turned) {
        if (turned == null) {
            return MatrixView.of(matrix);
        }
        matrix.transposeTo(turned);
        return MatrixView.of(turned).transpose();
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

    /** Writes this rank's elements of a matrix, some columns at a time. */
    private static void fill(Rank rank, GlobalArray matrix, MatrixSource source) {
        LocalPart local = matrix.local();
        if (local.count() == 0) {
            return;
        }
        Axis columns = matrix.distribution().axis(0);
        int[] coordinates = matrix.distribution().coordinates(rank.rank());
        long columnBytes = matrix.type().bytes(source.rows());
        long together = Math.clamp(STAGING_BYTES / columnBytes, 1, Math.min(columns.block(), local.length(0)));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment whole = arena.allocate(together * columnBytes, Double.BYTES);
            MemorySegment own = arena.allocate(matrix.type().bytes(together * local.stride(0)), Double.BYTES);
            for (long at = 0; at < local.length(0); ) {
                long first = columns.index(coordinates[0], at);
                long inBlock = columns.block() - first % columns.block();
                long count = Math.min(Math.min(together, inBlock), local.length(0) - at);
                source.columns(first, count, matrix.type(), whole);
                pick(matrix, coordinates[1], count, whole, own);
                long elements = (count - 1) * local.stride(0) + local.length(1);
                rank.stream().copy(local.buffer().slice(local.at(at, 0), elements),
                        Buffer.ofHost(own, matrix.type()).slice(0, elements));
                rank.stream().sync(); // the memory is used again
                at += count;
            }
        }
    }

    /** Copies the rows of whole columns that a coordinate of the grid has, as its memory has them. */
    private static void pick(GlobalArray matrix, int coordinate, long columns, MemorySegment whole, MemorySegment own) {
        Axis rows = matrix.distribution().axis(1);
        ElementType type = matrix.type();
        LocalPart local = matrix.local();
        for (long j = 0; j < columns; j++) {
            for (long at = 0; at < local.length(1); ) {
                long first = rows.index(coordinate, at);
                long count = Math.min(rows.block() - first % rows.block(), local.length(1) - at);
                MemorySegment.copy(whole, type.bytes(j * rows.length() + first), own, type.bytes(j * local.stride(0) + at),
                        type.bytes(count));
                at += count;
            }
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
