package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.LocalPart;
import org.pgas4j.array.MatrixAlgorithm;
import org.pgas4j.array.Range;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;
import org.pgas4j.examples.matmul.io.MatrixSource;

/**
 * C = A * B of global matrices: all three are spread in blocks over a grid of ranks, in device memory, C stays there, and the library
 * moves what a rank needs. No rank has a whole matrix. Index (j, i) is row i of column j, so that C' = B' * A' is computed.
 */
final class GlobalProgram {

    private GlobalProgram() {
    }

    /** Collective. */
    static MatmulSummary run(Rank rank, Inputs inputs, MatmulCase of, MatmulMeasurement measurement) throws Exception {
        int n = inputs.n();
        Distribution grid = Distribution.blocks(rank.ranks(), n, n);
        ElementType type = of.dtype().type();
        try (GlobalArray a = GlobalArray.allocate(rank, type, MemoryKind.DEVICE, grid);
                GlobalArray b = GlobalArray.allocate(rank, type, MemoryKind.DEVICE, grid);
                GlobalArray c = GlobalArray.allocate(rank, type, MemoryKind.DEVICE, grid)) {
            fill(rank, a, inputs.a());
            fill(rank, b, inputs.b());
            return measurement.run(null, null, Product.of(c), () -> {
                switch (of.algorithm()) {
                    case PULL -> c.gemm(MatrixAlgorithm.PULL, 1, b, a, 0);
                    case REDUCE -> c.gemm(MatrixAlgorithm.REDUCE, 1, b, a, 0);
                    default -> c.gemm(1, b, a, 0);
                }
                return Double.NaN;                                      // the library does both at once
            });
        }
    }

    /** Writes this rank's block of a matrix, column by column. */
    private static void fill(Rank rank, GlobalArray matrix, MatrixSource source) {
        LocalPart local = matrix.local();
        if (local.count() == 0) {
            return;
        }
        Distribution distribution = matrix.distribution();
        int[] coordinates = distribution.coordinates(rank.rank());
        long firstColumn = distribution.axis(0).index(coordinates[0], 0);
        long firstRow = distribution.axis(1).index(coordinates[1], 0);
        long rows = local.length(1);
        long columnBytes = matrix.type().bytes(source.rows());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment column = arena.allocate(columnBytes, Double.BYTES);
            for (long j = firstColumn; j < firstColumn + local.length(0); j++) {
                source.columns(j, 1, matrix.type(), column);
                Buffer values = Buffer.ofHost(column, matrix.type()).slice(firstRow, rows);
                matrix.section(Range.at(j), Range.of(firstRow, firstRow + rows)).put(values);
            }
        }
    }
}
