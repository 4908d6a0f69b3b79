package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.helper.resident.ResidentBlock;
import org.pgas4j.helper.resident.ResidentOptions;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.Waiter;

/**
 * Completion of one rank's transfers. A started transfer is a token: {@link #COMPLETE}, {@link #ON_STREAM}, the sequence number of
 * work on the rank's own stream, or a ticket for an operation by messages. Each token is used once, at once: blocking forms
 * {@link #finish} it, non-blocking ones make a {@link #handle}, implicit ones {@link #drop} it. Used by the rank's thread.
 */
public final class Completions implements AutoCloseable {

    /** Work that follows the rank's own stream, and is complete only after it. Used by the rank's thread. */
    public interface Follower {

        /** True if nothing is left to do. */
        boolean isIdle();

        /** Waits until nothing is left to do; the rank's own stream is complete. */
        void complete();
    }

    /** Token of a transfer that is complete. */
    public static final long COMPLETE = 0;

    /** Token of a transfer queued on a stream of the program, whose end completes it. */
    static final long ON_STREAM = Long.MAX_VALUE;

    private static final int PIECE_BYTES = 1 << 20;

    private static final Handle DONE = new Handle() {
        @Override
        public void sync() {
            // complete already
        }

        @Override
        public boolean trySync() {
            return true;
        }
    };

    private final int rank;
    private final Peers peers;
    private final ProgressEngine progress;
    private final Accelerator accelerator;
    private final Waiter waiter;
    private final Activity activity;
    private final TransferStream queue;
    private final List<ReportingHandle> reporting = new ArrayList<>(); // transfers of observed ranks only
    private HeldPuts held; // of large puts over the network; null for none
    private Follower follower;
    private PinnedMemory piece;
    private DeviceMemory atomicResult;
    private Operation operation; // of ticket -tickets
    private long tickets;

    public Completions(int rank, Peers peers, ProgressEngine progress, Accelerator accelerator, Waiter waiter) {
        this.rank = rank;
        this.peers = peers;
        this.progress = progress;
        this.accelerator = accelerator;
        this.waiter = waiter;
        this.activity = waiter.activity();
        this.queue = new TransferStream(rank, accelerator, waiter, progress);
    }

    // ---- the resident block

    /** Sets whether the rank has a resident block, before the first transfer. */
    public void resident(ResidentOptions options) {
        queue.resident(options);
    }

    /** Settings of the resident block. */
    ResidentOptions residentOptions() {
        return queue.residentOptions();
    }

    /** The resident block, if it can take a transfer of {@code bytes} bytes now, else null. */
    ResidentBlock residentFor(long bytes) {
        return queue.residentFor(bytes);
    }

    /** Token of what was just given to the resident block. */
    long posted() {
        return queue.posted();
    }

    // ---- tokens

    /** Sets what follows the rank's own stream: completed with it from now on. */
    public void follower(Follower work) {
        follower = work;
    }

    /** Lets large puts that would wait for their target's progress return when they are copied, up to so many bytes. */
    public void hold(long bytes) {
        held = bytes == 0 ? null : new HeldPuts(bytes);
    }

    HeldPuts held() {
        return held;
    }

    private void collectHeld() {
        if (held != null) {
            held.collect();
        }
    }

    private void completeQueue() {
        queue.sync();
        if (follower != null) {
            follower.complete();
        }
    }

    /** Token of what was just queued: on the program's stream, or on the rank's own if {@code via} is null. */
    long queued(AcceleratorStream via) {
        if (via != null) {
            queue.ahead().keepUp(via);
            return ON_STREAM;
        }
        return queue.transferQueued(queue.created());
    }

    /** Token of an operation by messages. */
    long started(Operation messages) {
        if (messages.isComplete()) {
            return COMPLETE;
        }
        operation = messages;
        return -++tickets;
    }

    private Operation take(long ticket) {
        if (ticket != -tickets || operation == null) {
            throw new IllegalStateException("ticket " + -ticket + " of rank " + rank + " was used already (last: " + tickets + ")");
        }
        Operation taken = operation;
        operation = null;
        return taken;
    }

    /** Completes a transfer locally; returns {@link #COMPLETE}. */
    public long finish(long token) {
        if (token > COMPLETE && token != ON_STREAM) {
            queue.sync();
        } else if (token < COMPLETE) {
            complete(take(token));
        }
        return COMPLETE;
    }

    /** Leaves a transfer to {@link #completeAll}. */
    public void drop(long token) {
        if (token < COMPLETE) {
            take(token);
        }
    }

    /** A handle for a transfer. */
    public Handle handle(long token) {
        if (token == COMPLETE) {
            return DONE;
        }
        if (token > COMPLETE) {
            return queue.handle();
        }
        Operation taken = take(token).kept();
        return new Handle() {
            @Override
            public void sync() {
                if (!taken.isComplete() || taken.isLost()) {
                    complete(taken);
                }
            }

            @Override
            public boolean trySync() {
                if (!taken.isComplete()) {
                    waiter.throwIfAborted();
                    progress.poll();
                }
                if (taken.isLost()) {
                    complete(taken); // throws
                }
                return taken.isComplete();
            }
        };
    }

