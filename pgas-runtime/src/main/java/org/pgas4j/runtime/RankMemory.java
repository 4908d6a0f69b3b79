package org.pgas4j.runtime;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.HeapStats;
import org.pgas4j.Lease;
import org.pgas4j.Memory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.space.heap.SharedHeap;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.transfer.Bounds;

/** A rank's heaps, and its own memory as buffers. Used by the rank's thread. */
final class RankMemory implements Memory {

    private final int rank;
    private final SharedHeap heap;
    private final Peers peers;
    private final Allocator allocator;
    private final CollectiveEngine collectives;
    private final Supplier<MemoryKind> kind;
    private final Function<SharedPointer, MemorySegment> hostMemory;

    /**
     * @param kind       of allocations now
     * @param hostMemory own host memory behind a pointer
     */
    RankMemory(int rank, SharedHeap heap, Peers peers, Allocator allocator, CollectiveEngine collectives,
               Supplier<MemoryKind> kind, Function<SharedPointer, MemorySegment> hostMemory) {
        this.rank = rank;
        this.heap = heap;
        this.peers = peers;
        this.allocator = allocator;
        this.collectives = collectives;
        this.kind = kind;
        this.hostMemory = hostMemory;
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
    public boolean isCastable(SharedPointer pointer) {
        return pointer.kind() == MemoryKind.HOST && peers.get(pointer.rank()).endpoint().mapped() != null;
    }

    @Override
    public MemorySegment cast(SharedPointer pointer) {
        if (pointer.rank() == rank) {
            return hostMemory.apply(pointer);
        }
        if (!isCastable(pointer)) {
            throw new IllegalStateException("cast() of rank " + rank + " needs HOST memory that is mapped here, " + pointer
                    + " is not: use memget() or memput()");
        }
        Peer peer = peers.get(pointer.rank());
        Bounds.check("cast()", rank, pointer, 0, peer.hostBytes());
        Lease lease = PgasUnsafe.lease(pointer);
        long end = lease == null ? peer.hostBytes() : lease.start() + lease.bytes();
        return peer.endpoint().mapped().asSlice(peer.heapStart() + pointer.addrField(), end - pointer.addrField());
    }

    @Override
    public Buffer local(SharedPointer pointer, ElementType type, long length) {
        if (pointer.kind() == MemoryKind.HOST) {
            long bytes = type.bytes(length);
            MemorySegment memory = hostMemory.apply(pointer);
            Bounds.check("local()", rank, pointer, bytes, peers.get(rank).hostBytes());
            return Buffer.ofHost(memory.asSlice(0, bytes), type);
        }
        if (pointer.rank() != rank) {
            throw new IllegalStateException("local() needs memory with affinity to the caller, rank " + rank + ", " + pointer
                    + " has affinity to rank " + pointer.rank() + "; use memget() or memput()");
        }
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
