package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.device.HostBuffers;

/** Host memory of a program for transfers that another thread may carry out. */
public final class Unscoped {

    /** All native memory of the process, for any thread; an offset is an address. */
    @SuppressWarnings("restricted")
    private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Unscoped() {
    }

    /**
     * The same native memory for any thread. Memory of a shared or automatic arena is given as it is: a use after its arena was closed
     * is an exception. That of a confined arena loses its owner and its lifetime: that it stays open until the transfer is
     * complete is the caller's duty, and a blocking call sees to it.
     *
     * @throws IllegalStateException if it is closed already
     */
    @SuppressWarnings("restricted")
    public static MemorySegment of(MemorySegment memory) {
        return isScoped(memory) ? MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize()) : memory;
    }

    private static boolean isScoped(MemorySegment memory) {
        HostBuffers.requireOpen(memory, "transfer");
        return HostBuffers.isConfined(memory);
    }

    /**
     * As {@link #of}, without making an object: the memory that contains it, in which it begins at {@link #start}. Java arrays are
     * given as they are.
     */
    static MemorySegment base(MemorySegment memory) {
        return memory.isNative() && isScoped(memory) ? EVERYTHING : memory;
    }

    /** Byte of {@code base} at which {@code memory} begins. */
    static long start(MemorySegment memory, MemorySegment base) {
        return base == memory ? 0 : memory.address();
    }

    /**
     * The same memory.
     *
     * @throws IllegalArgumentException if it is read-only
     */
    public static MemorySegment requireWritable(MemorySegment memory) {
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("the local memory of a get is read-only: memoryBytes=" + memory.byteSize());
        }
        return memory;
    }
}
