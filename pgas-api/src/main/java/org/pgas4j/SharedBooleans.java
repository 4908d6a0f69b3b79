package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A shared array of {@code boolean}, a byte each: 0 is false. */
public final class SharedBooleans extends SharedArray {

    private final MemorySegment cell = Arena.ofAuto().allocate(Byte.BYTES, Byte.BYTES);

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedBooleans(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.BYTE, layout, length, base);
    }

    private SharedBooleans(SharedBooleans of, long from, long count) {
        super(of, from, count);
    }

    /** Element {@code index}, read from wherever it is. */
    public boolean get(long index) {
        owner().memget(cell, element(index), Byte.BYTES);
        return cell.get(ValueLayout.JAVA_BYTE, 0) != 0;
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, boolean value) {
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ValueLayout.JAVA_BYTE, 0, (byte) (value ? 1 : 0));
        owner().memput(element, cell, Byte.BYTES);
    }

    /** As {@link SharedLongs#get(long, long[])}. */
    public void get(long from, boolean[] into) {
        byte[] bytes = new byte[into.length];
        get(from, bytes.length, MemorySegment.ofArray(bytes));
        for (int i = 0; i < bytes.length; i++) {
            into[i] = bytes[i] != 0;
        }
    }

    /** As {@link SharedLongs#put(long, long[])}. */
    public void put(long from, boolean[] values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (values[i] ? 1 : 0);
        }
        put(from, bytes.length, MemorySegment.ofArray(bytes));
    }

    /** As {@link SharedLongs#slice}. */
    public SharedBooleans slice(long from, long count) {
        return new SharedBooleans(this, from, count);
    }
}
