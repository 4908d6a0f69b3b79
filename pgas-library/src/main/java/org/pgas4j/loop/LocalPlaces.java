package org.pgas4j.loop;

import org.pgas4j.Layout;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;

/**
 * Indices of a rank's elements of an array, in their order in memory.
 *
 * @param count  number of the rank's elements
 * @param first  index of the first one
 * @param phase  its place in its block
 * @param block  elements of a block; {@link Long#MAX_VALUE} if the rank's elements are one block
 * @param stride indices from the begin of a block of the rank to that of its next one
 */
record LocalPlaces(long count, long first, long phase, long block, long stride) {

    static LocalPlaces of(SharedArray array, int rank) {
        long count = array.lengthOn(rank);
        if (count == 0 || !isDealt(array)) {
            return new LocalPlaces(count, 0, 0, Long.MAX_VALUE, 0);
        }
        long first = array.firstOn(rank);
        SharedPointer element = array.pointer(first);
        long block = element.blockElements();
        return new LocalPlaces(count, first, element.phase(), block, block * element.ranks());
    }

    private static boolean isDealt(SharedArray array) {
        return array.layout() instanceof Layout.Blocked || array.layout() instanceof Layout.Even;
    }

    /** Index of a place. */
    long index(long place) {
        long at = phase + place;
        return block == Long.MAX_VALUE ? place : first - phase + at / block * stride + at % block;
    }

    /** End of the run of places from {@code place} on whose indices are contiguous. */
    long runEnd(long place) {
        return block == Long.MAX_VALUE ? count : Math.min(count, place + block - (phase + place) % block);
    }

    /** True if the elements of both arrays with the same index are on the same rank, for all indices of {@code a}. */
    static boolean isAlike(SharedArray a, SharedArray b) {
        if (a.length() != b.length() || a.length() == 0) {
            return a.length() == b.length();
        }
        if (!isDealt(a) || !isDealt(b)) {
            return a.layout().equals(b.layout());
        }
        SharedPointer first = a.pointer(0);
        SharedPointer other = b.pointer(0);
        return first.rank() == other.rank() && first.phase() == other.phase() && first.blockElements() == other.blockElements();
    }
}
