package org.pgas4j.runtime.notify;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.space.transfer.OpenBlocks;
import org.pgas4j.space.transfer.RmaDescriptor;

/**
 * One rank's view of a window over memory of the program. The members are threads of one JVM, and copy from and to each other's
 * memory themselves: puts and gets are complete when they return. Used by the rank's thread.
 */
final class ProgramWindow extends RankWindow {

    private static final long PIECE_BYTES = 1 << 20;

    private final WindowActions actions;
    private final ShownMemory shown;
    private final long number;
    private final MemorySegment[] memories;

    /** @param number of this rank's part */
    ProgramWindow(Teams teams, RankTeam team, int slot, WindowActions actions, ShownMemory shown, long number) {
        super(teams, team, slot, actions);
        this.actions = actions;
        this.shown = shown;
        this.number = number;
        this.memories = new MemorySegment[team.ranks()];
    }

    /** The target's part; throws if the range is not all inside of it. */
    private MemorySegment memory(String operation, int target, long offset, long bytes) {
        check(operation, target, offset, bytes);
        if (memories[target] == null) {
            MemorySegment found = shown.find(base(target));
            if (found == null) {
                throw new IllegalStateException(operation + " of rank " + actions.rank() + ": rank " + worldRank(target)
                        + " has closed its part of " + this);
            }
            memories[target] = found;
        }
        return memories[target];
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
        MemorySegment there = memory("put", target, offset, bytes);
        checkLocal("put", src, bytes);
        MemorySegment.copy(src, 0, there, offset, bytes);
    }

    @Override
    public void put(int target, long offset, Buffer src) {
        MemorySegment there = memory("put", target, offset, src.bytes());
        if (src.kind() == MemoryKind.HOST) {
            MemorySegment.copy(src.segment(), 0, there, offset, src.bytes());
        } else {
            copy(there, offset, src, true);
        }
    }

    @Override
    public void get(MemorySegment dst, int target, long offset, long bytes) {
        MemorySegment there = memory("get", target, offset, bytes);
        checkLocal("get", dst, bytes);
        MemorySegment.copy(there, offset, dst, 0, bytes);
    }

    @Override
    public void get(Buffer dst, int target, long offset) {
        MemorySegment there = memory("get", target, offset, dst.bytes());
        if (dst.kind() == MemoryKind.HOST) {
            MemorySegment.copy(there, offset, dst.segment(), 0, dst.bytes());
        } else {
            copy(there, offset, dst, false);
        }
    }

    /** Between a buffer of this rank's device and host memory, in pieces of native memory: that may be a Java array. */
    private void copy(MemorySegment host, long offset, Buffer buffer, boolean out) {
        DeviceMemory memory = OpenBlocks.require(out ? "put" : "get", actions.rank(), buffer);
        AcceleratorStream stream = actions.transfers().completions().stream();
        try (Arena arena = Arena.ofShared()) { // the stream may copy on a thread of its own
            MemorySegment piece = arena.allocate(Math.max(1, Math.min(PIECE_BYTES, buffer.bytes())));
            for (long done = 0; done < buffer.bytes(); done += PIECE_BYTES) {
                long part = Math.min(PIECE_BYTES, buffer.bytes() - done);
                if (out) {
                    stream.copyOut(piece, 0, memory, buffer.deviceOffset() + done, part);
                    actions.transfers().completions().syncStream(stream);
                    MemorySegment.copy(piece, 0, host, offset + done, part);
                } else {
                    MemorySegment.copy(host, offset + done, piece, 0, part);
                    stream.copyIn(memory, buffer.deviceOffset() + done, piece, 0, part);
                    actions.transfers().completions().syncStream(stream);
                }
            }
        }
    }

    @Override
    public void close() {
        super.close();
        shown.remove(number);
    }
}
