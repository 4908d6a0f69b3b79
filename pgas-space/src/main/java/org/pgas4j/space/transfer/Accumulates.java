package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Indexed;
import org.pgas4j.Pieces;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * Accumulates of pieces: each element is one atomic addition, so pieces may overlap. To host memory that this rank addresses they
 * are done by its processor, to device memory that its device addresses by a kernel, else one by one by the conduit or the owner.
 * What is added elsewhere than it lies passes packed through page-locked memory. Used by the rank's thread.
 */
public final class Accumulates {

    /** Pieces of a list that are as long have a kernel, or copies, of their own. */
    private static final long LONG_PIECE_BYTES = 64 << 10;

    private final int rank;
    private final Transfers transfers;
    private final RouteTable routes;
    private final Completions completions;
    private final Accelerator accelerator;
    private final PieceMemory memory;

    Accumulates(int rank, Transfers transfers, Accelerator accelerator, PieceMemory memory) {
        this.rank = rank;
        this.transfers = transfers;
        this.routes = transfers.routes();
        this.completions = transfers.completions();
        this.accelerator = accelerator;
        this.memory = memory;
    }

    /** Takes elements of host memory that go to byte {@code d} of the destination. */
    @FunctionalInterface
    private interface Adder {
        void add(long d, MemorySegment src, long s, long bytes);
    }

    /** Starts an accumulate of pieces of whole elements. Not reported: those of several ranks to one element are no race. */
    public Handle start(SharedPointer dst, Buffer src, Pieces pieces, double alpha) {
        check("accumulate", dst, src, pieces, alpha);
        return add(dst, src, pieces, alpha);
    }

    /** Starts accumulates of whole buffers; nothing is added if a range of any leaves its memory. */
    public Handle startList(List<SharedPointer> dst, List<Buffer> src, double alpha) {
        for (int i = 0; i < dst.size(); i++) {
            check("accumulateList entry " + i, dst.get(i), src.get(i), Strided.contiguous(src.get(i).bytes()), alpha);
        }
        HandleGroup group = new HandleGroup(completions);
        for (int i = 0; i < dst.size(); i++) {
            group.add(add(dst.get(i), src.get(i), Strided.contiguous(src.get(i).bytes()), alpha));
        }
        return group;
    }

    private Handle add(SharedPointer dst, Buffer src, Pieces pieces, double alpha) {
        if (pieces.bytes() == 0) {
            return completions.handle(Completions.COMPLETE);
        }
        ElementType type = src.type();
        Place from = Place.of("accumulate", rank, src);
        Place to = routes.atomics(dst.rank(), dst.kind()).isByMessages() ? null : memory.place(dst);
        HandleGroup group = new HandleGroup(completions);
        if (to != null) {
            routes.route(dst.rank(), src.kind(), dst.kind()).countAtomic(pieces.bytes());
        }
        if (to != null && !to.isHost()) {
            addOnDevice(to, from, pieces, type, alpha, group);
            return group;
        }
        Adder adder = to == null ? oneByOne(dst.cast(0, 1), type, alpha, group)
                : (d, memory, s, bytes) -> HostSums.add(to.host(), to.offset() + d, memory, s, bytes, type, alpha);
        if (from.isHost()) {
            pieces.forEach((d, s, bytes) -> adder.add(d, from.host(), from.offset() + s, bytes));
        } else {
            takeFromDevice(from, pieces, adder);
        }
        return group;
    }

    /** By the conduit, or by the owner's processor or device: an atomic operation for each element. */
    private Adder oneByOne(SharedPointer dst, ElementType type, double alpha, HandleGroup group) {
        return (d, memory, s, bytes) -> {
            for (long at = 0; at < bytes; at += type.bytes()) {
                group.add(transfers.atomic(dst.plus(d + at), type, AtomicOp.ADD, HostSums.term(memory, s + at, type, alpha), 0,
                        null));
            }
        };
    }

    // ---- by a device

