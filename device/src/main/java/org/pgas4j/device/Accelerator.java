package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;

/**
 * One device. Thread-safe; a thread calls {@link #bind()} once before it uses the device or a stream of it.
 */
public interface Accelerator {

    String backend();

    int ordinal();

    /** What the device calls itself. */
    String name();

    /** Memory in bytes. */
    long totalBytes();

    /** Free memory in bytes, now. */
    long freeBytes();

    /** Makes the calling thread able to use this device (CUDA: sets the current context). */
    void bind();

    /**
     * Memory of the device, uninitialised, aligned to 256 bytes at least. It can be exported if {@code shareable}.
     *
     * @throws org.pgas4j.DeviceException if there is not enough; names device, request, free bytes
     */
    DeviceMemory allocate(long bytes, boolean shareable);

    /** What another process of this user and node needs to {@link #importMemory} memory allocated here as shareable. */
    DeviceHandle export(DeviceMemory memory);

    /**
     * Memory exported by another process (by this process too, on the host device), possibly of another device of this
     * backend. Closing it unmaps it here.
     *
     * @throws org.pgas4j.DeviceException if this device cannot reach it
     */
    DeviceMemory importMemory(DeviceHandle handle);

    /** True if this device's streams can copy from and to memory of {@code peer}, in this process. */
    boolean canReach(Accelerator peer);

    /** Makes {@link #canReach} effective for {@code peer} (CUDA: enables peer access); does nothing the second time. */
    void enableReach(Accelerator peer);

    /** True if {@link #importMemory} of memory exported on device {@code ordinal} of the same node can work. */
    boolean canImportFrom(int ordinal);

    /** Processors that blocks of kernels run on. */
    int multiprocessors();

    /**
     * Blocks of {@code threads} threads of a kernel that can be resident at once; compiles the kernel at first use.
     *
     * @throws org.pgas4j.DeviceException if the kernel has no form for this device
     */
    int residentBlocks(Kernel kernel, int threads);

    /** A new stream; closed by its owner. */
    AcceleratorStream newStream();

    /**
     * Registers host memory for fast copies (CUDA: page-locks it); a mapped shared segment too. Returns what undoes it;
     * registering what cannot be registered, or on the host device, returns a registration that does nothing.
     */
    HostRegistration register(MemorySegment host);

    /** Page-locked host memory for staging; closed by its owner. */
    PinnedMemory allocatePinned(long bytes);
}
