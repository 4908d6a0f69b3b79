package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.space.memory.Peer;

/** Checks of the pointers and ranges of transfers, written so that nothing overflows, and their messages. */
public final class Bounds {

    private Bounds() {
    }

    /** True if {@code bytes} bytes at {@code offset} are not all inside {@code size} bytes. */
    public static boolean outside(long offset, long bytes, long size) {
        return bytes < 0 || offset < 0 || offset > size - bytes;
    }

    /** True if the range leaves the pointer's allocation or that was freed; without an allocation, if it leaves the segment. */
    public static boolean refuses(SharedPointer pointer, long bytes, long size) {
        Lease lease = PgasUnsafe.lease(pointer);
        return lease == null ? outside(pointer.addrField(), bytes, size)
                : lease.refuses(pointer.rank(), pointer.addrField(), bytes);
    }

    static void checkShared(String operation, int caller, SharedPointer pointer, Peer peer, long bytes) {
        check(operation, caller, pointer, bytes, pointer.kind() == MemoryKind.HOST ? peer.hostBytes() : peer.deviceBytes());
    }

    /**
     * Throws what {@link #shared} makes, if the range is refused.
     *
     * @param size bytes of the target's segment
     */
    public static void check(String operation, int caller, SharedPointer pointer, long bytes, long size) {
        if (refuses(pointer, bytes, size)) {
            throw shared(operation, caller, pointer, bytes, size);
        }
    }

    static void checkLocal(String operation, int caller, MemorySegment memory, long bytes) {
        if (bytes < 0 || bytes > memory.byteSize()) {
            throw local(operation, caller, bytes, memory.byteSize());
        }
    }

    /** Exception for a refused range. */
    public static RuntimeException shared(String operation, int caller, SharedPointer pointer, long bytes, long size) {
        Lease lease = PgasUnsafe.lease(pointer);
        if (lease != null && !lease.isLive()) {
            return stale(operation, caller, pointer, lease);
        }
        return new IndexOutOfBoundsException(operation + " out of bounds: rank=" + caller + " target rank="
                + pointer.rank() + " kind=" + pointer.kind() + " offset=" + pointer.addrField() + " length=" + bytes
                + (lease == null ? "" : " allocation=[" + lease + "]") + " segmentBytes=" + size);
    }

    /** Exception for a pointer to freed memory. */
    public static StalePointerException stale(String operation, int caller, Object what, Lease lease) {
        return new StalePointerException(operation + " of rank " + caller + ": the memory of " + what
                + " was freed, or its job has ended (" + lease + ")");
    }

    /** Throws unless the first {@code bytes} bytes are in a buffer. */
    public static void checkLocal(String operation, int caller, Buffer buffer, long bytes) {
        if (bytes > buffer.bytes()) {
            throw local(operation, caller, bytes, buffer.bytes());
        }
    }

    private static IndexOutOfBoundsException local(String operation, int caller, long bytes, long size) {
        return new IndexOutOfBoundsException(operation + " out of bounds of local memory: rank=" + caller + " length="
                + bytes + " memoryBytes=" + size);
    }
}
