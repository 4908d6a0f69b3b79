package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;

/**
 * One device. Thread-safe; a thread calls {@link #bind()} once before it uses the device or a stream of it.
 */
public interface Accelerator {

    String backend();

    int ordinal();

    /** Name that the device reports. */
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

    /**
     * Handle with which another process of this user and node can {@link #importMemory} memory allocated here as
     * shareable.
     */
    DeviceHandle export(DeviceMemory memory);

    /**
     * A handle of memory that was not allocated as shareable, here or by another library. Nothing may use the memory during the
     * call. It has to stay allocated until the others have unmapped it.
     *
     * @param address as kernels of this device see it
     * @throws DeviceException if it is no memory of this device that can be exported
     */
    ExportedRange exportRange(long address, long bytes);

    /**
     * Maps memory exported by another process (on the host device also by this process), possibly of another device of
     * this backend. Closing it unmaps it here.
     *
     * @throws org.pgas4j.DeviceException if this device cannot reach it
     */
    DeviceMemory importMemory(DeviceHandle handle);

    /** True if this device's streams can copy from and to memory of {@code peer}, in this process. */
    boolean canReach(Accelerator peer);

    /** Makes {@link #canReach} effective for {@code peer} (CUDA: enables peer access); twice does nothing. */
    void enableReach(Accelerator peer);

    /**
     * Starts to load what compiles kernels, in the background. A failure is reported by the first kernel that is compiled. Twice does
     * nothing.
     */
    default void prepareCompiler() {
    }

    /** True if {@link #importMemory} can succeed for memory exported on device {@code ordinal} of the same node. */
    boolean canImportFrom(int ordinal);

    /** True if kernels of this device have atomic operations in memory of device {@code ordinal} of the same node. */
    boolean hasAtomics(int ordinal);

    /** Number of processors that blocks of kernels run on. */
    int multiprocessors();

    /**
     * Compiles and loads a kernel, if that was not done yet, so that its first launch need not.
     *
     * @throws org.pgas4j.DeviceException if it does not compile
     */
    default void prepare(Kernel kernel) {
    }

    /**
     * Number of blocks of {@code threads} threads of a kernel that can be resident at once; compiles the kernel at
     * first use.
     *
     * @throws org.pgas4j.DeviceException if the kernel has no form for this device
     */
    int residentBlocks(Kernel kernel, int threads);

    /**
     * Tells that several ranks of this process compute on the device, so that none of its streams may hold up the others' calls:
     * on a GPU the host then looks at the words that {@linkplain #newStream() later streams} wait for.
     */
    default void share() {
    }

    /** A new stream; closed by its owner. */
    AcceleratorStream newStream();

    /**
     * A new stream for a few copies and kernels that others must not hold back: where the device has room, its kernels begin before
     * blocks of other streams that wait for room. Not for waits for words; closed by its owner.
     */
    default AcceleratorStream newUrgentStream() {
        return newStream();
    }

    /**
     * A new stream whose small copies with a word behind them ({@link AcceleratorStream#copyAndWrite}), and waits for words, are
     * kernels, where the device is faster so; they begin before blocks of other streams that wait for room. Closed by its owner.
     *
     * @param alone   no other process computes on the device: only then do kernels wait for words
     * @param limitNs after which a wait of a kernel ends in an error
     */
    default AcceleratorStream newLowLatencyStream(boolean alone, long limitNs) {
        return newStream();
    }

    /** Kernels that stay on this device or on others of its family. */
    ResidentWorks residents();

    /**
     * A stream of another library, which keeps it.
     *
     * @param handle of the driver
     * @throws org.pgas4j.DeviceException if it is none of this device
     */
    default AcceleratorStream wrapStream(long handle) {
        throw new DeviceException(this + " shares no streams with other libraries: a stream 0x" + Long.toHexString(handle)
                + " needs a GPU");
    }

    /**
     * Checks that a range is memory of this device, by its first and last byte. The host device, whose memory is any native
     * memory, does not look.
     *
     * @param address as kernels see it
     * @throws IllegalArgumentException if it is not; names the address
     */
    default void requireOwn(long address, long bytes) {
    }

    /**
     * Registers host memory, a mapped shared segment too, for fast copies (CUDA: page-locks it). Closing the result
     * undoes it. For memory that cannot be registered, and on the host device, the result does nothing.
     */
    HostRegistration register(MemorySegment host);

    /** Page-locked host memory for staging; closed by its owner. */
    PinnedMemory allocatePinned(long bytes);
}
