package org.pgas4j.runtime.blocks;

/**
 * A request of a block to its host, or a message of a host in the mailbox of its blocks. In memory it is eight words of
 * 64 bits, each with 32 bits of it and the low half of its number in the queue plus one, so that a command is complete
 * when all eight numbers are right, in whatever order they arrive.
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
    /** A put whose bytes lie beside the queue; its value is the number of their place. */
    static final int PUT_STAGED = 9;
    static final int WITH_NOTIFY = 0x80;

    /** Of one {@link #PUT}: larger puts are several. */
    static final int MAX_PUT_BYTES = 1 << 30;

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

    /** Writes a command as the device library does. */
    static void write(HostPage page, long index, int op, int tag, int length, int block, int target, long offset,
                      long value, long bytes) {
        writeAt(page, HostPage.QUEUE + index % HostPage.QUEUE_ENTRIES * HostPage.COMMAND_BYTES, index, op, tag, length,
                block, target, offset, value, bytes);
    }

    /**
     * Writes a message: bytes, if {@code length} is not 0, then {@code count} notifications, if that is not 0, to a
     * block. More than 8 bytes lie beside the mailbox, and the value is the number of their place. A notification alone is in the
     * first two words.
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

    /** Block that a message of the mailbox is for. */
    int messageBlock() {
        return block & MAX_COUNT;
    }

    /** True if the bytes of a message lie beside the mailbox. */
    boolean isStaged() {
        return length > Long.BYTES;
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
}
