package org.pgas4j.fastpath.protocol;

import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;

/** Checks messages from peers before they touch this rank's memory. Any thread. */
final class MessageValidator {

    private final int rank;
    private final LocalMemory memory;

    MessageValidator(int rank, LocalMemory memory) {
        this.rank = rank;
        this.memory = memory;
    }

    /** The failure for a message that no port sends: names the message and what is wrong with it. */
    PgasException violation(Pair pair, long sequence, int type, String what) {
        return new PgasException("protocol violation: rank " + rank + " got message " + sequence + " of type " + type
                + " from rank " + pair.peer() + ": " + what);
    }

    /** @throws PgasException if the range leaves this rank's shared memory of that kind */
    void range(Pair pair, long sequence, int type, boolean onDevice, long offset, long bytes) {
        long size = onDevice ? memory.deviceBytes() : memory.hostBytes();
        if (bytes < 0 || offset < 0 || offset > size - bytes) {
            throw violation(pair, sequence, type, "out of bounds: kind=" + (onDevice ? MemoryKind.DEVICE : MemoryKind.HOST) + " offset="
                    + offset + " length=" + bytes + " segmentBytes=" + size);
        }
    }
}
