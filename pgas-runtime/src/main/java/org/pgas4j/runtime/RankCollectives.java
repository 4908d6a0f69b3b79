package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.Collectives;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.NonBlockingCollectives;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;
import org.pgas4j.SortOrder;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamForm;
import org.pgas4j.Sync;
import org.pgas4j.Team;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.ArrayCollectives;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.collective.CollectiveForms;
import org.pgas4j.collective.CollectiveOperation;
import org.pgas4j.collective.Group;
import org.pgas4j.collective.QueuedCollectives;
import org.pgas4j.collective.StreamSetup;
import org.pgas4j.runtime.notify.NotifyModule;
import org.pgas4j.space.sync.Barrier;
import org.pgas4j.space.sync.ScalarAllReduce;

/** A rank's collective operations in a team. Used by the rank's thread. */
final class RankCollectives implements Collectives {

    private static final int OFFSET = 3; // in a pointer's words
    private static final int GENERATION = 6;

    private final Rank rank;
    private final Team team;
    private final int ranks;
    private final CollectiveEngine engine;
    private final Group group;
    private final CollectiveForms forms;
    private final ScalarAllReduce words;
    private final Barrier barrier;
    private final NotifyModule notify;
    private final Allocator allocator;
    private final NonBlockingCollectives nonBlocking;

    /** @param ranks of the job */
    RankCollectives(Rank rank, Team team, int ranks, CollectiveEngine engine, Barrier barrier, NotifyModule notify,
                    Allocator allocator) {
        this.rank = rank;
        this.team = team;
        this.ranks = ranks;
        this.engine = engine;
        this.group = notify.group(team);
        this.forms = engine.forms(group);
        this.words = group.words();
        this.barrier = barrier;
        this.notify = notify;
        this.allocator = allocator;
        this.nonBlocking = new StartedCollectives(engine, group, forms, this::arrays);
    }

    private void run(Phase phase, Supplier<CollectiveOperation> operation) {
        engine.run(group, phase, operation);
    }

    // ---- on shared pointers

    @Override
    public void broadcast(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        run(Phase.BROADCAST, () -> forms.broadcast(dst, src, bytes, sync));
    }

    @Override
    public void scatter(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        run(Phase.SCATTER, () -> forms.scatter(dst, src, bytes, sync));
    }

    @Override
    public void gather(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        run(Phase.GATHER, () -> forms.gather(dst, src, bytes, sync));
    }

    @Override
    public void allGather(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        run(Phase.ALL_GATHER, () -> forms.allGather(dst, src, bytes, sync));
    }

    @Override
    public void exchange(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        run(Phase.EXCHANGE, () -> forms.exchange(dst, src, bytes, sync));
    }

    @Override
    public void permute(SharedPointer dst, SharedPointer src, SharedPointer permutation, long bytes, Sync sync) {
        run(Phase.PERMUTE, () -> forms.permute(dst, src, permutation, bytes, sync));
    }

