package org.pgas4j.runtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Pieces;
import org.pgas4j.Rma;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.HandleGroup;
import org.pgas4j.space.transfer.PieceTransfers;
import org.pgas4j.space.transfer.Transfers;

/** A rank's transfers with a choice of completion. Used by the rank's thread. */
final class RankRma implements Rma, AutoCloseable {

    private final Supplier<Transfers> own;
    private final Completions completions;
    private final PieceTransfers pieces;
    private final Waiter waiter;
    private final List<Continuation> continuations = new ArrayList<>();
    private MemorySegment cell; // of single values
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

    /** An action after a transfer or a call, and one if that has failed. */
    private static final class Continuation {

        private final Handle handle;
        private final Runnable action;
        private final Consumer<RuntimeException> failed;
        private RuntimeException failure;

        Continuation(Handle handle, Runnable action, Consumer<RuntimeException> failed) {
            this.handle = handle;
            this.action = action;
            this.failed = failed;
        }

        boolean isOver() {
            try {
                return handle.trySync();
            } catch (RuntimeException e) {
                failure = e;
                return true;
            }
        }

        void run() {
            if (failure != null) {
                failed.accept(failure);
            } else {
                action.run();
            }
        }

        boolean tryRun() {
            boolean over = isOver();
            if (over) {
                run();
            }
            return over;
        }
    }

    /** @param own the transfers, for the rank's thread; throws in another */
    RankRma(Supplier<Transfers> own, PieceTransfers pieces, Completions completions, Waiter waiter) {
        this.own = own;
        this.pieces = pieces;
        this.completions = completions;
        this.waiter = waiter;
    }

    /** @param target of a put; a get is complete at its target when it is complete */
    private Handle complete(long token, int target, Completion completion) {
        return switch (completion) {
            case LOCAL -> completions.handle(completions.finish(token));
            case REMOTE -> {
                completions.finish(token);
                completions.flush(target);
                yield completions.handle(Completions.COMPLETE);
            }
            case HANDLE -> completions.handle(token);
            case IMPLICIT -> {
                completions.drop(token);
                yield implicit;
            }
        };
    }

    private Handle complete(Handle handle, int target, Completion completion) {
        return switch (completion) {
            case LOCAL -> {
                handle.sync();
                yield handle;
            }
            case REMOTE -> {
                handle.sync();
                completions.flush(target);
                yield handle;
            }
            case HANDLE -> handle;
            case IMPLICIT -> implicit;
        };
    }

    @Override
    public Handle put(SharedPointer dst, MemorySegment src, long bytes, Completion completion) {
        Transfers transfers = own.get();
        long token = completion == Completion.LOCAL ? transfers.put(dst, src, bytes) : transfers.putKept(dst, src, bytes);
        return complete(token, dst.rank(), completion);
    }

    @Override
    public Handle put(SharedPointer dst, Buffer src, Completion completion) {
        Transfers transfers = own.get();
        long token = completion == Completion.LOCAL ? transfers.put(dst, src, null) : transfers.putKept(dst, src);
        return complete(token, dst.rank(), completion);
    }

    @Override
    public Handle get(MemorySegment dst, SharedPointer src, long bytes, Completion completion) {
        return complete(own.get().get(dst, src, bytes), src.rank(), completion);
    }

    @Override
    public Handle get(Buffer dst, SharedPointer src, Completion completion) {
        return complete(own.get().get(dst, src, null), src.rank(), completion);
    }

    @Override
    public Handle copy(SharedPointer dst, SharedPointer src, long bytes, Completion completion) {
        return complete(own.get().copy(dst, src, bytes), dst.rank(), completion);
    }

    @Override
    public Handle set(SharedPointer dst, int value, long bytes, Completion completion) {
        return complete(own.get().set(dst, value, bytes), dst.rank(), completion);
    }

    // ---- many pieces

    @Override
    public Handle put(SharedPointer dst, Buffer src, Pieces shape, Completion completion) {
        own.get();
        return complete(pieces.put(dst, src, shape), dst.rank(), completion);
    }

    @Override
    public Handle get(Buffer dst, SharedPointer src, Pieces shape, Completion completion) {
        own.get();
        return complete(pieces.get(dst, src, shape), src.rank(), completion);
    }

    @Override
    public Handle copy(SharedPointer dst, SharedPointer src, Pieces shape, Completion completion) {
        own.get();
        return complete(pieces.copy(dst, src, shape), dst.rank(), completion);
    }

    @Override
    public Handle putList(List<SharedPointer> dst, List<Buffer> src, Completion completion) {
        Transfers transfers = checked("putList", dst, src);
        HandleGroup group = new HandleGroup(completions);
        for (int i = 0; i < dst.size(); i++) {
            group.add(transfers.put(dst.get(i), src.get(i), null));
        }
        return completeAll(group, dst, completion);
    }

    @Override
    public Handle getList(List<Buffer> dst, List<SharedPointer> src, Completion completion) {
        Transfers transfers = checked("getList", src, dst);
        HandleGroup group = new HandleGroup(completions);
        for (int i = 0; i < dst.size(); i++) {
            group.add(transfers.get(dst.get(i), src.get(i), null));
        }
        return completeAll(group, src, completion);
    }

    @Override
    public Handle copyList(List<SharedPointer> dst, List<SharedPointer> src, List<? extends Pieces> shapes,
            Completion completion) {
        own.get();
        requireAsMany("copyList", "destinations", dst, "sources", src);
        requireAsMany("copyList", "destinations", dst, "pieces", shapes);
        return completeAll(pieces.copyList(dst, src, shapes), dst, completion);
    }

