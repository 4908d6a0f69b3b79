package org.pgas4j.fastpath.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of a message, behind its payload. Little-endian; offsets are bytes from the start of the header.
 *
 * <pre>
 *   0 length:i32 | 4 version:u8 | 5 flags:u8 | 6 type:u16 | 8 credit:i64 | 16 offset:i64 | 24 request:i64 | 32 bytes:i64
 *   40 extra:i64 | 48 sentNs:i64 | 56 sequence:i64
 * </pre>
 *
 * {@code length} is that of the payload; {@code credit} the number of chunks of the opposite ring that the sender has
 * consumed; {@code offset} counts from the start of the target's heap; {@code request} is the number of the request
 * that an answer belongs to; the rest depends on the type. {@code sequence} is the flag, written last.
 */
public final class MessageHeader {

    public static final int BYTES = 64;
    public static final byte VERSION = 1;

    // Types are literal and never used again for something else.

    /** Put: payload goes to the target's memory at {@code offset}. */
    public static final int PUT = 1;
    /** Get of {@code bytes} bytes at {@code offset}; {@code extra} is the place in the destination, for the answer. */
    public static final int GET = 2;
    /** Answer to get {@code request}: payload goes to place {@code extra} of the destination. */
    public static final int GET_REPLY = 3;
    /** Set of {@code bytes} bytes at {@code offset} to the low 8 bits of {@code extra}. */
    public static final int SET = 4;
    /** Request for a report of consumed chunks once everything before is applied. */
    public static final int FENCE = 5;
    /**
     * Put of {@code bytes} bytes to {@code offset} by rendezvous; payload is a region, {@code extra} pieces are ready.
     */
    public static final int RENDEZVOUS_PUT = 6;
    /** Get of {@code bytes} bytes at {@code offset} by rendezvous; payload is a region. */
    public static final int RENDEZVOUS_GET = 7;
    /** Count: {@code extra} pieces of rendezvous {@code request} are ready. */
    public static final int READY = 8;
    /** Count: {@code extra} pieces of rendezvous {@code request} are drained. */
    public static final int DONE = 9;
    /** End of use of temporary {@code extra}. */
    public static final int FORGET = 10;
    /** Notification: {@code extra} is {@code tag | kind << 8 | (block + 1) << 32}, {@code bytes} the value to add or set. */
    public static final int NOTIFY = 11;
    /**
     * Atomic operation on a word at {@code offset}: {@code bytes} is the operand, {@code extra} the comparand, the payload one long,
     * {@code operation | type << 8}; the answer to get {@code request} is what was there, 0 asks for none.
     */
    public static final int ATOMIC = 12;
    /** Commands of blocks for blocks of the target, numbered {@code extra}; the payload is for its {@code BlockSink}. */
    public static final int BLOCKS = 13;

    /** Flag: {@code offset} counts in the device segment, else in the host segment. */
    public static final int DEVICE = 1;

    public static final int LENGTH = 0;
    public static final int VERSION_AT = LENGTH + Integer.BYTES;
    public static final int FLAGS = VERSION_AT + 1;
    public static final int TYPE = FLAGS + 1;
    public static final int CREDIT = TYPE + Short.BYTES;
    public static final int OFFSET = CREDIT + Long.BYTES;
    public static final int REQUEST = OFFSET + Long.BYTES;
    public static final int SIZE = REQUEST + Long.BYTES;
    public static final int EXTRA = SIZE + Long.BYTES;
    public static final int SENT = EXTRA + Long.BYTES;
    public static final int SEQUENCE = SENT + Long.BYTES;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final String[] NAMES = {"message", "put", "get", "answer", "set", "fence", "rendezvous put", "rendezvous get",
        "ready", "done", "forget", "notification", "atomic", "block commands"};

    private MessageHeader() {
    }

    /** Name of a type for people. */
    public static String name(int type) {
        return NAMES[type > 0 && type < NAMES.length ? type : 0];
    }

    /** Writes all fields but the flag. */
    public static void write(MemorySegment ring, long at, int type, int flags, int length, long credit, long offset,
                             long request, long bytes, long extra, long sentNs) {
        ring.set(INT, at + LENGTH, length);
        ring.set(INT, at + VERSION_AT, VERSION & 0xff | flags << 8 | type << 16);
        ring.set(LONG, at + CREDIT, credit);
        ring.set(LONG, at + OFFSET, offset);
        ring.set(LONG, at + REQUEST, request);
        ring.set(LONG, at + SIZE, bytes);
        ring.set(LONG, at + EXTRA, extra);
        ring.set(LONG, at + SENT, sentNs);
    }

    /** The field at {@code at + }{@link #LENGTH}. */
    public static int length(MemorySegment ring, long at) {
        return ring.get(INT, at + LENGTH);
    }

    /** The field at {@code at + }{@link #VERSION_AT}. */
    public static int version(MemorySegment ring, long at) {
        return ring.get(ValueLayout.JAVA_BYTE, at + VERSION_AT) & 0xff;
    }

    /** The field at {@code at + }{@link #FLAGS}. */
    public static int flags(MemorySegment ring, long at) {
        return ring.get(ValueLayout.JAVA_BYTE, at + FLAGS) & 0xff;
    }

    /** The field at {@code at + }{@link #TYPE}. */
    public static int type(MemorySegment ring, long at) {
        return ring.get(SHORT, at + TYPE) & 0xffff;
    }

    /** A field of 8 bytes. */
    public static long field(MemorySegment ring, long at, int field) {
        return ring.get(LONG, at + field);
    }
}
