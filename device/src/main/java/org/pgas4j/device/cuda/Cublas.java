package org.pgas4j.device.cuda;

import static org.bytedeco.cuda.global.cublas.CUBLAS_COMPUTE_32F;
import static org.bytedeco.cuda.global.cublas.CUBLAS_COMPUTE_32F_FAST_TF32;
import static org.bytedeco.cuda.global.cublas.CUBLAS_COMPUTE_32I;
import static org.bytedeco.cuda.global.cublas.CUBLAS_COMPUTE_64F;
import static org.bytedeco.cuda.global.cublas.CUBLAS_DEFAULT_MATH;
import static org.bytedeco.cuda.global.cublas.CUBLAS_GEMM_DEFAULT;
import static org.bytedeco.cuda.global.cublas.CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_N;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_T;
import static org.bytedeco.cuda.global.cublas.CUBLAS_STATUS_NOT_SUPPORTED;
import static org.bytedeco.cuda.global.cublas.CUBLAS_STATUS_SUCCESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.bytedeco.cuda.cublas.cublasContext;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Pointer;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.device.natives.NativeLibrary;

/**
 * Calls cuBLAS, as the only class: a handle bound to one stream. For the stream's thread with the device's context current.
 */
final class Cublas implements AutoCloseable {

    private static final NativeLibrary LIBRARY = new NativeLibrary("cuBLAS",
            "matrix products need libcublas of CUDA 13: put its lib64 on LD_LIBRARY_PATH",
            "org.bytedeco.cuda.global.cublas");
    private static final int LIBRARY_PROPERTIES = 3; // major, minor, patch
    /** Bytes that addresses and columns of bytes are multiples of, for cublasGemmEx with CUBLAS_COMPUTE_32I. */
    private static final int WORD = 4;
    /** The library's default on devices of compute capability 9.0. */
    static final long WORKSPACE_BYTES = 32L << 20;

    private final String device;
    private final cublasContext handle;
    private final StreamPointer stream;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment scalars = arena.allocate(2L * Double.BYTES, Double.BYTES);
    private final Address matrixA = new Address();
    private final Address matrixB = new Address();
    private final Address matrixC = new Address();
    private final Address alpha = new Address();
    private final Address beta = new Address();

    private Cublas(String device, cublasContext handle, long streamAddress) {
        this.device = device;
        this.handle = handle;
        this.stream = new StreamPointer(streamAddress);
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
        Cublas result = new Cublas(device, handle, streamAddress);
        boolean success = false;
        try {
            result.ownWorkspace();
            // Else sums of parts of the inner dimension may be rounded to 16 bits before they are added.
            check("cublasSetMathMode", cublas.cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH
                    | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), device);
            success = true;
            return result;
        } finally {
            if (!success) {
                result.close();
            }
        }
    }

    /**
     * The product {@code gemm} describes, without bias and activation, at device addresses; m and n are not 0. False, and
     * nothing is queued, if it is one of bytes that cuBLAS does not take.
     */
    boolean gemm(Gemm gemm, long a, long b, ElementType resultType, long c) {
        Precision precision = gemm.precision();
        if (precision == Precision.INT8 && !isInWords(gemm, a, b)) {
            return false;
        }
        int inputs = inputs(precision);
        int code = cublas.cublasGemmEx_64(handle, operation(gemm.transposedA()), operation(gemm.transposedB()), gemm.m(),
                gemm.n(), gemm.k(), alpha.at(scalars.address()), matrixA.at(a), inputs, gemm.lda(), matrixB.at(b), inputs, gemm.ldb(),
                beta.at(scalars(precision, gemm.alpha(), gemm.beta())), matrixC.at(c),
                precision == Precision.INT8 ? cudart.CUDA_R_32I : resultType == ElementType.FLOAT ? cudart.CUDA_R_32F : inputs,
                gemm.ldc(), sums(precision), CUBLAS_GEMM_DEFAULT);
        if (code == CUBLAS_STATUS_NOT_SUPPORTED && precision == Precision.INT8) {
            return false;
        }
        if (code != CUBLAS_STATUS_SUCCESS) {
            check("cublasGemmEx", code, device + ", " + gemm + " lda=" + gemm.lda() + " ldb=" + gemm.ldb() + " ldc=" + gemm.ldc()
                    + " transposed=" + gemm.transposedA() + "," + gemm.transposedB());
        }
        return true;
    }

    /**
     * Gives products the memory at {@code address} for what they keep between kernels: a captured one has it for good.
     * {@link #ownWorkspace} takes it back. Of {@value #WORKSPACE_BYTES} bytes, as the library's own, so that it chooses the same kernels.
     */
    void workspace(long address) {
        check("cublasSetWorkspace", cublas.cublasSetWorkspace_v2(handle, matrixA.at(address), WORKSPACE_BYTES), device);
    }

    /** Sets the stream, and with it the library's own memory. */
    void ownWorkspace() {
        check("cublasSetStream", cublas.cublasSetStream_v2(handle, stream), device);
    }

    private static boolean isInWords(Gemm gemm, long a, long b) {
        return ((a | b | gemm.lda() | gemm.ldb()) & WORD - 1) == 0;
    }

    private static int operation(boolean transposed) {
        return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    }

    private static int inputs(Precision precision) {
        return switch (precision) {
            case DOUBLE -> cudart.CUDA_R_64F;
            case FLOAT, TF32 -> cudart.CUDA_R_32F;
            case HALF -> cudart.CUDA_R_16F;
            case BFLOAT16 -> cudart.CUDA_R_16BF;
            case INT8 -> cudart.CUDA_R_8I;
        };
    }

    private static int sums(Precision precision) {
        return switch (precision) {
            case DOUBLE -> CUBLAS_COMPUTE_64F;
            case FLOAT, HALF, BFLOAT16 -> CUBLAS_COMPUTE_32F;
            case TF32 -> CUBLAS_COMPUTE_32F_FAST_TF32;
            case INT8 -> CUBLAS_COMPUTE_32I;
        };
    }

    /** Writes both factors as the type of the sums; the address of the second. */
    private long scalars(Precision precision, double first, double second) {
        switch (precision) {
            case DOUBLE -> {
                scalars.setAtIndex(ValueLayout.JAVA_DOUBLE, 0, first);
                scalars.setAtIndex(ValueLayout.JAVA_DOUBLE, 1, second);
            }
            case INT8 -> {
                scalars.set(ValueLayout.JAVA_INT, 0, (int) first);
                scalars.set(ValueLayout.JAVA_INT, Double.BYTES, (int) second);
            }
            default -> {
                scalars.set(ValueLayout.JAVA_FLOAT, 0, (float) first);
                scalars.set(ValueLayout.JAVA_FLOAT, Double.BYTES, (float) second);
            }
        }
        return scalars.address() + Double.BYTES;
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

    private static final class Address extends Pointer {

        Address at(long nativeAddress) {
            address = nativeAddress;
            return this;
        }
    }
}
