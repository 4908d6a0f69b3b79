package org.pgas4j.fastpath.protocol;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.fastpath.ring.RingLayout;

/** Performs peers' atomic operations on this rank's device memory by its device. For the port's current owner. */
final class DeviceAtomics implements AutoCloseable {

    private final LocalMemory memory;
    private final RingLayout layout;
    private DeviceMemory result;

    DeviceAtomics(LocalMemory memory, RingLayout layout) {
        this.memory = memory;
        this.layout = layout;
    }

    /** Queues an operation, and the copy of what was there to message {@code answer}, if that is not 0. */
    void start(AcceleratorStream stream, AtomicMessage message, Pair pair, long answer) {
        if (result == null) {
            result = memory.accelerator().allocate(Long.BYTES, false);
        }
        Buffer word = Buffer.ofDevice(memory.device(), memory.deviceOffset() + message.offset(), message.type(), 1);
        stream.launch(AtomicWords.KERNEL, AtomicWords.SHAPE, new Object[] {word, message.op().code(),
            AtomicWords.code(message.type()), message.operand(), message.comparand(),
            Buffer.ofDevice(result, 0, ElementType.LONG, 1), answer == 0 ? 0 : 1});
        if (answer != 0) {
            // All operations of a port are on one stream at a time, so the next one overwrites the word after this copy.
            stream.copyOut(pair.out(), RingLayout.payload(layout.header(answer), Long.BYTES), result, 0, Long.BYTES);
        }
    }

    @Override
    public void close() {
        if (result != null) {
            result.close();
            result = null;
        }
    }
}
