package org.pgas4j;

/**
 * Memory of a device, as a handle: a program cannot read or write through it, it names it in copies, kernels and
 * matrix products. Closing frees it; closing twice does nothing; memory of a shared heap or of a peer is not the
 * program's to close.
 */
public interface DeviceMemory extends AutoCloseable {

    /** Size in bytes. */
    long bytes();

    /** The address kernels see. */
    long address();

    /** True until closed. */
    boolean isOpen();

    @Override
    void close();
}
