package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.Sync;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Combines the sources of all members element by element. Each member combines a part of the vector straight from the
 * sources of all, then all copy the parts of the others: the reduce-scatter and all-gather of Rabenseifner, "Optimization
 * of Collective Reduction Operations", ICCS 2004, in one step each, because every member reaches all memory. Private memory
 * is copied through the shared heap, a window at a time: that of the device if devices combine, else that of the host. Small
 * vectors travel with the first exchange.
 */
final class ReduceOperation extends CollectiveOperation {

    /** Members that get the result. */
    enum Result {
        ALL,
        ROOT,
        /** Each a part of it. */
        PARTS,
        /** Each that of the members up to itself. */
        SCAN
    }

    private static final long WINDOW = CollectiveLimits.STAGE_BYTES;

    private final Result result;
    private final GivenMemory src;
    private final GivenMemory dst;
    private final ElementType type;
    private final long bytes;
    private final Reduction op;
    private final int root;
    private final SmallPayload small;
    private DeviceFunction function; // of the program, for devices; null for others
    private DeviceWindows windows; // of private memory that devices combine

    /**
     * @param dst null if this member gets nothing
     * @param op  defined for the type
     */
    ReduceOperation(Group group, MemberAccess access, Sync sync, Result result, GivenMemory dst, GivenMemory src,
                    ElementType type, Reduction op, int root, String name, Supplier<String> details, long... same) {
        super(group, access, sync, name, details, same);
        this.result = result;
        this.src = src;
        this.dst = dst;
        this.type = type;
        this.bytes = src.bytes();
        this.op = op;
        this.root = root;
        this.small = small();
    }

    private SmallPayload small() {
        long total = result == Result.SCAN ? bytes * group.size() : bytes;
        if (src.kind() != MemoryKind.HOST || bytes > group.smallBytes() || total > group.smallBytes()) {
            return null;
        }
        return result == Result.SCAN ? SmallPayload.sideBySide(group, total, member -> member * bytes, null)
                : SmallPayload.combined(group, bytes, type, op, result == Result.ROOT ? root : null,
                        access.accumulators(type, 2, CollectiveLimits.SMALL_BYTES));
    }

    @Override
    ScalarAllReduce.Payload begin() {
        set = group.expose(src.place(), dst == null ? Group.PRIVATE : dst.place());
        if (small != null) {
            if (isAllowed()) {
                access.read(small.data(), small.startOf(group.index()), src, 0, bytes);
            }
            return small;
        }
        flags = (src.isShared() ? 0 : SOURCE_PRIVATE) | (dst == null || dst.isShared() ? 0 : DESTINATION_PRIVATE)
                | (dst != null && dst.overlaps(src) ? IN_PLACE : 0) | (isForDevice() ? 0 : NOT_BY_DEVICE);
        return null;
    }

    private boolean isForDevice() {
        if (src.kind() != MemoryKind.DEVICE || dst != null && dst.kind() != MemoryKind.DEVICE || !access.devicesReach(group)) {
            return false;
        }
        if (!(op instanceof ReduceOp)) {
            function = access.function(op);
        }
        return op instanceof ReduceOp || function != null;
    }

    private Combination combination() {
        return new Combination(type, op, function);
    }

    @Override
    void settled() {
        if (function != null && !is(NOT_BY_DEVICE)) {
            function.check();
        }
    }

    private boolean is(long flag) {
        return (flags & flag) != 0;
    }

    /**
     * Two members read each other's vectors once: as many bytes as in two steps, and a meeting less. Where processors
     * combine, each would do the work of both.
     */
    private boolean isInOneStep() {
        return group.size() <= 2 && !is(IN_PLACE) && (!is(NOT_BY_DEVICE) || bytes <= CollectiveLimits.ONE_STEP_BYTES);
    }

    private boolean isStaged() {
        boolean readByOthers = result == Result.ROOT || result == Result.SCAN || result == Result.ALL && !isInOneStep();
        return is(SOURCE_PRIVATE) || is(DESTINATION_PRIVATE) && readByOthers;
    }

    /** Windows are of device memory, and devices combine them. A part of each member has a line of them at least. */
    private boolean isByDevice() {
        return !is(NOT_BY_DEVICE) && group.deviceWindow() / group.size() >= CollectiveLimits.PART_ALIGNMENT;
    }

    @Override
    MemoryKind stageKind() {
        return small != null || !isStaged() ? null : isByDevice() ? MemoryKind.DEVICE : MemoryKind.HOST;
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
        if (isStaged() && isByDevice()) {
            if (windows == null) {
                windows = new DeviceWindows(access, group, result, dst, src, combination(), root);
            }
            return windows.step(number);
        }
        if (isStaged()) {
            return number % 2 == 0 ? fill(number / 2L) : combineWindow(number / 2L);
        }
        if (number == 1) {
            pullParts();
            return true;
        }
        combineSources();
        return result != Result.ALL || isInOneStep();
    }

