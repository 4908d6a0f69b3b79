package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code float}. */
public final class SharedFloats extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Float.BYTES, Float.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedFloats(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.FLOAT, layout, length, base);
    }

    /** Element {@code index}, read from wherever it is. */
    public float get(long index) {
        owner().memget(cell, element(index), Float.BYTES);
        return cell.get(ElementType.LAYOUT_FLOAT, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when it is there. */
    public void put(long index, float value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_FLOAT, 0, value);
        owner().memput(element, cell, Float.BYTES);
    }
}
