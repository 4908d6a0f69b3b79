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
     */
    @SuppressWarnings("restricted")
    public static MemorySegment of(MemorySegment memory) {
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
    }
}
