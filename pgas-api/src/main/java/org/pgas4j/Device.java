package org.pgas4j;

/**
 * The device a rank is bound to: a GPU, or the host device, on which everything runs with no GPU. Used by the rank's
 * thread.
 */
public interface Device {

    /** Kind of this device. */
    Backend backend();

    /** Number of this device in its backend, from 0. */
    int ordinal();

    /** Name that the device reports, for example {@code NVIDIA H200}. */
    String name();

    /** Memory of the device in bytes. */
    long totalBytes();

    /** Memory of the device free at this moment, in bytes. */
    long freeBytes();

    /**
     * Private memory of this rank on the device, uninitialised; freed by {@link Buffer#close()} or at the end
     * of the rank.
     *
     * @throws DeviceException if the device has not that much free
     */
    Buffer alloc(ElementType type, long length);

    /** As {@link #alloc}: floats. */
    default Buffer allocFloats(long length) {
        return alloc(ElementType.FLOAT, length);
    }

    /** As {@link #alloc}: doubles. */
    default Buffer allocDoubles(long length) {
        return alloc(ElementType.DOUBLE, length);
    }

    /**
     * Private page-locked host memory of this rank, uninitialised; freed by {@link Buffer#close()}, which does not wait: work that
     * uses it has to be done, after {@link Stream#sync()}. Else freed at the end of the rank. The host uses it by {@link Buffer#segment()}; streams copy it without a detour, and
     * kernels take it as an argument and read and write it over the bus. A word that a kernel writes is the host's to read after
     * {@link Stream#sync()}, or before by the memory order of system scope.
     *
     * @throws DeviceException if there is not that much; GPUs lock up to 2 GiB at once
     */
    Buffer allocPinned(ElementType type, long length);

    /** Number of blocks of {@code threads} threads of a program that can be resident on this device at once. */
    int residentBlocks(GridProgram program, int threads);

    /** As {@link #residentBlocks(GridProgram, int)}, of a program written in Java. */
    int residentBlocks(GridKernel program, int threads);

    /** Number of processors of the device that run blocks of kernels. */
    int multiprocessors();

    /**
     * Shape of a kernel whose threads do one element each: at least {@code count} threads, those from {@code count} on have
     * nothing to do. The same on every device.
     */
    default Kernel.Shape shape(long count) {
        return Kernel.Shape.covering(count, Kernel.Shape.COMMON_THREADS);
    }

    /**
     * Shape of a kernel whose threads do elements in steps of {@link Kernel.Shape#allThreads()} (CUDA: {@code gridDim.x *
     * blockDim.x}), from {@link Kernel.At#global()} on: as many threads as keep the device busy, and no more than {@code count}
     * needs. On the host device, where each thread is a call of the Java body, they are few.
     */
    default Kernel.Shape stridedShape(long count) {
        boolean host = backend() == Backend.HOST;
        Kernel.Shape all = Kernel.Shape.covering(count, host ? 1 : Kernel.Shape.COMMON_THREADS);
        int most = multiprocessors() * (host ? 1 : Kernel.Shape.BLOCKS_OF_PROCESSOR);
        return all.blocks() <= most ? all : new Kernel.Shape(most, all.threads());
    }

    /**
     * Shape of a kernel whose Java body does what all threads of a block do in CUDA: {@code threads} threads in a block of a GPU,
     * one on the host device.
     */
    default Kernel.Shape blockShape(int blocks, int threads) {
        return new Kernel.Shape(blocks, backend() == Backend.HOST ? 1 : threads);
    }

    /**
     * A shared array as an argument for kernels in CUDA C++ on this device, which load and store the elements of all ranks within
     * its reach; {@link ArrayView#header} declares the struct.
     *
     * @throws KernelRefusedException if the array is in host memory that this device does not reach
     * @throws StalePointerException  if it is freed
     */
    ArrayView view(SharedArray array);

    /** A further stream; the rank closes it, or it ends with the rank. */
    Stream newStream();

    /**
     * A further stream, for small messages between GPUs: puts of device memory to device memory with their notifications and
     * values, and waits for these, are kernels, of one block for small ones, which are placed before waiting blocks of other streams.
     * On an otherwise idle GPU a small message takes about half of the time of one by {@link #newStream()}, whose bytes go by the copy
     * engine and whose words by the driver, and no large one takes longer (docs/studies/h200/notifications.md). The host spends more
     * on the calls, unless they are {@linkplain Stream#capture captured}.
     *
     * <p>A kernel needs room on a multiprocessor: beside kernels whose blocks run for 50 us and more such a message takes longer than
     * by the copy engine, and nothing that fills the GPU may wait for what this stream does. Waits are kernels only where the device
     * computes for this rank alone. One that has waited for twice the job's timeout ends in a {@link DeviceException} of the stream;
     * a program that waits for the stream has its own timeout before. Make such streams before others wait for anything: the call
     * loads kernels, which drivers do not do beside a wait. The host device has one kind of stream.
     */
    Stream newLowLatencyStream();

    /**
     * A stream of another library as a stream of this rank, whose work and that of the library are done in the order in which
     * they reach the driver: call {@link Stream#nativeHandle()} before the library queues more. The library keeps its stream, and
     * destroys it after the result was closed.
     *
     * @param handle a {@code CUstream} of the context that this device uses, its primary one; a {@code cudaStream_t} is the same
     * @throws DeviceException if it is of another context, or this is the host device, which shares streams with no library
     */
    Stream wrapStream(long handle);
}
