package org.pgas4j.runtime.notify;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pieces;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.space.transfer.Bounds;
import org.pgas4j.space.transfer.OpenBlocks;
import org.pgas4j.space.transfer.RmaDescriptor;

/**
 * One rank's view of a window over memory of the program, on the host or on devices. The members are threads of one JVM, and copy
 * from and to each other's memory themselves, or let their device do it: puts and gets are complete when they return. Used by the
 * rank's thread.
 */
final class ProgramWindow extends RankWindow {

    private static final long PIECE_BYTES = 1 << 20;

    private final WindowActions actions;
    private final ShownMemory shown;
    private final long number;
    private final Buffer[] memories;

    /** @param number of this rank's part */
    ProgramWindow(Teams teams, RankTeam team, int slot, WindowActions actions, ShownMemory shown, long number) {
        super(teams, team, slot, actions);
        this.actions = actions;
        this.shown = shown;
        this.number = number;
        this.memories = new Buffer[team.ranks()];
    }

    /** The target's part; throws if the range is not all inside of it. */
    private Buffer memory(String operation, int target, long offset, long bytes) {
        check(operation, target, offset, bytes);
        if (memories[target] == null) {
            Buffer found = shown.find(base(target));
            if (found == null) {
                throw new IllegalStateException(operation + " of rank " + actions.rank() + ": rank " + worldRank(target)
                        + " has closed its part of " + this);
            }
            if (found.kind() == MemoryKind.DEVICE) {
                requireReach(operation, worldRank(target));
            }
            memories[target] = found;
        }
        return memories[target];
    }

    private void requireReach(String operation, int target) {
        if (actions.transfers().routes().peer(target).device() == null) {
            throw new UnsupportedOperationException(operation + " of rank " + actions.rank() + ": " + this
                    + " shows device memory of rank " + target + ", which this rank's device cannot reach; show memory of rank.alloc");
        }
    }

    private UnsupportedOperationException refused(String what) {
        return new UnsupportedOperationException(what + " of rank " + actions.rank() + ": " + this
                + " is over memory of the program, which host code alone reads and writes; show memory of rank.alloc");
    }

    @Override
    public SharedPointer pointer(int target, long offset) {
        throw refused("pointer");
    }

    /** For streams and prepared communication. */
    @Override
    RmaDescriptor remote(RmaDescriptor rma, int member, long offset, long bytes) {
        throw refused("a put by a stream or service");
    }

    @Override
    public void put(int target, long offset, MemorySegment src, long bytes) {
        Buffer there = memory("put", target, offset, bytes);
        checkLocal("put", src, bytes);
        if (there.kind() == MemoryKind.HOST) {
            MemorySegment.copy(src, 0, there.segment(), offset, bytes);
        } else {
            copyIn(OpenBlocks.require("put", actions.rank(), there), there.deviceOffset() + offset, src, 0, bytes);
        }
    }

    @Override
    public void put(int target, long offset, Buffer src) {
        copy("put", memory("put", target, offset, src.bytes()), offset, src, 0, src.bytes());
    }

    @Override
    public void get(MemorySegment dst, int target, long offset, long bytes) {
        Buffer there = memory("get", target, offset, bytes);
        checkLocal("get", dst, bytes);
        if (there.kind() == MemoryKind.HOST) {
            MemorySegment.copy(there.segment(), offset, dst, 0, bytes);
        } else {
            copyOut(dst, 0, OpenBlocks.require("get", actions.rank(), there), there.deviceOffset() + offset, bytes);
        }
    }

    @Override
    public void get(Buffer dst, int target, long offset) {
        copy("get", dst, 0, memory("get", target, offset, dst.bytes()), offset, dst.bytes());
    }

    @Override
    public void put(int target, long offset, Buffer src, Pieces pieces) {
        Buffer there = memory("put", target, offset, pieces.dstExtent());
        Bounds.checkLocal("put", actions.rank(), src, pieces.srcExtent());
        pieces.forEach((d, s, bytes) -> copy("put", there, offset + d, src, s, bytes));
    }

    @Override
    public void get(Buffer dst, int target, long offset, Pieces pieces) {
        Buffer there = memory("get", target, offset, pieces.srcExtent());
        Bounds.checkLocal("get", actions.rank(), dst, pieces.dstExtent());
        pieces.forEach((d, s, bytes) -> copy("get", dst, d, there, offset + s, bytes));
    }

    private void copy(String what, Buffer dst, long to, Buffer src, long from, long bytes) {
        if (dst.kind() == MemoryKind.HOST && src.kind() == MemoryKind.HOST) {
            MemorySegment.copy(src.segment(), from, dst.segment(), to, bytes);
        } else if (dst.kind() == MemoryKind.HOST) {
            copyOut(dst.segment(), to, OpenBlocks.require(what, actions.rank(), src), src.deviceOffset() + from, bytes);
        } else if (src.kind() == MemoryKind.HOST) {
            copyIn(OpenBlocks.require(what, actions.rank(), dst), dst.deviceOffset() + to, src.segment(), from, bytes);
        } else {
            DeviceMemory target = OpenBlocks.require(what, actions.rank(), dst);
            DeviceMemory source = OpenBlocks.require(what, actions.rank(), src);
            AcceleratorStream stream = actions.transfers().completions().stream();
            stream.copy(target, dst.deviceOffset() + to, source, src.deviceOffset() + from, bytes);
            actions.transfers().completions().syncStream(stream);
        }
    }

    // Host memory may be a Java array, which no device reads or writes: these copy pieces of native memory.

    private void copyOut(MemorySegment host, long to, DeviceMemory device, long from, long bytes) {
        AcceleratorStream stream = actions.transfers().completions().stream();
        try (Arena arena = Arena.ofShared()) { // the stream may copy on a thread of its own
            MemorySegment piece = arena.allocate(Math.max(1, Math.min(PIECE_BYTES, bytes)));
            for (long done = 0; done < bytes; done += PIECE_BYTES) {
                long part = Math.min(PIECE_BYTES, bytes - done);
                stream.copyOut(piece, 0, device, from + done, part);
                actions.transfers().completions().syncStream(stream);
                MemorySegment.copy(piece, 0, host, to + done, part);
            }
        }
    }

    private void copyIn(DeviceMemory device, long to, MemorySegment host, long from, long bytes) {
        AcceleratorStream stream = actions.transfers().completions().stream();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment piece = arena.allocate(Math.max(1, Math.min(PIECE_BYTES, bytes)));
            for (long done = 0; done < bytes; done += PIECE_BYTES) {
                long part = Math.min(PIECE_BYTES, bytes - done);
                MemorySegment.copy(host, from + done, piece, 0, part);
                stream.copyIn(device, to + done, piece, 0, part);
                actions.transfers().completions().syncStream(stream);
            }
        }
    }

    @Override
    public void close() {
        super.close();
        shown.remove(number);
    }
}
