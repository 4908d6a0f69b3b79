package org.pgas4j.runtime.transfer;

import java.lang.foreign.MemorySegment;

/** Native memory as a device sees it: an address. */
public final class Unscoped {

    private Unscoped() {
    }

    /**
     * The same native memory without its owner thread and lifetime, for copies that run beside the caller: memory of a
     * confined arena is as good as any. That it stays open until the copy is complete is the caller's duty, and a blocking
     * call sees to it.
     *
     * @throws IllegalStateException if it is closed already
     */
    @SuppressWarnings("restricted")
    public static MemorySegment of(MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the arena of the local memory is closed: memoryBytes=" + memory.byteSize());
        }
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
    }

    /**
     * As {@link #of}, for memory that will be written.
     *
     * @throws IllegalArgumentException if it is read-only
     */
    public static MemorySegment target(MemorySegment memory) {
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("the local memory of a get is read-only: memoryBytes=" + memory.byteSize());
        }
        return of(memory);
    }
}
