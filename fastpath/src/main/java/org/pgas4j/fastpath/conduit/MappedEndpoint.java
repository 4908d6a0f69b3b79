package org.pgas4j.fastpath.conduit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Base of endpoints whose memory this JVM addresses: plain copies, and atomics of the processor. Puts are complete at
 * the target when they return: there is nothing to flush.
 */
public class MappedEndpoint implements Endpoint {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final MemorySegment segment;

    /** @param segment must stay open while this endpoint is used */
    public MappedEndpoint(MemorySegment segment) {
        this.segment = segment;
    }

    // One word is one load and one store, which is also what makes an aligned word arrive whole; the general copy takes
    // several times as long to decide how to move it. Put and get each spell it out: the compiler learns the kinds of
    // memory it meets per place in the code, and one side of each is always the segment.

    @Override
    public void put(long offset, MemorySegment src, long srcOffset, long bytes) {
        if (bytes == Long.BYTES) {
            segment.set(LONG, offset, src.get(LONG, srcOffset));
        } else if (bytes == Integer.BYTES) {
            segment.set(INT, offset, src.get(INT, srcOffset));
        } else {
            MemorySegment.copy(src, srcOffset, segment, offset, bytes);
        }
    }

    @Override
    public void get(MemorySegment dst, long dstOffset, long offset, long bytes) {
        if (bytes == Long.BYTES) {
            dst.set(LONG, dstOffset, segment.get(LONG, offset));
        } else if (bytes == Integer.BYTES) {
            dst.set(INT, dstOffset, segment.get(INT, offset));
        } else {
            MemorySegment.copy(segment, offset, dst, dstOffset, bytes);
        }
    }

    @Override
    public long startPut(long offset, MemorySegment src, long srcOffset, long bytes) {
        put(offset, src, srcOffset, bytes);
        return 0;
    }

    @Override
    public long startGet(MemorySegment dst, long dstOffset, long offset, long bytes) {
        get(dst, dstOffset, offset, bytes);
        return 0;
    }

    @Override
    public boolean isComplete(long ticket) {
        return true;
    }

    @Override
    public void fill(long offset, long bytes, byte value) {
        segment.asSlice(offset, bytes).fill(value);
    }

    @Override
    public void fence() {
        VarHandle.releaseFence();
    }

    @Override
    public void putWordRelease(long offset, long value) {
        WORD.setRelease(segment, offset, value);
    }

    @Override
    public long getWordAcquire(long offset) {
        return (long) WORD.getAcquire(segment, offset);
    }

    @Override
    public boolean compareAndSetWord(long offset, long expected, long value) {
        return WORD.compareAndSet(segment, offset, expected, value);
    }

    @Override
    public long fetchAndAddWord(long offset, long value) {
        return (long) WORD.getAndAdd(segment, offset, value);
    }

    /** Copies are not ordered. */
    @Override
    public long orderedPutBytes() {
        return 0;
    }

    @Override
    public void flush() {
        VarHandle.fullFence();
    }

    @Override
    public MemorySegment mapped() {
        return segment;
    }
}
