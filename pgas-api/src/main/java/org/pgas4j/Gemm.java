package org.pgas4j;

import java.util.Objects;

/**
 * A product of column-major matrices, {@code c = activation(alpha * op(a) * op(b) + beta * c + bias)}, as BLAS defines it:
 * op(a) is m x k, op(b) is k x n, c is m x n, and op is the matrix itself or its transpose. Leading dimensions are elements
 * from one column to the next.
 *
 * @param precision   types of the elements and of the sums
 * @param m           rows of c
 * @param n           columns of c
 * @param k           columns of op(a), rows of op(b)
 * @param transposedA whether a is kept as k x m
 * @param transposedB whether b is kept as n x k
 * @param alpha       factor of the product
 * @param beta        factor of what c was; with 0 c is only written, whatever it held
 * @param lda         leading dimension of a; 0: no gaps
 * @param ldb         leading dimension of b; 0: no gaps
 * @param ldc         leading dimension of c; 0: no gaps
 * @param bias        one element of c's type for each row of c, added to every column; null: none
 * @param activation  function of each element at the end
 */
public record Gemm(Precision precision, long m, long n, long k, boolean transposedA, boolean transposedB, double alpha,
                   double beta, long lda, long ldb, long ldc, Buffer bias, Activation activation) {

    /** Types of the elements of a and b, of the sums, and of c. */
    public enum Precision {
        /** Double precision throughout. */
        DOUBLE(8, 8, false),
        /** Single precision throughout. */
        FLOAT(4, 4, false),
        /** Floats whose products take part with 10 bits of fraction, on tensor cores; sums are floats. */
        TF32(4, 4, false),
        /** IEEE's 16-bit floats; sums are floats; c is such, or FLOAT. Buffers of HALF, or of BYTE, two for each element. */
        HALF(2, 2, true),
        /** bfloat16; sums are floats; c is such, or FLOAT. Buffers of BFLOAT16, or of BYTE, two for each element. */
        BFLOAT16(2, 2, true),
        /** Bytes with a sign; sums and c are INT and wrap. */
        INT8(1, 4, false);

        private final int inputBytes;
        private final int resultBytes;
        private final boolean sixteenBit;

        Precision(int inputBytes, int resultBytes, boolean sixteenBit) {
            this.inputBytes = inputBytes;
            this.resultBytes = resultBytes;
            this.sixteenBit = sixteenBit;
        }

        /**
         * The one whose a and b are of this type: INT8 of BYTE.
         *
         * @throws IllegalArgumentException if it is SHORT, CHAR, INT or LONG
         */
        public static Precision of(ElementType type) {
            return switch (type) {
                case FLOAT -> FLOAT;
                case DOUBLE -> DOUBLE;
                case HALF -> HALF;
                case BFLOAT16 -> BFLOAT16;
                case BYTE -> INT8;
                case SHORT, CHAR, INT, LONG -> throw new IllegalArgumentException("gemm of " + type
                        + " (expected: FLOAT, DOUBLE, HALF, BFLOAT16 or BYTE)");
            };
        }

        /** Size of an element of a and b in bytes. */
        public int inputBytes() {
            return inputBytes;
        }

        /** Size of an element of a c whose buffer has this type, in bytes. */
        public int resultBytes(ElementType type) {
            return sixteenBit && type == ElementType.FLOAT ? Float.BYTES : resultBytes;
        }

        /** True for HALF and BFLOAT16. */
        public boolean is16Bit() {
            return sixteenBit;
        }

        /** Type of the elements of a and b. */
        public ElementType inputType() {
            return switch (this) {
                case DOUBLE -> ElementType.DOUBLE;
                case FLOAT, TF32 -> ElementType.FLOAT;
                case HALF -> ElementType.HALF;
                case BFLOAT16 -> ElementType.BFLOAT16;
                case INT8 -> ElementType.BYTE;
            };
        }

        /** True if a or b may be in a buffer of this type: {@link #inputType()}, and BYTE for 16-bit floats. */
        public boolean takes(ElementType type) {
            return type == inputType() || sixteenBit && type == ElementType.BYTE;
        }

        /** True if c may be in a buffer of this type: {@link #resultType()}, and FLOAT and BYTE for 16-bit floats. */
        public boolean makes(ElementType type) {
            return type == resultType() || sixteenBit && (type == ElementType.FLOAT || type == ElementType.BYTE);
        }

        /** Type of the elements of c, if it is not the FLOAT that 16-bit products may have. */
        public ElementType resultType() {
            return this == INT8 ? ElementType.INT : inputType();
        }
    }

    /** Function of each element of c at the end. */
    public enum Activation {
        /** The element itself. */
        NONE,
        /** 0 for negative elements. */
        RELU,
        /** {@code x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))}, the approximation of D. Hendrycks and K. Gimpel (2016). */
        GELU
    }

    public Gemm {
        Objects.requireNonNull(precision, "precision");
        Objects.requireNonNull(activation, "activation");
        if (m < 0 || n < 0 || k < 0) {
            throw new IllegalArgumentException("gemm: m=" + m + " n=" + n + " k=" + k + " (expected: none below 0)");
        }
        if (precision == Precision.INT8 && (alpha != (int) alpha || beta != (int) beta || bias != null
                || activation != Activation.NONE)) {
            throw new IllegalArgumentException("gemm of INT8: alpha=" + alpha + " beta=" + beta + " bias=" + (bias != null)
                    + " activation=" + activation + " (expected: whole factors, no bias, no activation)");
        }
    }

    /** The plain product {@code c = a * b} of matrices without gaps between columns. */
    public static Gemm of(Precision precision, long m, long n, long k) {
        return new Gemm(precision, m, n, k, false, false, 1, 0, 0, 0, 0, null, Activation.NONE);
    }

    /** The same with a kept as k x m. */
    public Gemm transposeA() {
        return new Gemm(precision, m, n, k, true, transposedB, alpha, beta, lda, ldb, ldc, bias, activation);
    }

    /** The same with b kept as n x k. */
    public Gemm transposeB() {
        return new Gemm(precision, m, n, k, transposedA, true, alpha, beta, lda, ldb, ldc, bias, activation);
    }

    /** The same with these factors. */
    public Gemm factors(double newAlpha, double newBeta) {
        return new Gemm(precision, m, n, k, transposedA, transposedB, newAlpha, newBeta, lda, ldb, ldc, bias, activation);
    }

    /** The same with these leading dimensions; 0 for a matrix without gaps between its columns. */
    public Gemm leading(long newLda, long newLdb, long newLdc) {
        return new Gemm(precision, m, n, k, transposedA, transposedB, alpha, beta, newLda, newLdb, newLdc, bias, activation);
    }

    /** The same with a bias: m elements of c's type in this rank's device memory. */
    public Gemm plus(Buffer newBias) {
        return new Gemm(precision, m, n, k, transposedA, transposedB, alpha, beta, lda, ldb, ldc, newBias, activation);
    }

    /** The same with a function at the end. */
    public Gemm then(Activation newActivation) {
        return new Gemm(precision, m, n, k, transposedA, transposedB, alpha, beta, lda, ldb, ldc, bias, newActivation);
    }

    /** Rows of a as it is kept: m, or k if it is transposed. */
    public long rowsA() {
        return transposedA ? k : m;
    }

    /** Columns of a as it is kept. */
    public long columnsA() {
        return transposedA ? m : k;
    }

    /** Rows of b as it is kept: k, or n if it is transposed. */
    public long rowsB() {
        return transposedB ? n : k;
    }

    /** Columns of b as it is kept. */
    public long columnsB() {
        return transposedB ? k : n;
    }

    /** Leading dimension of a; its rows where none was given. */
    @Override
    public long lda() {
        return lda == 0 ? Math.max(1, rowsA()) : lda;
    }

    /** Leading dimension of b; its rows where none was given. */
    @Override
    public long ldb() {
        return ldb == 0 ? Math.max(1, rowsB()) : ldb;
    }

    /** Leading dimension of c; its rows where none was given. */
    @Override
    public long ldc() {
        return ldc == 0 ? Math.max(1, m) : ldc;
    }

    /** True if something is to be done with c after the product: a bias or an activation. */
    public boolean hasEpilogue() {
        return bias != null || activation != Activation.NONE;
    }

    @Override
    public String toString() {
        return "gemm of " + m + " x " + n + " x " + k + " " + precision;
    }
}
