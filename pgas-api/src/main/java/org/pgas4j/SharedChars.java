package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A shared array of {@code char}. */
public final class SharedChars extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Character.BYTES, Character.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedChars(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.CHAR, layout, length, base);
    }

    private SharedChars(SharedChars of, long from, long count) {
        super(of, from, count);
    }

    /** Element {@code index}, read from wherever it is. */
    public char get(long index) {
        owner().memget(cell, element(index), Character.BYTES);
        return cell.get(ValueLayout.JAVA_CHAR, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, char value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ValueLayout.JAVA_CHAR, 0, value);
        owner().memput(element, cell, Character.BYTES);
    }

    /**
     * Reads {@code into.length} elements from {@code from} on.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void get(long from, char[] into) {
        get(from, into.length, MemorySegment.ofArray(into));
    }

    /**
     * Writes all {@code values} to the elements from {@code from} on; they may be reused when it returns (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void put(long from, char[] values) {
        put(from, values.length, MemorySegment.ofArray(values));
    }

    /** As {@link SharedLongs#slice}. */
    public SharedChars slice(long from, long count) {
        return new SharedChars(this, from, count);
    }
}
