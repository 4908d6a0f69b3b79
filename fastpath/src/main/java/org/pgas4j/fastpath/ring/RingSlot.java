package org.pgas4j.fastpath.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The flag of a message, the word at the end of its chunk: the message's number in its ring, from 1. No number is used
 * twice, so a chunk need not be cleared, and nothing that a payload holds can be mistaken for a flag.
 */
public final class RingSlot {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle()
            .withInvokeExactBehavior();

    private RingSlot() {
    }

    /** Makes the message at {@code slotOffset} visible, after everything this thread wrote before. */
    public static void publish(MemorySegment ring, long slotOffset, long sequence) {
        // release: pairs with the acquire in sequence
        WORD.setRelease(ring, slotOffset, sequence);
    }

    /** The number of the message at {@code slotOffset}, read before everything this thread reads after. */
    public static long sequence(MemorySegment ring, long slotOffset) {
        return (long) WORD.getAcquire(ring, slotOffset);
    }
}
