package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code int}. */
public final class SharedInts extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Integer.BYTES, Integer.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedInts(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.INT, layout, length, base);
    }

    /** Element {@code index}, read from wherever it is. */
    public int get(long index) {
        owner().memget(cell, element(index), Integer.BYTES);
        return cell.get(ElementType.LAYOUT_INT, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when it is there. */
    public void put(long index, int value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_INT, 0, value);
        owner().memput(element, cell, Integer.BYTES);
    }
}
