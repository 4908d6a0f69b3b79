package org.pgas4j.space.check;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.transfer.Transfers;

/** Any bytes of any rank's segments as one rank reads and writes them: its own host memory at once, all else by transfers. */
final class SharedAccess {

    private static final int CHUNK_BYTES = 1 << 16;

    private final int rank;
    private final int ranks;
    private final Peers peers;
    private final Transfers transfers;
    private MemorySegment chunk;

    SharedAccess(int rank, int ranks, Peers peers, Transfers transfers) {
        this.rank = rank;
        this.ranks = ranks;
        this.peers = peers;
        this.transfers = transfers;
    }

    private MemorySegment chunk() {
        if (chunk == null) {
            chunk = Arena.ofAuto().allocate(CHUNK_BYTES, Long.BYTES);
        }
        return chunk;
    }

    private SharedPointer at(MemoryKind kind, int target, long offset) {
        return PgasUnsafe.pointer(kind, target, ranks, 0, offset, 0, 1);
    }

    private MemorySegment own(long offset, long bytes) {
        Peer self = peers.get(rank);
        return self.endpoint().mapped().asSlice(self.heapStart() + offset, bytes);
    }

    /** The bytes, or a copy of them that is good until the next call; {@link #CHUNK_BYTES} at most. */
    MemorySegment read(MemoryKind kind, int target, long offset, long bytes) {
        if (kind == MemoryKind.HOST && target == rank) {
            return own(offset, bytes);
        }
        transfers.completions().finish(transfers.get(chunk(), at(kind, target, offset), bytes));
        return chunk().asSlice(0, bytes);
    }

    void write(MemoryKind kind, int target, long offset, byte[] bytes) {
        if (kind == MemoryKind.HOST && target == rank) {
            own(offset, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        } else {
            chunk().asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
            transfers.completions().finish(transfers.put(at(kind, target, offset), chunk(), bytes.length));
        }
    }

    void fill(MemoryKind kind, int target, long offset, long bytes, byte value) {
        if (kind == MemoryKind.HOST && target == rank) {
            own(offset, bytes).fill(value);
        } else {
            transfers.completions().finish(transfers.set(at(kind, target, offset), value, bytes));
        }
    }

    /** Completes writes at their targets. */
    void complete() {
        transfers.completions().fence();
    }

    /** Place of the first byte that is not {@code value}, or -1. */
    long mismatch(MemoryKind kind, int target, long offset, long bytes, byte value) {
        for (long done = 0; done < bytes; done += CHUNK_BYTES) {
            long part = Math.min(CHUNK_BYTES, bytes - done);
            long at = GuardBytes.mismatch(read(kind, target, offset + done, part), part, value);
            if (at >= 0) {
                return offset + done + at;
            }
        }
        return -1;
    }
}
