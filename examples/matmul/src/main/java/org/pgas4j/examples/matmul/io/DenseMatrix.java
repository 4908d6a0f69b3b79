package org.pgas4j.examples.matmul.io;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;

/** A dense matrix in off-heap memory: m x n, column-major, no gaps, FLOAT or DOUBLE. Does not own the memory. */
public final class DenseMatrix implements MatrixSource {

    private final int rows;
    private final int columns;
    private final ElementType type;
    private final MemorySegment data;
    private final String description;

    /**
     * A view of {@code data}.
     *
     * @param data at least rows * columns elements of {@code type}
     */
    public DenseMatrix(int rows, int columns, ElementType type, MemorySegment data, String description) {
        long bytes = type.bytes((long) rows * columns);
        if (data.byteSize() < bytes) {
            throw new IllegalArgumentException("matrix memory too small: rows=" + rows + " columns=" + columns
                    + " type=" + type + " bytes=" + data.byteSize() + " (expected: >= " + bytes + ")");
        }
        this.rows = rows;
        this.columns = columns;
        this.type = type;
        this.data = data;
        this.description = description;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public int columns() {
        return columns;
    }

    /** FLOAT or DOUBLE. */
    public ElementType type() {
        return type;
    }

    /** rows x columns elements, column-major. */
    public MemorySegment data() {
        return data;
    }

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

    @Override
    public String description() {
        return description;
    }
}
