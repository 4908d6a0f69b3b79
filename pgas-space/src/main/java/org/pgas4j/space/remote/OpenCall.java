package org.pgas4j.space.remote;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.RemoteCall;
import org.pgas4j.RemoteCallException;

/** A call that was made. Used by the rank's thread. */
final class OpenCall implements RemoteCall {

    private final RankRemoteCalls calls;
    private final int target;
    private final String function;
    private final int slot;
    private final Supplier<String> reason = this::toString;
    private MemorySegment result;
    private RemoteCallException failure;

    OpenCall(RankRemoteCalls calls, int target, String function, int slot) {
        this.calls = calls;
        this.target = target;
        this.function = function;
        this.slot = slot;
    }

    int slot() {
        return slot;
    }

    int target() {
        return target;
    }

    boolean isDone() {
        return result != null || failure != null;
    }

    void complete(byte[] bytes) {
        result = MemorySegment.ofArray(bytes).asReadOnly();
        calls.returned(target);
    }

    /** @param written by {@link RemoteThrown#write} */
    void fail(byte[] written) {
        RemoteThrown thrown = RemoteThrown.read(written, target);
        failure = new RemoteCallException(this + " failed: " + thrown, target, function, thrown);
    }

    @Override
    public void sync() {
        if (!isDone()) {
            calls.await(this::isDone, reason);
        }
        rethrow();
    }

    @Override
    public boolean trySync() {
        if (!isDone()) {
            calls.poll(this);
        }
        rethrow();
        return isDone();
    }

    private void rethrow() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public MemorySegment result() {
        sync();
        return result;
    }

    @Override
    public long longResult() {
        sync();
        if (result.byteSize() != Long.BYTES) {
            throw new IllegalStateException(this + ": result of " + result.byteSize() + " bytes (expected: 8, a long)");
        }
        return result.get(ElementType.LAYOUT_LONG, 0);
    }

    @Override
    public String toString() {
        return "call of " + function + " by rank " + calls.rank() + " on rank " + target;
    }
}
