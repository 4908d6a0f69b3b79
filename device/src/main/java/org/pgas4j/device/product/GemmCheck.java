package org.pgas4j.device.product;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.MemoryKind;

/**
 * Checks the matrices of {@link org.pgas4j.Stream#gemm}: their types, in device memory, large enough for their shapes, c apart from
 * what is read.
 */
public final class GemmCheck {

    private GemmCheck() {
    }

    /** @throws IllegalArgumentException if they are not; has the numbers */
    public static void check(Gemm gemm, Buffer a, Buffer b, Buffer c) {
        Precision precision = gemm.precision();
        ElementType input = precision.inputType();
        if (!precision.takes(a.type()) || !precision.takes(b.type()) || !precision.makes(c.type())) {
            throw new IllegalArgumentException("gemm of " + precision + ": a=" + a.type() + " b=" + b.type() + " c=" + c.type()
                    + " (expected: " + input + ", " + input + ", " + precision.resultType() + (precision.is16Bit()
                    ? " or FLOAT; BYTE for " + input + ")" : ")"));
        }
        int resultBytes = precision.resultBytes(c.type());
        Matrix left = new Matrix("a", gemm.rowsA(), gemm.columnsA(), gemm.lda(), a, precision.inputBytes());
        Matrix right = new Matrix("b", gemm.rowsB(), gemm.columnsB(), gemm.ldb(), b, precision.inputBytes());
        Matrix result = new Matrix("c", gemm.m(), gemm.n(), gemm.ldc(), c, resultBytes);
        left.check();
        right.check();
        result.check();
        Buffer bias = gemm.bias();
        if (bias != null && (bias.type() != c.type() || bias.kind() != MemoryKind.DEVICE
                || gemm.m() > bias.bytes() / resultBytes)) {
            throw new IllegalArgumentException("gemm bias does not fit: " + bias + " (expected: " + gemm.m() + " elements of "
                    + c.type() + " in DEVICE memory, one for each row of c)");
        }
        result.requireApart(left);
        result.requireApart(right);
    }

    /** A matrix in a buffer: columns of {@code rows} elements, which begin {@code leading} elements apart. */
    private record Matrix(String name, long rows, long columns, long leading, Buffer buffer, int elementBytes) {

        void check() {
            long elements = buffer.bytes() / elementBytes;
            if (leading < Math.max(1, rows) || !isEmpty() && (Math.multiplyHigh(leading, columns - 1) != 0
                    || leading * (columns - 1) < 0 || leading * (columns - 1) > elements - rows)) {
                throw new IllegalArgumentException("gemm matrix " + name + " does not fit: " + rows + " x " + columns
                        + ", leading dimension " + leading + ", in " + elements + " elements");
            }
            if (buffer.kind() != MemoryKind.DEVICE && !isEmpty()) {
                throw new IllegalArgumentException("gemm matrix " + name + " is in HOST memory; copy it to the device first");
            }
        }

        private boolean isEmpty() {
            return rows == 0 || columns == 0;
        }

        /** Address of a column; no overflow, as the matrix fits its buffer. */
        private long column(long number) {
            return buffer.deviceMemory().address() + buffer.deviceOffset() + number * leading * elementBytes;
        }

        private long endOfColumn(long number) {
            return column(number) + rows * elementBytes;
        }

        /** Requires that no element is one of another matrix; columns may alternate, as those of blocks of one array do. */
        void requireApart(Matrix other) {
            if (isEmpty() || other.isEmpty() || endOfColumn(columns - 1) <= other.column(0)
                    || other.endOfColumn(other.columns - 1) <= column(0)) {
                return;
            }
            long own = 0;
            long its = 0;
            while (own < columns && its < other.columns) {
                if (endOfColumn(own) <= other.column(its)) {
                    own++;
                } else if (other.endOfColumn(its) <= column(own)) {
                    its++;
                } else {
                    throw new IllegalArgumentException("gemm matrix " + name + " is in the memory of " + other.name
                            + ": column " + own + " of " + buffer + " and column " + its + " of " + other.buffer
                            + " have bytes in common (expected: a result apart from what it is computed from)");
                }
            }
        }
    }
}
