package org.pgas4j.examples.matmul.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import org.pgas4j.ElementType;

/**
 * An m x n matrix that can produce any of its columns, so that a rank makes only those it owns. Values are doubles,
 * whatever the type the product is computed in. Immutable; any thread.
 */
public interface MatrixSource {

    /** m. */
    int rows();

    /** n. */
    int columns();

    /**
     * Writes one column.
     *
     * @param column 0..columns-1
     * @param out    at least {@link #rows()} elements, all of which are set
     */
    void column(int column, double[] out);

    /** What it is, for a person. */
    String description();

    /**
     * Writes {@code count} columns one after the other, computed in parallel.
     *
     * @param first first column
     * @param type  FLOAT or DOUBLE
     * @param dst   rows x count elements, column-major, no gaps
     */
    default void columns(long first, long count, ElementType type, MemorySegment dst) {
        long columnBytes = type.bytes(rows());
        LongStream.range(0, count).parallel().forEach(j -> {
            double[] column = new double[rows()];
            column(Math.toIntExact(first + j), column);
            if (type == ElementType.DOUBLE) {
                MemorySegment.copy(column, 0, dst, ValueLayout.JAVA_DOUBLE_UNALIGNED, j * columnBytes, rows());
            } else {
                MemorySegment.copy(Vectors.toFloats(column), 0, dst, ValueLayout.JAVA_FLOAT_UNALIGNED,
                        j * columnBytes, rows());
            }
        });
    }
}
