package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code double}. */
public final class SharedDoubles extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Double.BYTES, Double.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedDoubles(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.DOUBLE, layout, length, base);
    }

    /** Element {@code index}, read from wherever it is. */
    public double get(long index) {
        owner().memget(cell, element(index), Double.BYTES);
        return cell.get(ElementType.LAYOUT_DOUBLE, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when it is there. */
    public void put(long index, double value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_DOUBLE, 0, value);
        owner().memput(element, cell, Double.BYTES);
    }
}
