package org.pgas4j.runtime.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.pgas4j.Block;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Handle;
import org.pgas4j.Kind;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.runtime.memory.Closing;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.memory.Segments;
import org.pgas4j.runtime.sync.Waiter;

/**
 * One rank's transfers. Every operation has one implementation that either completes it or queues it on a stream and says
 * which; blocking, non-blocking and implicit forms differ in what they do with the answer. Used by the rank's thread.
 */
public final class Transfers implements AutoCloseable {

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
    private final Staging staging;
    private final Accelerator accelerator;
    private final Engine engine;
    private Staging.Piece piece;

    public Transfers(int rank, Peers peers, RouteTable routes, Segments segments, Staging staging, Accelerator accelerator,
                     Waiter waiter) {
        this.rank = rank;
        this.peers = peers;
        this.routes = routes;
        this.segments = segments;
        this.staging = staging;
        this.accelerator = accelerator;
        this.engine = new Engine(rank, accelerator, waiter);
    }

    // ---- the three forms

    /** Completes an operation that {@link #put} or one like it started on the rank's own stream. */
    public void finish(boolean complete) {
        if (!complete) {
            engine.sync();
        }
    }

    /** A handle for an operation just started. */
    public Handle handle(boolean complete) {
        return complete ? DONE : engine.handle();
    }

    /** Completes every transfer of this rank's own stream. */
    public void completeAll() {
        engine.sync();
    }

    /** True if every transfer of this rank's own stream is complete; never blocks. */
    public boolean tryCompleteAll() {
        return engine.isComplete();
    }

    /** Orders host transfers before everything after, in both directions. */
    public void fenceHost() {
        VarHandle.fullFence();
    }

    // ---- put

    /** Starts a put from host memory; true if it is complete. */
    public boolean put(SharedPointer dst, MemorySegment src, long bytes) {
        if (dst.kind() == Kind.HOST) {
            Peer peer = peers.get(dst.rank());
            long offset = dst.addrField();
            if (Bounds.outside(offset, bytes, peer.hostBytes()) || bytes > src.byteSize()) {
                throw outOfBounds("memput", dst, peer, src, bytes);
            }
            peer.endpoint().put(peer.heapStart() + offset, src, 0, bytes);
            return true;
        }
        return putToDevice(dst, src, bytes);
    }

    private IndexOutOfBoundsException outOfBounds(String operation, SharedPointer pointer, Peer peer, MemorySegment local,
                                                  long bytes) {
        return Bounds.outside(pointer.addrField(), bytes, peer.hostBytes())
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
        if (routes.route(dst.rank(), Kind.HOST, Kind.DEVICE) != Route.STAGED && src.isNative()) {
            engine.stream().copyIn(peer.device(), peer.deviceOffset() + dst.addrField(), Unscoped.of(src), 0, bytes);
            engine.transferQueued();
            return false;
        }
        for (long done = 0; done < bytes; done += Staging.PIECE_BYTES) {
            long part = Math.min(Staging.PIECE_BYTES, bytes - done);
            MemorySegment.copy(src, done, piece().segment(), 0, part);
            pieceToDevice(peer, dst.addrField() + done, part);
        }
        return true;
    }

    /** Starts a put of a block on {@code via}, or on the rank's own stream if null; true if it is complete. */
    public boolean put(SharedPointer dst, Block src, AcceleratorStream via) {
        if (src.kind() == Kind.HOST) {
            return via == null || dst.kind() == Kind.HOST ? put(dst, src.segment(), src.bytes())
                    : putToDeviceVia(dst, src.segment(), src.bytes(), via);
        }
        long bytes = src.bytes();
        Peer peer = peers.get(dst.rank());
        Bounds.checkShared("memput", rank, dst, peer, bytes);
        DeviceMemory memory = open("memput", src);
        if (bytes == 0) {
            return true;
        }
        if (routes.route(dst.rank(), Kind.DEVICE, dst.kind()) != Route.STAGED) {
            AcceleratorStream stream = via == null ? engine.stream() : via;
            if (dst.kind() == Kind.DEVICE) {
                stream.copy(peer.device(), peer.deviceOffset() + dst.addrField(), memory, src.deviceOffset(), bytes);
            } else {
                segments.register(rank, dst.rank(), accelerator);
                stream.copyOut(peer.endpoint().mapped(), peer.heapStart() + dst.addrField(), memory, src.deviceOffset(),
                        bytes);
            }
            return queued(via);
        }
        completeVia(via);
        for (long done = 0; done < bytes; done += Staging.PIECE_BYTES) {
            long part = Math.min(Staging.PIECE_BYTES, bytes - done);
            engine.stream().copyOut(piece().segment(), 0, memory, src.deviceOffset() + done, part);
            syncEngine();
            pieceToShared(dst, peer, done, part);
        }
        return true;
    }

