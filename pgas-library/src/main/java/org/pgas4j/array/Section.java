package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.ReduceOp;
import org.pgas4j.Stream;
import org.pgas4j.Strided;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.DoubleKernel2;
import org.pgas4j.kernel.DoubleKernel3;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.LongKernel2;
import org.pgas4j.kernel.LongKernel3;

/**
 * A box of a global array, as Global Arrays' patch, or every so many of its indices in some dimensions. Transfers are one-sided:
 * one strided operation for each owner where its part is regular. The local buffer holds the elements with the last dimension
 * fastest and no gaps. Used by the rank's thread.
 */
public final class Section {

    private final GlobalArray array;
    private final Range[] ranges;

    Section(GlobalArray array, Range... ranges) {
        Distribution distribution = array.distribution();
        boolean inside = ranges.length == distribution.dimensions();
        for (int dimension = 0; inside && dimension < ranges.length; dimension++) {
            inside = ranges[dimension].to() <= distribution.length(dimension);
        }
        if (!inside) {
            throw new IndexOutOfBoundsException("section out of bounds: " + Arrays.toString(ranges) + " of " + distribution);
        }
        this.array = array;
        this.ranges = ranges.clone();
    }

    /** The array that it is a part of. */
    public GlobalArray array() {
        return array;
    }

    /** Indices of a dimension. */
    public Range range(int dimension) {
        return ranges[dimension];
    }

    /** Number of elements. */
    public long count() {
        long count = 1;
        for (Range range : ranges) {
            count = Math.multiplyExact(count, range.length());
        }
        return count;
    }

    /** Part of this section, counted from its first element. */
    public Section section(Range... parts) {
        if (parts.length != ranges.length) {
            throw new IndexOutOfBoundsException("section out of bounds: " + Arrays.toString(parts) + " of " + this);
        }
        Range[] absolute = new Range[parts.length];
        for (int dimension = 0; dimension < parts.length; dimension++) {
            if (parts[dimension].to() > ranges[dimension].length()) {
                throw new IndexOutOfBoundsException("section out of bounds: " + Arrays.toString(parts) + " of " + this);
            }
            absolute[dimension] = ranges[dimension].part(parts[dimension]);
        }
        return new Section(array, absolute);
    }

    // ---- one-sided

    /**
     * Reads all elements; complete at return.
     *
     * @param dst of the array's type; of records their bytes
     */
    public void get(Buffer dst) {
        transfer(dst, (local, remote, place, shape) ->
                array.owner().rma().get(local, array.pointer(remote, place), shape.reversed(), Completion.HANDLE));
    }

    /** Writes all elements; complete locally at return, at the owners after {@link org.pgas4j.Rank#fence()} or a barrier. */
    public void put(Buffer src) {
        transfer(src, (local, remote, place, shape) ->
                array.owner().rma().put(array.pointer(remote, place), local, shape, Completion.HANDLE));
    }

    /**
     * Reads all elements, which are booleans; complete at return.
     *
     * @throws IllegalArgumentException if they are none, or do not fit
     */
    public void get(boolean[] into) {
        byte[] bytes = new byte[requireBooleans("get", into)];
        get(Buffer.ofHost(MemorySegment.ofArray(bytes), ElementType.BYTE));
        for (int i = 0; i < bytes.length; i++) {
            into[i] = bytes[i] != 0;
        }
    }

    /** Writes all elements, which are booleans; completes as {@link #put(Buffer)} and fails as {@link #get(boolean[])}. */
    public void put(boolean[] values) {
        byte[] bytes = new byte[requireBooleans("put", values)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (values[i] ? 1 : 0);
        }
        put(Buffer.ofHost(MemorySegment.ofArray(bytes), ElementType.BYTE));
    }

    /** The number of elements. */
    private int requireBooleans(String operation, boolean[] memory) {
        array.requireBooleans(operation);
        if (memory.length < count()) {
            throw new IllegalArgumentException(operation + " of " + this + ": an array of " + memory.length + " (expected: "
                    + count() + " or more)");
        }
        return (int) count();
    }

    /** Adds {@code alpha} times the elements of {@code src}, each atomically; completes as {@link #put(Buffer)}. */
    public void accumulate(Buffer src, double alpha) {
        array.requireNumbers("accumulate");
        transfer(src, (local, remote, place, shape) ->
                array.owner().rma().accumulate(array.pointer(remote, place), local, shape, alpha, Completion.HANDLE));
    }

    /** Starts the transfer of one owner's part. */
    @FunctionalInterface
    private interface Start {

        /** @param shape destination is the owner's memory, source the local one */
        Handle start(Buffer local, int owner, long place, Strided shape);
    }

    private void transfer(Buffer local, Start start) {
        long each = array.elementBytes() / array.type().bytes(); // of the buffer's elements
        long needed = Math.multiplyExact(count(), each);
        if (local.type() != array.type() || local.length() < needed) {
            throw new IllegalArgumentException("section " + this + " of " + count() + " elements: the local buffer is " + local
                    + " (expected: " + needed + " or more of type " + array.type() + ")");
        }
        List<Handle> open = new ArrayList<>();
        OwnerParts.forEach(array, ranges, dense(ranges), (owner, place, at, shape) ->
                open.add(start.start(local.slice(at * each, local.length() - at * each), owner, place, shape)));
        array.owner().rma().syncAll(open.toArray(Handle[]::new));
    }

    /** Strides of a box without gaps. */
    static long[] dense(Range... ranges) {
        long[] strides = new long[ranges.length];
        long stride = 1;
        for (int dimension = ranges.length - 1; dimension >= 0; dimension--) {
            strides[dimension] = stride;
            stride = Math.multiplyExact(stride, Math.max(1, ranges[dimension].length()));
        }
        return strides;
    }

