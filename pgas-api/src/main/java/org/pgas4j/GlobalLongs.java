package org.pgas4j;

/** Elements of a global array of {@code long}, by their coordinates. */
public final class GlobalLongs extends GlobalElements {

    /** Made by the array. */
    public GlobalLongs(Rank owner, GlobalPlace place) {
        super(owner, ElementType.LONG, place);
    }

    GlobalLongs(GlobalLongs of, long... addresses) {
        super(of, addresses);
    }

    private long get(int given, long i, long j, long k) {
        return isInKernel() ? KernelMemory.all().get(ElementType.LAYOUT_LONG, address(given, i, j, k))
                : read(given, i, j, k).get(ElementType.LAYOUT_LONG, 0);
    }

    private void put(int given, long i, long j, long k, long value) {
        if (isInKernel()) {
            KernelMemory.all().set(ElementType.LAYOUT_LONG, address(given, i, j, k), value);
            return;
        }
        cell().set(ElementType.LAYOUT_LONG, 0, value);
        write(given, i, j, k);
    }

    private long getAndAdd(int given, long i, long j, long k, long value) {
        if (!isInKernel()) {
            throw outsideKernels("getAndAdd");
        }
        return AtomicElements.add(KernelMemory.all(), address(given, i, j, k), value);
    }

    private long atomic(int given, long i, long j, long k, AtomicOp op, long value) {
        if (!isInKernel()) {
            throw outsideKernels("atomic");
        }
        return AtomicElements.apply(KernelMemory.all(), address(given, i, j, k), op, value);
    }

    private long compareAndExchange(int given, long i, long j, long k, long expected, long value) {
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
    public long get(long i) {
        return get(1, 0, 0, i);
    }

    /** Writes an element of an array of one dimension; returns when the value may be reused (local completion). */
    public void put(long i, long value) {
        put(1, 0, 0, i, value);
    }

    /**
     * Adds to an element in one step, and returns what was there. In kernels only.
     *
     * @throws IllegalStateException outside of kernels
     */
    public long getAndAdd(long i, long value) {
        return getAndAdd(1, 0, 0, i, value);
    }

    /** As {@link #getAndAdd(long, long)}, without a result. */
    public void addTo(long i, long value) {
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
    public long atomic(long i, AtomicOp op, long value) {
        return atomic(1, 0, 0, i, op, value);
    }

    /**
     * Writes {@code value} if the element is {@code expected}, in one step, and returns what was there. Order and errors as of
     * {@link #atomic(long, AtomicOp, long)}. In kernels only.
     */
    public long compareAndExchange(long i, long expected, long value) {
        return compareAndExchange(1, 0, 0, i, expected, value);
    }

    /** Element of an array of two dimensions, read from wherever it is. */
    public long get(long i, long j) {
        return get(2, 0, i, j);
    }

    /** Writes an element of an array of two dimensions; returns when the value may be reused (local completion). */
    public void put(long i, long j, long value) {
        put(2, 0, i, j, value);
    }

    /** As {@link #getAndAdd(long, long)}, of an array of two dimensions. */
    public long getAndAdd(long i, long j, long value) {
        return getAndAdd(2, 0, i, j, value);
    }

    /** As {@link #getAndAdd(long, long, long)}, without a result. */
    public void addTo(long i, long j, long value) {
        getAndAdd(2, 0, i, j, value);
    }

    /** As {@link #atomic(long, AtomicOp, long)}, of an array of two dimensions. */
    public long atomic(long i, long j, AtomicOp op, long value) {
        return atomic(2, 0, i, j, op, value);
    }

    /** As {@link #compareAndExchange(long, long, long)}, of an array of two dimensions. */
    public long compareAndExchange(long i, long j, long expected, long value) {
        return compareAndExchange(2, 0, i, j, expected, value);
    }

    /** Element of an array of three dimensions, read from wherever it is. */
    public long get(long i, long j, long k) {
        return get(3, i, j, k);
    }

    /** Writes an element of an array of three dimensions; returns when the value may be reused (local completion). */
    public void put(long i, long j, long k, long value) {
        put(3, i, j, k, value);
    }

    /** As {@link #getAndAdd(long, long)}, of an array of three dimensions. */
    public long getAndAdd(long i, long j, long k, long value) {
        return getAndAdd(3, i, j, k, value);
    }

    /** As {@link #getAndAdd(long, long, long, long)}, without a result. */
    public void addTo(long i, long j, long k, long value) {
        getAndAdd(3, i, j, k, value);
    }

    /** As {@link #atomic(long, AtomicOp, long)}, of an array of three dimensions. */
    public long atomic(long i, long j, long k, AtomicOp op, long value) {
        return atomic(3, i, j, k, op, value);
    }

    /** As {@link #compareAndExchange(long, long, long)}, of an array of three dimensions. */
    public long compareAndExchange(long i, long j, long k, long expected, long value) {
        return compareAndExchange(3, i, j, k, expected, value);
    }
}
