package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A shared array of {@code short}; also of 16-bit floats, which {@link Float#floatToFloat16} and {@link Bfloat16} convert. */
public final class SharedShorts extends SharedArray {

    private final MemorySegment cell;

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedShorts(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.SHORT, layout, length, base);
        cell = Arena.ofAuto().allocate(Short.BYTES, Short.BYTES);
    }

    private SharedShorts(SharedShorts of, long from, long count) {
        super(of, from, count);
        cell = of.cell;
    }

    SharedShorts(SharedShorts of, KernelElements kernel) {
        super(of, kernel);
        cell = of.cell;
    }

    /** Element {@code index}, read from wherever it is. */
    public short get(long index) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return KernelMemory.all().get(ValueLayout.JAVA_SHORT, kernel.address(index, Short.BYTES));
        }
        owner().memget(cell, element(index), Short.BYTES);
        return cell.get(ValueLayout.JAVA_SHORT, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, short value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            KernelMemory.all().set(ValueLayout.JAVA_SHORT, kernel.address(index, Short.BYTES), value);
            return;
        }
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ValueLayout.JAVA_SHORT, 0, value);
        owner().memput(element, cell, Short.BYTES);
    }

    /**
     * Reads {@code into.length} elements from {@code from} on.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void get(long from, short[] into) {
        get(from, into.length, MemorySegment.ofArray(into));
    }

    /**
     * Writes all {@code values} to the elements from {@code from} on; they may be reused when it returns (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void put(long from, short[] values) {
        put(from, values.length, MemorySegment.ofArray(values));
    }

    /** As {@link SharedLongs#slice}. */
    public SharedShorts slice(long from, long count) {
        return new SharedShorts(this, from, count);
    }
}
