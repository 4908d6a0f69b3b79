package org.pgas4j.fastpath.conduit.loopback;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * Copies under one static lock, which orders the operations on all segments. Words are changed as the processor does, since the
 * memory is mapped and others may change them there.
 */
final class LoopbackEndpoint implements Endpoint {

    private static final Object LOCK = new Object();
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment segment;

    LoopbackEndpoint(MemorySegment segment) {
        this.segment = segment;
    }

    @Override
    public void put(long offset, MemorySegment src, long srcOffset, long bytes) {
        move(segment, offset, src, srcOffset, bytes);
    }

    @Override
    public void get(MemorySegment dst, long dstOffset, long offset, long bytes) {
        move(dst, dstOffset, segment, offset, bytes);
    }

    private static void move(MemorySegment dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        synchronized (LOCK) {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
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
        synchronized (LOCK) {
            segment.asSlice(offset, bytes).fill(value);
        }
    }

    @Override
    public void fence() {
        // the lock orders everything
    }

    @Override
    public void putWordRelease(long offset, long value) {
        synchronized (LOCK) {
            WORD.setVolatile(segment, offset, value);
        }
    }

    @Override
    public long getWordAcquire(long offset) {
        synchronized (LOCK) {
            return segment.get(ValueLayout.JAVA_LONG, offset);
        }
    }

    @Override
    public boolean compareAndSetWord(long offset, long expected, long value) {
        synchronized (LOCK) {
            return WORD.compareAndSet(segment, offset, expected, value);
        }
    }

    @Override
    public long fetchAndAddWord(long offset, long value) {
        synchronized (LOCK) {
            return (long) WORD.getAndAdd(segment, offset, value);
        }
    }

    @Override
    public long orderedPutBytes() {
        return Long.MAX_VALUE;
    }

    @Override
    public void flush() {
        // done when put returned
    }

    @Override
    public MemorySegment mapped() {
        return segment;
    }
}
