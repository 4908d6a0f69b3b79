package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A shared array of {@code double}. */
public final class SharedDoubles extends SharedArray {

    private final MemorySegment cell;

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedDoubles(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.DOUBLE, layout, length, base);
        cell = Arena.ofAuto().allocate(Double.BYTES, Double.BYTES);
    }

    private SharedDoubles(SharedDoubles of, long from, long count) {
        super(of, from, count);
        cell = of.cell;
    }

    SharedDoubles(SharedDoubles of, KernelElements kernel) {
        super(of, kernel);
        cell = of.cell;
    }

    /** Element {@code index}, read from wherever it is. */
    public double get(long index) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return KernelMemory.all().get(ElementType.LAYOUT_DOUBLE, kernel.address(index, Double.BYTES));
        }
        owner().memget(cell, element(index), Double.BYTES);
        return cell.get(ElementType.LAYOUT_DOUBLE, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, double value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            KernelMemory.all().set(ElementType.LAYOUT_DOUBLE, kernel.address(index, Double.BYTES), value);
            return;
        }
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_DOUBLE, 0, value);
        owner().memput(element, cell, Double.BYTES);
    }

    /**
     * Adds to element {@code index} in one step, and returns what was there. In kernels only; elsewhere {@link Atomics#domain} has it.
     *
     * @throws IllegalStateException outside of kernels
     * @throws IndexOutOfBoundsException if the array has no such element
     */
    public double getAndAdd(long index, double value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return AtomicSums.add(KernelMemory.all(), kernel.address(index, Double.BYTES), value);
        }
        throw outsideKernels("getAndAdd");
    }

    /** As {@link #getAndAdd}, without a result. */
    public void addTo(long index, double value) {
        getAndAdd(index, value);
    }

    /**
     * Reads {@code into.length} elements from {@code from} on.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void get(long from, double[] into) {
        transfer(false, from, into.length, MemorySegment.ofArray(into));
    }

    /**
     * Writes all {@code values} to the elements from {@code from} on; they may be reused when it returns (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void put(long from, double[] values) {
        transfer(true, from, values.length, MemorySegment.ofArray(values));
    }

    /**
     * A view of {@code count} elements from {@code from} on, whose index 0 is element {@code from}. The array's owner frees the array,
     * never a slice.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public SharedDoubles slice(long from, long count) {
        return new SharedDoubles(this, from, count);
    }
}
