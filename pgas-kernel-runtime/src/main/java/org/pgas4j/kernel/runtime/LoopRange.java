package org.pgas4j.kernel.runtime;

import java.util.List;
import java.util.Objects;
import org.pgas4j.GlobalPlace;
import org.pgas4j.SharedArray;

/**
 * The iterations of a loop over a shared array that are one rank's, as its memory has them: place {@code k} of its part, from {@code
 * from} to {@code to - 1}, is in its block {@code k / block}.
 *
 * @param shift  subtracted from an index in the whole array
 * @param ranks  number of ranks that blocks are dealt to
 * @param rank   which of them
 * @param first  index of the loop's first iteration
 * @param stride between iterations
 */
record LoopRange(long from, long to, long block, long shift, int ranks, int rank, long first, long stride)
        implements KernelRange {

    /** @throws IndexOutOfBoundsException if the range leaves the array */
    static LoopRange of(SharedArray array, long from, long to, long step) {
        Objects.checkFromToIndex(from, to, array.length());
        if (step < 1) {
            throw new IllegalArgumentException("forAll of " + array + ": step=" + step + " (expected: >= 1)");
        }
        SharedArray.Place place = array.place();
        long first = array.placesBefore(from);
        long end = array.placesBefore(to);
        return place.block() == 0
                ? new LoopRange(first, end, Math.max(1, end), place.start(), 1, 0, from, step)
                : new LoopRange(first, end, place.block(), place.start(), place.ranks(), place.rank(), from, step);
    }

    @Override
    public long count() {
        return to - from;
    }

    @Override
    public int blocks(int max, int threads) {
        return (int) Math.min((long) max, Math.ceilDiv(count(), (long) threads));
    }

    @Override
    public void append(Object[] captured, int max, int threads, List<Object> arguments) {
        arguments.addAll(List.of(from, to, block, shift, ranks, rank, first, stride, KernelArguments.aligned(captured, this)));
    }

    @Override
    public int aligned(GlobalPlace array) {
        return 0;
    }

    @Override
    public String text() {
        return "loop over " + count() + " elements of this rank, from index " + first + " in steps of " + stride + ", blocks of "
                + block;
    }

    /** Index that a place has in the array; the loop has an iteration for it if its stride meets it. */
    long index(long place) {
        return (place / block * ranks + rank) * block + place % block - shift;
    }

    /** Number of places from {@code place} on whose indices follow each other. */
    long run(long place) {
        return ranks == 1 ? Long.MAX_VALUE : block - place % block;
    }

    /** Indices of other ranks between two blocks of this one; more than the array has if there is one block. */
    long gap() {
        return (ranks - 1) * block;
    }

    /** The first iteration that is not before an index, itself not before the loop's first; the largest long if there is none. */
    long iterationFrom(long index) {
        long before = Math.floorMod(first - index, stride);
        return before > Long.MAX_VALUE - index ? Long.MAX_VALUE : index + before;
    }

    /** True if blocks of the array are where those of the loop are. */
    boolean isAligned(SharedArray.Place array) {
        return array.block() == block && array.ranks() == ranks && array.rank() == rank && array.start() == shift;
    }
}
