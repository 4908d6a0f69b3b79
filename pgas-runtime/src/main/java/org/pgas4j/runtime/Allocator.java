package org.pgas4j.runtime;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.PointerPacking;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.collective.StageMemory;
import org.pgas4j.os.Failpoint;
import org.pgas4j.space.check.HeapChecks;
import org.pgas4j.space.heap.HeapPacking;
import org.pgas4j.space.heap.SharedHeap;

/** UPC's allocators for one rank; the collective ones let rank 0 allocate and tell. */
final class Allocator implements StageMemory {

    private final int rank;
    private final int ranks;
    private final SharedHeap heap;
    private final CollectiveEngine collectives;
    private final HeapChecks checks;

    Allocator(int rank, int ranks, SharedHeap heap, CollectiveEngine collectives, HeapChecks checks) {
        this.rank = rank;
        this.ranks = ranks;
        this.heap = heap;
        this.collectives = collectives;
        this.checks = checks;
    }

    /** Bytes each rank gives to {@code nblocks} blocks. */
    private long share(String call, MemoryKind kind, long nblocks, long blockBytes) {
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

    /** @param call of the program, for which the memory is: the same on all ranks */
    SharedPointer allAlloc(String call, MemoryKind kind, long nblocks, long blockBytes) {
        return allAlloc(call, () -> nblocks + " blocks of " + blockBytes + " bytes", kind, nblocks, blockBytes);
    }

    /** @param details what the program has given the call, for messages */
    SharedPointer allAlloc(String call, Supplier<String> details, MemoryKind kind, long nblocks, long blockBytes) {
        long bytes = share(call, kind, nblocks, blockBytes);
        Lease lease = together(call, kind, Lease.EVERY_RANK, bytes, details, nblocks, blockBytes);
        return first(lease, kind, 0, blockBytes, 1);
    }

    private SharedPointer first(Lease lease, MemoryKind kind, int on, long blockElements, long elementBytes) {
        return PgasUnsafe.pointer(lease, kind, on, ranks, 0, lease.start(), blockElements, elementBytes);
    }

    /**
     * Allocates on all ranks, or on one.
     *
     * @param on      that one, or {@link Lease#EVERY_RANK}
     * @param details what {@code same} stands for
     * @param same    must be the same on all ranks, beside kind and bytes
     */
    private Lease together(String call, MemoryKind kind, int on, long bytes, Supplier<String> details, long... same) {
        Lease[] lease = new Lease[1];
        collectives.during(Phase.COLLECTIVE_ALLOCATION, () -> {
            Failpoint.hit(Failpoint.ALLOCATION);
            long[] words = Arrays.copyOf(same, same.length + 2);
            words[same.length] = kind.code();
            words[same.length + 1] = bytes;
            collectives.requireSame(call, () -> details.get() + ", " + kind, words);
            lease[0] = on == Lease.EVERY_RANK ? tell(kind, 0, on, bytes, () -> heap.allocateGlobal(kind, bytes, true))
                    : tell(kind, on, on, bytes, () -> heap.allocateLocal(kind, rank, bytes, true));
            if (lease[0] == null) {
                throw heap.outOfMemory(call, kind, rank, bytes);
            }
        });
        return lease[0];
    }

    /** The allocation that rank {@code root} makes for all, or null, on every rank. */
    private Lease tell(MemoryKind kind, int root, int on, long bytes, Supplier<Lease> allocate) {
        Lease lease = tell(kind, root, on, bytes, rank == root ? allocate.get() : null);
        if (lease == null && checks.makeRoom(kind, bytes, () -> collectives.broadcastWords(root, new long[1]))) {
            lease = tell(kind, root, on, bytes, rank == root ? allocate.get() : null);
        }
        if (lease != null) {
            checks.allocated(lease, true);
        }
        return lease;
    }

    private Lease tell(MemoryKind kind, int root, int on, long bytes, Lease made) {
        long[] words = {made == null ? 0 : made.start(), made == null ? 0 : made.generation()};
        collectives.broadcastWords(root, words);
        return words[1] == 0 ? null : heap.learn(kind, on, words[0], bytes, words[1]);
    }

    SharedPointer globalAlloc(MemoryKind kind, long nblocks, long blockBytes) {
        long bytes = share("globalAlloc", kind, nblocks, blockBytes);
        Lease lease = alone("globalAlloc", kind, bytes, () -> heap.allocateGlobal(kind, bytes, false));
        return first(lease, kind, 0, blockBytes, 1);
    }

    @Override
    public SharedPointer allocate(MemoryKind kind, long bytes) {
        try {
            return globalAlloc(kind, ranks, bytes);
        } catch (SegmentMemoryException e) {
            return null;
        }
    }

    SharedPointer alloc(MemoryKind kind, long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("alloc of rank " + rank + ": bytes=" + bytes + " (expected: >= 0)");
        }
        return first(alone("alloc", kind, bytes, () -> heap.allocateLocal(kind, rank, bytes, false)), kind, rank, 0, 1);
    }

