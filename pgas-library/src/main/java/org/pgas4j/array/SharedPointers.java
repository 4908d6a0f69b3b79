package org.pgas4j.array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;

/**
 * A shared array of shared pointers (UPC's {@code shared T *shared p[N]}) in host memory. An element that was not put is null.
 *
 * <table>
 * <caption>Two forms</caption>
 * <tr><th>made by</th><th>elements</th><th>an element</th></tr>
 * <tr><td>{@link #allocate}</td><td>any pointers of the job</td><td>{@link SharedPointer#words()}, 56 bytes; not read and written
 * in one step</td></tr>
 * <tr><td>{@link #into}</td><td>pointers to elements of one array</td><td>the index + 1, 8 bytes; atomic</td></tr>
 * </table>
 *
 * <p>Reads and writes are one-sided and ordered as those of other shared arrays. Used by the rank's thread.
 */
public final class SharedPointers implements AutoCloseable {

    private static final MemoryLayout WORDS = MemoryLayout.sequenceLayout(SharedPointer.WORDS, ValueLayout.JAVA_LONG);

    private final Rank rank;
    private final SharedArray target; // null for any
    private final SharedArray array;
    private final MemorySegment cell = Arena.ofAuto().allocate(WORDS);

    private SharedPointers(Rank rank, SharedArray target, SharedArray array) {
        this.rank = rank;
        this.target = target;
        this.array = array;
        array.local().segment().fill((byte) 0);
        rank.barrier();
    }

    /** Collective, and a barrier as well: an array of pointers to anything, all null. */
    public static SharedPointers allocate(Rank rank, Layout layout, long length) {
        try (Scope _ = rank.offDevice()) {
            return new SharedPointers(rank, null, rank.allAllocRecords(WORDS, layout, length));
        }
    }

    /**
     * Collective, and a barrier as well: an array of pointers to elements of {@code target}, all null.
     *
     * @param target the same on all ranks, not replicated; stays allocated as long as this array; may be a slice
     */
    public static SharedPointers into(Rank rank, SharedArray target, Layout layout, long length) {
        if (target.layout() instanceof Layout.Replicated) {
            throw new IllegalArgumentException("pointers of rank " + rank.rank() + " into " + target
                    + " (expected: an array that is not replicated, whose elements have one place)");
        }
        try (Scope _ = rank.offDevice()) {
            return new SharedPointers(rank, target, rank.allAllocLongs(layout, length));
        }
    }

    /** Number of elements. */
    public long length() {
        return array.length();
    }

    /** The rank that element {@code index} has affinity to, which need not be that of what it points to. */
    public int rankOf(long index) {
        return array.rankOf(index);
    }

    /** True if elements are read, written and swapped in one step among all ranks. */
    public boolean isAtomic() {
        return target != null;
    }

    /**
     * Pointer at {@code index}, or null. Of an array of any pointers, no rank may put the element at the same time.
     *
     * @throws org.pgas4j.StalePointerException if what it points to was freed
     */
    public SharedPointer get(long index) {
        if (target != null) {
            return unpacked(rank.atomics().get(word(index)));
        }
        ((SharedRecords) array).get(index, 1, cell);
        long[] words = new long[SharedPointer.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = cell.get(ElementType.LAYOUT_LONG, (long) i * Long.BYTES);
        }
        return words[1] == 0 ? null : rank.memory().pointer(words); // the number of ranks is part of it
    }

    /**
     * Puts a pointer, or null; local completion at return.
     *
     * @throws IllegalArgumentException if the elements are pointers into an array and it is none
     */
    public void put(long index, SharedPointer pointer) {
        if (target != null) {
            rank.atomics().set(word(index), packed("put", pointer));
            return;
        }
        long[] words = pointer == null ? new long[SharedPointer.WORDS] : pointer.words();
        for (int i = 0; i < words.length; i++) {
            cell.set(ElementType.LAYOUT_LONG, (long) i * Long.BYTES, words[i]);
        }
        ((SharedRecords) array).put(index, 1, cell);
    }

    /**
     * Puts a pointer, or null, and returns what was there, in one step among all ranks.
     *
     * @throws UnsupportedOperationException if {@link #isAtomic} is false
     */
    public SharedPointer swap(long index, SharedPointer pointer) {
        requireAtomic("swap");
        return unpacked(rank.atomics().swap(word(index), packed("swap", pointer)));
    }

    /**
     * Puts a pointer, or null, if {@code expected} is there, and returns what was there, in one step among all ranks.
     *
     * @throws UnsupportedOperationException if {@link #isAtomic} is false
     */
    public SharedPointer compareSwap(long index, SharedPointer expected, SharedPointer pointer) {
        requireAtomic("compareSwap");
        return unpacked(rank.atomics().compareSwap(word(index), packed("compareSwap", expected),
                packed("compareSwap", pointer)));
    }

    private void requireAtomic(String operation) {
        if (target == null) {
            throw new UnsupportedOperationException(operation + " of rank " + rank.rank() + " on " + this + ": a pointer "
                    + "to anything has " + SharedPointer.WORDS + " words, one fits an atomic operation; make the array by into()");
        }
    }

    private SharedPointer word(long index) {
        if (index >= array.length()) {
            throw new IndexOutOfBoundsException("element of " + this + ", rank " + rank.rank() + ": index=" + index + " length="
                    + array.length());
        }
        return array.pointer(index);
    }

    private SharedPointer unpacked(long word) {
        return word == 0 ? null : target.pointer(word - 1);
    }

    private long packed(String operation, SharedPointer pointer) {
        if (pointer == null) {
            return 0;
        }
        long index = pointer.minus(target.pointer()); // refuses pointers into other arrays
        if (index < 0 || index > target.length() || !target.pointer(index).equals(pointer)) {
            throw new IllegalArgumentException(operation + " of rank " + rank.rank() + ": " + pointer + " points to no element of "
                    + target);
        }
        return index + 1;
    }

    /**
     * Collective, and a barrier as well: frees the array, not what its elements point to. {@link ExceptionalExit On the way of
     * an exception} it does nothing.
     */
    @Override
    public void close() {
        if (!ExceptionalExit.isTaken()) {
            rank.allFree(array);
        }
    }

    @Override
    public String toString() {
        return "SharedPointers[" + array.length() + ", " + array.layout() + (target == null ? "" : ", into " + target) + "]";
    }
}
