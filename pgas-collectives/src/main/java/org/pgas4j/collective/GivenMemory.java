package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.transfer.Bounds;
import org.pgas4j.space.transfer.OpenBlocks;
import org.pgas4j.space.transfer.RmaDescriptor;

/**
 * Memory of the calling rank that it gives to a collective operation.
 *
 * @param host   memory on the host; null if it is on the device
 * @param device allocation on the device; null if it is on the host
 * @param start  byte offset of the memory in {@code host} or {@code device}
 * @param shared byte offset in the shared heap of the rank's segment; -1 if it is private
 * @param bytes  size
 */
record GivenMemory(MemorySegment host, DeviceMemory device, long start, long shared, long bytes) {

    private static final long PRIVATE = -1;

    /** A buffer of the rank. */
    static GivenMemory of(String call, Peer self, Buffer buffer) {
        if (buffer.bytes() == 0) {
            return new GivenMemory(self.endpoint().mapped(), null, self.heapStart(), 0, 0); // any memory will do
        }
        if (buffer.kind() == MemoryKind.DEVICE) {
            DeviceMemory memory = OpenBlocks.require(call, self.rank(), buffer);
            long offset = buffer.deviceOffset() - self.deviceOffset();
            boolean isShared = memory == self.device() && !Bounds.outside(offset, buffer.bytes(), self.deviceBytes());
            return new GivenMemory(null, memory, buffer.deviceOffset(), isShared ? offset : PRIVATE, buffer.bytes());
        }
        MemorySegment memory = buffer.segment();
        long shared = memory.isNative() ? memory.address() - self.endpoint().mapped().address() - self.heapStart() : PRIVATE;
        boolean isShared = memory.isNative() && !Bounds.outside(shared, buffer.bytes(), self.hostBytes());
        return new GivenMemory(memory, null, 0, isShared ? shared : PRIVATE, buffer.bytes());
    }

    /** Shared memory of the rank, to be {@linkplain #check checked}. */
    static GivenMemory of(Peer self, SharedPointer mine, long bytes) {
        return mine.kind() == MemoryKind.HOST
                ? new GivenMemory(self.endpoint().mapped(), null, self.heapStart() + mine.addrField(), mine.addrField(), bytes)
                : new GivenMemory(null, self.device(), self.deviceOffset() + mine.addrField(), mine.addrField(), bytes);
    }

    /** Checks shared memory of the rank. */
    static void check(String call, Peer self, SharedPointer mine, long bytes) {
        Bounds.check(call, self.rank(), mine, bytes, mine.kind() == MemoryKind.HOST ? self.hostBytes() : self.deviceBytes());
    }

    MemoryKind kind() {
        return host != null ? MemoryKind.HOST : MemoryKind.DEVICE;
    }

    boolean isShared() {
        return shared != PRIVATE;
    }

    /** Place as other members see it. */
    long place() {
        return isShared() ? Group.place(kind(), shared) : Group.PRIVATE;
    }

    /** Makes the memory from byte {@code offset} on the local end of a transfer. */
    void describe(RmaDescriptor transfer, long offset) {
        if (host != null) {
            transfer.local(host, start + offset);
        } else {
            transfer.local(device, start + offset);
        }
    }

    private long address() {
        return (host != null ? host.address() : device.address()) + start;
    }

    /** True if the two have bytes in common. */
    boolean overlaps(GivenMemory other) {
        boolean same = host != null ? other.host != null && host.heapBase().equals(other.host.heapBase())
                : other.device != null;
        return same && bytes > 0 && other.bytes > 0 && address() - other.address() < other.bytes
                && other.address() - address() < bytes;
    }

    /** True if this begins at byte {@code at} of another. */
    boolean startsAt(GivenMemory other, long at) {
        return overlaps(other) && address() - other.address() == at;
    }
}