    private boolean putToDeviceVia(SharedPointer dst, MemorySegment src, long bytes, AcceleratorStream via) {
        Peer peer = peers.get(dst.rank());
        if (!src.isNative() || routes.route(dst.rank(), Kind.HOST, Kind.DEVICE) == Route.STAGED) {
            completeVia(via);
            finish(putToDevice(dst, src, bytes));
            return true;
        }
        Bounds.checkShared("memput", rank, dst, peer, bytes);
        via.copyIn(peer.device(), peer.deviceOffset() + dst.addrField(), Unscoped.of(src), 0, bytes);
        return false;
    }

    // ---- get

    /** Starts a get to host memory; true if it is complete. */
    public boolean get(MemorySegment dst, SharedPointer src, long bytes) {
        if (src.kind() == Kind.HOST) {
            Peer peer = peers.get(src.rank());
            long offset = src.addrField();
            if (Bounds.outside(offset, bytes, peer.hostBytes()) || bytes > dst.byteSize()) {
                throw outOfBounds("memget", src, peer, dst, bytes);
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
        if (routes.route(src.rank(), Kind.HOST, Kind.DEVICE) != Route.STAGED && dst.isNative()) {
            engine.stream().copyOut(Unscoped.of(dst), 0, peer.device(), peer.deviceOffset() + src.addrField(), bytes);
            engine.transferQueued();
            return false;
        }
        for (long done = 0; done < bytes; done += Staging.PIECE_BYTES) {
            long part = Math.min(Staging.PIECE_BYTES, bytes - done);
            deviceToPiece(peer, src.addrField() + done, part);
            MemorySegment.copy(piece().segment(), 0, dst, done, part);
        }
        return true;
    }

    /** Starts a get to a block on {@code via}, or on the rank's own stream if null; true if it is complete. */
    public boolean get(Block dst, SharedPointer src, AcceleratorStream via) {
        if (dst.kind() == Kind.HOST) {
            if (via == null || src.kind() == Kind.HOST) {
                return get(dst.segment(), src, dst.bytes());
            }
            completeVia(via);
            finish(get(dst.segment(), src, dst.bytes()));
            return true;
        }
        long bytes = dst.bytes();
        Peer peer = peers.get(src.rank());
        Bounds.checkShared("memget", rank, src, peer, bytes);
        DeviceMemory memory = open("memget", dst);
        if (bytes == 0) {
            return true;
        }
        if (routes.route(src.rank(), Kind.DEVICE, src.kind()) != Route.STAGED) {
            AcceleratorStream stream = via == null ? engine.stream() : via;
            if (src.kind() == Kind.DEVICE) {
                stream.copy(memory, dst.deviceOffset(), peer.device(), peer.deviceOffset() + src.addrField(), bytes);
            } else {
                segments.register(rank, src.rank(), accelerator);
                stream.copyIn(memory, dst.deviceOffset(), peer.endpoint().mapped(), peer.heapStart() + src.addrField(),
                        bytes);
            }
            return queued(via);
        }
        completeVia(via);
        for (long done = 0; done < bytes; done += Staging.PIECE_BYTES) {
            long part = Math.min(Staging.PIECE_BYTES, bytes - done);
            sharedToPiece(src, peer, done, part);
            engine.stream().copyIn(memory, dst.deviceOffset() + done, piece().segment(), 0, part);
            syncEngine();
        }
        return true;
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
        if (src.kind() == Kind.HOST && mapped != null
                && (dst.kind() == Kind.HOST || routes.route(dst.rank(), Kind.HOST, Kind.DEVICE) != Route.STAGED)) {
            long start = from.heapStart() + src.addrField();
            if (dst.kind() == Kind.HOST) {
                to.endpoint().put(to.heapStart() + dst.addrField(), mapped, start, bytes);
                return true;
            }
            segments.register(rank, src.rank(), accelerator);
            engine.stream().copyIn(to.device(), to.deviceOffset() + dst.addrField(), mapped, start, bytes);
            return queued(null);
        }
        if (src.kind() == Kind.DEVICE && routes.route(src.rank(), Kind.DEVICE, Kind.DEVICE) != Route.STAGED
                && routes.route(dst.rank(), Kind.DEVICE, dst.kind()) != Route.STAGED) {
            long start = from.deviceOffset() + src.addrField();
            if (dst.kind() == Kind.DEVICE) {
                engine.stream().copy(to.device(), to.deviceOffset() + dst.addrField(), from.device(), start, bytes);
            } else {
                segments.register(rank, dst.rank(), accelerator);
                engine.stream().copyOut(to.endpoint().mapped(), to.heapStart() + dst.addrField(), from.device(), start,
                        bytes);
            }
            return queued(null);
        }
        for (long done = 0; done < bytes; done += Staging.PIECE_BYTES) {
            long part = Math.min(Staging.PIECE_BYTES, bytes - done);
            sharedToPiece(src, from, done, part);
            pieceToShared(dst, to, done, part);
        }
        return true;
    }

    /** Starts setting bytes; true if it is complete. */
    public boolean set(SharedPointer dst, int value, long bytes) {
        Peer peer = peers.get(dst.rank());
        Bounds.checkShared("memset", rank, dst, peer, bytes);
        if (bytes == 0) {
            return true;
        }
        if (dst.kind() == Kind.HOST) {
            peer.endpoint().fill(peer.heapStart() + dst.addrField(), bytes, (byte) value);
            return true;
        }
        if (dst.rank() == rank) {
            engine.stream().fill(peer.device(), peer.deviceOffset() + dst.addrField(), bytes, (byte) value);
            return queued(null);
        }
        // A device sets its own memory only: to a peer's the bytes are copied.
        piece().segment().asSlice(0, Math.min(Staging.PIECE_BYTES, bytes)).fill((byte) value);
        for (long done = 0; done < bytes; done += Staging.PIECE_BYTES) {
            pieceToDevice(peer, dst.addrField() + done, Math.min(Staging.PIECE_BYTES, bytes - done));
        }
        return true;
    }

    // ---- pieces of staging memory

    private Staging.Piece piece() {
        if (piece == null) {
            piece = new Staging.Piece(rank, accelerator);
        }
        return piece;
    }

    private void pieceToShared(SharedPointer dst, Peer peer, long done, long part) {
        if (dst.kind() == Kind.HOST) {
            peer.endpoint().put(peer.heapStart() + dst.addrField() + done, piece().segment(), 0, part);
        } else {
            pieceToDevice(peer, dst.addrField() + done, part);
        }
    }

    private void pieceToDevice(Peer peer, long offset, long part) {
        if (routes.route(peer.rank(), Kind.HOST, Kind.DEVICE) == Route.STAGED) {
            staging.put(peer.rank(), offset, piece(), part);
        } else {
            engine.stream().copyIn(peer.device(), peer.deviceOffset() + offset, piece().segment(), 0, part);
            syncEngine();
        }
    }

    private void sharedToPiece(SharedPointer src, Peer peer, long done, long part) {
        if (src.kind() == Kind.HOST) {
            peer.endpoint().get(piece().segment(), 0, peer.heapStart() + src.addrField() + done, part);
        } else {
            deviceToPiece(peer, src.addrField() + done, part);
        }
    }

    private void deviceToPiece(Peer peer, long offset, long part) {
        if (routes.route(peer.rank(), Kind.HOST, Kind.DEVICE) == Route.STAGED) {
            staging.get(piece(), peer.rank(), offset, part);
        } else {
            engine.stream().copyOut(piece().segment(), 0, peer.device(), peer.deviceOffset() + offset, part);
            syncEngine();
        }
    }

    private void syncEngine() {
        engine.transferQueued();
        engine.sync();
    }

    private boolean queued(AcceleratorStream via) {
        if (via == null) {
            engine.transferQueued();
        }
        return false;
    }

    private void completeVia(AcceleratorStream via) {
        if (via != null) {
            syncStream(via);
        }
    }

    /** Waits for a stream of this rank. */
    public void syncStream(AcceleratorStream stream) {
        Engine.sync(stream::sync, engine.waiter(), () -> "stream of rank " + rank);
    }

    /** Waits for a point in a stream of this rank. */
    public void syncEvent(StreamEvent event) {
        Engine.sync(event::sync, engine.waiter(), () -> "event of rank " + rank);
    }

    private DeviceMemory open(String operation, Block block) {
        DeviceMemory memory = block.deviceMemory();
        if (!memory.isOpen()) {
            throw new DeviceException(operation + " of rank " + rank + ": the device memory of " + block + " is closed");
        }
        return memory;
    }

    @Override
    public void close() {
        java.util.ArrayList<AutoCloseable> all = new java.util.ArrayList<>(List.of(engine));
        if (piece != null) {
            all.add(piece);
        }
        Closing.closeAll(all);
    }
}
