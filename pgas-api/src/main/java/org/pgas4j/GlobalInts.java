package org.pgas4j;

/** Elements of a global array of {@code int}, by their coordinates. */
public final class GlobalInts extends GlobalElements {

    /** Made by the array. */
    public GlobalInts(Rank owner, GlobalPlace place) {
        super(owner, ElementType.INT, place);
    }

    GlobalInts(GlobalInts of, long... addresses) {
        super(of, addresses);
    }

    private int get(int given, long i, long j, long k) {
        return isInKernel() ? KernelMemory.all().get(ElementType.LAYOUT_INT, address(given, i, j, k))
                : read(given, i, j, k).get(ElementType.LAYOUT_INT, 0);
    }

    private void put(int given, long i, long j, long k, int value) {
        if (isInKernel()) {
            KernelMemory.all().set(ElementType.LAYOUT_INT, address(given, i, j, k), value);
            return;
        }
        cell().set(ElementType.LAYOUT_INT, 0, value);
        write(given, i, j, k);
    }

    private int getAndAdd(int given, long i, long j, long k, int value) {
        if (!isInKernel()) {
            throw outsideKernels("getAndAdd");
        }
        return AtomicElements.add(KernelMemory.all(), address(given, i, j, k), value);
    }

    private int atomic(int given, long i, long j, long k, AtomicOp op, int value) {
        if (!isInKernel()) {
            throw outsideKernels("atomic");
        }
        return AtomicElements.apply(KernelMemory.all(), address(given, i, j, k), op, value);
    }

    private int compareAndExchange(int given, long i, long j, long k, int expected, int value) {
        if (!isInKernel()) {
            throw outsideKernels("compareAndExchange");
        }
        return AtomicElements.compareAndExchange(KernelMemory.all(), address(given, i, j, k), expected, value);
    }

    /**
     * Element of an array of one dimension, read from wherever it is.
     *
     * @throws IndexOutOfBoundsException if the array has no such element, or another number of dimensions; so do all of these
     */
    public int get(long i) {
        return get(1, 0, 0, i);
    }

    /** Writes an element of an array of one dimension; returns when the value may be reused (local completion). */
    public void put(long i, int value) {
        put(1, 0, 0, i, value);
    }

    /**
     * Adds to an element in one step, and returns what was there. In kernels only.
     *
     * @throws IllegalStateException outside of kernels
     */
    public int getAndAdd(long i, int value) {
        return getAndAdd(1, 0, 0, i, value);
    }

    /** As {@link #getAndAdd(long, int)}, without a result. */
    public void addTo(long i, int value) {
        getAndAdd(1, 0, 0, i, value);
    }

    /**
     * Performs an operation on an element in one step among all devices, and returns what was there. Relaxed: it orders
     * no other access; {@code VarHandle.releaseFence()} before it and {@code acquireFence()} after it do. In kernels only.
     *
     * @param op    a constant: all but {@code COMPARE_SWAP}; a launch with another is refused
     * @param value of no meaning for {@code GET}
     * @throws IllegalStateException outside of kernels
     */
    public int atomic(long i, AtomicOp op, int value) {
        return atomic(1, 0, 0, i, op, value);
    }

    /**
     * Writes {@code value} if the element is {@code expected}, in one step, and returns what was there. Order and errors as of
     * {@link #atomic(long, AtomicOp, int)}. In kernels only.
     */
    public int compareAndExchange(long i, int expected, int value) {
        return compareAndExchange(1, 0, 0, i, expected, value);
    }

    /** Element of an array of two dimensions, read from wherever it is. */
    public int get(long i, long j) {
        return get(2, 0, i, j);
    }

    /** Writes an element of an array of two dimensions; returns when the value may be reused (local completion). */
    public void put(long i, long j, int value) {
        put(2, 0, i, j, value);
    }

    /** As {@link #getAndAdd(long, int)}, of an array of two dimensions. */
    public int getAndAdd(long i, long j, int value) {
        return getAndAdd(2, 0, i, j, value);
    }

    /** As {@link #getAndAdd(long, long, int)}, without a result. */
    public void addTo(long i, long j, int value) {
        getAndAdd(2, 0, i, j, value);
    }

    /** As {@link #atomic(long, AtomicOp, int)}, of an array of two dimensions. */
    public int atomic(long i, long j, AtomicOp op, int value) {
        return atomic(2, 0, i, j, op, value);
    }

    /** As {@link #compareAndExchange(long, int, int)}, of an array of two dimensions. */
    public int compareAndExchange(long i, long j, int expected, int value) {
        return compareAndExchange(2, 0, i, j, expected, value);
    }

    /** Element of an array of three dimensions, read from wherever it is. */
    public int get(long i, long j, long k) {
        return get(3, i, j, k);
    }

    /** Writes an element of an array of three dimensions; returns when the value may be reused (local completion). */
    public void put(long i, long j, long k, int value) {
        put(3, i, j, k, value);
    }

    /** As {@link #getAndAdd(long, int)}, of an array of three dimensions. */
    public int getAndAdd(long i, long j, long k, int value) {
        return getAndAdd(3, i, j, k, value);
    }

    /** As {@link #getAndAdd(long, long, long, int)}, without a result. */
    public void addTo(long i, long j, long k, int value) {
        getAndAdd(3, i, j, k, value);
    }

    /** As {@link #atomic(long, AtomicOp, int)}, of an array of three dimensions. */
    public int atomic(long i, long j, long k, AtomicOp op, int value) {
        return atomic(3, i, j, k, op, value);
    }

    /** As {@link #compareAndExchange(long, int, int)}, of an array of three dimensions. */
    public int compareAndExchange(long i, long j, long k, int expected, int value) {
        return compareAndExchange(3, i, j, k, expected, value);
    }
}