    @Override
    public void reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, Reduction op, Sync sync) {
        run(Phase.REDUCE, () -> forms.reduce(dst, src, type, count, op, sync));
    }

    // ---- on shared arrays

    private ArrayCollectives arrays(String call) {
        if (group.isPart()) {
            throw new UnsupportedOperationException(call + " of rank " + rank.rank() + ": shared arrays are spread over all "
                    + "ranks in their order, " + team + " is a part of them or has another order; use rank.collectives()");
        }
        return new ArrayCollectives(rank, engine, group);
    }

    @Override
    public void reduce(SharedPointer dst, SharedArray src, Reduction op, Sync sync) {
        run(Phase.REDUCE, () -> arrays("reduce").reduce(dst, src, op, sync));
    }

    @Override
    public void prefixReduce(SharedArray dst, SharedArray src, Reduction op, Sync sync) {
        run(Phase.PREFIX_REDUCE, () -> arrays("prefixReduce").prefixReduce(dst, src, op, sync));
    }

    @Override
    public void sort(SharedArray array, Sync sync) {
        engine.during(Phase.SORT, () -> arrays("sort").sort(array, sync));
    }

    @Override
    public void sort(SharedArray array, SortOrder order, Sync sync) {
        engine.during(Phase.SORT, () -> arrays("sort").sort(array, order, sync));
    }

    // ---- on buffers

    @Override
    public void broadcast(Buffer buffer, int root) {
        run(Phase.BROADCAST, () -> forms.broadcast(buffer, root));
    }

    @Override
    public void scatter(Buffer dst, Buffer src, int root) {
        run(Phase.SCATTER, () -> forms.scatter(dst, src, root));
    }

    @Override
    public void gather(Buffer dst, Buffer src, int root) {
        run(Phase.GATHER, () -> forms.gather(dst, src, root));
    }

    @Override
    public void allGather(Buffer dst, Buffer src) {
        run(Phase.ALL_GATHER, () -> forms.allGather(dst, src));
    }

    @Override
    public void exchange(Buffer dst, Buffer src) {
        run(Phase.EXCHANGE, () -> forms.exchange(dst, src));
    }

    @Override
    public void exchange(Buffer dst, long[] dstCounts, Buffer src, long[] srcCounts) {
        run(Phase.EXCHANGE, () -> forms.exchange(dst, dstCounts, src, srcCounts));
    }

    @Override
    public void reduce(Buffer dst, Buffer src, Reduction op, int root) {
        run(Phase.REDUCE, () -> forms.reduce(dst, src, op, root));
    }

    @Override
    public void allReduce(Buffer dst, Buffer src, Reduction op) {
        run(Phase.ALL_REDUCE, () -> forms.allReduce(dst, src, op));
    }

    @Override
    public void reduceScatter(Buffer dst, Buffer src, Reduction op) {
        run(Phase.REDUCE_SCATTER, () -> forms.reduceScatter(dst, src, op));
    }

    @Override
    public void scan(Buffer dst, Buffer src, Reduction op) {
        run(Phase.PREFIX_REDUCE, () -> forms.scan(dst, src, op));
    }

    @Override
    public NonBlockingCollectives nonBlocking() {
        return nonBlocking;
    }

    @Override
    public StreamCollectives onStreams() {
        return onStreams(StreamForm.AUTO);
    }

    @Override
    public StreamCollectives onStreams(StreamForm form) {
        words.requireSame("onStreams", () -> "form=" + form, form.ordinal());
        long all = allReduce(engine.devicesReach(group) ? 1L : 0L, ReduceOp.MIN);
        if (all == 0) {
            throw new UnsupportedOperationException("onStreams of rank " + rank.rank() + ": not every member's device reaches "
                    + "the device memory of all others by itself (--explain shows the routes)");
        }
        List<Place> areas = new ArrayList<>();
        StreamSetup.Agreed agreed = agree(form, areas);
        Place place = place("onStreams", form::toString, MemoryKind.HOST, engine.queuedBytes(group));
        QueuedCollectives operations = engine.queued(group, place.offset(), agreed);
        team.barrier();
        areas.add(place);
        boolean frees = group.index() == 0;
        if (frees && engine.streamSetup().explains()) {
            System.out.println(team + ", operations on streams: " + operations.explain());
        }
        return new RankStreamCollectives(operations, team, () -> areas.forEach(frees ? each -> each.free().run() : _ -> { }));
    }

    /** @param areas receives the memory for kernels */
    private StreamSetup.Agreed agree(StreamForm form, List<Place> areas) {
        StreamSetup setup = engine.streamSetup();
        boolean warns = group.index() == 0;
        boolean sharesProcess = allReduce(engine.sharesProcess(group) ? 1L : 0L, ReduceOp.MAX) != 0;
        String reason = setup.reasonForWords(form, group.size(), allReduce(setup.deviceBit(), ReduceOp.OR), sharesProcess);
        if (reason != null) {
            return setup.byWords(form, group.size(), warns, reason);
        }
        long[] table = warns ? setup.table(group.size()) : new long[StreamSetup.TABLE_WORDS];
        broadcastInPieces(table);
        return setup.byKernels(form, group.size(), warns, table, allReduce(setup.mostBlocks(), ReduceOp.MIN), bytes -> {
            try {
                areas.add(place("onStreams", form::toString, MemoryKind.DEVICE, bytes));
                return areas.getLast().offset();
            } catch (SegmentMemoryException e) { // on all members
                return -1;
            }
        });
    }

    /** The words of the first member, on all. */
    private void broadcastInPieces(long[] all) {
        int most = ScalarAllReduce.MAX_WORDS - 1;
        for (int from = 0; from < all.length; from += most) {
            long[] piece = Arrays.copyOfRange(all, from, Math.min(from + most, all.length));
            words.broadcast(0, piece);
            System.arraycopy(piece, 0, all, from, piece.length);
        }
    }

    // ---- on values

    private Phase phase(Phase ofAllRanks) {
        return group.isPart() ? Phase.TEAM : ofAllRanks;
    }

    @Override
    public long broadcast(long value, int root) {
        if (root < 0 || root >= group.size()) {
            throw new IndexOutOfBoundsException("rank out of range: root=" + root + " ranks=" + group.size());
        }
        long[] result = new long[1];
        engine.during(phase(Phase.BROADCAST), () -> result[0] = words.broadcast(value, root));
        return result[0];
    }

    @Override
    public double allReduce(double value, ReduceOp op) {
        double[] result = new double[1];
        engine.during(phase(Phase.ALL_REDUCE), () -> result[0] = words.allReduce(value, op));
        return result[0];
    }

    @Override
    public long allReduce(long value, ReduceOp op) {
        long[] result = new long[1];
        engine.during(phase(Phase.ALL_REDUCE), () -> result[0] = words.allReduce(value, op));
        return result[0];
    }

    // ---- teams and split-phase barriers

    @Override
    public Team split(int color, int key) {
        Place place = place("split", () -> "color " + color + ", key " + key, MemoryKind.HOST, notify.splitBytes());
        return notify.split(team, color, key, place.offset(), place.free());
    }

    @Override
    public Team team(int... members) {
        int[] list = members.clone();
        Supplier<String> details = () -> "members=" + Arrays.toString(list);
        words.requireSame("team", details, list.length, hash(list));
        requireMembers(list);
        Place place = place("team", details, MemoryKind.HOST, notify.splitBytes());
        return notify.team(team, list, place.offset(), place.free());
    }

    private static long hash(int[] list) {
        long hash = 0;
        for (int each : list) {
            hash = (hash + each + 1) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private void requireMembers(int[] list) {
        boolean[] isListed = new boolean[group.size()];
        for (int member : list) {
            if (member < 0 || member >= isListed.length) {
                throw new IndexOutOfBoundsException("team of rank " + rank.rank() + ": member=" + member + " (expected: 0.."
                        + (isListed.length - 1) + ")");
            }
            if (isListed[member]) {
                throw new IllegalArgumentException("team of rank " + rank.rank() + ": member " + member + " is twice in "
                        + Arrays.toString(list));
            }
            isListed[member] = true;
        }
        if (list.length == 0) {
            throw new IllegalArgumentException("team of rank " + rank.rank() + ": no members (expected: 1.." + isListed.length
                    + ")");
        }
    }

    /**
     * Memory for a team.
     *
     * @param offset in the heap of every rank
     * @param free   gives it back, by one rank
     */
    private record Place(long offset, Runnable free) {
    }

    /**
     * Allocates memory for the team; collective.
     *
     * @param details what the program has given the call, for messages
     */
    private Place place(String call, Supplier<String> details, MemoryKind kind, long bytes) {
        if (!group.isPart()) {
            SharedPointer memory = allocator.allAlloc(call, details, kind, ranks, bytes);
            return new Place(memory.addrField(), () -> allocator.free(memory));
        }
        words.requireSame(call, () -> details.get() + ", of a team");
        SharedPointer made = group.index() == 0 ? allocator.allocate(kind, bytes) : null;
        long[] pointer = made == null ? new long[SharedPointer.WORDS] : made.words();
        words.broadcast(0, pointer);
        if (pointer[GENERATION] == 0) {
            throw new SegmentMemoryException(call + " of rank " + rank.rank() + ": no room for " + bytes
                    + " bytes in the " + (kind == MemoryKind.HOST ? "host heap of every rank; raise pgas.heap.host"
                    : "device heap of every rank; raise pgas.heap.device"));
        }
        return new Place(pointer[OFFSET], () -> allocator.free(allocator.pointer(pointer)));
    }

    private Barrier barrier() {
        if (group.isPart()) {
            throw new UnsupportedOperationException("split-phase barriers are of all ranks, " + team
                    + " is a part of them; use rank.collectives() or barrier() of the team");
        }
        return barrier;
    }

    @Override
    public void beginBarrier() {
        barrier().begin(0);
    }

    @Override
    public void beginBarrier(int label) {
        barrier().begin(Barrier.label(label));
    }

    @Override
    public void endBarrier() {
        barrier().await(0);
    }

    @Override
    public void endBarrier(int label) {
        barrier().await(Barrier.label(label));
    }
}
