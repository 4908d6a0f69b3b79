package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A request of a block to its host, or a message of a host in the mailbox of its blocks. In memory it is an entry of
 * eight words of 64 bits, each with 32 bits of it and the low half of the entry's number plus one, so that it is
 * complete when all numbers are right, in whatever order they arrive. Payloads of up to 8 bytes are in the entry; up to
 * {@link #MAX_INLINE} bytes follow in entries of their own, 32 bytes in each; longer ones are elsewhere in the page and
 * there before the command is.
 */
final class Command {

    static final int NOTIFY = 1;
    static final int PUT_INLINE = 2;
    static final int PUT = 3;
    static final int HOST = 4;
    static final int TRIGGER = 5;
    static final int TIMER = 6;
    static final int WORD = 7;
    static final int GET = 8;
    /** Put whose bytes are in the page, at {@link #value}. */
    static final int PUT_STAGED = 9;
    static final int WITH_NOTIFY = 0x80;

    /** Of one {@link #PUT}: larger puts are several. */
    static final int MAX_PUT_BYTES = 1 << 30;
    /** Payload that travels in entries of the queue. */
    static final int MAX_INLINE = 256;
    /** Of an entry behind the first. */
    static final int ENTRY_PAYLOAD = 32;

    // words: the first has the operation with tag and length, that of the block has a message's count of notifications
    static final int AT_OP = 0;
    static final int AT_BLOCK = 8;
    static final int AT_TARGET = 16;
    static final int AT_OFFSET_LOW = 24;
    static final int AT_OFFSET_HIGH = 32;
    static final int AT_VALUE_LOW = 40;
    static final int AT_VALUE_HIGH = 48;
    static final int AT_BYTES = 56;

    static final int TAG_SHIFT = 8;
    static final int MAX_TAG = 0xff;
    static final int LENGTH_SHIFT = 16;
    static final int MAX_LENGTH = 0xffff;
    static final int COUNT_SHIFT = 16;
    static final int MAX_COUNT = 0xffff;

    private static final int OP_MASK = 0xff;
    private static final long LOW = 0xffffffffL;

    /** Ring of entries in a page. */
    private enum Ring {
        QUEUE(HostPage.QUEUE, HostPage.QUEUE_ENTRIES), MAILBOX(HostPage.MAILBOX, HostPage.MAILBOX_ENTRIES);

        private final long start;
        private final int mask;

        /** @param entries a power of two */
        Ring(long start, int entries) {
            this.start = start;
            this.mask = entries - 1;
        }

        private long at(long index) {
            return start + (long) ((int) index & mask) * HostPage.COMMAND_BYTES;
        }
    }

    private final MemorySegment payload = MemorySegment.ofArray(new int[MAX_INLINE / Integer.BYTES]);
    private MemorySegment source; // of the bytes
    private int op;
    private int tag;
    private int length;
    private int block;
    private int target;
    private long offset;
    private long value;
    private long bytes;

    /** Reads the command numbered {@code index} if it is there in full. */
    boolean read(HostPage page, long index) {
        return readAt(page, Ring.QUEUE, index);
    }

    /** Reads the message numbered {@code index} of the mailbox if it is there in full. */
    boolean readMessage(HostPage page, long index) {
        return readAt(page, Ring.MAILBOX, index);
    }

    private boolean readAt(HostPage page, Ring ring, long index) {
        int flag = (int) (index + 1);
        long at = ring.at(index);
        long first = page.get(at + AT_OP);
        if ((int) (first >>> 32) != flag) {
            return false;
        }
        boolean isShort = ring == Ring.MAILBOX && (first >>> LENGTH_SHIFT & MAX_LENGTH) == 0;
        int end = isShort ? AT_TARGET : HostPage.COMMAND_BYTES;
        for (int word = AT_BLOCK; word < end; word += Long.BYTES) {
            if ((int) (page.get(at + word) >>> 32) != flag) {
                return false;
            }
        }
        op = (int) first & OP_MASK;
        tag = (int) first >>> TAG_SHIFT & MAX_TAG;
        length = (int) first >>> LENGTH_SHIFT & MAX_LENGTH;
        block = (int) page.get(at + AT_BLOCK);
        target = (int) page.get(at + AT_TARGET);
        offset = page.get(at + AT_OFFSET_LOW) & LOW | page.get(at + AT_OFFSET_HIGH) << 32;
        value = page.get(at + AT_VALUE_LOW) & LOW | page.get(at + AT_VALUE_HIGH) << 32;
        bytes = page.get(at + AT_BYTES) & LOW;
        source = page.memory();
        return !isInline() || readPayload(page, ring, index);
    }

    /** Reads the entries behind the first if they are there. */
    private boolean readPayload(HostPage page, Ring ring, long index) {
        source = payload;
        for (int done = 0; done < length; done += Integer.BYTES) {
            long entry = index + 1 + done / ENTRY_PAYLOAD;
            long word = page.get(ring.at(entry) + done % ENTRY_PAYLOAD * 2);
            if ((int) (word >>> 32) != (int) (entry + 1)) {
                return false;
            }
            payload.set(ValueLayout.JAVA_INT, done, (int) word);
        }
        return true;
    }

    /** Number of entries that a payload of {@link #PUT_INLINE} takes, with the first. */
    static int entries(int length) {
        return length <= Long.BYTES ? 1 : 1 + Math.ceilDiv(length, ENTRY_PAYLOAD);
    }

    /** Number of entries. */
    int entries() {
        return isInline() ? entries(length) : 1;
    }

    /** True if there are entries behind the first. */
    private boolean isInline() {
        return op() == PUT_INLINE && length > Long.BYTES;
    }

    /** Writes a command as the device library does. */
    static void write(HostPage page, long index, int op, int tag, int length, int block, int target, long offset,
                      long value, long bytes) {
        writeAt(page, Ring.QUEUE, index, op, tag, length, block, target, offset, value, bytes);
    }

    /** Writes the entries behind the first of command {@code index}, the bytes of its payload. */
    static void writePayload(HostPage page, long index, MemorySegment source, long from, int length) {
        writePayload(page, Ring.QUEUE, index, source, from, length);
    }

    /** The same for a message of the mailbox. */
    static void writeMessagePayload(HostPage page, long index, MemorySegment source, long from, int length) {
        writePayload(page, Ring.MAILBOX, index, source, from, length);
    }

    private static void writePayload(HostPage page, Ring ring, long index, MemorySegment source, long from, int length) {
        for (int done = 0; done < length; done += Integer.BYTES) {
            long entry = index + 1 + done / ENTRY_PAYLOAD;
            page.set(ring.at(entry) + done % ENTRY_PAYLOAD * 2,
                    entry + 1 << 32 | bytes(source, from + done, length - done) & LOW);
        }
    }

    /** The next four bytes, or fewer at the end. */
    private static int bytes(MemorySegment source, long from, int left) {
        if (left >= Integer.BYTES) {
            return source.get(ValueLayout.JAVA_INT_UNALIGNED, from);
        }
        return (int) value(source, from, left);
    }

    /** Up to 8 bytes as a number. */
    static long value(MemorySegment source, long from, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (source.get(ValueLayout.JAVA_BYTE, from + i) & 0xffL) << Byte.SIZE * i;
        }
        return value;
    }

    /**
     * Writes a message: {@code length} bytes, if that is not 0, then {@code count} notifications, if that is not 0, to
     * a block. A notification alone is in the first two words. Bytes that are not in {@code value} have been written
     * before.
     *
     * @param staged whether {@code value} is their place in the page
     */
    static void writeMessage(HostPage page, long index, int length, long offset, long value, boolean staged, int block, int tag,
                             int count) {
        int op = (length == 0 ? NOTIFY : staged ? PUT_STAGED : PUT_INLINE) | (count != 0 ? WITH_NOTIFY : 0);
        int blockAndCount = block | count << COUNT_SHIFT;
        if (length != 0) {
            writeAt(page, Ring.MAILBOX, index, op, tag, length, blockAndCount, 0, offset, value, 0);
            return;
        }
        long at = Ring.MAILBOX.at(index);
        long flag = index + 1 << 32;
        page.set(at + AT_BLOCK, flag | Integer.toUnsignedLong(blockAndCount));
        page.set(at + AT_OP, flag | op | tag << TAG_SHIFT);
    }

    /** Block that a message of the mailbox is for. */
    int messageBlock() {
        return block & MAX_COUNT;
    }

    /** Number of notifications of a message of the mailbox. */
    int messageCount() {
        return block >>> COUNT_SHIFT;
    }

    private static void writeAt(HostPage page, Ring ring, long index, int op, int tag, int length, int block, int target,
                                long offset, long value, long bytes) {
        long at = ring.at(index);
        long flag = index + 1 << 32;
        page.set(at + AT_OP, flag | op | tag << TAG_SHIFT | (long) length << LENGTH_SHIFT);
        page.set(at + AT_BLOCK, flag | Integer.toUnsignedLong(block));
        page.set(at + AT_TARGET, flag | Integer.toUnsignedLong(target));
        page.set(at + AT_OFFSET_LOW, flag | offset & LOW);
        page.set(at + AT_OFFSET_HIGH, flag | offset >>> 32);
        page.set(at + AT_VALUE_LOW, flag | value & LOW);
        page.set(at + AT_VALUE_HIGH, flag | value >>> 32);
        page.set(at + AT_BYTES, flag | bytes);
    }

    int op() {
        return op & ~WITH_NOTIFY;
    }

    boolean notifies() {
        return (op & WITH_NOTIFY) != 0;
    }

    int tag() {
        return tag;
    }

    /** Bytes of the payload, unless the operation has them in {@link #bytes}. */
    int length() {
        return length;
    }

    int block() {
        return block;
    }

    int target() {
        return target;
    }

    long offset() {
        return offset;
    }

    long value() {
        return value;
    }

    long bytes() {
        return bytes;
    }

    /** Memory with the payload, if that is longer than 8 bytes. Valid until the next read. */
    MemorySegment source() {
        return source;
    }

    /** Place of the payload in {@link #source}. */
    long sourceAt() {
        return op() == PUT_STAGED ? value : 0;
    }
}
