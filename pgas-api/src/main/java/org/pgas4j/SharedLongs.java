package org.pgas4j;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernel.LongKernel;

/** A shared array of {@code long}. */
public final class SharedLongs extends SharedArray {

    private final MemorySegment cell;

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with this type's element size
     */
    public SharedLongs(Rank owner, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.LONG, layout, length, base);
        cell = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    }

    private SharedLongs(SharedLongs of, long from, long count) {
        super(of, from, count);
        cell = of.cell;
    }

    SharedLongs(SharedLongs of, KernelElements kernel) {
        super(of, kernel);
        cell = of.cell;
    }

    /** Element {@code index}, read from wherever it is. */
    public long get(long index) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return KernelMemory.all().get(ElementType.LAYOUT_LONG, kernel.address(index, Long.BYTES));
        }
        owner().memget(cell, element(index), Long.BYTES);
        return cell.get(ElementType.LAYOUT_LONG, 0);
    }

    /** Writes element {@code index}, wherever it is; returns when the value may be reused (local completion). */
    public void put(long index, long value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            KernelMemory.all().set(ElementType.LAYOUT_LONG, kernel.address(index, Long.BYTES), value);
            return;
        }
        SharedPointer element = element(index); // throws in another thread, before the cell is touched
        cell.set(ElementType.LAYOUT_LONG, 0, value);
        owner().memput(element, cell, Long.BYTES);
    }

    /**
     * Adds to element {@code index} in one step among all that {@link Atomics} names, and returns what was there. Complete at
     * the owner when it returns, and ordered as there. It wraps. The calling processor does it by itself where {@link AtomicDomain#isFast}
     * is true.
     *
     * @throws IllegalStateException in another thread than the rank's
     * @throws IndexOutOfBoundsException if the array has no such element
     */
    public long getAndAdd(long index, long value) {
        KernelElements kernel = kernel();
        if (kernel != null) {
            return AtomicElements.add(KernelMemory.all(), kernel.address(index, Long.BYTES), value);
        }
        return owner().atomics().fetchAdd(element(index), value);
    }

    /** As {@link #getAndAdd}, without a result; complete at the owner as well when it returns. */
    public void addTo(long index, long value) {
        getAndAdd(index, value);
    }

    /**
     * Reads {@code into.length} elements from {@code from} on.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void get(long from, long[] into) {
        get(from, into.length, MemorySegment.ofArray(into));
    }

    /**
     * Writes all {@code values} to the elements from {@code from} on; they may be reused when it returns (local completion).
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public void put(long from, long[] values) {
        put(from, values.length, MemorySegment.ofArray(values));
    }

    /**
     * Sets each element to the combination of the values of {@code body} for all indices up to its own, by kernels on the devices
     * of all ranks, behind what is queued on {@code stream}. Collective, and a barrier at its end: then all elements are written.
     * Each rank does the indices of its own elements, if they are one run; else a part of all, for which its device must reach the
     * other ranks' memory. The body may read this array at its own index alone.
     *
     * @param op any; the logical ones make 0 and 1 of all values
     */
    public void scan(Stream stream, ReduceOp op, LongKernel body) {
        stream.scan(this, op, false, body);
        owner().barrier();
    }

    /**
     * As {@link #scan(Stream, ReduceOp, LongKernel)}, of the indices below each; element 0 becomes the neutral value of {@code op}.
     */
    public void scanExclusive(Stream stream, ReduceOp op, LongKernel body) {
        stream.scan(this, op, true, body);
        owner().barrier();
    }

    /**
     * As {@link #scan(Stream, ReduceOp, LongKernel)}, of the elements of an array, by an operation of the program.
     *
     * @param of of this array's length; may be this array
     */
    public void scan(Stream stream, SharedLongs of, LongCombiner op) {
        stream.scan(this, of, false, 0, op);
        owner().barrier();
    }

    /** As {@link #scan(Stream, SharedLongs, LongCombiner)}, of the indices below each; element 0 becomes {@code first}. */
    public void scanExclusive(Stream stream, SharedLongs of, long first, LongCombiner op) {
        stream.scan(this, of, true, first, op);
        owner().barrier();
    }

    /**
     * A view of {@code count} elements from {@code from} on, whose index 0 is element {@code from}. The array's owner frees the array,
     * never a slice.
     *
     * @throws IndexOutOfBoundsException if they are not all in this array
     */
    public SharedLongs slice(long from, long count) {
        return new SharedLongs(this, from, count);
    }
}
