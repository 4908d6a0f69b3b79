package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code float}. */
public final class SharedFloats extends SharedArray {

    private final MemorySegment cell;

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedFloats(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.FLOAT, layout, length, base);
        cell = Arena.ofAuto().allocate(Float.BYTES, Float.BYTES);
    }

    private SharedFloats(SharedFloats of, long from, long count) {
        super(of, from, count);
        cell = of.cell;
    }

    SharedFloats(SharedFloats of, KernelElements kernel) {
        super(of, kernel);
        cell = of.cell;
    }

    /** Element {@code index}, read from wherever it is. */
    public float get(long index) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return KernelMemory.all().get(ElementType.LAYOUT_FLOAT, kernel.address(index, Float.BYTES));
        }
        owner().memget(cell, element(index), Float.BYTES);
        return cell.get(ElementType.LAYOUT_FLOAT, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, float value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            KernelMemory.all().set(ElementType.LAYOUT_FLOAT, kernel.address(index, Float.BYTES), value);
            return;
        }
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_FLOAT, 0, value);
        owner().memput(element, cell, Float.BYTES);
    }

    /**
     * Adds to element {@code index} in one step among all that {@link Atomics} names, and returns what was there. Complete at
     * the owner when it returns, and ordered as there. The calling processor does it by itself where {@link AtomicDomain#isFast}
     * is true.
     *
     * @throws IllegalStateException in another thread than the rank's
     * @throws IndexOutOfBoundsException if the array has no such element
     */
    public float getAndAdd(long index, float value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return AtomicElements.add(KernelMemory.all(), kernel.address(index, Float.BYTES), value);
        }
        return owner().atomics().fetchAddFloat(element(index), value);
    }

    /** As {@link #getAndAdd}, without a result; complete at the owner as well when it returns. */
    public void addTo(long index, float value) {
        getAndAdd(index, value);
    }

    /**
     * Reads {@code into.length} elements from {@code from} on.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void get(long from, float[] into) {
        get(from, into.length, MemorySegment.ofArray(into));
    }

    /**
     * Writes all {@code values} to the elements from {@code from} on; they may be reused when it returns (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void put(long from, float[] values) {
        put(from, values.length, MemorySegment.ofArray(values));
    }

    /**
     * A view of {@code count} elements from {@code from} on, whose index 0 is element {@code from}. The array's owner frees the array,
     * never a slice.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public SharedFloats slice(long from, long count) {
        return new SharedFloats(this, from, count);
    }
}
