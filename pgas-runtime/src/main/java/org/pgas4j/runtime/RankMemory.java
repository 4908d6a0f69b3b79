package org.pgas4j.runtime;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.HeapStats;
import org.pgas4j.Lease;
import org.pgas4j.Memory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.PointerPacking;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.space.check.HeapChecks;
import org.pgas4j.space.heap.SharedHeap;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.transfer.Bounds;

/** A rank's heaps, and its own memory as buffers. Used by the rank's thread. */
final class RankMemory implements Memory {

    private final int rank;
    private final SharedHeap heap;
    private final HeapChecks checks;
    private final Peers peers;
    private final Allocator allocator;
    private final CollectiveEngine collectives;
    private final Supplier<MemoryKind> kind;

    /** @param kind of allocations now */
    RankMemory(int rank, SharedHeap heap, HeapChecks checks, Peers peers, Allocator allocator, CollectiveEngine collectives,
               Supplier<MemoryKind> kind) {
        this.rank = rank;
        this.heap = heap;
        this.checks = checks;
        this.peers = peers;
        this.allocator = allocator;
        this.collectives = collectives;
        this.kind = kind;
    }

    @Override
    public MemoryKind allocationKind() {
        return kind.get();
    }

    @Override
    public SharedPointer globalAlloc(long nblocks, long blockBytes) {
        SharedPointer[] result = new SharedPointer[1];
        collectives.during(Phase.ALLOCATION, () -> result[0] = allocator.globalAlloc(kind.get(), nblocks, blockBytes));
        return result[0];
    }

    @Override
    public SharedPointer pointer(long... words) {
        return allocator.pointer(words);
    }

    @Override
    public PointerPacking packing(MemoryKind of, long blockElements, long elementBytes) {
        return allocator.packing(of, blockElements, elementBytes);
    }

    @Override
    public boolean isCastable(SharedPointer pointer) {
        return pointer.kind() == MemoryKind.HOST && peers.get(pointer.rank()).endpoint().mapped() != null;
    }

    @Override
    public MemorySegment cast(SharedPointer pointer) {
        if (pointer.rank() == rank) {
            return local(pointer);
        }
        if (!isCastable(pointer)) {
            throw new IllegalStateException("cast() of rank " + rank + " needs HOST memory that is mapped here, " + pointer
                    + " is not: use memget() or memput()");
        }
        return mapped("cast()", pointer);
    }

    /** Own host memory, from a pointer to the end of its allocation; see {@link org.pgas4j.Rank#local(SharedPointer)}. */
    MemorySegment local(SharedPointer pointer) {
        if (pointer.kind() == MemoryKind.DEVICE) {
            throw new IllegalStateException("local() needs HOST memory, " + pointer + " is in the memory of a device; use "
                    + "memory().local(pointer, type, length) with streams and kernels, or memget() to copy it");
        }
        requireOwn(pointer);
        return checks.view(PgasUnsafe.lease(pointer), mapped("local()", pointer));
    }

    /** Mapped host memory of a rank, from a pointer to the end of its allocation. */
    private MemorySegment mapped(String call, SharedPointer pointer) {
        Peer peer = peers.get(pointer.rank());
        Bounds.check(call, rank, pointer, 0, peer.hostBytes());
        Lease lease = PgasUnsafe.lease(pointer);
        long end = lease == null ? peer.hostBytes() : lease.start() + lease.bytes();
        return peer.endpoint().mapped().asSlice(peer.heapStart() + pointer.addrField(), end - pointer.addrField());
    }

    private void requireOwn(SharedPointer pointer) {
        if (pointer.rank() != rank) {
            throw new IllegalStateException("local() needs memory with affinity to the caller, rank " + rank + ", " + pointer
                    + " has affinity to rank " + pointer.rank() + "; use memget() or memput()");
        }
    }

    @Override
    public Buffer local(SharedPointer pointer, ElementType type, long length) {
        if (pointer.kind() == MemoryKind.HOST) {
            long bytes = type.bytes(length);
            MemorySegment memory = local(pointer);
            Bounds.check("local()", rank, pointer, bytes, peers.get(rank).hostBytes());
            return Buffer.ofHost(memory.asSlice(0, bytes), type);
        }
        requireOwn(pointer);
        Peer self = peers.get(rank);
        Bounds.check("local()", rank, pointer, type.bytes(length), self.deviceBytes());
        return PgasUnsafe.deviceBlock(PgasUnsafe.lease(pointer), self.device(), self.deviceOffset() + pointer.addrField(), type,
                length);
    }

    @Override
    public HeapStats stats(MemoryKind of) {
        return heap.stats(of, rank);
    }
}
