package org.pgas4j.collective;

import java.util.Arrays;
import org.pgas4j.ElementType;
import org.pgas4j.device.AcceleratorStream;

/**
 * A reduction of private device memory by devices, in windows of the shared device heap. In step k each member shows window k
 * of its source, combines its part of window k - 1 from what all have shown, and takes what was combined of window k - 2. Two
 * windows of each sort alternate, so that one exchange orders all three. Members that combine for themselves alone write into
 * their destinations. Used by the rank's thread.
 */
final class DeviceWindows {

    private final MemberAccess access;
    private final Group group;
    private final ReduceOperation.Result result;
    private final GivenMemory dst;
    private final GivenMemory src;
    private final ElementType type;
    private final Combination combination;
    private final int root;
    private final AcceleratorStream stream;
    private final int parts; // of the vector that have a run of their own in a window
    private final long part; // bytes
    private final long run;
    private final long windows;

    /** @param dst null if this member gets nothing */
    DeviceWindows(MemberAccess access, Group group, ReduceOperation.Result result, GivenMemory dst, GivenMemory src,
                  Combination combination, int root) {
        this.access = access;
        this.group = group;
        this.result = result;
        this.dst = dst;
        this.src = src;
        this.type = combination.type();
        this.combination = combination;
        this.root = root;
        this.stream = access.stream();
        this.parts = result == ReduceOperation.Result.PARTS ? group.size() : 1;
        this.part = src.bytes() / parts;
        this.run = group.deviceWindow() / parts / CollectiveLimits.PART_ALIGNMENT * CollectiveLimits.PART_ALIGNMENT;
        this.windows = Math.ceilDiv(part, run);
    }

    /** True if each member combines all that it gets: nothing is to be taken. */
    private boolean isOwn() {
        return result == ReduceOperation.Result.PARTS || result == ReduceOperation.Result.ALL && group.size() <= 2;
    }

    /** Does a step; true if no other follows. An exchange of all members comes between two. */
    boolean step(int number) {
        if (!isOwn() && dst != null && number >= 2) {
            take(number - 2);
        }
        if (number >= 1 && number <= windows) {
            combine(number - 1);
        }
        if (number < windows) {
            show(number);
        }
        return number == (isOwn() ? windows : windows + 1);
    }

    /** Bytes of each part in a window. */
    private long length(int window) {
        return Math.min(run, part - window * run);
    }

    private void show(int window) {
        long at = access.deviceStart(group.world(group.index()), group.deviceSource(window));
        for (int i = 0; i < parts; i++) {
            stream.copy(access.self().device(), at + i * run, src.device(), src.start() + i * part + window * run, length(window));
        }
    }

    private void combine(int window) {
        long length = length(window);
        long from = start(length, group.index());
        long bytes = start(length, group.index() + 1) - from;
        long place = group.deviceResult(window);
        DeviceCombiner combiner = new DeviceCombiner(access, stream, access.scratch(), group, combination,
                all(group.deviceSource(window)));
        if (isOwn()) {
            long first = result == ReduceOperation.Result.PARTS ? group.index() * run : 0;
            combiner.combine(first, length, dst.device(), dst.start() + window * run);
        } else if (bytes > 0 && result == ReduceOperation.Result.SCAN) {
            combiner.scan(from, bytes, all(place));
        } else if (bytes > 0) {
            int world = group.world(result == ReduceOperation.Result.ROOT ? root : group.index());
            combiner.combine(from, bytes, access.device(world), access.deviceStart(world, place) + from);
        }
    }

    private long[] all(long place) {
        long[] places = new long[group.size()];
        Arrays.fill(places, place);
        return places;
    }

    private long start(long length, int member) {
        return CollectiveOperation.partStart(type, length, member, group.size());
    }

    private void take(int window) {
        long length = length(window);
        long place = group.deviceResult(window);
        if (result != ReduceOperation.Result.ALL) { // others have written it here
            access.pull(dst, window * run, group.world(group.index()), place, 0, length);
            return;
        }
        for (int i = 0; i < group.size(); i++) {
            int member = group.after(i);
            long from = start(length, member);
            access.pull(dst, window * run + from, group.world(member), place, from, start(length, member + 1) - from);
        }
    }
}
