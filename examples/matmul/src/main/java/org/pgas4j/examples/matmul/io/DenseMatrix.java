package org.pgas4j.examples.matmul.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;

/**
 * A dense matrix in off-heap memory: m x n, column-major, no gaps, FLOAT or DOUBLE. Does not own the memory.
 *
 * @param data at least rows * columns elements of {@code type}
 */
public record DenseMatrix(int rows, int columns, ElementType type, MemorySegment data, String description)
        implements MatrixSource {

    @Override
    public void column(int column, double[] out) {
        long start = type.bytes((long) column * rows);
        if (type == ElementType.DOUBLE) {
            MemorySegment.copy(data, ValueLayout.JAVA_DOUBLE_UNALIGNED, start, out, 0, rows);
        } else {
            for (int i = 0; i < rows; i++) {
                out[i] = data.get(ValueLayout.JAVA_FLOAT_UNALIGNED, start + (long) i * Float.BYTES);
            }
        }
    }
}
