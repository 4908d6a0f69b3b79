package org.pgas4j.device.host;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.StreamEvent;

/** Records operations, for {@link #playOn}. */
final class RecordedStream implements AcceleratorStream, AcceleratorGraph {

    private final HostAccelerator device;
    private final List<Consumer<AcceleratorStream>> operations = new ArrayList<>();
    private boolean closed;

    RecordedStream(HostAccelerator device) {
        this.device = device;
    }

    /** Queues the recorded operations on a stream of device {@code its}. */
    void playOn(HostStream stream, HostAccelerator its) {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        if (its != device) {
            throw new IllegalArgumentException(this + " launched on " + its);
        }
        for (int i = 0; i < operations.size(); i++) {
            operations.get(i).accept(stream);
        }
    }

    @Override
    public int operations() {
        return operations.size();
    }

    @Override
    public void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        operations.add(on -> on.copyIn(dst, dstOffset, src, srcOffset, bytes));
    }

    @Override
    public void copyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        operations.add(on -> on.copyOut(dst, dstOffset, src, srcOffset, bytes));
    }

    @Override
    public void copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        operations.add(on -> on.copy(dst, dstOffset, src, srcOffset, bytes));
    }

    @Override
    public void fill(DeviceMemory dst, long offset, long bytes, byte value) {
        operations.add(on -> on.fill(dst, offset, bytes, value));
    }

    @Override
    public void gemm(long m, long n, long k, double alpha, Buffer a, long lda, Buffer b, long ldb, double beta, Buffer c,
                     long ldc) {
        throw notCaptured("gemm");
    }

    private IllegalStateException notCaptured(String what) {
        return new IllegalStateException(what + " cannot be captured");
    }

    @Override
    public void launch(Kernel kernel, Kernel.Shape shape, Object[] args) {
        Object[] now = args.clone();
        operations.add(on -> on.launch(kernel, shape, now));
    }

    @Override
    public void waitValue(MemorySegment host, long offset, long value) {
        operations.add(on -> on.waitValue(host, offset, value));
    }

    @Override
    public void takeNonZero(MemorySegment host, long offset) {
        operations.add(on -> on.takeNonZero(host, offset));
    }

    @Override
    public void writeValue(MemorySegment host, long offset, long value) {
        operations.add(on -> on.writeValue(host, offset, value));
    }

    @Override
    public void writeValue(DeviceMemory dst, long offset, long value) {
        operations.add(on -> on.writeValue(dst, offset, value));
    }

    @Override
    public void writeValue32(DeviceMemory dst, long offset, int value) {
        operations.add(on -> on.writeValue32(dst, offset, value));
    }

    @Override
    public void launchBlocks(BlockGrid grid) {
        throw notCaptured("a launch of blocks");
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        throw notCaptured("a capture");
    }

    @Override
    public void launch(AcceleratorGraph graph) {
        throw notCaptured("a launch of a graph");
    }

    @Override
    public StreamEvent record() {
        throw notCaptured("an event");
    }

    @Override
    public void await(StreamEvent event) {
        throw notCaptured("a wait for an event");
    }

    @Override
    public boolean isIdle() {
        throw notCaptured("a look whether the stream is idle");
    }

    @Override
    public boolean sync(long deadlineNs) {
        throw notCaptured("a wait for the stream");
    }

    @Override
    public int ahead() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "graph of " + operations.size() + " operations of " + device;
    }
}