    private Lease alone(String call, MemoryKind kind, long bytes, Supplier<Lease> allocate) {
        Lease lease = allocate.get();
        if (lease == null && checks.makeRoom(kind, bytes, null)) {
            lease = allocate.get();
        }
        if (lease == null) {
            throw heap.outOfMemory(call, kind, rank, bytes);
        }
        checks.allocated(lease, false);
        return lease;
    }

    @Override
    public void free(SharedPointer pointer) {
        requireRank("free", pointer);
        checks.freeing(pointer);
        SharedHeap.Freed freed = heap.end(pointer, false);
        if (freed == null) {
            throw nothingThere("free", pointer);
        }
        checks.ended(freed, false);
    }

    private void requireRank(String call, SharedPointer pointer) {
        if (pointer.rank() >= ranks) {
            throw new IndexOutOfBoundsException(call + " of rank " + rank + ": rank out of range: rank=" + pointer.rank()
                    + " ranks=" + ranks);
        }
    }

    /** See {@link org.pgas4j.Memory#pointer(long...)}. */
    SharedPointer pointer(long[] words) {
        if (words.length != SharedPointer.WORDS || words[0] < 0 || words[0] >= MemoryKind.values().length
                || (int) words[1] != ranks || words[1] >>> 32 >= ranks || words[6] == 0) {
            throw new IllegalArgumentException("no pointer of this job: rank=" + rank + " ranks=" + ranks + " words="
                    + Arrays.toString(words));
        }
        MemoryKind kind = MemoryKind.ofCode(words[0]);
        int on = (int) (words[1] >>> 32);
        // First the parts alone: what they cannot be needs no question to the owner.
        SharedPointer plain = PgasUnsafe.pointer(kind, on, ranks, words[2], words[3], words[4], words[5]);
        Lease lease = heap.find(kind, on, words[6]);
        if (lease == null || lease.rank() != Lease.EVERY_RANK && lease.rank() != on) {
            throw new StalePointerException("pointer of rank " + rank + ": nothing lives with generation " + words[6] + " at "
                    + plain);
        }
        return PgasUnsafe.pointer(lease, kind, on, ranks, words[2], words[3], words[4], words[5]);
    }

    /** See {@link org.pgas4j.Memory#packing}. */
    PointerPacking packing(MemoryKind kind, long blockElements, long elementBytes) {
        return new HeapPacking(rank, ranks, heap, kind, blockElements, elementBytes);
    }

    /** After a barrier of the caller's. */
    void allFree(SharedPointer given) {
        if (given == null) {
            collectives.requireSame("allFree", () -> "null", -1, 0, 0, 0); // what no pointer has
            return;
        }
        requireRank("allFree", given);
        SharedPointer pointer = isOwnPart(given) ? given.onRank(0) : given;
        checks.freeingTogether(pointer);
        collectives.requireSame("allFree", () -> pointer + ", generation " + pointer.generation(), pointer.kind().code(),
                pointer.rank(), pointer.addrField(), pointer.generation());
        // Every rank ends its JVM's lease itself, so rank 0 has nobody to tell.
        boolean together = pointer.generation() != 0;
        if (together) {
            heap.forget(pointer.generation());
        }
        SharedHeap.Freed freed = rank == 0 ? heap.end(pointer, together) : null;
        if (freed != null) {
            checks.ended(freed, true);
        }
        long[] done = {freed != null ? 1 : 0};
        collectives.broadcastWords(0, done);
        if (done[0] == 0) {
            throw nothingThere("allFree", pointer);
        }
        checks.freedTogether();
    }

