package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A request of a block to its host, or a message of a host in the mailbox of its blocks. In memory it is eight words of
 * 64 bits, each with 32 bits of it and the low half of its number in the queue plus one, so that a command is complete
 * when all eight numbers are right, in whatever order they arrive. Up to 8 bytes to put are in it; more are elsewhere in
 * the page, in words of the same form or, if they are there before the command, as they are.
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
    /** Put of more than 8 bytes, in the words of the entry: {@link HostPage#WORDS}. */
    static final int PUT_WORDS = 9;
    /** Put whose bytes are in the page, at {@link #value}; it takes several entries. */
    static final int PUT_STAGED = 10;
    /** Of the operation of a message, set if the bytes are in the page. */
    static final int STAGED_BIT = 8;
    static final int WITH_NOTIFY = 0x80;

    /** Of one {@link #PUT}: larger puts are several. */
    static final int MAX_PUT_BYTES = 1 << 30;
    /** Bytes of one {@link #PUT_WORDS}. */
    static final int MAX_WORDS = 256;

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

    private final MemorySegment words = Arena.ofAuto().allocate(MAX_WORDS, Long.BYTES);
    private MemorySegment source; // of a put of more than 8 bytes, once fetched
    private long sourceAt;
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
        return readAt(page, HostPage.QUEUE + index % HostPage.QUEUE_ENTRIES * HostPage.COMMAND_BYTES, index, false);
    }

    /** Reads the message numbered {@code index} of the mailbox if it is there in full. */
    boolean readMessage(HostPage page, long index) {
        return readAt(page, message(index), index, true);
    }

    private static long message(long index) {
        return HostPage.MAILBOX + index % HostPage.MAILBOX_ENTRIES * HostPage.COMMAND_BYTES;
    }

    private boolean readAt(HostPage page, long at, long index, boolean isMessage) {
        int flag = (int) (index + 1);
        long first = page.get(at + AT_OP);
        if ((int) (first >>> 32) != flag) {
            return false;
        }
        boolean isShort = isMessage && (first >>> LENGTH_SHIFT & MAX_LENGTH) == 0;
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
        return true;
    }

    /** Finds the bytes of a put of more than 8, number {@code index}, and returns whether all of them are there. */
    boolean fetch(HostPage page, long index) {
        if (op() == PUT_STAGED) {
            source = page.memory();
            sourceAt = value;
            return true;
        }
        source = words;
        sourceAt = 0;
        long at = words(index);
        for (int done = 0; done < length; done += Integer.BYTES) {
            long word = page.get(at + 2L * done);
            if ((int) (word >>> 32) != (int) (index + 1)) {
                return false;
            }
            words.set(ValueLayout.JAVA_INT, done, (int) word);
        }
        return true;
    }

    private static long words(long index) {
        return HostPage.WORDS + index % HostPage.QUEUE_ENTRIES * HostPage.WORDS_BYTES;
    }

    /** Writes the bytes of a {@link #PUT_WORDS} as the device library does. */
    static void writeWords(HostPage page, long index, MemorySegment source, long from, int length) {
        long at = words(index);
        for (int done = 0; done < length; done += Integer.BYTES) {
            long value = value(source, from + done, Math.min(Integer.BYTES, length - done));
            page.set(at + 2L * done, index + 1 << 32 | value);
        }
    }

    /** Place of the bytes of a {@link #PUT_STAGED} whose first entry this is, if they go to a vector's beginning. */
    static long staging(long index) {
        return HostPage.STAGING + index % HostPage.QUEUE_ENTRIES * HostPage.STAGING_BYTES;
    }

    /** Place of the bytes of a message, as {@link #staging}. */
    static long payload(long index) {
        return HostPage.PAYLOADS + index % HostPage.MAILBOX_ENTRIES * HostPage.PAYLOAD_BYTES;
    }

    /** Up to 8 bytes as a number. */
    static long value(MemorySegment source, long from, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (source.get(ValueLayout.JAVA_BYTE, from + i) & 0xffL) << Byte.SIZE * i;
        }
        return value;
    }

    /** Writes a command as the device library does. */
    static void write(HostPage page, long index, int op, int tag, int length, int block, int target, long offset,
                      long value, long bytes) {
        writeAt(page, HostPage.QUEUE + index % HostPage.QUEUE_ENTRIES * HostPage.COMMAND_BYTES, index, op, tag, length,
                block, target, offset, value, bytes);
    }

    /**
     * Writes a message: bytes, if {@code length} is not 0, then {@code count} notifications, if that is not 0, to a
     * block. A notification alone is in the first two words.
     */
    static void writeMessage(HostPage page, long index, int length, long offset, long value, int block, int tag,
                             int count) {
        int op = (length != 0 ? PUT_INLINE : NOTIFY) | (count != 0 ? WITH_NOTIFY : 0);
        int blockAndCount = block | count << COUNT_SHIFT;
        if (length != 0) {
            writeAt(page, message(index), index, op, tag, length, blockAndCount, 0, offset, value, 0);
            return;
        }
        long at = message(index);
        long flag = index + 1 << 32;
        page.set(at + AT_BLOCK, flag | Integer.toUnsignedLong(blockAndCount));
        page.set(at + AT_OP, flag | op | tag << TAG_SHIFT);
    }

    /** Writes a message whose bytes are in the page, at {@code place}; it takes {@link #messageEntries}. */
    static void writeStaged(HostPage page, long index, int length, long offset, long place, int block, int tag, int count) {
        int op = PUT_STAGED | (count != 0 ? WITH_NOTIFY : 0);
        writeAt(page, message(index), index, op, tag, length, block | count << COUNT_SHIFT, 0, offset, place, 0);
    }

    /** Number of entries of a message of the mailbox. */
    int messageEntries() {
        return isStaged() ? HostPage.payloadEntries(length) : 1;
    }

    /** True if the bytes are in the page, at {@link #value}. */
    boolean isStaged() {
        return op() == PUT_STAGED;
    }

    /** Block that a message of the mailbox is for. */
    int messageBlock() {
        return block & MAX_COUNT;
    }

    /** Number of notifications of a message of the mailbox. */
    int messageCount() {
        return block >>> COUNT_SHIFT;
    }

    private static void writeAt(HostPage page, long at, long index, int op, int tag, int length, int block, int target,
                                long offset, long value, long bytes) {
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

    /** Memory with the bytes of a put of more than 8, once these are fetched. Until the next read. */
    MemorySegment source() {
        return source;
    }

    /** Place of the bytes in {@link #source}. */
    long sourceAt() {
        return sourceAt;
    }
}
