package org.pgas4j.runtime;

import org.pgas4j.Collectives;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.bootstrap.watch.Phase;
import org.pgas4j.runtime.collective.CollectiveEngine;
import org.pgas4j.runtime.notify.NotifyModule;
import org.pgas4j.runtime.sync.Barrier;
import org.pgas4j.runtime.sync.ScalarAllReduce;

/** A rank's collective operations. Used by the rank's thread. */
final class RankCollectives implements Collectives {

    private final int ranks;
    private final CollectiveEngine engine;
    private final ScalarAllReduce words;
    private final Barrier barrier;
    private final NotifyModule notify;
    private final Allocator allocator;

    RankCollectives(int ranks, CollectiveEngine engine, ScalarAllReduce words, Barrier barrier, NotifyModule notify,
                    Allocator allocator) {
        this.ranks = ranks;
        this.engine = engine;
        this.words = words;
        this.barrier = barrier;
        this.notify = notify;
        this.allocator = allocator;
    }

    @Override
    public void broadcast(SharedPointer dst, SharedPointer src, long bytes) {
        engine.broadcast(dst, src, bytes);
    }

    @Override
    public long broadcast(long value, int root) {
        if (root < 0 || root >= ranks) {
            throw new IndexOutOfBoundsException("rank out of range: root=" + root + " ranks=" + ranks);
        }
        long[] result = new long[1];
        engine.during(Phase.BROADCAST, () -> result[0] = words.broadcast(value, root));
        return result[0];
    }

    @Override
    public void gather(SharedPointer dst, SharedPointer src, long bytes) {
        engine.gather(dst, src, bytes);
    }

    @Override
    public void reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, ReduceOp op) {
        engine.reduce(dst, src, type, count, op);
    }

    @Override
    public Team split(int color) {
        return notify.split(color, allocator.allAlloc("split", MemoryKind.HOST, ranks, notify.splitBytes()));
    }

    @Override
    public void beginBarrier() {
        barrier.arrive(0);
    }

    @Override
    public void beginBarrier(int label) {
        barrier.arrive(Barrier.label(label));
    }

    @Override
    public void endBarrier() {
        barrier.await(0);
    }

    @Override
    public void endBarrier(int label) {
        barrier.await(Barrier.label(label));
    }
}
