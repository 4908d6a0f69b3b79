package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code byte}. */
public final class SharedBytes extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Byte.BYTES, Byte.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedBytes(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.BYTE, layout, length, base);
    }

    /** Element {@code index}, read from wherever it is. */
    public byte get(long index) {
        owner().memget(cell, element(index), Byte.BYTES);
        return cell.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when it is there. */
    public void put(long index, byte value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, value);
        owner().memput(element, cell, Byte.BYTES);
    }
}
