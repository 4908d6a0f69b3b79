package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.AtomicOp;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;

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
            throw violation(pair, sequence, type, "out of bounds: kind=" + (onDevice ? MemoryKind.DEVICE : MemoryKind.HOST)
                    + " offset=" + offset + " length=" + bytes + " segmentBytes=" + size);
        }
    }

    /** Reads an atomic operation. @throws PgasException if no port sends it so */
    AtomicMessage atomic(Pair pair, long sequence, long header, boolean onDevice, int length) {
        MemorySegment in = pair.in();
        if (length != Long.BYTES) {
            throw violation(pair, sequence, MessageHeader.ATOMIC, "payload of " + length + " bytes (expected: 8)");
        }
        long what = in.get(ValueLayout.JAVA_LONG, RingLayout.payload(header, Long.BYTES));
        AtomicMessage message;
        try {
            message = new AtomicMessage(AtomicOp.ofCode(what & 0xff), AtomicWords.typeOf(what >>> 8),
                    MessageHeader.field(in, header, MessageHeader.OFFSET), MessageHeader.field(in, header, MessageHeader.SIZE),
                    MessageHeader.field(in, header, MessageHeader.EXTRA), MessageHeader.field(in, header, MessageHeader.REQUEST));
        } catch (IllegalArgumentException e) {
            throw violation(pair, sequence, MessageHeader.ATOMIC, e.getMessage());
        }
        int bytes = message.type().bytes();
        range(pair, sequence, MessageHeader.ATOMIC, onDevice, message.offset(), bytes);
        if (message.offset() % bytes != 0 || !message.op().isOf(message.type())) {
            throw violation(pair, sequence, MessageHeader.ATOMIC, message.op() + " of " + message.type() + " at offset "
                    + message.offset());
        }
        return message;
    }
}
