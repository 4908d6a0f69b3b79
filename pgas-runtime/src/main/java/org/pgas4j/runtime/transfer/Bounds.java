package org.pgas4j.runtime.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.SharedPointer;
import org.pgas4j.runtime.memory.Peer;

/** Range checks of transfers, written so that nothing overflows, and their messages. */
final class Bounds {

    private Bounds() {
    }

    /** True if {@code bytes} bytes at {@code offset} are not all inside {@code size} bytes. */
    static boolean outside(long offset, long bytes, long size) {
        return bytes < 0 || offset < 0 || offset > size - bytes;
    }

    static void checkShared(String operation, int caller, SharedPointer pointer, Peer peer, long bytes) {
        long size = pointer.kind() == org.pgas4j.Kind.HOST ? peer.hostBytes() : peer.deviceBytes();
        if (outside(pointer.addrField(), bytes, size)) {
            throw shared(operation, caller, pointer, bytes, size);
        }
    }

    static void checkLocal(String operation, int caller, MemorySegment memory, long bytes) {
        if (bytes < 0 || bytes > memory.byteSize()) {
            throw local(operation, caller, bytes, memory.byteSize());
        }
    }

    static IndexOutOfBoundsException shared(String operation, int caller, SharedPointer pointer, long bytes, long size) {
        return new IndexOutOfBoundsException(operation + " out of bounds: rank=" + caller + " target rank="
                + pointer.rank() + " kind=" + pointer.kind() + " offset=" + pointer.addrField() + " length=" + bytes
                + " segmentBytes=" + size);
    }

    static IndexOutOfBoundsException local(String operation, int caller, long bytes, long size) {
        return new IndexOutOfBoundsException(operation + " out of bounds of local memory: rank=" + caller + " length="
                + bytes + " memoryBytes=" + size);
    }
}
