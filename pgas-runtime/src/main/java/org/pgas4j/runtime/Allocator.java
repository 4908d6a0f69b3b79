package org.pgas4j.runtime;

import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Kind;
import org.pgas4j.Layout;
import org.pgas4j.SharedPointer;
import org.pgas4j.runtime.heap.SharedHeap;
import org.pgas4j.runtime.sync.Collectives;

/** UPC's allocators for one rank; the collective ones let rank 0 allocate and tell. */
final class Allocator {

    private static final int ALL_ALLOC = 11;
    private static final int ALL_FREE = 12;
    private static final int ALL_ALLOC_ON_RANK = 13;

    private final int rank;
    private final int ranks;
    private final SharedHeap heap;
    private final Collectives collectives;

    Allocator(int rank, int ranks, SharedHeap heap, Collectives collectives) {
        this.rank = rank;
        this.ranks = ranks;
        this.heap = heap;
        this.collectives = collectives;
    }

    /** Bytes each rank gives to {@code nblocks} blocks. */
    private long share(String call, Kind kind, long nblocks, long blockBytes) {
        if (nblocks < 0 || blockBytes < 0) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": nblocks=" + nblocks + " blockBytes="
                    + blockBytes + " (expected: >= 0)");
        }
        long blocks = Math.ceilDiv(nblocks, (long) ranks);
        if (blockBytes > 0 && blocks > Long.MAX_VALUE / 2 / blockBytes) {
            throw heap.outOfMemory(call, kind, rank, Long.MAX_VALUE / 2);
        }
        return blocks * blockBytes;
    }

    SharedPointer allAlloc(Kind kind, long nblocks, long blockBytes) {
        long bytes = share("allAlloc", kind, nblocks, blockBytes);
        long offset = allocateTogether("allAlloc", ALL_ALLOC, kind, nblocks, blockBytes, bytes);
        return SharedPointer.of(kind, 0, ranks, 0, offset, blockBytes, 1);
    }

    private long allocateTogether(String call, int code, Kind kind, long nblocks, long blockBytes, long bytes) {
        if (!collectives.sameEverywhere(code, kind.ordinal(), nblocks, blockBytes)) {
            throw new CollectiveMismatchException(call + " was called differently by the ranks: rank " + rank + " gave kind="
                    + kind + " nblocks=" + nblocks + " blockBytes=" + blockBytes);
        }
        long[] offset = {rank == 0 ? heap.allocateGlobal(kind, bytes) : 0};
        collectives.broadcastWords(0, offset);
        if (offset[0] < 0) {
            throw heap.outOfMemory(call, kind, rank, bytes);
        }
        return offset[0];
    }

    SharedPointer globalAlloc(Kind kind, long nblocks, long blockBytes) {
        long bytes = share("globalAlloc", kind, nblocks, blockBytes);
        long offset = heap.allocateGlobal(kind, bytes);
        if (offset < 0) {
            throw heap.outOfMemory("globalAlloc", kind, rank, bytes);
        }
        return SharedPointer.of(kind, 0, ranks, 0, offset, blockBytes, 1);
    }

    SharedPointer alloc(Kind kind, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("alloc of rank " + rank + ": bytes=" + bytes + " (expected: >= 0)");
        }
        long offset = heap.allocateLocal(kind, rank, bytes);
        if (offset < 0) {
            throw heap.outOfMemory("alloc", kind, rank, bytes);
        }
        return SharedPointer.of(kind, rank, ranks, 0, offset, 0, 1);
    }

    void free(SharedPointer pointer) {
        if (!heap.free(pointer.kind(), pointer.rank(), pointer.addrField())) {
            throw nothingThere("free", pointer);
        }
    }

    /** After a barrier of the caller's. */
    void allFree(SharedPointer pointer) {
        if (!collectives.sameEverywhere(ALL_FREE, pointer.kind().ordinal(), pointer.rank(), pointer.addrField())) {
            throw new CollectiveMismatchException("allFree was called differently by the ranks: rank " + rank + " gave "
                    + pointer);
        }
        long[] done = {rank == 0 && heap.free(pointer.kind(), pointer.rank(), pointer.addrField()) ? 1 : 0};
        collectives.broadcastWords(0, done);
        if (done[0] == 0) {
            throw nothingThere("allFree", pointer);
        }
    }

    private IllegalArgumentException nothingThere(String call, SharedPointer pointer) {
        return new IllegalArgumentException(call + " of rank " + rank + ": nothing is allocated at " + pointer
                + " (freed twice, or not the start of an allocation)");
    }

    /** Memory of a shared array: the pointer to its element 0, on this rank if replicated. */
    SharedPointer array(Kind kind, Layout layout, ElementType type, long length) {
        long bytes = type.bytes(length);
        return switch (layout) {
            case Layout.OnRank on -> {
                if (on.rank() >= ranks) {
                    throw new IllegalArgumentException("layout on rank " + on.rank() + " of a job of " + ranks + " ranks");
                }
                if (!collectives.sameEverywhere(ALL_ALLOC_ON_RANK, kind.ordinal(), on.rank(), bytes)) {
                    throw new CollectiveMismatchException("a shared array was allocated differently by the ranks: rank "
                            + rank + " gave kind=" + kind + " rank=" + on.rank() + " bytes=" + bytes);
                }
                long[] offset = {rank == on.rank() ? heap.allocateLocal(kind, rank, bytes) : 0};
                collectives.broadcastWords(on.rank(), offset);
                if (offset[0] < 0) {
                    throw heap.outOfMemory("shared array on rank " + on.rank(), kind, rank, bytes);
                }
                yield SharedPointer.of(kind, on.rank(), ranks, 0, offset[0], 0, type.bytes());
            }
            case Layout.Replicated _ -> SharedPointer.of(kind, rank, ranks, 0,
                    allocateTogether("allAlloc (replicated)", ALL_ALLOC, kind, ranks, bytes, bytes), 0, type.bytes());
            case Layout.Blocked blocked -> blocked(kind, type, length, blocked.block());
            case Layout.Even _ -> blocked(kind, type, length, Math.max(1, Math.ceilDiv(length, (long) ranks)));
        };
    }

    private SharedPointer blocked(Kind kind, ElementType type, long length, long block) {
        SharedPointer bytes = allAlloc(kind, Math.ceilDiv(length, block), type.bytes(block));
        return SharedPointer.of(kind, 0, ranks, 0, bytes.addrField(), block, type.bytes());
    }

    /** The pointer an array's memory is freed by. */
    SharedPointer allocation(Layout layout, SharedPointer base) {
        return layout instanceof Layout.Replicated ? base.onRank(0) : base;
    }
}