    // ---- small

    private void takeSmall() {
        if (dst == null) {
            return;
        }
        if (result == Result.SCAN) {
            Accumulators blocks = access.accumulators(type, 2, CollectiveLimits.SMALL_BYTES);
            int count = (int) (bytes / type.bytes());
            blocks.load(0, small.data(), 0, count);
            for (int member = 1; member <= group.index(); member++) {
                blocks.load(1, small.data(), member * bytes, count);
                blocks.combine(0, 1, count, op);
            }
            blocks.store(0, small.data(), 0, count);
        }
        access.write(dst, 0, small.data(), result == Result.PARTS ? group.index() * dst.bytes() : 0, dst.bytes());
    }

    // ---- in place

    private long start(int part) {
        return result == Result.PARTS ? part * (bytes / group.size())
                : partStart(type, bytes, part, group.size());
    }

    private long[] sources() {
        long[] places = new long[group.size()];
        for (int member = 0; member < places.length; member++) {
            places[member] = group.source(member, set);
        }
        return places;
    }

    private long[] destinations() {
        long[] places = new long[group.size()];
        for (int member = 0; member < places.length; member++) {
            places[member] = group.destination(member, set);
        }
        return places;
    }

    private void combineSources() {
        boolean whole = result == Result.ALL && isInOneStep();
        long from = whole ? 0 : start(group.index());
        long length = whole ? bytes : start(group.index() + 1) - from;
        if (length == 0) {
            return;
        }
        if (is(NOT_BY_DEVICE)) {
            combineOnHost(from, length);
        } else {
            combineOnDevice(from, length);
        }
    }

    private void combineOnHost(long from, long length) {
        HostCombiner combiner = new HostCombiner(access, group, type, op, sources());
        switch (result) {
            case ALL -> combiner.combine(from, length, dst, from);
            case PARTS -> combiner.combine(from, length, dst, 0);
            case ROOT -> combiner.combine(from, length, root, group.destination(root, set), from);
            case SCAN -> combiner.scan(from, length, group.size() - 1, destinations(), null, 0);
        }
    }

    private void combineOnDevice(long from, long length) {
        DeviceCombiner combiner = new DeviceCombiner(access, access.stream(), access.scratch(), group, combination(),
                sources());
        switch (result) {
            case ALL -> combiner.combine(from, length, dst.device(), dst.start() + from);
            case PARTS -> combiner.combine(from, length, dst.device(), dst.start());
            case ROOT -> {
                int world = group.world(root);
                combiner.combine(from, length, access.device(world),
                        access.deviceStart(world, group.destination(root, set)) + from);
            }
            case SCAN -> combiner.scan(from, length, destinations());
        }
    }

    private void pullParts() {
        for (int i = 1; i < group.size(); i++) {
            int member = group.after(i);
            long from = start(member);
            access.pull(dst, from, group.world(member), group.destination(member, set), from, start(member + 1) - from);
        }
    }

    // ---- through the shared heap

    private long windowBytes(long window) {
        return Math.clamp(bytes - window * WINDOW, 0, WINDOW);
    }

    /** Takes the results of the window before and shows the source's bytes of this one; true if there are none. */
    private boolean fill(long window) {
        if (window > 0 && result != Result.SCAN && dst != null) {
            takeWindow(window - 1);
        }
        long length = windowBytes(window);
        if (length == 0) {
            return true;
        }
        MemorySegment heap = access.self().endpoint().mapped();
        access.read(heap, access.self().heapStart() + Group.offset(group.stagedSource()), src, window * WINDOW, length);
        return false;
    }

    private long windowStart(long length, int part) {
        return partStart(type, length, part, group.size());
    }

    private boolean combineWindow(long window) {
        long length = windowBytes(window);
        long[] places = new long[group.size()];
        Arrays.fill(places, group.stagedSource());
        HostCombiner combiner = new HostCombiner(access, group, type, op, places);
        if (result == Result.SCAN) {
            combiner.scan(0, length, group.index(), null, dst, window * WINDOW);
            return windowBytes(window + 1) == 0;
        }
        long from = windowStart(length, group.index());
        combiner.combine(from, windowStart(length, group.index() + 1) - from, group.index(), group.stagedResult(), from);
        return false;
    }

    /** Copies what this member wants of a window from the members that have combined it. */
    private void takeWindow(long window) {
        long length = windowBytes(window);
        long begin = result == Result.PARTS ? group.index() * dst.bytes() : 0;
        for (int i = 0; i < group.size(); i++) {
            int member = group.after(i);
            long first = Math.max(begin, window * WINDOW + windowStart(length, member));
            long end = Math.min(begin + dst.bytes(), window * WINDOW + windowStart(length, member + 1));
            if (first < end) {
                access.pull(dst, first - begin, group.world(member), group.stagedResult(), first - window * WINDOW, end - first);
            }
        }
        access.settle();
    }
}
