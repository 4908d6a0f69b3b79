package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code byte}. */
public final class SharedBytes extends SharedArray {

    private final MemorySegment cell;

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedBytes(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.BYTE, layout, length, base);
        cell = Arena.ofAuto().allocate(Byte.BYTES, Byte.BYTES);
    }

    private SharedBytes(SharedBytes of, long from, long count) {
        super(of, from, count);
        cell = of.cell;
    }

    SharedBytes(SharedBytes of, KernelElements kernel) {
        super(of, kernel);
        cell = of.cell;
    }

    /** Element {@code index}, read from wherever it is. */
    public byte get(long index) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return KernelMemory.all().get(java.lang.foreign.ValueLayout.JAVA_BYTE, kernel.address(index, Byte.BYTES));
        }
        owner().memget(cell, element(index), Byte.BYTES);
        return cell.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, byte value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            KernelMemory.all().set(java.lang.foreign.ValueLayout.JAVA_BYTE, kernel.address(index, Byte.BYTES), value);
            return;
        }
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, value);
        owner().memput(element, cell, Byte.BYTES);
    }

    /**
     * Reads {@code into.length} elements from {@code from} on.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void get(long from, byte[] into) {
        get(from, into.length, MemorySegment.ofArray(into));
    }

    /**
     * Writes all {@code values} to the elements from {@code from} on; they may be reused when it returns (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void put(long from, byte[] values) {
        put(from, values.length, MemorySegment.ofArray(values));
    }

    /**
     * A view of {@code count} elements from {@code from} on, whose index 0 is element {@code from}. The array's owner frees the array,
     * never a slice.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public SharedBytes slice(long from, long count) {
        return new SharedBytes(this, from, count);
    }
}
