package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;

/**
 * Work for one device, done in order. One thread at a time queues work. Copies return when queued; host memory must
 * stay untouched until {@link #sync}. Ranges are the caller's to check: nothing here checks them again.
 *
 * <p>Host memory is given as the program has it, so that a copy after its arena was closed is an {@link IllegalStateException}.
 */
public interface AcceleratorStream extends AutoCloseable {

    /** Host to device. {@code src} is native memory, registered or not. */
    void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes);

    /**
     * Device to host. {@code dst} is native memory, registered or not. If its arena is confined to the calling thread, the host
     * device copies at once, after everything queued before: wait for that first.
     */
    void copyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes);

    /** Device to device; either may belong to a peer that is reachable. */
    void copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes);

    /** Sets bytes. */
    void fill(DeviceMemory dst, long offset, long bytes, byte value);

    /** {@code c = alpha * a * b + beta * c}, column-major, as {@link org.pgas4j.Stream#gemm(long, long, long, double,
     * Buffer, long, Buffer, long, double, Buffer, long)}; arguments are checked already. */
    void gemm(long m, long n, long k, double alpha, Buffer a, long lda, Buffer b, long ldb, double beta, Buffer c,
              long ldc);

    /** Launches a kernel; compiles it at first use. */
    void launch(Kernel kernel, Kernel.Shape shape, Object[] args);

    /**
     * Later work starts when the 64-bit word of host memory is {@code value} or later, counting cyclically: when the word minus
     * {@code value} is not negative. It sees everything written before the word was.
     *
     * @param host memory that the device reaches: pinned or registered
     */
    void waitValue(MemorySegment host, long offset, long value);

    /**
     * Later work starts when the 64-bit word of such memory is not 0, as {@link #waitValue}, and the word is 0 then. What is written to
     * it in between is lost.
     */
    void takeNonZero(MemorySegment host, long offset);

    /** Writes a 64-bit word of such memory after all earlier work; who reads it sees what that work wrote. */
    void writeValue(MemorySegment host, long offset, long value);

    /** Writes a 64-bit word of a device, which may be a peer's, after all earlier work. */
    void writeValue(DeviceMemory dst, long offset, long value);

    /** Writes a 32-bit word of a device, which may be a peer's, after all earlier work. */
    void writeValue32(DeviceMemory dst, long offset, int value);

    /**
     * Launches a grid whose blocks may wait for each other; compiles its kernel at first use.
     *
     * @throws org.pgas4j.DeviceException if not all blocks can be resident at once
     */
    void launchBlocks(BlockGrid grid);

    /**
     * Writes down what {@code work} queues on the stream it is given, which does nothing of it and takes copies, fills, kernels, words
     * and waits for words. It is for the time of the call, by the calling thread. Host memory that it copies must be pinned or
     * registered: of other memory, drivers copy while the call that launches waits.
     */
    AcceleratorGraph capture(Consumer<AcceleratorStream> work);

    /** Queues all that a graph of the same device holds, in the order in which it was captured. */
    void launch(AcceleratorGraph graph);

    /** Marks this point. */
    StreamEvent record();

    /** Later work starts after {@code event}. */
    void await(StreamEvent event);

    /** True if nothing is left undone. Never blocks. @throws org.pgas4j.DeviceException if queued work failed */
    boolean isIdle();

    /**
     * Waits until everything queued is done, at most until {@link System#nanoTime()} reaches {@code deadlineNs}.
     *
     * @return false if the deadline passed first
     * @throws org.pgas4j.DeviceException if queued work failed
     */
    boolean sync(long deadlineNs);

    /** Operations that were accepted and not done yet where the stream keeps them itself, or 0: what running ahead costs memory. */
    int ahead();

    /** Gives the device what it has room for; true if nothing is kept. Never blocks; any thread. */
    default boolean handOver() {
        return true;
    }

    /** Hands over what {@code stream} had no room for, if there is something; true if some of it has gone. Never blocks. */
    static boolean advance(AcceleratorStream stream) {
        int before = stream.ahead();
        return before > 0 && (stream.handOver() || stream.ahead() < before);
    }

    @Override
    void close();
}
