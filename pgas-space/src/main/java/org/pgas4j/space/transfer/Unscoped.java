package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.device.HostBuffers;

/** Host memory of a program for transfers that another thread may carry out. */
public final class Unscoped {

    private Unscoped() {
    }

    /**
     * The same memory for any thread. Memory of a shared or automatic arena is given as it is: a use after its arena was closed
     * is an exception. That of a confined arena loses its owner and its lifetime: that it stays open until the transfer is
     * complete is the caller's duty, and a blocking call sees to it.
     *
     * @throws IllegalStateException if it is closed already
     */
    @SuppressWarnings("restricted")
    public static MemorySegment of(MemorySegment memory) {
        HostBuffers.requireOpen(memory, "transfer");
        return HostBuffers.isConfined(memory) ? MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize()) : memory;
    }

    /**
     * As {@link #of}, for memory that will be written.
     *
     * @throws IllegalArgumentException if it is read-only
     */
    public static MemorySegment target(MemorySegment memory) {
        return of(requireWritable(memory));
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
