package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;

/**
 * Indices of a shared array that a member reads, combines and writes in their order, a piece at a time. Members have parts one
 * behind the other: of a whole array in even layout their own elements, else equal ones. Used by the rank's thread.
 *
 * @param rank the calling one
 */
record ArrayRange(SharedArray array, long begin, long end, int rank) {

    private static final int PIECE_BYTES = 64 << 10;

    static ArrayRange of(SharedArray array, Group group) {
        return new ArrayRange(array, begin(array, group.index(), group.size()), begin(array, group.index() + 1, group.size()),
                group.world(group.index()));
    }

    private static long begin(SharedArray array, int member, int members) {
        long length = array.length();
        SharedArray.Place place = array.place();
        if (array.layout() instanceof Layout.Even && place.start() == 0 && Math.ceilDiv(length, (long) members) == place.block()) {
            return Math.min(length, place.block() * member);
        }
        return Math.multiplyHigh(length, member) == 0 ? length * member / members
                : length / members * member + length % members * member / members;
    }

    boolean isEmpty() {
        return begin == end;
    }

    // ---- on the host

    /** Whether there are elements, and their combination. */
    long[] combine(Reduction op) {
        ElementType type = array.type();
        int each = PIECE_BYTES / type.bytes();
        HostTiles tiles = new HostTiles(type, op);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, Long.BYTES);
            for (long i = begin; i < end; i += each) {
                long count = Math.min(each, end - i);
                array.get(i, count, piece);
                tiles.add(piece, 0, count);
            }
        }
        return tiles.total();
    }

    /**
     * Sets elements of another array to the combinations of those up to each.
     *
     * @param before whether there are elements of lower indices, and their combination
     */
    void writePrefixes(SharedArray into, Reduction op, long[] before) {
        ElementType type = array.type();
        int each = PIECE_BYTES / type.bytes();
        HostTiles tiles = new HostTiles(type, op);
        tiles.before(before);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, Long.BYTES);
            for (long i = begin; i < end; i += each) {
                long count = Math.min(each, end - i);
                array.get(i, count, piece);
                tiles.prefixes(piece, count);
                into.put(i, count, piece);
            }
        }
    }

    // ---- on the device

    /**
     * True if the rank's device reads the elements, and writes to another array, by itself: it reaches all members, or they are its
     * own. One by one, as messages, elements would take longer than through the host.
     *
     * @param into the array that prefixes are written to; null for none
     */
    boolean isReached(MemberAccess access, Group group, SharedArray into) {
        return access.devicesReach(group) || own(array, begin, end) != null && (into == null || own(into, begin, end) != null);
    }

    /** As {@link #combine(Reduction)}; queued, if this rank has the elements. */
    void combine(DeviceTiles tiles, MemberAccess access) {
        Buffer own = own(array, begin, end);
        if (own != null) {
            tiles.add(own.deviceMemory(), own.deviceOffset(), own.length());
            return;
        }
        long each = DeviceTiles.fitting(array.type());
        for (long i = begin; i < end; i += each) {
            long count = Math.min(each, end - i);
            array.get(i, count, fetched(tiles, count));
            tiles.add(tiles.fetched(), 0, count);
            access.syncStream();
        }
    }

    /** As {@link #writePrefixes(SharedArray, Reduction, long[])}, with what comes before in {@code tiles}. */
    void writePrefixes(SharedArray into, DeviceTiles tiles, MemberAccess access) {
        long each = DeviceTiles.fitting(array.type());
        for (long i = begin; i < end; i += each) {
            long count = Math.min(each, end - i);
            Buffer fetched = fetched(tiles, count);
            Buffer from = own(array, i, i + count);
            Buffer to = own(into, i, i + count);
            if (from == null) {
                array.get(i, count, fetched);
                from = fetched;
            }
            Buffer sums = to == null ? fetched : to;
            tiles.prefixes(sums.deviceMemory(), sums.deviceOffset(), from.deviceMemory(), from.deviceOffset(), count);
            if (from == fetched || to == null) {
                access.syncStream();
            } else {
                access.keepUp(access.stream());
            }
            if (to == null) {
                into.put(i, count, fetched);
            }
        }
    }

    private Buffer fetched(DeviceTiles tiles, long count) {
        return Buffer.ofDevice(tiles.fetched(), 0, array.type(), count);
    }

    /** The device memory of elements that this rank has one behind the other; null if it has not all, or not so. */
    private Buffer own(SharedArray of, long from, long to) {
        SharedArray.Place place = of.place();
        boolean isRun = place.block() == 0 || place.ranks() == 1
                || (place.start() + from) / place.block() == (place.start() + to - 1) / place.block();
        if (of.kind() != MemoryKind.DEVICE || from == to || !isRun || of.rankOf(from) != rank) {
            return null;
        }
        return of.local().slice(of.placesBefore(from) - of.placesBefore(0), to - from);
    }
}
