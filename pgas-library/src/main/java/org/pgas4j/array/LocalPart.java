package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.pgas4j.Buffer;

/**
 * A rank's own elements in memory: element (l0, l1, ...), counted from 0 in each dimension, is at {@code offset() + l0 *
 * stride(0) + l1 * stride(1) + ...} of {@link #buffer()}, in elements; the last dimension has stride 1. Ghost cells lie around
 * them. The buffer of an array of records has their bytes: a record begins at its place times its size. It must not be used after
 * the array was freed.
 */
public final class LocalPart {

    private final Buffer buffer;
    private final long elementBytes;
    private final long offset;
    private final long[] lengths;
    private final long[] strides;

    LocalPart(Buffer buffer, long elementBytes, long offset, long[] lengths, long[] strides) {
        this.buffer = buffer;
        this.elementBytes = elementBytes;
        this.offset = offset;
        this.lengths = lengths;
        this.strides = strides;
    }

    /** Memory of the rank's elements and ghost cells; {@code buffer().segment()} is that of the host. */
    public Buffer buffer() {
        return buffer;
    }

    /** Place of element (0, 0, ...). */
    public long offset() {
        return offset;
    }

    /** Number of dimensions. */
    public int dimensions() {
        return lengths.length;
    }

    /** Number of own elements in a dimension. */
    public long length(int dimension) {
        return lengths[dimension];
    }

    /** Elements between neighbours of a dimension. */
    public long stride(int dimension) {
        return strides[dimension];
    }

    /** Place of an element in the buffer; ghost cells have indices below 0 and from the length on. */
    public long at(long... local) {
        long at = offset;
        for (int dimension = 0; dimension < strides.length; dimension++) {
            at += local[dimension] * strides[dimension];
        }
        return at;
    }

    /**
     * Memory of an element, of an array in host memory: a record, say.
     *
     * @param local as of {@link #at}
     * @throws IllegalStateException if the array is in device memory
     */
    public MemorySegment element(long... local) {
        return buffer.segment().asSlice(at(local) * elementBytes, elementBytes);
    }

    /** Number of own elements. */
    public long count() {
        long count = 1;
        for (long length : lengths) {
            count *= length;
        }
        return count;
    }

    /** Takes a row of own elements that are contiguous. */
    @FunctionalInterface
    public interface RowBody {

        /** A row of {@code length} elements from place {@code at} of the buffer on. */
        void row(long at, long length);
    }

    /** Calls {@code body} with every row of the last dimension. */
    public void forEachRow(RowBody body) {
        if (count() > 0) {
            rows(0, offset, body);
        }
    }

    private void rows(int dimension, long at, RowBody body) {
        if (dimension == lengths.length - 1) {
            body.row(at, lengths[dimension]);
            return;
        }
        for (long i = 0; i < lengths[dimension]; i++) {
            rows(dimension + 1, at + i * strides[dimension], body);
        }
    }

    @Override
    public String toString() {
        return "LocalPart[lengths=" + Arrays.toString(lengths) + " strides=" + Arrays.toString(strides) + " offset=" + offset
                + " " + buffer + "]";
    }
}
