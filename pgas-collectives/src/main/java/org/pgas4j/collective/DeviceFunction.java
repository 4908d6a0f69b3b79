package org.pgas4j.collective;

import java.util.List;

/**
 * A function of the program by which devices combine elements: as C++ in kernels of a GPU, and as it is in those of the host
 * device. Used by the rank's thread, but for {@link #failed}.
 */
public interface DeviceFunction {

    /** Makes it of the function of a {@link org.pgas4j.Reduction}; for the rank's thread. */
    interface Translator {

        /** Null if a device cannot run the function. */
        DeviceFunction translate(Object function);
    }

    /** Source that is to be in front of a kernel. */
    String cuda();

    /** Further parameters of the kernel, each with a comma before it. */
    String parameters();

    /** Statements at the start of the kernel. */
    String opening();

    /** An expression that combines {@code a} and {@code b}, of type {@code double} or {@code long long}. */
    String call();

    /** Options of the kernel's compiler for blocks of so many threads. */
    List<String> options(int threads);

    /** Arguments for the further parameters. */
    Object[] arguments();

    /** Keeps what the function has thrown on the host device; any thread. */
    void failed(int block, Throwable cause);

    /**
     * Reports what the function has thrown in kernels that are complete.
     *
     * @throws org.pgas4j.KernelException if it has
     */
    void check();
}
