package org.pgas4j.device.host;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Bfloat16;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.device.StreamOperation.Product;

/**
 * A product of matrices by OpenBLAS. Types that it does not know are converted: 16-bit floats to floats, whose sums are rounded
 * once at the end; floats of TF32 to ones of 10 bits of fraction; bytes to doubles, in which sums of products are exact.
 */
final class HostProduct {

    private static final int TF32_DROPPED_BITS = 13;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private final Gemm gemm;
    private final int lda;
    private final int ldb;
    private final int ldc;
    private final MemorySegment a;
    private final MemorySegment b;
    private final MemorySegment c;
    private final boolean wideResult;

    private HostProduct(Product product) {
        this.gemm = product.gemm();
        this.lda = OpenBlas.dimension("lda", gemm.lda());
        this.ldb = OpenBlas.dimension("ldb", gemm.ldb());
        this.ldc = OpenBlas.dimension("ldc", gemm.ldc());
        this.a = memory(product.a());
        this.b = memory(product.b());
        this.c = memory(product.c());
        this.wideResult = product.c().type() == ElementType.FLOAT;
    }

    /**
     * The work of a product; null if c has no elements.
     *
     * @throws org.pgas4j.DeviceException if a dimension is too large for OpenBLAS, or memory is closed
     */
    static HostProduct of(Product product) {
        Gemm gemm = product.gemm();
        OpenBlas.dimension("m", gemm.m());
        OpenBlas.dimension("n", gemm.n());
        OpenBlas.dimension("k", gemm.k());
        return gemm.m() == 0 || gemm.n() == 0 ? null : new HostProduct(product);
    }

    private static MemorySegment memory(Buffer buffer) {
        return HostDeviceMemory.segmentOf(buffer.deviceMemory()).asSlice(buffer.deviceOffset(), buffer.bytes());
    }

    void run() {
        switch (gemm.precision()) {
            case DOUBLE -> OpenBlas.multiplyDoubles(gemm, a.address(), lda, b.address(), ldb, c.address(), ldc);
            case FLOAT -> OpenBlas.multiplyFloats(gemm, a.address(), lda, b.address(), ldb, c.address(), ldc);
            case TF32 -> asFloats((matrix, at) -> tf32(matrix.get(ElementType.LAYOUT_FLOAT, at * Float.BYTES)));
            case HALF -> asFloats((matrix, at) -> Float.float16ToFloat(matrix.get(SHORT, at * Short.BYTES)));
            case BFLOAT16 -> asFloats((matrix, at) -> Bfloat16.toFloat(matrix.get(SHORT, at * Short.BYTES)));
            case INT8 -> asDoubles();
        }
    }

    /** The element of a matrix as a float. */
    private interface Conversion {

        float read(MemorySegment matrix, long at);
    }

    private static float tf32(float value) {
        if (!Float.isFinite(value)) {
            return value;
        }
        int bits = Float.floatToRawIntBits(value);
        int half = 1 << TF32_DROPPED_BITS - 1;
        return Float.intBitsToFloat(bits + half - 1 + (bits >>> TF32_DROPPED_BITS & 1) & -1 << TF32_DROPPED_BITS);
    }

    private void asFloats(Conversion conversion) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment left = floats(arena, a, gemm.rowsA(), gemm.columnsA(), lda, conversion);
            MemorySegment right = floats(arena, b, gemm.rowsB(), gemm.columnsB(), ldb, conversion);
            boolean direct = !gemm.precision().is16Bit() || wideResult;
            MemorySegment result = direct ? c
                    : gemm.beta() == 0 ? floats(arena, gemm.m(), gemm.n())
                    : floats(arena, c, gemm.m(), gemm.n(), ldc, conversion);
            OpenBlas.multiplyFloats(gemm, left.address(), stride(gemm.rowsA()), right.address(), stride(gemm.rowsB()),
                    result.address(), direct ? ldc : stride(gemm.m()));
            if (!direct) {
                round(result);
            }
        }
    }

    private static int stride(long rows) {
        return (int) Math.max(1, rows);
    }

    private static MemorySegment floats(Arena arena, long rows, long columns) {
        return arena.allocate(Math.max(1, rows * columns) * Float.BYTES, Float.BYTES);
    }

    private static MemorySegment floats(Arena arena, MemorySegment matrix, long rows, long columns, long stride,
                                        Conversion conversion) {
        MemorySegment floats = floats(arena, rows, columns);
        for (long column = 0; column < columns; column++) {
            for (long row = 0; row < rows; row++) {
                floats.setAtIndex(ValueLayout.JAVA_FLOAT, column * rows + row, conversion.read(matrix, column * stride + row));
            }
        }
        return floats;
    }

    private void round(MemorySegment floats) {
        boolean half = gemm.precision() == Precision.HALF;
        for (long column = 0; column < gemm.n(); column++) {
            for (long row = 0; row < gemm.m(); row++) {
                float value = floats.getAtIndex(ValueLayout.JAVA_FLOAT, column * gemm.m() + row);
                c.set(SHORT, (column * ldc + row) * Short.BYTES, half ? Float.floatToFloat16(value) : Bfloat16.of(value));
            }
        }
    }

    private void asDoubles() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment left = doubles(arena, a, gemm.rowsA(), gemm.columnsA(), lda);
            MemorySegment right = doubles(arena, b, gemm.rowsB(), gemm.columnsB(), ldb);
            MemorySegment product = arena.allocate(gemm.m() * gemm.n() * Double.BYTES, Double.BYTES);
            OpenBlas.multiplyDoubles(gemm.factors(1, 0), left.address(), stride(gemm.rowsA()), right.address(),
                    stride(gemm.rowsB()), product.address(), stride(gemm.m()));
            int alpha = (int) gemm.alpha();
            int beta = (int) gemm.beta();
            for (long column = 0; column < gemm.n(); column++) {
                for (long row = 0; row < gemm.m(); row++) {
                    long at = (column * ldc + row) * Integer.BYTES;
                    int sum = (int) (long) product.getAtIndex(ValueLayout.JAVA_DOUBLE, column * gemm.m() + row);
                    int old = beta == 0 ? 0 : c.get(ElementType.LAYOUT_INT, at);
                    c.set(ElementType.LAYOUT_INT, at, alpha * sum + beta * old);
                }
            }
        }
    }

    private static MemorySegment doubles(Arena arena, MemorySegment matrix, long rows, long columns, long stride) {
        MemorySegment doubles = arena.allocate(Math.max(1, rows * columns) * Double.BYTES, Double.BYTES);
        for (long column = 0; column < columns; column++) {
            for (long row = 0; row < rows; row++) {
                doubles.setAtIndex(ValueLayout.JAVA_DOUBLE, column * rows + row,
                        matrix.get(ValueLayout.JAVA_BYTE, column * stride + row));
            }
        }
        return doubles;
    }
}