    /**
     * A handle for a transfer whose completion is reported.
     *
     * @param completed runs once, as soon as the program knows that the transfer is complete: from the handle, or because all are
     */
    Handle reporting(long token, Runnable completed) {
        ReportingHandle handle = new ReportingHandle(handle(token), completed);
        reporting.removeIf(ReportingHandle::isReported);
        reporting.add(handle);
        return handle;
    }

    private void reportAll() {
        if (!reporting.isEmpty()) { // every fence comes by
            reporting.forEach(ReportingHandle::report);
            reporting.clear();
        }
    }

    private void complete(Operation taken) {
        activity.enter(Phase.TRANSFER);
        Port port = progress.enter();
        try {
            port.complete(taken);
        } catch (RuntimeException e) {
            throw activity.failed(e);
        } finally {
            progress.exit();
        }
        activity.leave();
    }

    // ---- everything

    /** Completes locally every transfer of this rank that is not on a stream of its program. */
    public void completeAll() {
        completeQueue();
        if (progress.isActive()) {
            Port port = progress.enter();
            try {
                port.completeAll();
            } finally {
                progress.exit();
            }
        }
        reportAll();
    }

    /** True if {@link #completeAll} would not wait; never blocks. */
    public boolean tryCompleteAll() {
        if (!queue.isComplete()) {
            return false;
        }
        if (follower != null && !follower.isIdle()) {
            progress.poll();
            return false;
        }
        if (!progress.isActive()) {
            return true;
        }
        progress.poll();
        Port port = progress.enter();
        try {
            return port.isAllComplete();
        } finally {
            progress.exit();
        }
    }

    /** Completes at its target every transfer of this rank that is not on a stream of its program, before all that follows. */
    public void fence() {
        completeAtTargets();
        VarHandle.fullFence();
    }

    /** As {@link #fence}; plain stores to mapped memory may still come after what follows, unless that orders them. */
    public void completeAtTargets() {
        completeQueue();
        if (progress.isActive()) {
            Port port = progress.enter();
            try {
                port.completeAll();
                port.fence();
            } finally {
                progress.exit();
            }
        }
        peers.flush();
        collectHeld();
        reportAll();
    }

    /** Gives up what is under way by messages with a rank that is lost. */
    void lose(int target) {
        Port port = progress.enter();
        try {
            port.lose(target);
        } finally {
            progress.exit();
        }
    }

    /** Completes at rank {@code target} what this rank has put there, and locally what is on the rank's own stream. */
    public void flush(int target) {
        completeQueue();
        if (progress.isActive()) {
            Port port = progress.enter();
            try {
                port.flush(target);
            } finally {
                progress.exit();
            }
        }
        peers.get(target).endpoint().flush();
        collectHeld();
        VarHandle.fullFence();
    }

    /** Completes the work on the rank's own stream. */
    public void completeQueued() {
        queue.sync();
    }

    // ---- streams

    /** True if the work on the rank's own stream is complete, or is so within a few looks. */
    public boolean queueCompletesSoon() {
        return queue.completesSoon();
    }

    /** Counts what was just queued on the rank's own stream beside transfers. */
    public void queuedBeside() {
        queued(null);
    }

    /** The rank's own stream. */
    public AcceleratorStream stream() {
        return queue.stream();
    }

    /**
     * Stream for copies of pieces between device memories, which {@link #queuedPieces} counts.
     *
     * @param large true for a copy that runs beside the rank's other transfers until something else is queued or waits
     * @param own   true if both sides are this rank's: it begins beside whatever the link is busy with
     */
    AcceleratorStream pieceStream(boolean large, boolean own) {
        return !large ? queue.first() : own ? queue.second() : queue.other();
    }

    /** Token of what was just queued on a stream of {@link #pieceStream}. */
    long queuedPieces(AcceleratorStream stream) {
        return queue.transferQueued(stream);
    }

    AcceleratorStream streamOr(AcceleratorStream via) {
        return via == null ? queue.stream() : via;
    }

    /** Page-locked memory for what passes through the host. */
    MemorySegment piece() {
        if (piece == null) {
            piece = accelerator.allocatePinned(PIECE_BYTES);
        }
        return piece.segment();
    }

    /** Word of the rank's device for what an atomic operation on the rank's own stream found. */
    Buffer atomicResult() {
        if (atomicResult == null) {
            atomicResult = accelerator.allocate(Long.BYTES, false);
        }
        return Buffer.ofDevice(atomicResult, 0, ElementType.LONG, 1);
    }

    /** Number of operations that streams of the rank may hold before their device begins them. */
    public StreamsAhead ahead() {
        return queue.ahead();
    }

    /** Waits for a stream of this rank, which is busy meanwhile; null is no stream. */
    public void syncStream(AcceleratorStream stream) {
        if (stream != null) {
            queue.syncBusy(stream, "stream");
        }
    }

    /** Waits for a point in a stream of this rank, which is busy meanwhile. */
    public void syncEvent(StreamEvent event) {
        queue.syncBusy(event, "event");
    }

    @Override
    public void close() {
        CloseHelper.closeAll(Arrays.asList(queue, piece, atomicResult));
    }
}
