package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code long}. */
public final class SharedLongs extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedLongs(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.LONG, layout, length, base);
    }

    /** Element {@code index}, read from wherever it is. */
    public long get(long index) {
        owner().memget(cell, element(index), Long.BYTES);
        return cell.get(ElementType.LAYOUT_LONG, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when it is there. */
    public void put(long index, long value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_LONG, 0, value);
        owner().memput(element, cell, Long.BYTES);
    }
}
