package org.pgas4j.collective;

import java.util.function.Supplier;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.MemoryKind;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Moves data: every member copies from the source of each other one range to its destination, beginning with its successor,
 * so that no member serves all at once. Where a source is private and no destination is, members put instead; where both
 * are, sources are copied to the shared heap first, a window of all at a time. Small data travels with the first exchange.
 *
 * <p>A long broadcast that does not go through mapped host memory is dealt out: each member copies a part from the root and
 * the rest from the others (van de Geijn, "On global combine operations", Journal of Parallel and Distributed Computing
 * 1994).
 */
final class MoveOperation extends CollectiveOperation {

    /** Ranges that this member copies, from the sources of others or to their destinations. */
    interface Ranges {

        /** Bytes from or to {@code member}. */
        long bytes(int member);

        /** Byte offset in the source. */
        long from(int member);

        /** Byte offset in the destination. */
        long to(int member);
    }

    /**
     * The same movement from both sides.
     *
     * @param pulled by this member
     * @param pushed by this member; null if it does not know where to
     * @param deals  number of the root of a broadcast; -1 for other movements
     * @param pushes true if putting is the better way
     */
    record Movement(Ranges pulled, Ranges pushed, int deals, boolean pushes) {
    }

    private static final long SLOW_LINK = 1 << 8;

    private final GivenMemory src;
    private final GivenMemory dst;
    private final Movement movement;
    private final Ranges ranges;
    private final SmallPayload small;
    private final long[] table;

    /**
     * @param src   null if this member sends nothing
     * @param dst   null if it receives nothing
     * @param small carries the data with the first exchange; null if it is too large
     * @param table offset and bytes of the part of the source for each member; null if {@code movement} has them
     */
    MoveOperation(Group group, MemberAccess access, Sync sync, GivenMemory dst, GivenMemory src, Movement movement,
                  SmallPayload small, long[] table, String name, Supplier<String> details, long... same) {
        super(group, access, sync, name, details, same);
        this.src = src;
        this.dst = dst;
        this.movement = movement;
        this.ranges = movement.pulled();
        this.small = small;
        this.table = table;
    }

    @Override
    ScalarAllReduce.Payload begin() {
        set = group.expose(src == null ? Group.PRIVATE : src.place(), dst == null ? Group.PRIVATE : dst.place());
        if (small != null) {
            if (src != null && isAllowed()) {
                access.read(small.data(), small.startOf(group.index()), src, 0, src.bytes());
            }
            return small;
        }
        boolean isMapped = movement.deals() >= 0 && access.mapped(group.world(movement.deals()), Group.place(kind(), 0)) != null;
        flags = (src != null && !src.isShared() ? SOURCE_PRIVATE : 0) | (dst != null && !dst.isShared() ? DESTINATION_PRIVATE : 0)
                | (movement.deals() >= 0 && !isMapped ? SLOW_LINK : 0);
        largest = src == null ? 0 : src.bytes();
        return null;
    }

    @Override
    MemoryKind stageKind() {
        return small == null && (isStaged() || table != null) ? MemoryKind.HOST : null;
    }

    private MemoryKind kind() {
        return (dst != null ? dst : src).kind();
    }

    private boolean is(long flag) {
        return (flags & flag) != 0;
    }

    private boolean isPushed() {
        return movement.pushed() != null && !is(DESTINATION_PRIVATE) && (is(SOURCE_PRIVATE) || movement.pushes());
    }

    private boolean isStaged() {
        return is(SOURCE_PRIVATE) && !isPushed();
    }

    private boolean isDealt() {
        return is(SLOW_LINK) && !is(SOURCE_PRIVATE) && !is(DESTINATION_PRIVATE) && group.size() > 2
                && largest >= CollectiveLimits.DEAL_BYTES;
    }

    @Override
    boolean endsItself() {
        return small != null ? endsAlone() : super.endsItself() && !isStaged();
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
        if (isDealt()) {
            deal(number);
            return number == 1;
        }
        if (isPushed()) {
            pushAll();
            return true;
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
            int member = group.after(i);
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

    private void pushAll() {
        Ranges pushed = movement.pushed();
        for (int i = 1; i <= group.size(); i++) {
            int member = group.after(i);
            long bytes = pushed.bytes(member);
            if (bytes > 0) {
                push(member, group.destination(member, set), pushed.from(member), pushed.to(member), bytes);
            }
        }
    }

    private void push(int member, long place, long from, long to, long bytes) {
        boolean isThere = member == group.index() && src.isShared() && Group.kind(place) == src.kind()
                && Group.offset(place) + to == src.shared() + from;
        if (!isThere) {
            access.push(group.world(member), place, to, src, from, bytes);
        }
    }

    // ---- a broadcast that is dealt out

    private void deal(int number) {
        int root = movement.deals();
        if (group.index() == root) {
            if (number == 0 && dst != null) {
                pull(root, false, 0, 0, 0, largest);
            }
            return;
        }
        if (number == 0) {
            long from = dealt(group.index());
            access.pull(dst, from, group.world(root), group.source(root, set), from, dealt(group.index() + 1) - from);
            return;
        }
        for (int i = 1; i < group.size(); i++) {
            int member = group.after(i);
            if (member != root) {
                long from = dealt(member);
                access.pull(dst, from, group.world(member), group.destination(member, set), from, dealt(member + 1) - from);
            }
        }
    }

    /** Byte at which the part of a member begins: all have one but the root. */
    private long dealt(int member) {
        int part = member > movement.deals() ? member - 1 : member;
        return partStart(largest, 1, part, group.size() - 1);
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
