package org.pgas4j.runtime.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.bootstrap.watch.Phase;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.memory.Segments;
import org.pgas4j.runtime.sync.Waiter;

/**
 * One rank's transfers. Every operation has one implementation that either completes it, queues it on a stream or starts it
 * as messages, and says whether it is complete; blocking, non-blocking and implicit forms differ in what they do with the
 * answer. Used by the rank's thread.
 */
public class Transfers implements AutoCloseable {

    private static final int PIECE_BYTES = 1 << 20;

    /** The handle of what was complete when it was started. */
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
    private final RouteTable routes;
    private final Segments segments;
    private final ProgressEngine progress;
    private final Accelerator accelerator;
    private final Waiter waiter;
    private final Activity activity;
    private final TransferStream engine;
    private PinnedMemory piece;
    private Operation started; // what the last operation is waiting for; null if that is the stream

    public Transfers(int rank, Peers peers, RouteTable routes, Segments segments, ProgressEngine progress,
                     Accelerator accelerator, Waiter waiter) {
        this.rank = rank;
        this.peers = peers;
        this.routes = routes;
        this.segments = segments;
        this.progress = progress;
        this.accelerator = accelerator;
        this.waiter = waiter;
        this.activity = waiter.activity();
        this.engine = new TransferStream(rank, accelerator, waiter, progress);
    }

    // ---- the three forms

    /** Completes an operation that {@link #put} or one like it just started. */
    public void finish(boolean complete) {
        if (complete) {
            return;
        }
        if (started == null) {
            engine.sync();
        } else {
            complete(started);
        }
    }

    private void complete(Operation operation) {
        activity.enter(Phase.TRANSFER);
        Port port = progress.enter();
        try {
            port.complete(operation);
        } catch (RuntimeException e) {
            throw activity.failed(e);
        } finally {
            progress.exit();
        }
        activity.leave();
    }

    /** A handle for an operation just started. */
    public Handle handle(boolean complete) {
        if (complete) {
            return DONE;
        }
        if (started == null) {
            return engine.handle();
        }
        Operation operation = started;
        return new Handle() {
            @Override
            public void sync() {
                if (!operation.isComplete()) {
                    complete(operation);
                }
            }

            @Override
            public boolean trySync() {
                if (!operation.isComplete()) {
                    waiter.throwIfAborted();
                    progress.poll();
                }
                return operation.isComplete();
            }
        };
    }

    /** Completes every transfer of this rank that is not on a stream of its program. */
    public void completeAll() {
        engine.sync();
        if (progress.isActive()) {
            Port port = progress.enter();
            try {
                port.completeAll();
            } finally {
                progress.exit();
            }
        }
    }

