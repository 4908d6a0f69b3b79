package org.pgas4j.runtime;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;

/** Checks the matrices of {@link org.pgas4j.Stream#gemm}: one type, in device memory, large enough for their shapes. */
final class GemmCheck {

    private GemmCheck() {
    }

    static void check(long m, long n, long k, Buffer a, long lda, Buffer b, long ldb, Buffer c, long ldc) {
        ElementType type = c.type();
        if (a.type() != type || b.type() != type || type != ElementType.FLOAT && type != ElementType.DOUBLE) {
            throw new IllegalArgumentException("gemm needs one type, FLOAT or DOUBLE: a=" + a.type() + " b=" + b.type()
                    + " c=" + type);
        }
        checkMatrix("a", m, k, lda, a);
        checkMatrix("b", k, n, ldb, b);
        checkMatrix("c", m, n, ldc, c);
    }

    private static void checkMatrix(String name, long rows, long columns, long leading, Buffer matrix) {
        if (rows < 0 || columns < 0 || leading < Math.max(1, rows) || columns > 0 && rows > 0
                && (Math.multiplyHigh(leading, columns - 1) != 0 || leading * (columns - 1) < 0
                || leading * (columns - 1) > matrix.length() - rows)) {
            throw new IllegalArgumentException("gemm matrix " + name + " does not fit: " + rows + " x " + columns
                    + ", leading dimension " + leading + ", in " + matrix.length() + " elements");
        }
        if (matrix.kind() != MemoryKind.DEVICE && rows > 0 && columns > 0) {
            throw new IllegalArgumentException("gemm matrix " + name + " is in HOST memory; copy it to the device first");
        }
    }
}
