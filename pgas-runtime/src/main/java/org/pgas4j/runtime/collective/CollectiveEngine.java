package org.pgas4j.runtime.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.runtime.memory.ControlArea;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.sync.Arrivals;
import org.pgas4j.runtime.sync.Barrier;
import org.pgas4j.runtime.sync.ScalarAllReduce;
import org.pgas4j.runtime.sync.Waiter;
import org.pgas4j.runtime.transfer.Completions;
import org.pgas4j.runtime.transfer.Transfers;

/**
 * One rank's data collectives. Trees are binomial in ranks counted from the root: the parent of v is v without its highest
 * bit for a broadcast, without its lowest for a reduction. Used by the rank's thread.
 */
public final class CollectiveEngine {

    private final int rank;
    private final int ranks;
    private final Peers peers;
    private final Transfers transfers;
    private final Completions completions;
    private final Barrier barrier;
    private final ScalarAllReduce words;
    private final Waiter waiter;
    private final ControlArea area;
    private final Endpoint own;
    private final Arrivals arrivals;
    private final MemorySegment partial = Arena.ofAuto().allocate(ControlArea.SCRATCH_BYTES, Long.BYTES);
    private final MemorySegment arrived = Arena.ofAuto().allocate(ControlArea.SCRATCH_BYTES, Long.BYTES);
    private final Supplier<String> reason = this::describe;
    private long broadcasts;
    private long chunks;
    private String operation;
    private int waitsFor;

    public CollectiveEngine(int rank, int ranks, Peers peers, Transfers transfers, Barrier barrier, ScalarAllReduce words,
                       Waiter waiter, ControlArea area, Arrivals arrivals) {
        this.rank = rank;
        this.ranks = ranks;
        this.peers = peers;
        this.transfers = transfers;
        this.completions = transfers.completions();
        this.barrier = barrier;
        this.words = words;
        this.waiter = waiter;
        this.area = area;
        this.own = peers.get(rank).endpoint();
        this.arrivals = arrivals;
    }

    /** @param more what else must be the same on all ranks, as the details name it */
    private void enter(String name, SharedPointer dst, SharedPointer src, long bytes, Supplier<String> details, long more) {
        operation = name;
        words.requireSame(name, () -> "dst=" + dst + ", src=" + src + ", " + details.get(), dst.kind().code(), dst.addrField(),
                src.kind().code(), src.addrField(), bytes, more);
    }

    /** Runs {@code operation} under {@code phase} on the status board. */
    public void during(Phase phase, Runnable operation) {
        if (phase.isCollective()) {
            arrivals.requireOwnThread(phase.text());
        }
        Activity activity = waiter.activity();
        activity.enter(phase);
        try {
            operation.run();
        } catch (RuntimeException e) {
            throw activity.failed(e);
        }
        activity.leave();
    }

    private void leave() {
        barrier.arrive(0);
        barrier.await(0);
    }

    private int absolute(int relative, int root) {
        return (int) (((long) relative + root) % ranks);
    }

    /** See {@link org.pgas4j.Rank#broadcast(SharedPointer, SharedPointer, long)}. */
    public void broadcast(SharedPointer dst, SharedPointer src, long bytes) {
        during(Phase.BROADCAST, () -> transfers.unobserved(() -> broadcastIn(dst, src, bytes)));
    }

    private void broadcastIn(SharedPointer dst, SharedPointer src, long bytes) {
        enter("broadcast", dst, src, bytes, () -> bytes + " bytes", src.rank());
        int root = src.rank();
        int relative = Math.floorMod(rank - root, ranks);
        SharedPointer mine = dst.onRank(rank);
        broadcasts++;
        if (relative == 0) {
            completions.finish(transfers.copy(mine, src, bytes));
        } else {
            waitsFor = absolute(relative - Integer.highestOneBit(relative), root);
            waiter.begin();
            while (own.getWordAcquire(area.broadcast()) != broadcasts) {
                waiter.pause(reason);
            }
        }
        for (int bit = relative == 0 ? 1 : Integer.highestOneBit(relative) << 1; bit > 0 && relative + bit < ranks;
                bit <<= 1) {
            Peer child = peers.get(absolute(relative + bit, root));
            completions.finish(transfers.copy(dst.onRank(child.rank()), mine, bytes));
            completions.fence();
            // release: pairs with the acquire above, after the bytes
            child.endpoint().putWordRelease(area.broadcast(), broadcasts);
            peers.wake(child.rank());
        }
        leave();
    }

    /** See {@link org.pgas4j.Collectives#gather(SharedPointer, SharedPointer, long)}: every rank puts its own part. */
    public void gather(SharedPointer dst, SharedPointer src, long bytes) {
        during(Phase.GATHER, () -> transfers.unobserved(() -> gatherIn(dst, src, bytes)));
    }

