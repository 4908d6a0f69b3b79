package org.pgas4j.runtime;

import java.util.function.Supplier;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.RankEnvironment;
import org.pgas4j.space.sync.Waiter;

/** The rank that locks and remote calls belong to. */
record ContextEnvironment(RankContext context, int rank, int ranks, Peers peers, Waiter waiter, HappensBefore ordering,
                          Allocator allocator, CollectiveEngine collectives) implements RankEnvironment {

    @Override
    public void during(Phase phase, Runnable operation) {
        collectives.during(phase, operation);
    }

    @Override
    public SharedPointer allAlloc(String call, long bytes) {
        return allocator.allAlloc(call, MemoryKind.HOST, ranks, bytes);
    }

    @Override
    public SharedPointer globalAlloc(long bytes) {
        SharedPointer[] result = new SharedPointer[1];
        collectives.during(Phase.ALLOCATION, () -> result[0] = allocator.globalAlloc(MemoryKind.HOST, ranks, bytes));
        return result[0];
    }

    @Override
    public SharedPointer pointer(long... words) {
        return allocator.pointer(words);
    }

    @Override
    public void free(SharedPointer pointer) {
        context.free(pointer);
    }

    @Override
    public void allFree(SharedPointer pointer) {
        context.allFree(pointer);
    }

    @Override
    public void requireOwnThread() {
        context.requireOwnThread();
    }

    @Override
    public void complete() {
        context.completeForRelease();
    }

    @Override
    public void barrier() {
        context.barrier();
    }

    @Override
    public void requireSame(String call, Supplier<String> details, long... values) {
        collectives.during(Phase.ALLOCATION, () -> collectives.requireSame(call, details, values));
    }
}
