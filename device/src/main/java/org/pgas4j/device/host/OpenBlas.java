package org.pgas4j.device.host;

import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
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

    /** {@code c = alpha * a * b + beta * c}, column-major, at native addresses. */
    static void gemm(ElementType type, int m, int n, int k, double alpha, long a, int lda, long b, int ldb, double beta,
                     long c, int ldc) {
        int order = openblas_nolapack.CblasColMajor;
        int plain = openblas_nolapack.CblasNoTrans;
        if (type == ElementType.FLOAT) {
            openblas_nolapack.cblas_sgemm(order, plain, plain, m, n, k, (float) alpha, new Floats(a), lda,
                    new Floats(b), ldb, (float) beta, new Floats(c), ldc);
        } else {
            openblas_nolapack.cblas_dgemm(order, plain, plain, m, n, k, alpha, new Doubles(a), lda, new Doubles(b),
                    ldb, beta, new Doubles(c), ldc);
        }
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