    /** True if {@link #completeAll} would not wait; never blocks. */
    public boolean tryCompleteAll() {
        if (!engine.isComplete()) {
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

    /** Completes every transfer of this rank that is not on a stream of its program, at its target. */
    public void fence() {
        engine.sync();
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
        VarHandle.fullFence();
    }

    // ---- who sees them

    /** True if every transfer has to come by here. */
    public boolean watches() {
        return false;
    }

    /** Transfers that are part of an operation which orders them itself. */
    public void unwatched(Runnable transfers) {
        transfers.run();
    }

    // ---- what notifications and streams ask

    /** Completes what is queued on this rank's own stream. */
    public void completeQueued() {
        engine.sync();
    }

    /** True if a put between these is a copy that can be queued on a stream of this rank. */
    public boolean isQueueable(int target, MemoryKind own, MemoryKind remote) {
        return (own == MemoryKind.DEVICE || remote == MemoryKind.DEVICE) && !routes.byMessages(target, own, remote);
    }

    /** True if a put between these goes by messages. */
    public boolean byMessages(int target, MemoryKind own, MemoryKind remote) {
        return target != rank && (own == MemoryKind.HOST && remote == MemoryKind.HOST ? routes.forcesMessages()
                : routes.byMessages(target, own, remote));
    }

    /** True if nothing between this rank and {@code target} goes by messages. */
    public boolean isDirect(int target) {
        return routes.isDirect(target);
    }

    /** From this size on puts by messages go by rendezvous. */
    public long putThreshold(MemoryKind own, MemoryKind remote) {
        return routes.threshold(true, own, remote);
    }

    // ---- put

    /** Starts a put from host memory; true if it is complete. */
    public boolean put(SharedPointer dst, MemorySegment src, long bytes) {
        if (dst.kind() == MemoryKind.HOST) {
            Peer peer = peers.get(dst.rank());
            long offset = dst.addrField();
            if (Bounds.refuses(dst, bytes, peer.hostBytes()) || bytes > src.byteSize()) {
                throw refused("memput", dst, peer, src, bytes);
            }
            if (routes.forcesMessages() && dst.rank() != rank) {
                return sendPut(dst, src, null, 0, bytes);
            }
            peer.endpoint().put(peer.heapStart() + offset, src, 0, bytes);
            return true;
        }
        return putToDevice(dst, src, bytes);
    }

    private RuntimeException refused(String operation, SharedPointer pointer, Peer peer, MemorySegment local, long bytes) {
        return Bounds.refuses(pointer, bytes, peer.hostBytes())
                ? Bounds.shared(operation, rank, pointer, bytes, peer.hostBytes())
                : Bounds.local(operation, rank, bytes, local.byteSize());
    }

    private boolean putToDevice(SharedPointer dst, MemorySegment src, long bytes) {
        Peer peer = peers.get(dst.rank());
        Bounds.checkShared("memput", rank, dst, peer, bytes);
        Bounds.checkLocal("memput", rank, src, bytes);
        if (bytes == 0) {
            return true;
        }
        if (routes.byMessages(dst.rank(), MemoryKind.HOST, MemoryKind.DEVICE)) {
            return sendPut(dst, src, null, 0, bytes);
        }
        if (src.isNative()) {
            engine.stream().copyIn(peer.device(), peer.deviceOffset() + dst.addrField(), HostBuffers.requireOpen(src, "memput"), 0,
                    bytes);
            return queued(null);
        }
        for (long done = 0; done < bytes; done += PIECE_BYTES) {
            long part = Math.min(PIECE_BYTES, bytes - done);
            MemorySegment.copy(src, done, piece(), 0, part);
            engine.stream().copyIn(peer.device(), peer.deviceOffset() + dst.addrField() + done, piece(), 0, part);
            syncEngine();
        }
        return true;
    }

    /** Starts a put of a block on {@code via}, or on the rank's own stream if null; true if it is complete. */
    public boolean put(SharedPointer dst, Buffer src, AcceleratorStream via) {
        if (src.kind() == MemoryKind.HOST) {
            return via == null || dst.kind() == MemoryKind.HOST ? putVia(dst, src.segment(), src.bytes(), via)
                    : putToDeviceVia(dst, src.segment(), src.bytes(), via);
        }
        long bytes = src.bytes();
        Peer peer = peers.get(dst.rank());
        Bounds.checkShared("memput", rank, dst, peer, bytes);
        DeviceMemory memory = OpenBlocks.require("memput", rank, src);
        if (bytes == 0) {
            return true;
        }
        if (routes.byMessages(dst.rank(), MemoryKind.DEVICE, dst.kind())) {
            completeVia(via);
            return sentVia(via, sendPut(dst, null, memory, src.deviceOffset(), bytes));
        }
        AcceleratorStream stream = via == null ? engine.stream() : via;
        if (dst.kind() == MemoryKind.DEVICE) {
            stream.copy(peer.device(), peer.deviceOffset() + dst.addrField(), memory, src.deviceOffset(), bytes);
        } else {
            segments.register(rank, dst.rank(), accelerator);
            stream.copyOut(peer.endpoint().mapped(), peer.heapStart() + dst.addrField(), memory, src.deviceOffset(), bytes);
        }
        return queued(via);
    }

    private boolean putVia(SharedPointer dst, MemorySegment src, long bytes, AcceleratorStream via) {
        return sentVia(via, put(dst, src, bytes));
    }

    private boolean putToDeviceVia(SharedPointer dst, MemorySegment src, long bytes, AcceleratorStream via) {
        Peer peer = peers.get(dst.rank());
        if (!src.isNative() || routes.byMessages(dst.rank(), MemoryKind.HOST, MemoryKind.DEVICE)) {
            completeVia(via);
            finish(putToDevice(dst, src, bytes));
            return true;
        }
        Bounds.checkShared("memput", rank, dst, peer, bytes);
        via.copyIn(peer.device(), peer.deviceOffset() + dst.addrField(), HostBuffers.requireOpen(src, "memput"), 0, bytes);
        return false;
    }

    // ---- get

    /** Starts a get to host memory; true if it is complete. */
    public boolean get(MemorySegment dst, SharedPointer src, long bytes) {
        if (src.kind() == MemoryKind.HOST) {
            Peer peer = peers.get(src.rank());
            long offset = src.addrField();
            if (Bounds.refuses(src, bytes, peer.hostBytes()) || bytes > dst.byteSize()) {
                throw refused("memget", src, peer, dst, bytes);
            }
            if (routes.forcesMessages() && src.rank() != rank) {
                return sendGet(dst, null, 0, src, bytes);
            }
            peer.endpoint().get(dst, 0, peer.heapStart() + offset, bytes);
            return true;
        }
        return getFromDevice(dst, src, bytes);
    }

    private boolean getFromDevice(MemorySegment dst, SharedPointer src, long bytes) {
        Peer peer = peers.get(src.rank());
        Bounds.checkShared("memget", rank, src, peer, bytes);
        Bounds.checkLocal("memget", rank, dst, bytes);
        if (bytes == 0) {
            return true;
        }
        if (routes.byMessages(src.rank(), MemoryKind.HOST, MemoryKind.DEVICE)) {
            return sendGet(dst, null, 0, src, bytes);
        }
        if (dst.isNative()) {
            HostBuffers.requireOpen(Unscoped.requireWritable(dst), "memget");
            if (HostBuffers.isConfined(dst)) {
                engine.sync(); // this thread copies
            }
            engine.stream().copyOut(dst, 0, peer.device(), peer.deviceOffset() + src.addrField(), bytes);
            return queued(null);
        }
        for (long done = 0; done < bytes; done += PIECE_BYTES) {
            long part = Math.min(PIECE_BYTES, bytes - done);
            engine.stream().copyOut(piece(), 0, peer.device(), peer.deviceOffset() + src.addrField() + done, part);
            syncEngine();
            MemorySegment.copy(piece(), 0, dst, done, part);
        }
        return true;
    }

    /** Starts a get to a block on {@code via}, or on the rank's own stream if null; true if it is complete. */
    public boolean get(Buffer dst, SharedPointer src, AcceleratorStream via) {
        if (dst.kind() == MemoryKind.HOST) {
            if (via == null || src.kind() == MemoryKind.HOST) {
                return sentVia(via, get(dst.segment(), src, dst.bytes()));
            }
            completeVia(via);
            finish(get(dst.segment(), src, dst.bytes()));
            return true;
        }
        long bytes = dst.bytes();
        Peer peer = peers.get(src.rank());
        Bounds.checkShared("memget", rank, src, peer, bytes);
        DeviceMemory memory = OpenBlocks.require("memget", rank, dst);
        if (bytes == 0) {
            return true;
        }
        if (routes.byMessages(src.rank(), MemoryKind.DEVICE, src.kind())) {
            completeVia(via);
            return sentVia(via, sendGet(null, memory, dst.deviceOffset(), src, bytes));
        }
        AcceleratorStream stream = via == null ? engine.stream() : via;
        if (src.kind() == MemoryKind.DEVICE) {
            stream.copy(memory, dst.deviceOffset(), peer.device(), peer.deviceOffset() + src.addrField(), bytes);
        } else {
            segments.register(rank, src.rank(), accelerator);
            stream.copyIn(memory, dst.deviceOffset(), peer.endpoint().mapped(), peer.heapStart() + src.addrField(), bytes);
        }
        return queued(via);
    }

    // ---- copy and set

    /** Starts a copy between two shared places; true if it is complete. */
    public boolean copy(SharedPointer dst, SharedPointer src, long bytes) {
        Peer to = peers.get(dst.rank());
        Peer from = peers.get(src.rank());
        Bounds.checkShared("memcpy", rank, dst, to, bytes);
        Bounds.checkShared("memcpy", rank, src, from, bytes);
        if (bytes == 0) {
            return true;
        }
        MemorySegment mapped = from.endpoint().mapped();
        boolean sourceDirect = src.rank() == rank || !routes.forcesMessages();
        if (src.kind() == MemoryKind.HOST && mapped != null && sourceDirect) {
            long start = from.heapStart() + src.addrField();
            if (dst.kind() == MemoryKind.HOST) {
                return put(dst, mapped.asSlice(start, bytes), bytes);
            }
            if (routes.byMessages(dst.rank(), MemoryKind.HOST, MemoryKind.DEVICE)) {
                return sendPut(dst, mapped, null, start, bytes);
            }
            segments.register(rank, src.rank(), accelerator);
            engine.stream().copyIn(to.device(), to.deviceOffset() + dst.addrField(), mapped, start, bytes);
            return queued(null);
        }
        if (src.kind() == MemoryKind.DEVICE && !routes.byMessages(src.rank(), MemoryKind.DEVICE, MemoryKind.DEVICE)) {
            long start = from.deviceOffset() + src.addrField();
            if (routes.byMessages(dst.rank(), MemoryKind.DEVICE, dst.kind())) {
                return sendPut(dst, null, from.device(), start, bytes);
            }
            if (dst.kind() == MemoryKind.DEVICE) {
                engine.stream().copy(to.device(), to.deviceOffset() + dst.addrField(), from.device(), start, bytes);
            } else {
                segments.register(rank, dst.rank(), accelerator);
                engine.stream().copyOut(to.endpoint().mapped(), to.heapStart() + dst.addrField(), from.device(), start,
                        bytes);
            }
            return queued(null);
        }
        if (dst.rank() == rank) {
            return dst.kind() == MemoryKind.HOST ? get(to.endpoint().mapped().asSlice(to.heapStart() + dst.addrField(), bytes), src,
                    bytes) : sendGet(null, to.device(), to.deviceOffset() + dst.addrField(), src, bytes);
        }
        for (long done = 0; done < bytes; done += PIECE_BYTES) {
            long part = Math.min(PIECE_BYTES, bytes - done);
            finish(get(piece(), at(src, done), part));
            finish(put(at(dst, done), piece(), part));
        }
        return true;
    }

    private static SharedPointer at(SharedPointer pointer, long done) {
        return pointer.cast(0, 1).plus(done);
    }

    /** Starts setting bytes; true if it is complete. */
    public boolean set(SharedPointer dst, int value, long bytes) {
        Peer peer = peers.get(dst.rank());
        Bounds.checkShared("memset", rank, dst, peer, bytes);
        if (bytes == 0) {
            return true;
        }
        if (dst.rank() != rank && (routes.forcesMessages() || dst.kind() == MemoryKind.DEVICE
                && routes.byMessages(dst.rank(), MemoryKind.HOST, MemoryKind.DEVICE))) {
            Port port = progress.enter();
            try {
                port.set(dst.rank(), dst.kind(), dst.addrField(), bytes, (byte) value);
            } finally {
                progress.exit();
            }
            return true;
        }
        if (dst.kind() == MemoryKind.HOST) {
            peer.endpoint().fill(peer.heapStart() + dst.addrField(), bytes, (byte) value);
            return true;
        }
        if (dst.rank() == rank) {
            engine.stream().fill(peer.device(), peer.deviceOffset() + dst.addrField(), bytes, (byte) value);
            return queued(null);
        }
        // A device sets its own memory only: to a peer's the bytes are copied.
        piece().asSlice(0, Math.min(PIECE_BYTES, bytes)).fill((byte) value);
        for (long done = 0; done < bytes; done += PIECE_BYTES) {
            engine.stream().copyIn(peer.device(), peer.deviceOffset() + dst.addrField() + done, piece(), 0,
                    Math.min(PIECE_BYTES, bytes - done));
            syncEngine();
        }
        return true;
    }

    // ---- messages

    private boolean sendPut(SharedPointer dst, MemorySegment host, DeviceMemory device, long offset, long bytes) {
        if (bytes == 0) {
            return true;
        }
        long threshold = routes.threshold(true, host == null ? MemoryKind.DEVICE : MemoryKind.HOST, dst.kind());
        Port port = progress.enter();
        try {
            return started(port.put(dst.rank(), dst.kind(), dst.addrField(), unscoped(host), device, offset, bytes,
                    threshold));
        } finally {
            progress.exit();
        }
    }

    private boolean sendGet(MemorySegment host, DeviceMemory device, long offset, SharedPointer src, long bytes) {
        if (bytes == 0) {
            return true;
        }
        long threshold = routes.threshold(false, host == null ? MemoryKind.DEVICE : MemoryKind.HOST, src.kind());
        Port port = progress.enter();
        try {
            return started(port.get(src.rank(), src.kind(), src.addrField(), target(host), device, offset, bytes,
                    threshold));
        } finally {
            progress.exit();
        }
    }

    /** A helper's thread may be the one that copies. */
    private static MemorySegment unscoped(MemorySegment host) {
        return host != null && host.isNative() ? Unscoped.of(host) : host;
    }

    private static MemorySegment target(MemorySegment host) {
        return host != null && host.isNative() ? Unscoped.target(host) : host;
    }

    private boolean started(Operation operation) {
        started = operation;
        return operation.isComplete();
    }

    /** What was started after a stream's work belongs to the stream, so it is completed here: a stream's transfers have no handle. */
    private boolean sentVia(AcceleratorStream via, boolean complete) {
        if (via == null) {
            return complete;
        }
        finish(complete);
        return true;
    }

    // ---- streams

    private MemorySegment piece() {
        if (piece == null) {
            piece = accelerator.allocatePinned(PIECE_BYTES);
        }
        return piece.segment();
    }

    private void syncEngine() {
        engine.transferQueued();
        engine.sync();
    }

    private boolean queued(AcceleratorStream via) {
        started = null;
        if (via == null) {
            engine.transferQueued();
        }
        engine.ahead().keepUp(via == null ? engine.stream() : via);
        return false;
    }

    private void completeVia(AcceleratorStream via) {
        if (via != null) {
            syncStream(via);
        }
    }

    /** How far streams of the rank may run ahead. */
    public StreamsAhead ahead() {
        return engine.ahead();
    }

    /** Waits for a stream of this rank, which is busy meanwhile. */
    public void syncStream(AcceleratorStream stream) {
        engine.syncBusy(stream::sync, () -> "stream of rank " + rank);
    }

    /** Waits for a point in a stream of this rank, which is busy meanwhile. */
    public void syncEvent(StreamEvent event) {
        engine.syncBusy(event::sync, () -> "event of rank " + rank);
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>(List.of(engine));
        if (piece != null) {
            all.add(piece);
        }
        CloseHelper.closeAll(all);
    }
}
