package org.pgas4j.device.host;

import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.pgas4j.DeviceException;
import org.pgas4j.Gemm;
import org.pgas4j.device.natives.NativeLibrary;

/** Calls OpenBLAS, as the only class. Thread-safe; its number of threads is one for the process. */
final class OpenBlas {

    private static final NativeLibrary LIBRARY = new NativeLibrary("OpenBLAS",
            "the class path needs org.bytedeco:openblas and org.bytedeco:javacpp with the classifier of this machine",
            "org.bytedeco.openblas.global.openblas_nolapack");

    private static int threads;

    private OpenBlas() {
    }

    /**
     * Loads OpenBLAS and sets its number of threads.
     *
     * @throws DeviceException if it cannot be loaded
     */
    static synchronized void require(int wanted) {
        LIBRARY.require();
        if (threads != wanted) {
            openblas_nolapack.blas_set_num_threads(wanted);
            threads = wanted;
        }
    }

    /**
     * Converts a dimension to the type of OpenBLAS.
     *
     * @throws DeviceException if it is too large
     */
    static int dimension(String name, long value) {
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new DeviceException("gemm out of range on the host device: " + name + "=" + value
                    + " (OpenBLAS: 0.." + Integer.MAX_VALUE + ")");
        }
        return (int) value;
    }

    /** {@code c = alpha * op(a) * op(b) + beta * c} of floats, column-major, at native addresses. */
    static void multiplyFloats(Gemm gemm, long a, int lda, long b, int ldb, long c, int ldc) {
        openblas_nolapack.cblas_sgemm(openblas_nolapack.CblasColMajor, operation(gemm.transposedA()),
                operation(gemm.transposedB()), (int) gemm.m(), (int) gemm.n(), (int) gemm.k(), (float) gemm.alpha(),
                new Floats(a), lda, new Floats(b), ldb, (float) gemm.beta(), new Floats(c), ldc);
    }

    /** {@code c = alpha * op(a) * op(b) + beta * c} of doubles, column-major, at native addresses. */
    static void multiplyDoubles(Gemm gemm, long a, int lda, long b, int ldb, long c, int ldc) {
        openblas_nolapack.cblas_dgemm(openblas_nolapack.CblasColMajor, operation(gemm.transposedA()),
                operation(gemm.transposedB()), (int) gemm.m(), (int) gemm.n(), (int) gemm.k(), gemm.alpha(),
                new Doubles(a), lda, new Doubles(b), ldb, gemm.beta(), new Doubles(c), ldc);
    }

    private static int operation(boolean transposed) {
        return transposed ? openblas_nolapack.CblasTrans : openblas_nolapack.CblasNoTrans;
    }

    private static final class Floats extends FloatPointer {

        Floats(long nativeAddress) {
            address = nativeAddress;
        }
    }

    private static final class Doubles extends DoublePointer {

        Doubles(long nativeAddress) {
            address = nativeAddress;
        }
    }
}
