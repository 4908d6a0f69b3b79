package org.pgas4j.fastpath.protocol;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.PinnedView;
import org.pgas4j.fastpath.ring.RingLayout;

/**
 * Performs peers' atomic operations on this rank's device memory by its device. The kernel writes what was there to page-locked
 * memory of the host, a word for each operation in flight: a copy behind the kernel would be a second call of the driver, and its
 * copy engine would have to wait for the kernel. For the port's current owner.
 */
final class DeviceAtomics implements AutoCloseable {

    private final LocalMemory memory;
    private final RingLayout layout;
    private final Buffer[] results = new Buffer[InFlightCopies.CAPACITY];
    private PinnedMemory words;

    DeviceAtomics(LocalMemory memory, RingLayout layout) {
        this.memory = memory;
        this.layout = layout;
    }

    /**
     * Queues an operation.
     *
     * @param slot    number of the operation among those in flight
     * @param fetches true if {@link #answer} is called once it is complete
     */
    void start(AcceleratorStream stream, AtomicMessage message, int slot, boolean fetches) {
        if (words == null) {
            allocate();
        }
        Buffer word = Buffer.ofDevice(memory.device(), memory.deviceOffset() + message.offset(), message.type(), 1);
        stream.launch(AtomicWords.KERNEL, AtomicWords.SHAPE, new Object[] {word, message.op().code(),
            AtomicWords.code(message.type()), message.operand(), message.comparand(), results[slot], fetches ? 1 : 0});
    }

    private void allocate() {
        words = memory.accelerator().allocatePinned((long) Long.BYTES * results.length);
        Buffer all = Buffer.ofPinned(words.segment(), new PinnedView(words), ElementType.LONG, results.length);
        Arrays.setAll(results, slot -> all.slice(slot, 1));
    }

    /** Writes what a complete operation has found to message {@code answer}. */
    void answer(int slot, Pair pair, long answer) {
        pair.out().set(ValueLayout.JAVA_LONG, RingLayout.payload(layout.header(answer), Long.BYTES),
                words.segment().getAtIndex(ValueLayout.JAVA_LONG, slot));
    }

    @Override
    public void close() {
        if (words != null) {
            words.close();
            words = null;
        }
    }
}
