package org.pgas4j.device.cuda;

import static org.bytedeco.cuda.global.cublas.CUBLAS_DEFAULT_MATH;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_N;
import static org.bytedeco.cuda.global.cublas.CUBLAS_STATUS_SUCCESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
import org.pgas4j.device.natives.NativeLibrary;

/**
 * Calls cuBLAS, as the only class: a handle bound to one stream, in plain single and double precision. For the stream's
 * thread with the device's context current.
 */
final class Cublas implements AutoCloseable {

    private static final NativeLibrary LIBRARY = new NativeLibrary("cuBLAS",
            "matrix products need libcublas of CUDA 13: put its lib64 on LD_LIBRARY_PATH",
            "org.bytedeco.cuda.global.cublas");
    private static final int LIBRARY_PROPERTIES = 3; // major, minor, patch

    private final String device;
    private final cublasContext handle;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment scalars = arena.allocate(2L * Double.BYTES, Double.BYTES);
    private final Floats floatA = new Floats();
    private final Floats floatB = new Floats();
    private final Floats floatC = new Floats();
    private final Floats floatAlpha = new Floats();
    private final Floats floatBeta = new Floats();
    private final Doubles doubleA = new Doubles();
    private final Doubles doubleB = new Doubles();
    private final Doubles doubleC = new Doubles();
    private final Doubles doubleAlpha = new Doubles();
    private final Doubles doubleBeta = new Doubles();

    private Cublas(String device, cublasContext handle) {
        this.device = device;
        this.handle = handle;
    }

    /**
     * Version of cuBLAS, such as {@code 13.1.0}.
     *
     * @throws DeviceException if cuBLAS is missing
     */
    static String version() {
        LIBRARY.require();
        int[] parts = new int[LIBRARY_PROPERTIES];
        for (int i = 0; i < parts.length; i++) {
            int[] part = new int[1];
            check("cublasGetProperty", cublas.cublasGetProperty(i, part), "property " + i);
            parts[i] = part[0];
        }
        return parts[0] + "." + parts[1] + "." + parts[2];
    }

    /**
     * Opens a handle for the stream at {@code streamAddress}.
     *
     * @throws DeviceException if cuBLAS is missing or refuses
     */
    static Cublas open(long streamAddress, String device) {
        LIBRARY.require();
        cublasContext handle = new cublasContext();
        check("cublasCreate", cublas.cublasCreate_v2(handle), device);
        Cublas result = new Cublas(device, handle);
        boolean success = false;
        try {
            check("cublasSetStream", cublas.cublasSetStream_v2(handle, new StreamPointer(streamAddress)), device);
            check("cublasSetMathMode", cublas.cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), device);
            success = true;
            return result;
        } finally {
            if (!success) {
                result.close();
            }
        }
    }

    /** {@code c = alpha * a * b + beta * c}, column-major, at device addresses; m and n are not 0. */
    void gemm(ElementType type, long m, long n, long k, double alpha, long a, long lda, long b, long ldb, double beta,
              long c, long ldc) {
        // cuBLAS requires leading dimensions of 1 at least, also of matrices without elements.
        long strideA = Math.max(lda, 1);
        long strideB = Math.max(ldb, 1);
        int code;
        if (type == ElementType.FLOAT) {
            scalars.setAtIndex(ValueLayout.JAVA_FLOAT, 0, (float) alpha);
            scalars.setAtIndex(ValueLayout.JAVA_FLOAT, 1, (float) beta);
            code = cublas.cublasSgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                    floatAlpha.at(scalars.address()), floatA.at(a), strideA, floatB.at(b), strideB,
                    floatBeta.at(scalars.address() + Float.BYTES), floatC.at(c), ldc);
        } else {
            scalars.setAtIndex(ValueLayout.JAVA_DOUBLE, 0, alpha);
            scalars.setAtIndex(ValueLayout.JAVA_DOUBLE, 1, beta);
            code = cublas.cublasDgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                    doubleAlpha.at(scalars.address()), doubleA.at(a), strideA, doubleB.at(b), strideB,
                    doubleBeta.at(scalars.address() + Double.BYTES), doubleC.at(c), ldc);
        }
        if (code != CUBLAS_STATUS_SUCCESS) {
            check("cublasGemm", code, device + ", " + type + " m=" + m + " n=" + n + " k=" + k + " lda=" + lda + " ldb="
                    + ldb + " ldc=" + ldc);
        }
    }

    private static void check(String call, int code, String context) {
        if (code != CUBLAS_STATUS_SUCCESS) {
            throw new DeviceException(call + ": " + cublas.cublasGetStatusName(code).getString() + " (" + code + "), "
                    + context);
        }
    }

    @Override
    public void close() {
        arena.close();
        check("cublasDestroy", cublas.cublasDestroy_v2(handle), device);
    }

    private static final class StreamPointer extends CUstream_st {

        StreamPointer(long nativeAddress) {
            address = nativeAddress;
        }
    }

    private static final class Floats extends FloatPointer {

        Floats at(long nativeAddress) {
            address = nativeAddress;
            return this;
        }
    }

    private static final class Doubles extends DoublePointer {

        Doubles at(long nativeAddress) {
            address = nativeAddress;
            return this;
        }
    }
}
