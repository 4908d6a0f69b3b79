package org.pgas4j.array;

import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/**
 * A view of {@link SharedPointers} whose accesses are strict, in the order that {@link Strict} describes, with its accesses as
 * well (UPC's {@code strict shared} pointers). Each is fenced on both sides, and a write is at its owner when it returns. Used by
 * the rank's thread.
 */
public final class StrictPointers {

    private final Rank rank;
    private final SharedPointers pointers;

    private StrictPointers(Rank rank, SharedPointers pointers) {
        this.rank = rank;
        this.pointers = pointers;
    }

    /**
     * The strict view of an array of pointers that are single words: of one type or into one array, not to anything.
     *
     * @throws IllegalArgumentException if {@link SharedPointers#isAtomic} is false
     */
    public static StrictPointers of(Rank rank, SharedPointers pointers) {
        if (!pointers.isAtomic()) {
            throw new IllegalArgumentException("strict view by rank " + rank.rank() + " of " + pointers + ": a pointer to "
                    + "anything has " + SharedPointer.WORDS + " words (expected: an array made by packed() or into())");
        }
        return new StrictPointers(rank, pointers);
    }

    /** Pointer at {@code index}, or null; as {@link SharedPointers#get}. */
    public SharedPointer get(long index) {
        rank.fence();
        SharedPointer pointer = pointers.get(index);
        rank.fence();
        return pointer;
    }

    /** Puts a pointer, or null, as {@link SharedPointers#put}; at its owner when it returns. */
    public void put(long index, SharedPointer pointer) {
        rank.fence();
        pointers.put(index, pointer);
        rank.fence();
    }

    /** Puts a pointer, or null, and returns what was there, in one step; as {@link SharedPointers#swap}. */
    public SharedPointer swap(long index, SharedPointer pointer) {
        rank.fence();
        SharedPointer before = pointers.swap(index, pointer);
        rank.fence();
        return before;
    }

    /** Puts a pointer, or null, if {@code expected} is there, and returns what was; as {@link SharedPointers#compareSwap}. */
    public SharedPointer compareSwap(long index, SharedPointer expected, SharedPointer pointer) {
        rank.fence();
        SharedPointer before = pointers.compareSwap(index, expected, pointer);
        rank.fence();
        return before;
    }

    @Override
    public String toString() {
        return "StrictPointers[" + pointers + "]";
    }
}
