package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;

/**
 * A put or a get: local memory, and a range of a rank's segment, both checked. Complete in itself, so that any thread can carry it
 * out. Mutable, because each initiator reuses one.
 */
public final class RmaDescriptor {

    int target;
    MemoryKind kind;
    long offset;
    Lease lease;
    long bytes;
    MemorySegment host;
    DeviceMemory device;
    long localOffset;
    boolean sourceKept;
    MemorySegment word; // written behind the bytes; null if none is
    long wordOffset;
    long wordValue;

    /** Sets the remote range: {@code bytes} bytes from the pointer on. */
    public RmaDescriptor remote(SharedPointer pointer, long length) {
        return remote(pointer.rank(), pointer.kind(), pointer.addrField(), PgasUnsafe.lease(pointer), length);
    }

    /**
     * Sets the remote range.
     *
     * @param rank   that owns it
     * @param memory kind of its segment
     * @param start  byte offset in the shared heap of that segment
     * @param owner  allocation that holds the range; null if unknown
     * @param length bytes
     */
    public RmaDescriptor remote(int rank, MemoryKind memory, long start, Lease owner, long length) {
        target = rank;
        kind = memory;
        offset = start;
        lease = owner;
        bytes = length;
        sourceKept = false;
        word = null;
        return this;
    }

    /**
     * Adds to a put that a device copies: behind the bytes it writes a 64-bit word of host memory.
     *
     * @param host memory that the device reaches
     */
    public RmaDescriptor thenWrite(MemorySegment host, long start, long value) {
        word = host;
        wordOffset = start;
        wordValue = value;
        return this;
    }

    /** Marks a put whose source stays as it is until local completion: it is not copied aside to complete it sooner. */
    public RmaDescriptor sourceKept() {
        sourceKept = true;
        return this;
    }

    /** Sets the local memory: host memory from byte {@code start} on. */
    public RmaDescriptor local(MemorySegment memory, long start) {
        host = memory;
        device = null;
        localOffset = start;
        return this;
    }

    /** Sets the local memory: memory of a device that the rank's own reaches, from byte {@code start} on. */
    public RmaDescriptor local(DeviceMemory memory, long start) {
        host = null;
        device = memory;
        localOffset = start;
        return this;
    }

    /** Sets the local memory: from {@code start} bytes behind a place on. */
    RmaDescriptor local(Place place, long start) {
        return place.isHost() ? local(place.host(), place.offset() + start) : local(place.device(), place.offset() + start);
    }

    /**
     * Sets the local memory: all of a buffer.
     *
     * @param operation name for messages
     * @param rank      that uses it
     */
    public RmaDescriptor local(String operation, int rank, Buffer buffer) {
        return buffer.kind() == MemoryKind.HOST ? local(buffer.segment(), 0)
                : local(OpenBlocks.require(operation, rank, buffer), buffer.deviceOffset());
    }

    /** Kind of the local memory. */
    public MemoryKind localKind() {
        return host == null ? MemoryKind.DEVICE : MemoryKind.HOST;
    }

    /** Rank that owns the remote range. */
    public int target() {
        return target;
    }

    /** Number of bytes. */
    public long bytes() {
        return bytes;
    }

    /** Local host memory, or null. */
    public MemorySegment host() {
        return host;
    }

    /** Becomes the same operation as another. */
    public void copyFrom(RmaDescriptor other) {
        remote(other.target, other.kind, other.offset, other.lease, other.bytes);
        host = other.host;
        device = other.device;
        localOffset = other.localOffset;
        sourceKept = other.sourceKept;
    }
}
