package org.pgas4j.array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.ElementType;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Layout;
import org.pgas4j.PointerPacking;
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
 * <caption>Three forms</caption>
 * <tr><th>made by</th><th>elements</th><th>an element</th></tr>
 * <tr><td>{@link #allocate}</td><td>any pointers of the job</td><td>{@link SharedPointer#words()}, 56 bytes; not read and written
 * in one step</td></tr>
 * <tr><td>{@link #packed}</td><td>pointers of one type, into any allocation</td><td>a word of a {@link PointerPacking}, 8 bytes;
 * atomic</td></tr>
 * <tr><td>{@link #into}</td><td>pointers to elements of one array</td><td>the index + 1, 8 bytes; atomic</td></tr>
 * </table>
 *
 * <p>Reads and writes are one-sided and ordered as those of other shared arrays. Used by the rank's thread.
 */
public final class SharedPointers implements AutoCloseable {

    private static final MemoryLayout WORDS = MemoryLayout.sequenceLayout(SharedPointer.WORDS, ValueLayout.JAVA_LONG);

    private final Rank rank;
    private final Words words; // null if an element is more than one
    private final SharedArray array;
    private final MemorySegment cell = Arena.ofAuto().allocate(WORDS);

    /** Pointers as single words; 0 is null. */
    private interface Words {

        /** @param operation for messages */
        long pack(String operation, SharedPointer pointer);

        SharedPointer unpack(long word);
    }

    private SharedPointers(Rank rank, Words words, SharedArray array) {
        this.rank = rank;
        this.words = words;
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
     * Collective, and a barrier as well: an array of pointers of the packing's type, all null.
     *
     * @param packing the same on all ranks, of {@link org.pgas4j.Memory#packing}; says what {@link #put} and {@link #get} refuse
     */
    public static SharedPointers packed(Rank rank, PointerPacking packing, Layout layout, long length) {
        try (Scope _ = rank.offDevice()) {
            return new SharedPointers(rank, new Packed(packing), rank.allAllocLongs(layout, length));
        }
    }

    private record Packed(PointerPacking packing) implements Words {

        @Override
        public long pack(String operation, SharedPointer pointer) {
            return packing.pack(pointer);
        }

        @Override
        public SharedPointer unpack(long word) {
            return packing.unpack(word);
        }

        @Override
        public String toString() {
            return packing.toString();
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
            return new SharedPointers(rank, new Indices(rank.rank(), target), rank.allAllocLongs(layout, length));
        }
    }

    private record Indices(int rank, SharedArray target) implements Words {

        @Override
        public long pack(String operation, SharedPointer pointer) {
            if (pointer == null) {
                return 0;
            }
            long index = pointer.minus(target.pointer()); // refuses pointers into other arrays
            if (index < 0 || index > target.length() || !target.pointer(index).equals(pointer)) {
                throw new IllegalArgumentException(operation + " of rank " + rank + ": " + pointer + " points to no element of "
                        + target);
            }
            return index + 1;
        }

        @Override
        public SharedPointer unpack(long word) {
            return word == 0 ? null : target.pointer(word - 1);
        }

        @Override
        public String toString() {
            return "into " + target;
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
        return words != null;
    }

    /**
     * Pointer at {@code index}, or null. Of an array of any pointers, no rank may put the element at the same time.
     *
     * @throws org.pgas4j.StalePointerException if what it points to was freed
     */
    public SharedPointer get(long index) {
        if (words != null) {
            return words.unpack(rank.atomics().get(word(index)));
        }
        ((SharedRecords) array).get(index, 1, cell);
        long[] parts = new long[SharedPointer.WORDS];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = cell.get(ElementType.LAYOUT_LONG, (long) i * Long.BYTES);
        }
        return parts[1] == 0 ? null : rank.memory().pointer(parts); // the number of ranks is part of it
    }

    /**
     * Puts a pointer, or null; local completion at return.
     *
     * @throws IllegalArgumentException if the elements are words, and it is no pointer of their type or into their array
     */
    public void put(long index, SharedPointer pointer) {
        if (words != null) {
            rank.atomics().set(word(index), words.pack("put", pointer));
            return;
        }
        long[] parts = pointer == null ? new long[SharedPointer.WORDS] : pointer.words();
        for (int i = 0; i < parts.length; i++) {
            cell.set(ElementType.LAYOUT_LONG, (long) i * Long.BYTES, parts[i]);
        }
        ((SharedRecords) array).put(index, 1, cell);
    }

    /**
     * Puts a pointer, or null, and returns what was there, in one step among all ranks.
     *
     * @throws UnsupportedOperationException    if {@link #isAtomic} is false
     * @throws org.pgas4j.StalePointerException if the memory of what was there was freed; the new pointer is there
     */
    public SharedPointer swap(long index, SharedPointer pointer) {
        requireAtomic("swap");
        return words.unpack(rank.atomics().swap(word(index), words.pack("swap", pointer)));
    }

    /**
     * Puts a pointer, or null, if {@code expected} is there, and returns what was there, in one step among all ranks.
     *
     * @throws UnsupportedOperationException    if {@link #isAtomic} is false
     * @throws org.pgas4j.StalePointerException if the memory of what was there was freed; if that is {@code expected}, the new
     *                                          pointer is there. The words of a {@link PointerPacking} themselves do not throw
     */
    public SharedPointer compareSwap(long index, SharedPointer expected, SharedPointer pointer) {
        requireAtomic("compareSwap");
        return words.unpack(rank.atomics().compareSwap(word(index), words.pack("compareSwap", expected),
                words.pack("compareSwap", pointer)));
    }

    private void requireAtomic(String operation) {
        if (words == null) {
            throw new UnsupportedOperationException(operation + " of rank " + rank.rank() + " on " + this + ": a pointer "
                    + "to anything has " + SharedPointer.WORDS + " words, one fits an atomic operation; make the array by packed() "
                    + "or into()");
        }
    }

    private SharedPointer word(long index) {
        if (index >= array.length()) {
            throw new IndexOutOfBoundsException("element of " + this + ", rank " + rank.rank() + ": index=" + index + " length="
                    + array.length());
        }
        return array.pointer(index);
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
        return "SharedPointers[" + array.length() + ", " + array.layout() + (words == null ? "" : ", " + words) + "]";
    }
}
