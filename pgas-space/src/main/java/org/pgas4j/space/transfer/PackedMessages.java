package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Handle;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.device.Accelerator;

/**
 * Strided transfers by messages between memory here and bytes that the other side has one behind the other, such as the blocks of
 * one owner in a range of a cyclic array: a message for each part that a piece of page-locked memory holds, or as much memory of the
 * device, not for each piece of the shape. They are complete when a method returns. Used by the rank's thread.
 */
final class PackedMessages {

    private final Transfers transfers;
    private final Completions completions;
    private final Accelerator accelerator;
    private final PieceMemory memory;
    private final long maxRun;
    private final RmaDescriptor rma = new RmaDescriptor();

    /** @param maxRun pieces of at least so many bytes are messages of their own */
    PackedMessages(Transfers transfers, Accelerator accelerator, PieceMemory memory, long maxRun) {
        this.transfers = transfers;
        this.completions = transfers.completions();
        this.accelerator = accelerator;
        this.memory = memory;
        this.maxRun = maxRun;
    }

    /** True if pieces can be packed, and are not reported one by one. */
    boolean takes(Strided shape, boolean put, Place local) {
        return shape.count() > 1 && shape.run() < maxRun && HostPieces.isContiguous(shape, put) && !transfers.isObserved()
                && (local.isHost() || shape.levels() <= PieceKernels.MAX_LEVELS);
    }

    Handle put(SharedPointer dst, Place from, Strided shape) {
        MemorySegment piece = completions.piece();
        long each = piece.byteSize() / shape.run();
        for (long first = 0; first < shape.count(); first += each) {
            long count = Math.min(each, shape.count() - first);
            RmaDescriptor part = part(dst, shape, first, count);
            if (from.isHost()) {
                HostPieces.copy(piece, 0, from.host(), from.offset(), shape, HostPieces.Packed.DST, first, count);
                completions.finish(transfers.put(part.local(piece, 0), null));
            } else {
                copyOnDevice(memory.scratchPlace(), from, shape, HostPieces.Packed.DST, first, count);
                completions.finish(transfers.put(part.local(memory.scratch(), 0), null));
            }
        }
        return completions.handle(Completions.COMPLETE);
    }

    Handle get(Place to, SharedPointer src, Strided shape) {
        MemorySegment piece = completions.piece();
        long each = piece.byteSize() / shape.run();
        for (long first = 0; first < shape.count(); first += each) {
            long count = Math.min(each, shape.count() - first);
            RmaDescriptor part = part(src, shape, first, count);
            if (to.isHost()) {
                completions.finish(transfers.get(part.local(piece, 0), null));
                HostPieces.copy(to.host(), to.offset(), piece, 0, shape, HostPieces.Packed.SRC, first, count);
            } else {
                completions.finish(transfers.get(part.local(memory.scratch(), 0), null));
                copyOnDevice(to, memory.scratchPlace(), shape, HostPieces.Packed.SRC, first, count);
            }
        }
        return completions.handle(Completions.COMPLETE);
    }

    private void copyOnDevice(Place to, Place from, Strided shape, HostPieces.Packed packed, long first, long count) {
        PieceKernels.copy(completions.stream(), accelerator, to, from, shape, packed, first, count, true);
        completions.finish(completions.queued(null));
    }

    private RmaDescriptor part(SharedPointer pointer, Strided shape, long first, long count) {
        return rma.remote(pointer.cast(0, 1).plus(first * shape.run()), count * shape.run());
    }
}
