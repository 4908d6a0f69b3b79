package org.pgas4j.fastpath.conduit.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * A rank's own segment: plain memory. Atomics go through UCX nevertheless, because those of a network card and those of
 * a processor are not atomic to one another.
 */
final class UcxOwnEndpoint implements Endpoint {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment segment;
    private final UcxEndpoint atomics;

    UcxOwnEndpoint(MemorySegment segment, UcxEndpoint atomics) {
        this.segment = segment;
        this.atomics = atomics;
    }

    void close() {
        atomics.close();
    }

    @Override
    public void put(long offset, MemorySegment src, long srcOffset, long bytes) {
        MemorySegment.copy(src, srcOffset, segment, offset, bytes);
    }

    @Override
    public void get(MemorySegment dst, long dstOffset, long offset, long bytes) {
        MemorySegment.copy(segment, offset, dst, dstOffset, bytes);
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
        VarHandle.fullFence();
        return atomics.compareAndSetWord(offset, expected, value);
    }

    @Override
    public long fetchAndAddWord(long offset, long value) {
        VarHandle.fullFence();
        return atomics.fetchAndAddWord(offset, value);
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