    // ---- kernels

    /**
     * Runs {@code body} on this rank's device for every index of this section, counted in the array, whose element this rank owns: a
     * section of one dimension. Not collective; see {@link Stream#forAll(IndexSpace, IndexKernel)}.
     */
    public void forAll(Stream stream, IndexKernel body) {
        stream.forAll(space(), body);
    }

    /** As {@link #forAll(Stream, IndexKernel)}, of two dimensions. */
    public void forAll(Stream stream, IndexKernel2 body) {
        stream.forAll(space(), body);
    }

    /** As {@link #forAll(Stream, IndexKernel)}, of three dimensions. */
    public void forAll(Stream stream, IndexKernel3 body) {
        stream.forAll(space(), body);
    }

    /** Indices of this section, counted in the array, whose elements this rank owns: up to three dimensions. */
    public IndexSpace space() {
        return KernelPlaces.space(array, ranges);
    }

    /**
     * Collective over the array's ranks: combines the values of {@code body} for all indices of this section of one dimension, each
     * computed on the device of the rank that owns the element, behind what is queued on {@code stream}. Every rank gets the result.
     * For a given distribution and kind of device the order of combination is always the same.
     *
     * @param op SUM, PRODUCT, MIN or MAX
     */
    public double reduce(Stream stream, ReduceOp op, DoubleKernel body) {
        return array.team().collectives().allReduce(stream.reduce(space(), op, body), op);
    }

    /** As {@link #reduce(Stream, ReduceOp, DoubleKernel)}, of two dimensions. */
    public double reduce(Stream stream, ReduceOp op, DoubleKernel2 body) {
        return array.team().collectives().allReduce(stream.reduce(space(), op, body), op);
    }

    /** As {@link #reduce(Stream, ReduceOp, DoubleKernel)}, of three dimensions. */
    public double reduce(Stream stream, ReduceOp op, DoubleKernel3 body) {
        return array.team().collectives().allReduce(stream.reduce(space(), op, body), op);
    }

    /** As {@link #reduce(Stream, ReduceOp, DoubleKernel)}, for integers, which wrap. */
    public long reduceLongs(Stream stream, ReduceOp op, LongKernel body) {
        return array.team().collectives().allReduce(stream.reduceLongs(space(), op, body), op);
    }

    /** As {@link #reduceLongs(Stream, ReduceOp, LongKernel)}, of two dimensions. */
    public long reduceLongs(Stream stream, ReduceOp op, LongKernel2 body) {
        return array.team().collectives().allReduce(stream.reduceLongs(space(), op, body), op);
    }

    /** As {@link #reduceLongs(Stream, ReduceOp, LongKernel)}, of three dimensions. */
    public long reduceLongs(Stream stream, ReduceOp op, LongKernel3 body) {
        return array.team().collectives().allReduce(stream.reduceLongs(space(), op, body), op);
    }

    // ---- collective

    /**
     * Collective over the array's ranks, with the same arguments, with a barrier at its begin and at its end: copies the elements
     * to a section of the same shape, of another array or of another part of this one that does not overlap. Each rank writes its
     * own elements to their new owners, to one owner after the other, beginning with itself.
     *
     * @throws IllegalArgumentException if type, lengths or team differ, or the sections overlap
     */
    public void copyTo(Section dst) {
        int[] order = new int[ranges.length];
        Arrays.setAll(order, dimension -> dimension);
        copyTo(dst, order);
    }

    /**
     * As {@link #copyTo(Section)}, with the dimensions in another order.
     *
     * @param order dimension {@code d} of this section becomes dimension {@code order[d]} of {@code dst}
     */
    public void copyTo(Section dst, int... order) {
        requireShape(dst, order);
        requireApart(dst, order);
        array.team().barrier();
        Redistribution.copy(array.copies(), array, ranges, dst.array, dst.ranges, order);
        array.team().barrier();
    }

    /** A copy onto itself changes nothing; any other overlap would read what it has written. */
    private void requireApart(Section dst, int[] order) {
        boolean overlaps = dst.array == array;
        boolean same = overlaps;
        for (int dimension = 0; overlaps && dimension < ranges.length; dimension++) {
            overlaps = ranges[dimension].meets(dst.ranges[dimension]);
            same &= order[dimension] == dimension && ranges[dimension].equals(dst.ranges[dimension]);
        }
        if (overlaps && !same) {
            throw new IllegalArgumentException("copyTo of " + this + ": " + dst + " overlaps it (expected: a part of the array "
                    + "that does not, or another array)");
        }
    }

    private void requireShape(Section dst, int[] order) {
        boolean same = dst.array.element().equals(array.element()) && dst.array.team() == array.team()
                && order.length == ranges.length && dst.ranges.length == ranges.length;
        long seen = 0; // dimensions, one bit each
        for (int dimension = 0; same && dimension < ranges.length; dimension++) {
            int target = order[dimension];
            same = target >= 0 && target < ranges.length && dst.ranges[target].length() == ranges[dimension].length();
            seen |= 1L << target;
        }
        same &= Long.bitCount(seen) == ranges.length;
        if (!same) {
            throw new IllegalArgumentException("copyTo of " + this + ": " + dst + " with the dimensions in the order "
                    + Arrays.toString(order) + " (expected: the same type, lengths and team)");
        }
    }

    @Override
    public String toString() {
        return "Section" + Arrays.toString(ranges) + " of " + array;
    }
}
