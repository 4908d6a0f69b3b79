package org.pgas4j.runtime.collective;

import java.util.function.Supplier;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.Sync;
import org.pgas4j.runtime.sync.ScalarAllReduce;

/**
 * Moves data: every member copies from the source of each other one range to its destination, beginning with its successor, so
 * that no member serves all at once. Sources of which one is private are copied to the shared heap first, a window of all at a
 * time. Small data travels with the first exchange.
 */
final class MoveOperation extends CollectiveOperation {

    /** Ranges that this member copies. */
    interface Ranges {

        /** Bytes from {@code member}. */
        long bytes(int member);

        /** Byte offset in its source. */
        long from(int member);

        /** Byte offset in the own destination. */
        long to(int member);
    }

    private final GivenMemory src;
    private final GivenMemory dst;
    private final Ranges ranges;
    private final SmallPayload small;
    private final long[] table;

    /**
     * @param src   null if this member sends nothing
     * @param dst   null if it receives nothing
     * @param small carries the data with the first exchange; null if it is too large
     * @param table offset and bytes of the part of the source for each member; null if {@code ranges} has them
     */
    MoveOperation(Group group, MemberAccess access, Sync sync, GivenMemory dst, GivenMemory src, Ranges ranges, SmallPayload small,
                  long[] table, String name, Supplier<String> details, long... same) {
        super(group, access, sync, name, details, same);
        this.src = src;
        this.dst = dst;
        this.ranges = ranges;
        this.small = small;
        this.table = table;
    }

    @Override
    ScalarAllReduce.Payload begin() {
        set = group.expose(src == null ? Group.PRIVATE : src.place(), dst == null ? Group.PRIVATE : dst.place());
        if (small != null) {
            if (src != null) {
                access.read(small.data(), small.startOf(group.index()), src, 0, src.bytes());
            }
            return small;
        }
        boolean inPlace = src != null && dst != null && src.overlaps(dst);
        flags = (src != null && !src.isShared() ? SOURCE_PRIVATE : 0) | (inPlace ? IN_PLACE : 0);
        largest = src == null ? 0 : src.bytes();
        return null;
    }

    @Override
    boolean needsStage() {
        return small == null && (isStaged() || table != null);
    }

    private boolean isStaged() {
        return (flags & SOURCE_PRIVATE) != 0;
    }

    @Override
    boolean endsItself() {
        return small != null || super.endsItself() && !isStaged();
    }

    @Override
    boolean work(int number) {
        if (small != null) {
            takeSmall();
            return true;
        }
        int at = number;
        if (table != null && at-- == 0) {
            writeTable();
            return false;
        }
        if (!isStaged()) {
            pullAll(0, Long.MAX_VALUE, false);
            return true;
        }
        // Windows: all show one, all copy from it, and so on.
        long window = at / 2L * CollectiveLimits.STAGE_BYTES;
        if (at % 2 == 0) {
            if (window >= largest) {
                return true;
            }
            if (src != null && window < src.bytes()) {
                access.read(access.self().endpoint().mapped(), access.self().heapStart() + group.stage(), src, window,
                        Math.min(CollectiveLimits.STAGE_BYTES, src.bytes() - window));
            }
            return false;
        }
        pullAll(window, window + CollectiveLimits.STAGE_BYTES, true);
        return window + CollectiveLimits.STAGE_BYTES >= largest;
    }

    private void takeSmall() {
        if (dst == null) {
            return;
        }
        for (int member = 0; member < group.size(); member++) {
            access.write(dst, ranges.to(member), small.data(), small.startOf(member) + ranges.from(member), ranges.bytes(member));
        }
    }

    /** Copies what lies in bytes {@code begin} to {@code end - 1} of the sources. */
    private void pullAll(long begin, long end, boolean staged) {
        if (dst == null) {
            return;
        }
        for (int i = 1; i <= group.size(); i++) {
            int member = (group.index() + i) % group.size();
            long bytes = ranges.bytes(member);
            if (bytes > 0) {
                long from = table == null ? ranges.from(member) : lookUp(member, bytes);
                long first = Math.max(begin, from);
                long last = Math.min(end, from + bytes);
                if (first < last) {
                    pull(member, staged, first, begin, ranges.to(member) + first - from, last - first);
                }
            }
        }
    }

    private void pull(int member, boolean staged, long from, long window, long to, long bytes) {
        int world = group.world(member);
        if (staged) {
            access.pull(dst, to, world, group.stagedSource(), from - window, bytes);
            return;
        }
        long place = group.source(member, set);
        boolean isThere = member == group.index() && dst.isShared() && Group.kind(place) == dst.kind()
                && Group.offset(place) + from == dst.shared() + to;
        if (!isThere) {
            access.pull(dst, to, world, place, from, bytes);
        }
    }

    // ---- parts of given lengths

    private void writeTable() {
        for (int member = 0; member < group.size(); member++) {
            long at = access.self().heapStart() + group.table(member);
            access.self().endpoint().putWordRelease(at, table[2 * member]);
            access.self().endpoint().putWordRelease(at + Long.BYTES, table[2 * member + 1]);
        }
    }

    private long lookUp(int member, long bytes) {
        int world = group.world(member);
        long from = access.word(world, group.table(group.index()));
        long sent = access.word(world, group.table(group.index()) + Long.BYTES);
        if (sent != bytes) {
            throw new CollectiveMismatchException(name() + " of rank " + group.world(group.index()) + ": takes " + bytes
                    + " bytes from rank " + world + ", which has " + sent + " for it");
        }
        return from;
    }
}
