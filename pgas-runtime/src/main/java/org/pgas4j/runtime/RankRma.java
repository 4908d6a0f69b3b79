package org.pgas4j.runtime;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Handle;
import org.pgas4j.Rma;
import org.pgas4j.SharedPointer;
import org.pgas4j.runtime.sync.Waiter;
import org.pgas4j.runtime.transfer.Completions;
import org.pgas4j.runtime.transfer.Transfers;

/** A rank's transfers with a choice of completion. Used by the rank's thread. */
final class RankRma implements Rma {

    private final Supplier<Transfers> own;
    private final Completions completions;
    private final Waiter waiter;
    private final Handle implicit = new Handle() {
        @Override
        public void sync() {
            syncAll();
        }

        @Override
        public boolean trySync() {
            return trySyncAll();
        }
    };

    /** @param own the transfers, for the rank's thread; throws in another */
    RankRma(Supplier<Transfers> own, Completions completions, Waiter waiter) {
        this.own = own;
        this.completions = completions;
        this.waiter = waiter;
    }

    private Handle complete(long token, Completion completion) {
        return switch (completion) {
            case LOCAL -> completions.handle(completions.finish(token));
            case REMOTE -> {
                completions.finish(token);
                completions.fence();
                yield completions.handle(Completions.COMPLETE);
            }
            case HANDLE -> completions.handle(token);
            case IMPLICIT -> {
                completions.drop(token);
                yield implicit;
            }
        };
    }

    @Override
    public Handle put(SharedPointer dst, MemorySegment src, long bytes, Completion completion) {
        return complete(own.get().put(dst, src, bytes), completion);
    }

    @Override
    public Handle put(SharedPointer dst, Buffer src, Completion completion) {
        return complete(own.get().put(dst, src, null), completion);
    }

    @Override
    public Handle get(MemorySegment dst, SharedPointer src, long bytes, Completion completion) {
        return complete(own.get().get(dst, src, bytes), completion);
    }

    @Override
    public Handle get(Buffer dst, SharedPointer src, Completion completion) {
        return complete(own.get().get(dst, src, null), completion);
    }

    @Override
    public Handle copy(SharedPointer dst, SharedPointer src, long bytes, Completion completion) {
        return complete(own.get().copy(dst, src, bytes), completion);
    }

    @Override
    public Handle set(SharedPointer dst, int value, long bytes, Completion completion) {
        return complete(own.get().set(dst, value, bytes), completion);
    }

    @Override
    public void syncAll() {
        own.get();
        completions.completeAll();
    }

    @Override
    public boolean trySyncAll() {
        own.get();
        waiter.throwIfAborted();
        return completions.tryCompleteAll();
    }
}
