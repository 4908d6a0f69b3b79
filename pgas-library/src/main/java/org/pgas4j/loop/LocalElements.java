package org.pgas4j.loop;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.array.Alignment;

/** A rank's elements of several arrays, by the affinity of the first one. */
final class LocalElements {

    private final Rank rank;
    private final SharedArray[] arrays;
    private final LocalPlaces places;
    private final MemorySegment[] segments;

    /** Copies what is not local; reads by the rank's thread. */
    LocalElements(Rank rank, Arena arena, SharedArray... arrays) {
        this.rank = rank;
        this.arrays = arrays.clone();
        requireUsable();
        this.places = LocalPlaces.of(arrays[0], rank.rank());
        this.segments = new MemorySegment[arrays.length];
        for (int i = 0; i < arrays.length; i++) {
            segments[i] = LocalPlaces.isAlike(arrays[0], arrays[i]) ? arrays[i].local().segment() : copy(arrays[i], arena);
        }
    }

    private void requireUsable() {
        if (arrays.length == 0) {
            throw new IllegalArgumentException("forall of rank " + rank.rank() + ": no arrays");
        }
        for (SharedArray array : arrays) {
            if (array.kind() != MemoryKind.HOST || array.length() != arrays[0].length()) {
                throw new IllegalArgumentException("forall of rank " + rank.rank() + " over " + Arrays.toString(arrays)
                        + " (expected: arrays of one length in HOST memory; a kernel works on those of devices)");
            }
        }
    }

    private MemorySegment copy(SharedArray array, Arena arena) {
        MemorySegment copy = arena.allocate(places.count() * array.elementBytes(), Long.BYTES);
        Alignment.get(rank, array, arrays[0], copy);
        return copy.asReadOnly();
    }

    long count() {
        return places.count();
    }

    LocalRange range(long from, long to) {
        return new LocalRange(places, segments, from, to);
    }

    @Override
    public String toString() {
        return Arrays.toString(arrays);
    }
}
