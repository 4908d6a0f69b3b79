package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.Handle;
import org.pgas4j.Indexed;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Pieces;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * Transfers of many pieces. A strided shape whose both sides this rank or its device addresses is one loop, one kernel, or goes
 * packed through page-locked memory; by messages, pieces that the other side has one behind the other go as one; everything else
 * is a transfer for each piece, by the route of its size. Used by the rank's thread.
 */
public final class PieceTransfers implements AutoCloseable {

    /** Pieces of at least so many bytes are copied one by one between a host and a device: packing costs more than the calls. */
    private static final long LONG_PIECE_BYTES = 64 << 10;

    /** The same for the host device, whose calls are plain copies. */
    private static final long LONG_PIECE_OF_HOST_DEVICE = 64;

    /** Shorter copies end before a second stream is of use. */
    private static final long MIN_BYTES_BESIDE = 1 << 20;

    private final int rank;
    private final Transfers transfers;
    private final RouteTable routes;
    private final Completions completions;
    private final Accelerator accelerator;
    private final PackedMessages packed;
    private final PieceMemory memory;
    private final Accumulates accumulates;
    private final long longPieceBytes;
    private final RmaDescriptor rma = new RmaDescriptor();

    public PieceTransfers(int rank, Transfers transfers, Accelerator accelerator) {
        this.rank = rank;
        this.transfers = transfers;
        this.routes = transfers.routes();
        this.completions = transfers.completions();
        this.accelerator = accelerator;
        this.memory = new PieceMemory(rank, transfers, accelerator);
        this.packed = new PackedMessages(transfers, accelerator, memory, LONG_PIECE_BYTES);
        this.accumulates = new Accumulates(rank, transfers, accelerator, memory);
        this.longPieceBytes = accelerator.backend().equals("host") ? LONG_PIECE_OF_HOST_DEVICE : LONG_PIECE_BYTES;
    }

    /** The rank's accumulates, which use the same memory of the device. */
    public Accumulates accumulates() {
        return accumulates;
    }

    // ---- put, get, copy

    /** Starts a put of pieces. */
    public Handle put(SharedPointer dst, Buffer src, Pieces pieces) {
        memory.checkShared("put", dst, pieces.dstExtent());
        Bounds.checkLocal("put", rank, src, pieces.srcExtent());
        Place from = Place.of("put", rank, src);
        Place to = memory.place(dst, src.kind());
        if (isOneOperation(pieces, to, from)) {
            routes.route(dst.rank(), src.kind(), dst.kind()).countPut(pieces.bytes());
            return copy(to, from, pieces, dst.rank() == rank);
        }
        if (to == null && pieces instanceof Strided shape && packed.takes(shape, true, from)) {
            return packed.put(dst, from, shape);
        }
        HandleGroup group = new HandleGroup(completions);
        pieces.forEach((d, s, bytes) -> group.add(transfers.put(remote(dst, d, bytes).local(from, s), null)));
        return group;
    }

    /** Starts a get of pieces. */
    public Handle get(Buffer dst, SharedPointer src, Pieces pieces) {
        memory.checkShared("get", src, pieces.srcExtent());
        Bounds.checkLocal("get", rank, dst, pieces.dstExtent());
        Place to = Place.of("get", rank, dst);
        Place from = memory.place(src, dst.kind());
        if (to.isHost()) {
            Unscoped.requireWritable(to.host());
        }
        if (isOneOperation(pieces, to, from)) {
            routes.route(src.rank(), dst.kind(), src.kind()).countGet(pieces.bytes());
            return copy(to, from, pieces, src.rank() == rank);
        }
        if (from == null && pieces instanceof Strided shape && packed.takes(shape, false, to)) {
            return packed.get(to, src, shape);
        }
        HandleGroup group = new HandleGroup(completions);
        pieces.forEach((d, s, bytes) -> group.add(transfers.get(remote(src, s, bytes).local(to, d), null)));
        return group;
    }