    private void addOnDevice(Place to, Place from, Pieces pieces, ElementType type, double alpha, HandleGroup group) {
        switch (pieces) {
            case Strided shape when from.isHost() -> PieceKernels.forEachLaunch(shape, to, from,
                    (d, s, inner) -> addThroughHost(d, s, inner, type, alpha));
            case Strided shape -> PieceKernels.forEachLaunch(shape, to, from, (d, s, inner) -> {
                PieceKernels.accumulate(completions.stream(), accelerator, d, s, type, alpha, inner, HostPieces.Packed.NEITHER, 0,
                        inner.count());
                group.add(completions.queued(null));
            });
            case Indexed list -> {
                list.forEach((d, s, bytes) -> {
                    if (bytes >= LONG_PIECE_BYTES) {
                        addOnDevice(to.plus(d), from.plus(s), Strided.contiguous(bytes), type, alpha, group);
                    }
                });
                HostPieces.Packed packed = from.isHost() ? HostPieces.Packed.SRC : HostPieces.Packed.NEITHER;
                forEachList(list, from, packed, offsets -> addListed(to, from, list, offsets, type, alpha));
            }
        }
    }

    private void addThroughHost(Place to, Place from, Strided shape, ElementType type, double alpha) {
        MemorySegment piece = completions.piece();
        AcceleratorStream stream = completions.stream();
        forEachPart(shape, piece.byteSize(), (d, s, part, first, count) -> {
            HostPieces.copy(piece, 0, from.host(), from.offset() + s, part, HostPieces.Packed.DST, first, count);
            stream.copyIn(memory.scratch(), 0, piece, 0, count * part.run());
            PieceKernels.accumulate(stream, accelerator, to.plus(d), memory.scratchPlace(), type, alpha, part,
                    HostPieces.Packed.SRC, first, count);
            completions.finish(completions.queued(null));
        });
    }

    private void addListed(Place to, Place from, Indexed list, OffsetList offsets, ElementType type, double alpha) {
        AcceleratorStream stream = completions.stream();
        MemorySegment piece = completions.piece();
        stream.copyIn(memory.scratch(), 0, piece, 0, offsets.bytes());
        Place source = from;
        long extent = list.srcExtent();
        if (from.isHost()) {
            source = memory.scratchPlace().plus(offsets.roomOffset());
            extent = offsets.roomBytes();
            stream.copyIn(memory.scratch(), offsets.roomOffset(), piece, offsets.roomOffset(), extent);
        }
        IndexedKernels.accumulate(stream, accelerator, to, list.dstExtent(), source, extent, memory.scratchPlace(), offsets, type,
                alpha);
        completions.finish(completions.queued(null));
    }

    // ---- from a device to additions by this processor, or one by one

    private void takeFromDevice(Place from, Pieces pieces, Adder adder) {
        switch (pieces) {
            case Strided shape -> PieceKernels.forEachLaunch(shape, new Place(null, null, 0), from, (d, s, inner) ->
                    takeStrided(s, inner, (at, memory, place, bytes) -> adder.add(d.offset() + at, memory, place, bytes)));
            case Indexed list -> {
                list.forEach((d, s, bytes) -> {
                    if (bytes >= LONG_PIECE_BYTES) {
                        takeStrided(from.plus(s), Strided.contiguous(bytes),
                                (at, memory, place, part) -> adder.add(d + at, memory, place, part));
                    }
                });
                forEachList(list, from, HostPieces.Packed.DST, offsets -> takeListed(from, list, offsets, adder));
            }
        }
    }

    private void takeStrided(Place from, Strided shape, Adder adder) {
        MemorySegment piece = completions.piece();
        AcceleratorStream stream = completions.stream();
        boolean contiguous = HostPieces.isContiguous(shape, false);
        forEachPart(shape, piece.byteSize(), (d, s, part, first, count) -> {
            long bytes = count * part.run();
            if (contiguous || part.count() == 1) {
                stream.copyOut(piece, 0, from.device(), from.offset() + s + first * part.run(), bytes);
            } else {
                PieceKernels.copy(stream, accelerator, memory.scratchPlace(), from.plus(s), part, HostPieces.Packed.DST, first,
                        count, true);
                stream.copyOut(piece, 0, memory.scratch(), 0, bytes);
            }
            completions.finish(completions.queued(null));
            HostPieces.forEachRow(part, HostPieces.Packed.SRC, first, count, (to, dStride, at, sStride, n) -> {
                for (long i = 0; i < n; i++) {
                    adder.add(d + to + i * dStride, piece, at + i * sStride, part.run());
                }
            });
        });
    }

