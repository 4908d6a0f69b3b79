package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Gemm;
import org.pgas4j.Kernel;

/**
 * Work for one device, done in order. One thread at a time queues work. Copies return when queued; host memory must
 * stay untouched until {@link #sync}. The caller checks ranges: nothing here checks them again.
 *
 * <p>An operation is a value, which goes to {@link #submit}. A stream that performs copies and writes of words of host memory
 * has methods of its own for them, so that a small copy needs no object.
 *
 * <p>Host memory is passed as the program has it, so that a copy after its arena was closed is an {@link
 * IllegalStateException}.
 */
public interface AcceleratorStream extends DeviceWork, AutoCloseable {

    /** Queues an operation. */
    void submit(StreamOperation operation);

    /** Host to device. {@code src} is native memory, registered or not. */
    default void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        submit(new StreamOperation.CopyIn(dst, dstOffset, src, srcOffset, bytes));
    }

    /**
     * Host to device as {@link #copyIn}, of bytes that no work queued before writes: they are read during this call or later. A
     * single word may take no copy then.
     */
    default void copyInWritten(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        copyIn(dst, dstOffset, src, srcOffset, bytes);
    }

    /**
     * Device to host. {@code dst} is native memory, registered or not. If its arena is confined to the calling thread,
     * the host device copies at once, after everything queued before: wait for that first.
     */
    default void copyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        submit(new StreamOperation.CopyOut(dst, dstOffset, src, srcOffset, bytes));
    }

    /** Device to device; either may belong to a peer that is reachable. */
    default void copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        submit(new StreamOperation.Copy(dst, dstOffset, src, srcOffset, bytes));
    }

    /**
     * Writes a 64-bit word of host memory, pinned or registered, after all earlier work; a reader of the word sees what that
     * work wrote.
     */
    default void writeValue(MemorySegment host, long offset, long value) {
        submit(new StreamOperation.WriteValue(host, offset, value));
    }

    /**
     * {@link #copy} and then {@link #writeValue(MemorySegment, long, long)}: a small message and its flag, which a device may have one
     * operation for.
     */
    default void copyAndWrite(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes, MemorySegment host,
                              long offset, long value) {
        submit(new StreamOperation.CopyAndWrite(dst, dstOffset, src, srcOffset, bytes, host, offset, value));
    }

    /** Sets bytes. */
    default void fill(DeviceMemory dst, long offset, long bytes, byte value) {
        submit(new StreamOperation.Fill(dst, offset, bytes, value));
    }

    /** The product of {@link org.pgas4j.Stream#gemm(Gemm, Buffer, Buffer, Buffer)} without its bias and activation; arguments
     * are checked already. */
    default void gemm(Gemm gemm, Buffer a, Buffer b, Buffer c) {
        submit(new StreamOperation.Product(gemm, a, b, c));
    }

    /** Launches a kernel; compiles it at first use. */
    default void launch(Kernel kernel, Kernel.Shape shape, Object[] args) {
        submit(new StreamOperation.Launch(kernel, shape, args, false));
    }

    /**
     * As {@link #launch}, of a kernel that waits by itself, first of all, for the kernel before it ({@code griddepcontrol.wait}): its
     * blocks may be placed before that one has ended, if that one allows it ({@code griddepcontrol.launch_dependents}).
     */
    default void launchEarly(Kernel kernel, Kernel.Shape shape, Object[] args) {
        submit(new StreamOperation.Launch(kernel, shape, args, true));
    }

    /**
     * Makes later work start when the 64-bit word of host memory is {@code value} or later, counting cyclically: when
     * the word minus {@code value} is not negative. It sees everything written before the word was.
     *
     * @param host memory that the device reaches: pinned or registered
     */
    default void waitValue(MemorySegment host, long offset, long value) {
        submit(new StreamOperation.WaitValue(host, offset, value));
    }

    /**
     * Makes later work start when the 64-bit word of such memory is not 0, as {@link #waitValue}, and sets the word to
     * 0. A value written to it in between is lost.
     */
    default void takeNonZero(MemorySegment host, long offset) {
        submit(new StreamOperation.TakeNonZero(host, offset));
    }

    /** Writes a 64-bit word of a device, which may be a peer's, after all earlier work. */
    default void writeValue(DeviceMemory dst, long offset, long value) {
        submit(new StreamOperation.WriteDeviceValue(dst, offset, value, Long.BYTES));
    }

    /** Writes a 32-bit word of a device, which may be a peer's, after all earlier work. */
    default void writeValue32(DeviceMemory dst, long offset, int value) {
        submit(new StreamOperation.WriteDeviceValue(dst, offset, value, Integer.BYTES));
    }

    /**
     * Launches a grid whose blocks may wait for each other; compiles its kernel at first use.
     *
     * @throws org.pgas4j.DeviceException if not all blocks can be resident at once
     */
    default void launchBlocks(BlockGrid grid) {
        submit(new StreamOperation.LaunchBlocks(grid));
    }

    /**
     * Records the operations that {@code work} queues on the stream passed to it, which does none of them and takes
     * copies, fills, kernels, words and waits for words. That stream is valid during the call, for the calling thread.
     * Host memory that it copies must be pinned or registered: other memory is copied by drivers while the launching
     * call waits.
     */
    AcceleratorGraph capture(Consumer<AcceleratorStream> work);

    /** Queues the operations of a graph of the same device, in the order in which they were captured. */
    default void launch(AcceleratorGraph graph) {
        submit(new StreamOperation.LaunchGraph(graph));
    }

    /** Records an event at this point. */
    StreamEvent record();

    /** Makes later work start after {@code event}. */
    void await(StreamEvent event);

    /**
     * Prepares for {@link #isIdle} in a loop, or {@link #sync}, until all that is queued is done: a device may need an operation more
     * to show its end early. For the thread that queues work, behind the last operation.
     */
    default void expectEnd() {
        // isIdle looks at the end itself
    }

    /**
     * Keeps what the next operation needs near this thread: a device's calls take twice as long after a millisecond without one.
     * Reports no failure of what was queued. For the thread that queues work, while it has none.
     */
    default void keepReady() {
        // nothing is far away
    }

    /** True from {@link #close} on; {@link #isIdle} and everything else throw then. */
    default boolean isClosed() {
        return false;
    }

    /** True if nothing is left undone. Never blocks. @throws org.pgas4j.DeviceException if queued work failed */
    boolean isIdle();

    /** True if nothing is left undone or failed and that is known without a call of a driver; false says nothing. */
    default boolean isKnownIdle() {
        return false;
    }

    /** {@inheritDoc} That is everything queued. */
    @Override
    boolean sync(long deadlineNs);

    /** Number of operations that the stream keeps itself because they are not done yet, or 0. */
    int ahead();

    /** Hands over operations for which the device has room; true if none is kept. Never blocks. Any thread. */
    default boolean handOver() {
        return true;
    }

    /**
     * Gives up what is queued, because it does not end: work that can be interrupted is, and {@link #close} waits for nothing, as far
     * as the device allows.
     */
    default void giveUp() {
    }

    /**
     * The driver's handle, for other libraries. What this keeps itself ({@link #ahead}) comes after what they queue.
     *
     * @throws org.pgas4j.DeviceException if there is none
     */
    default long handle() {
        throw new DeviceException(this + " has no handle that other libraries could use: it needs a GPU");
    }

    /**
     * Hands over operations that {@code stream} keeps, if there are any; true if some were handed over. Never blocks.
     */
    static boolean advance(AcceleratorStream stream) {
        int before = stream.ahead();
        return before > 0 && (stream.handOver() || stream.ahead() < before);
    }

    @Override
    void close();
}