    /** Starts a copy of pieces between two shared places. */
    public Handle copy(SharedPointer dst, SharedPointer src, Pieces pieces) {
        memory.checkShared("copy", dst, pieces.dstExtent());
        memory.checkShared("copy", src, pieces.srcExtent());
        Place to = memory.place(dst, src.kind());
        Place from = memory.place(src, dst.kind());
        if (isOneOperation(pieces, to, from)) {
            routes.route(dst.rank(), src.kind(), dst.kind()).countPut(pieces.bytes());
            return copy(to, from, pieces, dst.rank() == rank && src.rank() == rank);
        }
        HandleGroup group = new HandleGroup(completions);
        SharedPointer toBytes = dst.cast(0, 1);
        SharedPointer fromBytes = src.cast(0, 1);
        pieces.forEach((d, s, bytes) -> group.add(transfers.copy(toBytes.plus(d), fromBytes.plus(s), bytes)));
        return group;
    }

    /** Starts copies of pieces between pairs of shared places; no byte moves if a range of any leaves its memory. */
    public Handle copyList(List<SharedPointer> dst, List<SharedPointer> src, List<? extends Pieces> pieces) {
        for (int i = 0; i < dst.size(); i++) {
            memory.checkShared("copyList entry " + i, dst.get(i), pieces.get(i).dstExtent());
            memory.checkShared("copyList entry " + i, src.get(i), pieces.get(i).srcExtent());
        }
        HandleGroup group = new HandleGroup(completions);
        Map<Strided, Alike> alike = new LinkedHashMap<>();
        for (int i = 0; i < dst.size(); i++) {
            SharedPointer there = dst.get(i);
            SharedPointer here = src.get(i);
            Place to = memory.place(there, here.kind());
            Place from = memory.place(here, there.kind());
            if (pieces.get(i) instanceof Strided shape && isOneOperation(shape, to, from) && isOneKernel(shape, to, from)) {
                routes.route(there.rank(), here.kind(), there.kind()).countPut(shape.bytes());
                alike.computeIfAbsent(shape, _ -> new Alike()).add(to, from, there.rank() == rank && here.rank() == rank);
            } else {
                group.add(copy(there, here, pieces.get(i)));
            }
        }
        alike.forEach((shape, same) -> {
            boolean large = same.pairs.size() * shape.bytes() >= MIN_BYTES_BESIDE;
            AcceleratorStream stream = completions.pieceStream(large, same.own);
            PieceKernels.copy(stream, accelerator, same.pairs, shape, same.own);
            group.add(completions.queuedPieces(stream));
        });
        return group;
    }

    /** Places between which pieces of one shape are copied. */
    private static final class Alike {

        private final List<Place.Pair> pairs = new ArrayList<>();
        private boolean own = true; // all are this rank's

        void add(Place to, Place from, boolean isOwn) {
            pairs.add(new Place.Pair(to, from));
            own &= isOwn;
        }
    }

    private static boolean isOneKernel(Strided shape, Place to, Place from) {
        return !to.isHost() && !from.isHost() && shape.count() > 1 && shape.levels() <= PieceKernels.MAX_LEVELS;
    }

    /** True if nothing goes by messages or is reported, and the pieces are regular or a kernel takes their list. */
    private boolean isOneOperation(Pieces pieces, Place to, Place from) {
        return to != null && from != null && !transfers.isObserved() && switch (pieces) {
            case Strided _ -> true;
            case Indexed list -> !to.isHost() && !from.isHost() && list.count() > 1 && list.pieceBytes() > 0
                    && list.pieceBytes() < LONG_PIECE_BYTES;
        };
    }

    /** @param own true if both sides are this rank's */
    private Handle copy(Place to, Place from, Pieces pieces, boolean own) {
        return switch (pieces) {
            case Strided shape -> copyStrided(to, from, shape, own);
            case Indexed list -> copyIndexed(to, from, list);
        };
    }

    /** Between device memories: the list goes to the device, part by part. */
    private Handle copyIndexed(Place to, Place from, Indexed list) {
        OffsetList offsets = new OffsetList(completions.piece(), list.pieceBytes(), HostPieces.Packed.NEITHER, list.count());
        for (int i = 0; i < list.count(); i++) {
            offsets.add(list.dstOffset(i), list.srcOffset(i));
            if (offsets.isFull() || i == list.count() - 1) {
                completions.stream().copyIn(memory.scratch(), 0, completions.piece(), 0, offsets.bytes());
                IndexedKernels.copy(completions.stream(), accelerator, to, list.dstExtent(), from, list.srcExtent(),
                        memory.scratchPlace(), offsets);
                completions.finish(completions.queued(null));
                offsets.clear();
            }
        }
        return completions.handle(Completions.COMPLETE);
    }

