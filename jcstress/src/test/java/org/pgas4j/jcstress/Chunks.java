package org.pgas4j.jcstress;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;

/** Rings of one chunk in native memory, far more than jcstress has in use at once. */
final class Chunks {

    static final RingLayout LAYOUT = new RingLayout(256, 8);
    /** Of the message before the one that is sent, and of that one. */
    static final long OLD = 1;
    static final long NEW = OLD + LAYOUT.chunks();
    static final int PAYLOAD_BYTES = 40;
    static final long HEADER = LAYOUT.header(OLD);
    static final long PAYLOAD = RingLayout.payload(HEADER, PAYLOAD_BYTES);
    static final long FLAG = HEADER + MessageHeader.SEQUENCE;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int COUNT = 1 << 15;
    private static final long BYTES = HEADER + MessageHeader.BYTES;
    private static final MemorySegment ALL = Arena.global().allocate(COUNT * BYTES, 128);
    private static final MemorySegment CONTENT = Arena.global().allocate(PAYLOAD_BYTES, Long.BYTES);
    private static final AtomicInteger NEXT = new AtomicInteger();

    static {
        for (long i = 0; i < PAYLOAD_BYTES; i += Long.BYTES) {
            CONTENT.set(LONG, i, NEW);
        }
    }

    private Chunks() {
    }

    /** A ring whose first chunk holds message {@link #OLD} and whose credit word is 0. */
    static MemorySegment next() {
        MemorySegment ring = ALL.asSlice((NEXT.getAndIncrement() & COUNT - 1) * BYTES, BYTES);
        ring.set(LONG, RingLayout.CREDIT, 0);
        for (long i = 0; i < PAYLOAD_BYTES; i += Long.BYTES) {
            ring.set(LONG, PAYLOAD + i, OLD);
        }
        writeHeader(ring, OLD);
        ring.set(LONG, FLAG, OLD);
        return ring;
    }

    /** Writes the payload of message {@link #NEW}, as a sender does. */
    static void writePayload(MemorySegment ring) {
        MemorySegment.copy(CONTENT, 0, ring, PAYLOAD, PAYLOAD_BYTES);
    }

    /** Writes the header of a message, all but the flag; its request number is the message's number. */
    static void writeHeader(MemorySegment ring, long sequence) {
        MessageHeader.write(ring, HEADER, MessageHeader.PUT, 0, PAYLOAD_BYTES, 0, 0, sequence, PAYLOAD_BYTES, 0, 0);
    }

    /** 1 if the word of the payload at {@code offset} is that of message {@link #NEW}. */
    static int isNew(MemorySegment ring, long offset) {
        return ring.get(LONG, PAYLOAD + offset) == NEW ? 1 : 0;
    }

    /** 1 if the header is that of message {@link #NEW}. */
    static int isNewHeader(MemorySegment ring) {
        return MessageHeader.field(ring, HEADER, MessageHeader.REQUEST) == NEW ? 1 : 0;
    }
}
