package org.pgas4j.runtime;

import java.util.function.Function;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.NonBlockingCollectives;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;
import org.pgas4j.Sync;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.ArrayCollectives;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.collective.CollectiveForms;
import org.pgas4j.collective.CollectiveOperation;
import org.pgas4j.collective.Group;

/** A rank's collective operations in a team, started and not waited for. Used by the rank's thread. */
final class StartedCollectives implements NonBlockingCollectives {

    private final CollectiveEngine engine;
    private final Group group;
    private final CollectiveForms forms;
    private final Function<String, ArrayCollectives> arrays;

    /** @param arrays gives the operations on shared arrays to a call, or refuses it in a part of the ranks */
    StartedCollectives(CollectiveEngine engine, Group group, CollectiveForms forms, Function<String, ArrayCollectives> arrays) {
        this.arrays = arrays;
        this.engine = engine;
        this.group = group;
        this.forms = forms;
    }

    private Handle start(Phase phase, Supplier<CollectiveOperation> operation) {
        return engine.start(group, phase, operation);
    }

    @Override
    public Handle broadcast(SharedPointer dst, SharedPointer src, long bytes) {
        return start(Phase.BROADCAST, () -> forms.broadcast(dst, src, bytes, Sync.ALL));
    }

    @Override
    public Handle scatter(SharedPointer dst, SharedPointer src, long bytes) {
        return start(Phase.SCATTER, () -> forms.scatter(dst, src, bytes, Sync.ALL));
    }

    @Override
    public Handle gather(SharedPointer dst, SharedPointer src, long bytes) {
        return start(Phase.GATHER, () -> forms.gather(dst, src, bytes, Sync.ALL));
    }

    @Override
    public Handle allGather(SharedPointer dst, SharedPointer src, long bytes) {
        return start(Phase.ALL_GATHER, () -> forms.allGather(dst, src, bytes, Sync.ALL));
    }

    @Override
    public Handle exchange(SharedPointer dst, SharedPointer src, long bytes) {
        return start(Phase.EXCHANGE, () -> forms.exchange(dst, src, bytes, Sync.ALL));
    }

    @Override
    public Handle permute(SharedPointer dst, SharedPointer src, SharedPointer permutation, long bytes) {
        return start(Phase.PERMUTE, () -> forms.permute(dst, src, permutation, bytes, Sync.ALL));
    }

    @Override
    public Handle reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, Reduction op) {
        return start(Phase.REDUCE, () -> forms.reduce(dst, src, type, count, op, Sync.ALL));
    }

    @Override
    public Handle reduce(SharedPointer dst, SharedArray src, Reduction op) {
        return start(Phase.REDUCE, () -> arrays.apply("reduce").reduce(dst, src, op, Sync.ALL));
    }

    @Override
    public Handle prefixReduce(SharedArray dst, SharedArray src, Reduction op) {
        return start(Phase.PREFIX_REDUCE, () -> arrays.apply("prefixReduce").prefixReduce(dst, src, op, Sync.ALL));
    }

    @Override
    public Handle barrier() {
        return start(Phase.BARRIER, forms::barrier);
    }

    @Override
    public Handle broadcast(Buffer buffer, int root) {
        return start(Phase.BROADCAST, () -> forms.broadcast(buffer, root));
    }

    @Override
    public Handle scatter(Buffer dst, Buffer src, int root) {
        return start(Phase.SCATTER, () -> forms.scatter(dst, src, root));
    }

    @Override
    public Handle gather(Buffer dst, Buffer src, int root) {
        return start(Phase.GATHER, () -> forms.gather(dst, src, root));
    }

    @Override
    public Handle allGather(Buffer dst, Buffer src) {
        return start(Phase.ALL_GATHER, () -> forms.allGather(dst, src));
    }

    @Override
    public Handle exchange(Buffer dst, Buffer src) {
        return start(Phase.EXCHANGE, () -> forms.exchange(dst, src));
    }

    @Override
    public Handle exchange(Buffer dst, long[] dstCounts, Buffer src, long[] srcCounts) {
        return start(Phase.EXCHANGE, () -> forms.exchange(dst, dstCounts, src, srcCounts));
    }

    @Override
    public Handle reduce(Buffer dst, Buffer src, Reduction op, int root) {
        return start(Phase.REDUCE, () -> forms.reduce(dst, src, op, root));
    }

    @Override
    public Handle allReduce(Buffer dst, Buffer src, Reduction op) {
        return start(Phase.ALL_REDUCE, () -> forms.allReduce(dst, src, op));
    }

    @Override
    public Handle reduceScatter(Buffer dst, Buffer src, Reduction op) {
        return start(Phase.REDUCE_SCATTER, () -> forms.reduceScatter(dst, src, op));
    }

    @Override
    public Handle scan(Buffer dst, Buffer src, Reduction op) {
        return start(Phase.PREFIX_REDUCE, () -> forms.scan(dst, src, op));
    }
}