    private void takeListed(Place from, Indexed list, OffsetList offsets, Adder adder) {
        AcceleratorStream stream = completions.stream();
        MemorySegment piece = completions.piece();
        stream.copyIn(memory.scratch(), 0, piece, 0, offsets.bytes());
        IndexedKernels.copy(stream, accelerator, memory.scratchPlace().plus(offsets.roomOffset()), offsets.roomBytes(), from,
                list.srcExtent(), memory.scratchPlace(), offsets);
        stream.copyOut(piece, offsets.roomOffset(), memory.scratch(), offsets.roomOffset(), offsets.roomBytes());
        completions.finish(completions.queued(null));
        for (int i = 0; i < offsets.count(); i++) {
            adder.add(offsets.destination(i), piece, offsets.room(i), offsets.pieceBytes());
        }
    }

    // ---- parts that page-locked memory holds

    /** Takes pieces of a shape that begins at bytes {@code d} and {@code s} of the two sides. */
    @FunctionalInterface
    private interface Part {
        void take(long d, long s, Strided shape, long first, long count);
    }

    /** Divides a shape into numbers of pieces, or its pieces into parts, of {@code room} bytes at most. */
    private static void forEachPart(Strided shape, long room, Part body) {
        if (shape.run() > room) {
            shape.forEach((d, s, bytes) -> {
                for (long done = 0; done < bytes; done += room) {
                    body.take(d + done, s + done, Strided.contiguous(Math.min(room, bytes - done)), 0, 1);
                }
            });
            return;
        }
        long each = room / shape.run();
        for (long first = 0; first < shape.count(); first += each) {
            body.take(0, 0, shape, first, Math.min(each, shape.count() - first));
        }
    }

    /**
     * Lists the pieces that are not long, in pieces of the greatest size that all of them are multiples of, and calls {@code body}
     * with one full list after the other. Where the source is packed, it is copied to its room.
     */
    private void forEachList(Indexed pieces, Place from, HostPieces.Packed packed, Consumer<OffsetList> body) {
        long[] each = {0};
        long[] listed = {0};
        pieces.forEach((_, _, bytes) -> {
            if (bytes < LONG_PIECE_BYTES) {
                each[0] = commonDivisor(each[0], bytes);
                listed[0] += bytes;
            }
        });
        if (listed[0] == 0) {
            return;
        }
        MemorySegment piece = completions.piece();
        OffsetList list = new OffsetList(piece, each[0], packed, listed[0] / each[0]);
        pieces.forEach((d, s, bytes) -> {
            for (long at = 0; bytes < LONG_PIECE_BYTES && at < bytes; at += each[0]) {
                if (list.isFull()) {
                    body.accept(list);
                    list.clear();
                }
                if (packed == HostPieces.Packed.SRC) {
                    MemorySegment.copy(from.host(), from.offset() + s + at, piece, list.room(list.count()), each[0]);
                }
                list.add(d + at, s + at);
            }
        });
        body.accept(list);
    }

    private static long commonDivisor(long a, long b) {
        return b == 0 ? a : commonDivisor(b, a % b);
    }

    // ---- checks

    private void check(String operation, SharedPointer dst, Buffer src, Pieces pieces, double alpha) {
        ElementType type = src.type();
        boolean integral = type == ElementType.INT || type == ElementType.LONG;
        if (!integral && type != ElementType.FLOAT && type != ElementType.DOUBLE) {
            throw new IllegalArgumentException(operation + " of rank " + rank + ": type=" + type
                    + " (expected: INT, LONG, FLOAT or DOUBLE)");
        }
        if (integral && alpha != (long) alpha) {
            throw new IllegalArgumentException(operation + " of rank " + rank + ": alpha=" + alpha + " with elements of type "
                    + type + " (expected: an integer)");
        }
        if ((dst.addrField() | bits(pieces)) % type.bytes() != 0) {
            throw new IllegalArgumentException(operation + " of rank " + rank + ": " + dst + " and " + pieces
                    + " are not made of whole elements of type " + type + ", " + type.bytes() + " bytes each");
        }
        memory.checkShared(operation, dst, pieces.dstExtent());
        Bounds.checkLocal(operation, rank, src, pieces.srcExtent());
    }

    /** Sizes and offsets, or'ed: the size of an element is a power of two. */
    private static long bits(Pieces pieces) {
        long[] bits = {0};
        switch (pieces) {
            case Strided shape -> {
                bits[0] = shape.run();
                for (int level = 0; level < shape.levels(); level++) {
                    bits[0] |= shape.dstStride(level) | shape.srcStride(level);
                }
            }
            case Indexed list -> list.forEach((d, s, bytes) -> bits[0] |= d | s | bytes);
        }
        return bits[0];
    }
}
