package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * An array spread over the ranks, indexable by all of them. Every operation is one-sided; the object belongs to the
 * rank that allocated it. Elements are read and written by its thread only: in another thread, such as one of a parallel
 * stream, {@code get} and {@code put} throw an {@link IllegalStateException}. Threads of the program's own compute on
 * {@link #local()}, or on arrays that {@link Rank#memget(java.lang.foreign.MemorySegment, SharedPointer, long)} has filled.
 */
public abstract sealed class SharedArray permits SharedFloats, SharedDoubles, SharedInts, SharedLongs, SharedBytes {

    /** Body of {@link #forAllLocal(IndexBody)}. */
    @FunctionalInterface
    public interface IndexBody {
        void at(long index);
    }

    private final Rank owner;
    private final Thread thread = Thread.currentThread();
    private final ElementType type;
    private final Layout layout;
    private final long length;
    private final SharedPointer base;
    private final long start; // of a slice: its first element in the whole array

    SharedArray(Rank owner, ElementType type, Layout layout, long length, SharedPointer base) {
        this.owner = owner;
        this.type = type;
        this.layout = layout;
        this.length = length;
        this.base = base;
        this.start = 0;
    }

    /** A slice of an array, or of a slice. */
    SharedArray(SharedArray of, long from, long count) {
        Objects.checkFromIndexSize(from, count, of.length);
        this.owner = of.owner;
        this.type = of.type;
        this.layout = of.layout;
        this.length = count;
        this.base = of.base;
        this.start = of.start + from;
    }

    /** Element type. */
    public final ElementType type() {
        return type;
    }

    /** Distribution of the elements over the ranks; of a slice that of the whole array. */
    public final Layout layout() {
        return layout;
    }

    /** Number of elements; of one copy if replicated. */
    public final long length() {
        return length;
    }

    /** HOST or DEVICE. */
    public final MemoryKind kind() {
        return base.kind();
    }

    /** The rank whose view this is. */
    protected final Rank owner() {
        return owner;
    }

    /** Pointer to element 0; the caller's own copy if replicated. */
    public final SharedPointer pointer() {
        return start == 0 ? base : base.plus(start);
    }

    /**
     * Pointer to an element.
     *
     * @param index 0..length; length itself is one past the end
     */
    public final SharedPointer pointer(long index) {
        if (index < 0 || index > length) {
            throw outOfBounds(index);
        }
        return base.plus(start + index);
    }

    /** The rank that element {@code index} has affinity to. */
    public final int rankOf(long index) {
        return pointer(Objects.checkIndex(index, length)).rank();
    }

    /** Number of elements with affinity to {@code rank}. */
    public final long lengthOn(int rank) {
        return before(start + length, rank) - before(start, rank);
    }

    /** Number of elements with affinity to a rank among the first {@code count} of the whole array. */
    private long before(long count, int rank) {
        return switch (layout) {
            case Layout.Replicated _ -> count;
            case Layout.OnRank on -> on.rank() == rank ? count : 0;
            case Layout.Blocked _, Layout.Even _ -> SharedPointer.affinityBytes(type.bytes(count),
                    type.bytes(base.blockElements()), base.ranks(), rank) / type.bytes();
        };
    }

    /** This rank's elements, contiguous in memory in index order. */
    public final Buffer local() {
        int rank = owner.rank();
        long mine = lengthOn(rank);
        if (layout instanceof Layout.OnRank && mine == 0) {
            return Buffer.ofHost(MemorySegment.NULL, type);
        }
        long skipped = before(start, rank);
        return owner.memory().local(base.resetPhase().onRank(rank), type, skipped + mine).slice(skipped, mine);
    }

    /** Calls {@code body} with every index that has affinity to this rank, in ascending order ({@code upc_forall}). */
    public final void forAllLocal(IndexBody body) {
        switch (layout) {
            case Layout.Replicated _ -> forRange(0, length, body);
            case Layout.OnRank on -> forRange(0, on.rank() == owner.rank() ? length : 0, body);
            case Layout.Blocked _, Layout.Even _ -> {
                long block = base.blockElements();
                long stride = Math.multiplyExact(block, (long) base.ranks());
                long end = start + length;
                long round = start / stride * stride;
                for (long first = round + owner.rank() * block; first < end && first >= 0; first += stride) {
                    forRange(Math.max(0, first - start), Math.min(end, first + block) - start, body);
                    if (first > Long.MAX_VALUE - stride) {
                        return;
                    }
                }
            }
        }
    }

    private static void forRange(long from, long to, IndexBody body) {
        for (long index = from; index < to; index++) {
            body.at(index);
        }
    }

    /**
     * A pointer to {@code index}, which must be an element, for the rank's thread to read or write it.
     *
     * @throws IllegalStateException in another thread
     */
    protected final SharedPointer element(long index) {
        OwnThread.require(thread, owner.rank(), this, "; let other threads work on local(), or on what memget() has copied");
        if (index < 0 || index >= length) {
            throw outOfBounds(index);
        }
        return base.plus(start + index);
    }

    /**
     * Copies elements between the array and local host memory, a transfer for each run of elements that is contiguous on a rank.
     *
     * @param index first element
     * @param local memory of {@code count} elements from its start on
     */
    final void transfer(boolean put, long index, long count, MemorySegment local) {
        if (index < 0 || count < 0 || index > length - count) {
            throw new IndexOutOfBoundsException("elements out of bounds: rank=" + owner.rank() + " array=" + this + " index=" + index
                    + " count=" + count + " length=" + length);
        }
        long block = base.blockElements();
        boolean contiguous = block == 0 || layout instanceof Layout.Replicated || layout instanceof Layout.OnRank;
        for (long done = 0; done < count; ) {
            long at = start + index + done;
            long run = contiguous ? count - done : Math.min(count - done, block - at % block);
            SharedPointer element = element(index + done);
            MemorySegment part = local.asSlice(type.bytes(done), type.bytes(run));
            if (put) {
                owner.memput(element, part, part.byteSize());
            } else {
                owner.memget(part, element, part.byteSize());
            }
            done += run;
        }
    }

    private IndexOutOfBoundsException outOfBounds(long index) {
        return new IndexOutOfBoundsException("index out of bounds: rank=" + owner.rank() + " array=" + this + " index="
                + index + " length=" + length);
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + length + ", " + layout + ", " + base.kind() + "]";
    }
}