    private void gatherIn(SharedPointer dst, SharedPointer src, long bytes) {
        enter("gather", dst, src, bytes, () -> bytes + " bytes", dst.rank());
        SharedPointer part = bytesOf(dst).plus(Math.multiplyExact(bytes, (long) rank));
        completions.finish(transfers.copy(part, src.onRank(rank), bytes));
        leave();
    }

    /** See {@link org.pgas4j.Collectives#reduce(SharedPointer, SharedPointer, ElementType, long, ReduceOp)}. */
    public void reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, ReduceOp op) {
        during(Phase.REDUCE, () -> transfers.unobserved(() -> reduceIn(dst, src, type, type.bytes(count), op)));
    }

    private void reduceIn(SharedPointer dst, SharedPointer src, ElementType type, long bytes, ReduceOp op) {
        enter("reduce", dst, src, bytes, () -> type + ", " + bytes / type.bytes() + " elements, " + op,
                dst.rank() * 256L + type.ordinal() * 16 + op.ordinal());
        int root = dst.rank();
        int relative = Math.floorMod(rank - root, ranks);
        SharedPointer mine = bytesOf(src.onRank(rank));
        for (long done = 0; done < bytes; done += ControlArea.SCRATCH_BYTES) {
            long part = Math.min(ControlArea.SCRATCH_BYTES, bytes - done);
            chunks++;
            completions.finish(transfers.get(partial, mine.plus(done), part));
            for (int level = 0; 1 << level < ranks; level++) {
                int bit = 1 << level;
                if ((relative & bit) != 0) {
                    sendUp(absolute(relative - bit, root), level, part);
                    break;
                }
                if (relative + bit < ranks) {
                    combineFrom(absolute(relative + bit, root), level, part, type, op);
                }
            }
            if (relative == 0) {
                completions.finish(transfers.put(bytesOf(dst).plus(done), partial, part));
            }
        }
        leave();
    }

    private static SharedPointer bytesOf(SharedPointer pointer) {
        return pointer.cast(0, 1);
    }

    private void sendUp(int parent, int level, long part) {
        // The parent has one slot for this rank and acknowledges every chunk, so the slot is free now.
        Endpoint to = peers.get(parent).endpoint();
        to.put(area.scratch(level), partial, 0, part);
        // release: pairs with the acquire in combineFrom
        to.putWordRelease(area.reduceIn(level), chunks);
        peers.wake(parent);
        waitsFor = parent;
        waiter.begin();
        while (own.getWordAcquire(area.reduceAck()) != chunks) {
            waiter.pause(reason);
        }
    }

    private void combineFrom(int child, int level, long part, ElementType type, ReduceOp op) {
        waitsFor = child;
        waiter.begin();
        while (own.getWordAcquire(area.reduceIn(level)) != chunks) {
            waiter.pause(reason);
        }
        own.get(arrived, 0, area.scratch(level), part);
        peers.get(child).endpoint().putWordRelease(area.reduceAck(), chunks);
        peers.wake(child);
        combine(partial, arrived, part, type, op);
    }

    private static void combine(MemorySegment into, MemorySegment from, long bytes, ElementType type, ReduceOp op) {
        for (long at = 0; at < bytes; at += type.bytes()) {
            switch (type) {
                case BYTE -> into.set(java.lang.foreign.ValueLayout.JAVA_BYTE, at, (byte) op.apply(
                        (long) into.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at),
                        (long) from.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at)));
                case INT -> into.set(ElementType.LAYOUT_INT, at, (int) op.apply(
                        (long) into.get(ElementType.LAYOUT_INT, at), (long) from.get(ElementType.LAYOUT_INT, at)));
                case LONG -> into.set(ElementType.LAYOUT_LONG, at, op.apply(
                        into.get(ElementType.LAYOUT_LONG, at), from.get(ElementType.LAYOUT_LONG, at)));
                case FLOAT -> into.set(ElementType.LAYOUT_FLOAT, at, combineFloats(
                        into.get(ElementType.LAYOUT_FLOAT, at), from.get(ElementType.LAYOUT_FLOAT, at), op));
                case DOUBLE -> into.set(ElementType.LAYOUT_DOUBLE, at, op.apply(
                        into.get(ElementType.LAYOUT_DOUBLE, at), from.get(ElementType.LAYOUT_DOUBLE, at)));
            }
        }
    }

    /** In float, rounded after each step: the sum of two floats in double, rounded, is the float sum. */
    private static float combineFloats(float a, float b, ReduceOp op) {
        return (float) op.apply((double) a, (double) b);
    }

    private String describe() {
        return operation + " of rank " + rank + ", waiting for rank " + waitsFor
                + waiter.describe(List.of(waitsFor));
    }

    /** See {@link ScalarAllReduce#requireSame}. */
    public void requireSame(String call, Supplier<String> details, long... values) {
        words.requireSame(call, details, values);
    }

    /** The words of one rank, on all. */
    public void broadcastWords(int root, long[] values) {
        words.broadcast(root, values);
    }
}
