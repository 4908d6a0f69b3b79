package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;

/** Copies of a shared array's elements by the affinity of another array, as HPF's {@code ALIGN} places them. */
public final class Alignment {

    private Alignment() {
    }

    /**
     * Reads the elements of {@code array} whose indices have affinity to this rank in {@code with}, in the order of
     * {@code with.local()}, to the start of host memory: strided transfers, of each owner as many as the blocks of both arrays
     * meet in different ways. One-sided and complete at return; used by the rank's thread. The arrays may be in any memory.
     *
     * @param into memory for {@code with.lengthOn(rank.rank())} elements of {@code array}
     * @throws IllegalArgumentException  if the arrays differ in length
     * @throws IndexOutOfBoundsException if the elements do not fit
     */
    public static void get(Rank rank, SharedArray array, SharedArray with, MemorySegment into) {
        if (array.length() != with.length()) {
            throw new IllegalArgumentException("elements of " + array + " by the affinity of " + with + " on rank " + rank.rank()
                    + ": lengths differ");
        }
        long size = array.elementBytes();
        long count = with.lengthOn(rank.rank());
        Objects.checkFromIndexSize(0, count * size, into.byteSize());
        if (count == 0) {
            return;
        }
        long before = with.placesBefore(0);
        Axis axis = axis(array);
        for (int owner = 0; owner < axis.ranks(); owner++) {
            Overlap.Side theirs = new Overlap.Side(axis, owner, array.place().start());
            for (Overlap part : Overlap.of(side(with, rank.rank()), theirs, array.length())) {
                SharedPointer from = array.pointer(axis.index(owner, part.b()) - array.place().start());
                get(rank, from, shape(part, size), into, (part.a() - before) * size);
            }
        }
    }

    private static void get(Rank rank, SharedPointer from, Strided shape, MemorySegment into, long at) {
        MemorySegment part = into.asSlice(at, shape.dstExtent());
        if (shape.count() == 1) {
            rank.memget(part, from, shape.bytes());
        } else {
            rank.rma().get(Buffer.ofHost(part, ElementType.BYTE), from, shape, Completion.LOCAL);
        }
    }

    private static Strided shape(Overlap part, long size) {
        return Strided.of(size, part.counts(), bytes(part.aSteps(), size), bytes(part.bSteps(), size));
    }

    private static long[] bytes(long[] steps, long size) {
        long[] bytes = new long[steps.length];
        for (int level = 0; level < steps.length; level++) {
            bytes[level] = steps[level] * size;
        }
        return bytes;
    }

    /** This rank's side of an array of which it has elements. */
    private static Overlap.Side side(SharedArray array, int rank) {
        Axis axis = axis(array);
        return new Overlap.Side(axis, axis.ranks() == 1 ? 0 : rank, array.place().start());
    }

    /** Indices of the whole array up to the end of a slice; those of an array on one rank, or on each, are one coordinate's. */
    private static Axis axis(SharedArray array) {
        SharedArray.Place place = array.place();
        long length = place.start() + place.length();
        return place.block() == 0 ? Axis.whole(length) : Axis.blockCyclic(length, place.ranks(), place.block());
    }
}
