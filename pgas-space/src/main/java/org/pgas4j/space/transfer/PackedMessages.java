package org.pgas4j.space.transfer;

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
        Place packed = packed(from);
        long each = completions.piece().byteSize() / shape.run();
        for (long first = 0; first < shape.count(); first += each) {
            long count = Math.min(each, shape.count() - first);
            copy(packed, from, shape, HostPieces.Packed.DST, first, count);
            completions.finish(transfers.put(part(dst, shape, first, count).local(packed, 0), null));
        }
        return completions.handle(Completions.COMPLETE);
    }

    Handle get(Place to, SharedPointer src, Strided shape) {
        Place packed = packed(to);
        long each = completions.piece().byteSize() / shape.run();
        for (long first = 0; first < shape.count(); first += each) {
            long count = Math.min(each, shape.count() - first);
            completions.finish(transfers.get(part(src, shape, first, count).local(packed, 0), null));
            copy(to, packed, shape, HostPieces.Packed.SRC, first, count);
        }
        return completions.handle(Completions.COMPLETE);
    }

    /** As much memory as a piece has, beside the local side of a transfer. */
    private Place packed(Place local) {
        return local.isHost() ? new Place(completions.piece(), null, 0) : memory.scratchPlace();
    }

    private void copy(Place to, Place from, Strided shape, HostPieces.Packed packed, long first, long count) {
        if (to.isHost()) {
            HostPieces.copy(to.host(), to.offset(), from.host(), from.offset(), shape, packed, first, count);
        } else {
            PieceKernels.copy(completions.stream(), accelerator, to, from, shape, packed, first, count, true);
            completions.finish(completions.queued(null));
        }
    }

    private RmaDescriptor part(SharedPointer pointer, Strided shape, long first, long count) {
        return rma.remote(pointer.cast(0, 1).plus(first * shape.run()), count * shape.run());
    }
}