    /** True for this rank's part of memory that all ranks have a part of, as the pointer of a replicated array is. */
    private boolean isOwnPart(SharedPointer pointer) {
        Lease lease = PgasUnsafe.lease(pointer);
        return lease != null && lease.rank() == Lease.EVERY_RANK && pointer.blockElements() == 0 && pointer.rank() == rank;
    }

    private IllegalArgumentException nothingThere(String call, SharedPointer pointer) {
        return new IllegalArgumentException(call + " of rank " + rank + ": nothing is allocated at " + pointer
                + " (freed twice, or not the start of an allocation)");
    }

    /** Memory of a shared array: the pointer to its element 0, on this rank if replicated. */
    SharedPointer array(String call, MemoryKind kind, Layout layout, long elementBytes, long length) {
        if (elementBytes < 1 || length < 0 || length > Long.MAX_VALUE / elementBytes) {
            throw new IllegalArgumentException("element count out of range: count=" + length + " of " + elementBytes
                    + " bytes, " + call + " of rank " + rank + " (expected: 0.." + Long.MAX_VALUE / Math.max(1, elementBytes)
                    + " elements of 1 byte or more)");
        }
        long bytes = length * elementBytes;
        return switch (layout) {
            case Layout.OnRank on -> {
                if (on.rank() >= ranks) {
                    throw new IllegalArgumentException("layout on rank " + on.rank() + " of a job of " + ranks + " ranks");
                }
                yield first(together(call, kind, layout, on.rank(), elementBytes, length, on.rank(), bytes), kind, on.rank(), 0,
                        elementBytes);
            }
            case Layout.Replicated _ -> first(together(call, kind, layout, 0, elementBytes, length, Lease.EVERY_RANK, bytes),
                    kind, rank, 0, elementBytes);
            case Layout.Blocked blocked -> blocked(call, kind, layout, elementBytes, length, blocked.block());
            case Layout.Even _ -> blocked(call, kind, layout, elementBytes, length,
                    Math.max(1, Math.ceilDiv(length, (long) ranks)));
        };
    }

    private SharedPointer blocked(String call, MemoryKind kind, Layout layout, long elementBytes, long length, long block) {
        if (block > Long.MAX_VALUE / elementBytes) {
            throw new IllegalArgumentException("element count out of range: block=" + block + " of " + elementBytes
                    + " bytes, " + call + " of rank " + rank + " (expected: 0.." + Long.MAX_VALUE / elementBytes + ")");
        }
        long bytes = share(call, kind, Math.ceilDiv(length, block), block * elementBytes);
        return first(together(call, kind, layout, block, elementBytes, length, Lease.EVERY_RANK, bytes), kind, 0, block,
                elementBytes);
    }

    /** @param of the layout: its block or rank */
    private Lease together(String call, MemoryKind kind, Layout layout, long of, long elementBytes, long length, int on,
                           long bytes) {
        return together(call, kind, on, bytes, () -> layout + ", " + length + " elements", layout.getClass().getName().hashCode(),
                of, call.hashCode(), elementBytes, length);
    }

    /** Method of {@link org.pgas4j.Rank} that allocates such elements. */
    static String call(ElementType type) {
        String name = type.name();
        return "allAlloc" + name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT) + "s";
    }

    /** The pointer an array's memory is freed by. */
    SharedPointer allocation(Layout layout, SharedPointer base) {
        return layout instanceof Layout.Replicated ? base.onRank(0) : base;
    }
}