    private static void requireAsMany(String operation, String some, List<?> first, String others, List<?> second) {
        if (first.size() != second.size()) {
            throw new IllegalArgumentException(operation + ": " + some + "=" + first.size() + " " + others + "=" + second.size()
                    + " (expected: as many of both)");
        }
    }

    /** Checks all ranges before the first byte moves. */
    private Transfers checked(String operation, List<SharedPointer> shared, List<Buffer> local) {
        requireAsMany(operation, "pointers", shared, "buffers", local);
        Transfers transfers = own.get();
        for (int i = 0; i < shared.size(); i++) {
            transfers.check(operation + " entry " + i, shared.get(i), local.get(i));
        }
        return transfers;
    }

    private Handle completeAll(Handle group, List<SharedPointer> shared, Completion completion) {
        if (completion == Completion.REMOTE) {
            group.sync();
            shared.stream().mapToInt(SharedPointer::rank).distinct().forEach(completions::flush);
            return group;
        }
        return complete(group, 0, completion);
    }

    @Override
    public Handle accumulate(SharedPointer dst, Buffer src, double alpha, Completion completion) {
        return accumulate(dst, src, Strided.contiguous(src.bytes()), alpha, completion);
    }

    @Override
    public Handle accumulate(SharedPointer dst, Buffer src, Pieces shape, double alpha, Completion completion) {
        own.get();
        return complete(pieces.accumulates().start(dst, src, shape, alpha), dst.rank(), completion);
    }

    @Override
    public Handle accumulateList(List<SharedPointer> dst, List<Buffer> src, double alpha, Completion completion) {
        own.get();
        requireAsMany("accumulateList", "pointers", dst, "buffers", src);
        return completeAll(pieces.accumulates().startList(dst, src, alpha), dst, completion);
    }

    // ---- single values

    private MemorySegment cell() {
        if (cell == null) {
            cell = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
        }
        return cell;
    }

    private void putCell(SharedPointer dst, long bytes) {
        completions.finish(own.get().put(dst, cell, bytes));
    }

    private MemorySegment getCell(SharedPointer src, long bytes) {
        completions.finish(own.get().get(cell(), src, bytes));
        return cell;
    }

    @Override
    public void putInt(SharedPointer dst, int value) {
        own.get();
        cell().set(ElementType.LAYOUT_INT, 0, value);
        putCell(dst, Integer.BYTES);
    }

    @Override
    public void putLong(SharedPointer dst, long value) {
        own.get();
        cell().set(ElementType.LAYOUT_LONG, 0, value);
        putCell(dst, Long.BYTES);
    }

    @Override
    public void putFloat(SharedPointer dst, float value) {
        putInt(dst, Float.floatToRawIntBits(value));
    }

    @Override
    public void putDouble(SharedPointer dst, double value) {
        putLong(dst, Double.doubleToRawLongBits(value));
    }

    @Override
    public int getInt(SharedPointer src) {
        return getCell(src, Integer.BYTES).get(ElementType.LAYOUT_INT, 0);
    }

    @Override
    public long getLong(SharedPointer src) {
        return getCell(src, Long.BYTES).get(ElementType.LAYOUT_LONG, 0);
    }

    @Override
    public float getFloat(SharedPointer src) {
        return Float.intBitsToFloat(getInt(src));
    }

    @Override
    public double getDouble(SharedPointer src) {
        return Double.longBitsToDouble(getLong(src));
    }

    // ---- completion

    @Override
    public void flush(int target) {
        own.get();
        completions.flush(target);
    }

    @Override
    public void syncAll(Handle... handles) {
        own.get();
        for (Handle handle : handles) {
            handle.sync();
        }
        runCompleted();
    }

    @Override
    public int syncAny(Handle... handles) {
        return syncSome(handles)[0];
    }

    @Override
    public int[] syncSome(Handle... handles) {
        if (handles.length == 0) {
            throw new IllegalArgumentException("syncSome and syncAny: handles=0 (expected: 1 or more)");
        }
        own.get();
        waiter.begin();
        int[] done = complete(handles);
        while (done.length == 0) {
            waiter.pause(() -> "one of " + handles.length + " handles");
            done = complete(handles);
        }
        runCompleted();
        return done;
    }

    private static int[] complete(Handle[] handles) {
        return IntStream.range(0, handles.length).filter(i -> handles[i].trySync()).toArray();
    }

    @Override
    public void whenComplete(Handle handle, Runnable action) {
        Objects.requireNonNull(action, "action");
        continueAfter(new Continuation(handle, action, failure -> {
            throw failure;
        }));
    }

    private void continueAfter(Continuation continuation) {
        own.get();
        if (!continuation.tryRun()) {
            continuations.add(continuation);
        }
    }

    @Override
    public CompletableFuture<Void> future(Handle handle) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        continueAfter(new Continuation(handle, () -> future.complete(null), future::completeExceptionally));
        return future;
    }

    /** Runs the actions of handles that are complete; true if there were any. */
    boolean runCompleted() {
        if (continuations.isEmpty()) {
            return false;
        }
        boolean any = false;
        for (Continuation each : List.copyOf(continuations)) { // actions may add more, and wait, which runs others
            if (each.isOver() && continuations.remove(each)) {
                any = true;
                each.run();
            }
        }
        return any;
    }

    @Override
    public void syncAll() {
        own.get();
        completions.completeAll();
        runCompleted();
    }

    @Override
    public boolean trySyncAll() {
        own.get();
        waiter.throwIfAborted();
        boolean complete = completions.tryCompleteAll();
        runCompleted();
        return complete;
    }

    @Override
    public void close() {
        pieces.close();
    }
}
