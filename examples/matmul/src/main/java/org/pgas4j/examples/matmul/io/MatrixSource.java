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

    /** Called by a reader once it knows a matrix's size and before it allocates anything for it. */
    @FunctionalInterface
    interface SizeCheck {

        /** Accepts any size. */
        SizeCheck ANY = (name, rows, columns) -> { };

        /**
         * Returns if the size is acceptable.
         *
         * @param name of the file
         * @throws org.pgas4j.UsageException if it is not
         */
        void check(String name, int rows, int columns);
    }

    /** m. */
    int rows();

    /** n. */
    int columns();

    /** Writes column 0..columns-1 to the first {@link #rows()} elements of {@code out}. */
    void column(int column, double[] out);

    /** Kind and origin, for a person. */
    String description();

    private static void set(ElementType type, MemorySegment dst, long offset, double value) {
        switch (type) {
            case FLOAT -> dst.set(ElementType.LAYOUT_FLOAT, offset, (float) value);
            case BYTE -> dst.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
            default -> dst.set(ElementType.LAYOUT_SHORT, offset, type.toBits((float) value));
        }
    }

    /** The column in an array of its own. */
    default double[] column(int column) {
        double[] values = new double[rows()];
        column(column, values);
        return values;
    }

    /**
     * Writes {@code count} columns one after the other, computed in parallel.
     *
     * @param first first column
     * @param type  any but INT and LONG; values are rounded to it, and cut to whole numbers as BYTE
     * @param dst   rows x count elements, column-major, no gaps
     */
    default void columns(long first, long count, ElementType type, MemorySegment dst) {
        LongStream.range(0, count).parallel().forEach(j -> {
            double[] column = column(Math.toIntExact(first + j));
            long start = j * type.bytes(rows());
            if (type == ElementType.DOUBLE) {
                MemorySegment.copy(column, 0, dst, ValueLayout.JAVA_DOUBLE_UNALIGNED, start, rows());
            } else {
                for (int i = 0; i < rows(); i++) {
                    set(type, dst, start + (long) i * type.bytes(), column[i]);
                }
            }
        });
    }
}
