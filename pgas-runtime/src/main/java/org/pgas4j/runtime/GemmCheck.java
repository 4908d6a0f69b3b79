package org.pgas4j.runtime;

import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.MemoryKind;

/** Checks the matrices of {@link org.pgas4j.Stream#gemm}: their types, in device memory, large enough for their shapes. */
final class GemmCheck {

    private GemmCheck() {
    }

    static void check(Gemm gemm, Buffer a, Buffer b, Buffer c) {
        Precision precision = gemm.precision();
        ElementType input = precision.inputType();
        if (!precision.takes(a.type()) || !precision.takes(b.type()) || !precision.makes(c.type())) {
            throw new IllegalArgumentException("gemm of " + precision + ": a=" + a.type() + " b=" + b.type() + " c=" + c.type()
                    + " (expected: " + input + ", " + input + ", " + precision.resultType() + (precision.is16Bit()
                    ? " or FLOAT; BYTE for " + input + ")" : ")"));
        }
        int resultBytes = precision.resultBytes(c.type());
        checkMatrix("a", gemm.rowsA(), gemm.columnsA(), gemm.lda(), a, precision.inputBytes());
        checkMatrix("b", gemm.rowsB(), gemm.columnsB(), gemm.ldb(), b, precision.inputBytes());
        checkMatrix("c", gemm.m(), gemm.n(), gemm.ldc(), c, resultBytes);
        Buffer bias = gemm.bias();
        if (bias != null && (bias.type() != c.type() || bias.kind() != MemoryKind.DEVICE
                || gemm.m() > bias.bytes() / resultBytes)) {
            throw new IllegalArgumentException("gemm bias does not fit: " + bias + " (expected: " + gemm.m() + " elements of "
                    + c.type() + " in DEVICE memory, one for each row of c)");
        }
    }

    private static void checkMatrix(String name, long rows, long columns, long leading, Buffer matrix, int elementBytes) {
        long elements = matrix.bytes() / elementBytes;
        if (leading < Math.max(1, rows) || columns > 0 && rows > 0
                && (Math.multiplyHigh(leading, columns - 1) != 0 || leading * (columns - 1) < 0
                || leading * (columns - 1) > elements - rows)) {
            throw new IllegalArgumentException("gemm matrix " + name + " does not fit: " + rows + " x " + columns
                    + ", leading dimension " + leading + ", in " + elements + " elements");
        }
        if (matrix.kind() != MemoryKind.DEVICE && rows > 0 && columns > 0) {
            throw new IllegalArgumentException("gemm matrix " + name + " is in HOST memory; copy it to the device first");
        }
    }
}