    private RmaDescriptor remote(SharedPointer pointer, long offset, long bytes) {
        return rma.remote(pointer.rank(), pointer.kind(), pointer.addrField() + offset, PgasUnsafe.lease(pointer), bytes);
    }

    // ---- strided, both sides addressed

    private Handle copyStrided(Place to, Place from, Strided shape, boolean own) {
        if (shape.count() == 0) {
            return completions.handle(Completions.COMPLETE);
        }
        if (to.isHost() && from.isHost()) {
            HostPieces.copy(to.host(), to.offset(), from.host(), from.offset(), shape);
            return completions.handle(Completions.COMPLETE);
        }
        HandleGroup group = new HandleGroup(completions);
        if (to.isHost() || from.isHost()) {
            moveThroughHost(to, from, shape, group);
        } else {
            AcceleratorStream stream = completions.pieceStream(shape.bytes() >= MIN_BYTES_BESIDE, own);
            if (shape.count() == 1) {
                stream.copy(to.device(), to.offset(), from.device(), from.offset(), shape.run()); // faster than a kernel
                return group.add(completions.queuedPieces(stream));
            }
            PieceKernels.forEachLaunch(shape, to, from, (d, s, inner) -> {
                PieceKernels.copy(stream, accelerator, d, s, inner, HostPieces.Packed.NEITHER, 0, inner.count(), own);
                group.add(completions.queuedPieces(stream));
            });
        }
        return group;
    }

    /** Between a host and a device: many pieces at once are packed on one side and unpacked on the other. Complete at return. */
    private void moveThroughHost(Place to, Place from, Strided shape, HandleGroup group) {
        MemorySegment piece = completions.piece();
        if (shape.run() >= Math.min(longPieceBytes, piece.byteSize())) {
            shape.forEach((d, s, bytes) -> moveThroughHost(to.plus(d), from.plus(s), bytes));
            return;
        }
        PieceKernels.forEachLaunch(shape, to, from, (dst, src, inner) -> {
            long each = piece.byteSize() / inner.run();
            for (long first = 0; first < inner.count(); first += each) {
                movePacked(dst, src, inner, first, Math.min(each, inner.count() - first));
            }
        });
    }

    /** A side in device memory that is contiguous needs no kernel. */
    private void movePacked(Place dst, Place src, Strided shape, long first, long count) {
        MemorySegment piece = completions.piece();
        AcceleratorStream stream = completions.stream();
        long begin = first * shape.run();
        long bytes = count * shape.run();
        if (src.isHost()) {
            HostPieces.copy(piece, 0, src.host(), src.offset(), shape, HostPieces.Packed.DST, first, count);
            if (HostPieces.isContiguous(shape, true)) {
                stream.copyIn(dst.device(), dst.offset() + begin, piece, 0, bytes);
            } else {
                stream.copyIn(memory.scratch(), 0, piece, 0, bytes);
                PieceKernels.copy(stream, accelerator, dst, memory.scratchPlace(), shape, HostPieces.Packed.SRC, first, count,
                        true);
            }
            completions.finish(completions.queued(null));
        } else {
            if (HostPieces.isContiguous(shape, false)) {
                stream.copyOut(piece, 0, src.device(), src.offset() + begin, bytes);
            } else {
                PieceKernels.copy(stream, accelerator, memory.scratchPlace(), src, shape, HostPieces.Packed.DST, first, count,
                        true);
                stream.copyOut(piece, 0, memory.scratch(), 0, bytes);
            }
            completions.finish(completions.queued(null));
            HostPieces.copy(dst.host(), dst.offset(), piece, 0, shape, HostPieces.Packed.SRC, first, count);
        }
    }

    /** A long piece, through page-locked memory. */
    private void moveThroughHost(Place to, Place from, long bytes) {
        MemorySegment piece = completions.piece();
        for (long done = 0; done < bytes; done += piece.byteSize()) {
            long part = Math.min(piece.byteSize(), bytes - done);
            if (from.isHost()) {
                MemorySegment.copy(from.host(), from.offset() + done, piece, 0, part);
                completions.stream().copyIn(to.device(), to.offset() + done, piece, 0, part);
                completions.finish(completions.queued(null));
            } else {
                completions.stream().copyOut(piece, 0, from.device(), from.offset() + done, part);
                completions.finish(completions.queued(null));
                MemorySegment.copy(piece, 0, to.host(), to.offset() + done, part);
            }
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
