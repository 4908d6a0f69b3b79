package org.pgas4j;

/** Elements of a global array of {@code float}, by their coordinates. */
public final class GlobalFloats extends GlobalElements {

    /** Made by the array. */
    public GlobalFloats(Rank owner, GlobalPlace place) {
        super(owner, ElementType.FLOAT, place);
    }

    GlobalFloats(GlobalFloats of, long... addresses) {
        super(of, addresses);
    }

    private float get(int given, long i, long j, long k) {
        return isInKernel() ? KernelMemory.all().get(ElementType.LAYOUT_FLOAT, address(given, i, j, k))
                : read(given, i, j, k).get(ElementType.LAYOUT_FLOAT, 0);
    }

    private void put(int given, long i, long j, long k, float value) {
        if (isInKernel()) {
            KernelMemory.all().set(ElementType.LAYOUT_FLOAT, address(given, i, j, k), value);
            return;
        }
        cell().set(ElementType.LAYOUT_FLOAT, 0, value);
        write(given, i, j, k);
    }

    private float getAndAdd(int given, long i, long j, long k, float value) {
        if (!isInKernel()) {
            throw outsideKernels("getAndAdd");
        }
        return AtomicElements.add(KernelMemory.all(), address(given, i, j, k), value);
    }

    private float atomic(int given, long i, long j, long k, AtomicOp op, float value) {
        if (!isInKernel()) {
            throw outsideKernels("atomic");
        }
        return AtomicElements.apply(KernelMemory.all(), address(given, i, j, k), op, value);
    }

    /**
     * Element of an array of one dimension, read from wherever it is.
     *
     * @throws IndexOutOfBoundsException if the array has no such element, or another number of dimensions; so do all of these
     */
    public float get(long i) {
        return get(1, 0, 0, i);
    }

    /** Writes an element of an array of one dimension; returns when the value may be reused (local completion). */
    public void put(long i, float value) {
        put(1, 0, 0, i, value);
    }

    /**
     * Adds to an element in one step, and returns what was there. In kernels only.
     *
     * @throws IllegalStateException outside of kernels
     */
    public float getAndAdd(long i, float value) {
        return getAndAdd(1, 0, 0, i, value);
    }

    /** As {@link #getAndAdd(long, float)}, without a result. */
    public void addTo(long i, float value) {
        getAndAdd(1, 0, 0, i, value);
    }

    /**
     * Performs an operation on an element in one step among all devices, and returns what was there. Relaxed: it orders
     * no other access; {@code VarHandle.releaseFence()} before it and {@code acquireFence()} after it do. In kernels only.
     *
     * @param op    a constant: all but {@code COMPARE_SWAP} and those of integers alone; a launch with another is refused
     * @param value of no meaning for {@code GET}
     * @throws IllegalStateException outside of kernels
     */
    public float atomic(long i, AtomicOp op, float value) {
        return atomic(1, 0, 0, i, op, value);
    }

    /** Element of an array of two dimensions, read from wherever it is. */
    public float get(long i, long j) {
        return get(2, 0, i, j);
    }

    /** Writes an element of an array of two dimensions; returns when the value may be reused (local completion). */
    public void put(long i, long j, float value) {
        put(2, 0, i, j, value);
    }

    /** As {@link #getAndAdd(long, float)}, of an array of two dimensions. */
    public float getAndAdd(long i, long j, float value) {
        return getAndAdd(2, 0, i, j, value);
    }

    /** As {@link #getAndAdd(long, long, float)}, without a result. */
    public void addTo(long i, long j, float value) {
        getAndAdd(2, 0, i, j, value);
    }

    /** As {@link #atomic(long, AtomicOp, float)}, of an array of two dimensions. */
    public float atomic(long i, long j, AtomicOp op, float value) {
        return atomic(2, 0, i, j, op, value);
    }

    /** Element of an array of three dimensions, read from wherever it is. */
    public float get(long i, long j, long k) {
        return get(3, i, j, k);
    }

    /** Writes an element of an array of three dimensions; returns when the value may be reused (local completion). */
    public void put(long i, long j, long k, float value) {
        put(3, i, j, k, value);
    }

    /** As {@link #getAndAdd(long, float)}, of an array of three dimensions. */
    public float getAndAdd(long i, long j, long k, float value) {
        return getAndAdd(3, i, j, k, value);
    }

    /** As {@link #getAndAdd(long, long, long, float)}, without a result. */
    public void addTo(long i, long j, long k, float value) {
        getAndAdd(3, i, j, k, value);
    }

    /** As {@link #atomic(long, AtomicOp, float)}, of an array of three dimensions. */
    public float atomic(long i, long j, long k, AtomicOp op, float value) {
        return atomic(3, i, j, k, op, value);
    }
}
