package org.pgas4j.runtime.blocks;

/**
 * A request of a block to its host, or what a host brings a block by the post. On the way it is eight words of 64 bits, each with
 * 32 bits of it and the low half of its number in the queue plus one, so that a command is complete when all eight numbers are
 * right, whatever order they come in.
 */
final class Command {

    static final int NOTIFY = 1;
    static final int PUT_INLINE = 2;
    static final int PUT = 3;
    static final int HOST = 4;
    static final int TRIGGER = 5;
    static final int TIMER = 6;
    static final int WORD = 7;
    static final int WITH_NOTIFY = 0x80;

    static final int MAX_COUNT = 0xffff;

    private static final int COUNT_SHIFT = 16;
    private static final int WORDS = 8;

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

    /** Reads the letter numbered {@code index} of the post if it is there in full. */
    boolean readLetter(HostPage page, long index) {
        return readAt(page, letter(index), index, true);
    }

    private static long letter(long index) {
        return HostPage.POST + index % HostPage.POST_ENTRIES * HostPage.COMMAND_BYTES;
    }

    private boolean readAt(HostPage page, long at, long index, boolean isLetter) {
        int flag = (int) (index + 1);
        long w0 = page.get(at);
        if ((int) (w0 >>> 32) != flag) {
            return false;
        }
        int words = isLetter && (w0 >>> 16 & 0xffff) == 0 ? 2 : WORDS;
        for (int i = 1; i < words; i++) {
            if ((int) (page.get(at + (long) i * Long.BYTES) >>> 32) != flag) {
                return false;
            }
        }
        op = (int) w0 & 0xff;
        tag = (int) w0 >>> 8 & 0xff;
        length = (int) w0 >>> 16 & 0xffff;
        block = (int) page.get(at + 8);
        target = (int) page.get(at + 16);
        offset = page.get(at + 24) & 0xffffffffL | page.get(at + 32) << 32;
        value = page.get(at + 40) & 0xffffffffL | page.get(at + 48) << 32;
        bytes = page.get(at + 56) & 0xffffffffL;
        return true;
    }

    /** Writes a command as the device library does. */
    static void write(HostPage page, long index, int op, int tag, int length, int block, int target, long offset, long value,
                      long bytes) {
        writeAt(page, HostPage.QUEUE + index % HostPage.QUEUE_ENTRIES * HostPage.COMMAND_BYTES, index, op, tag, length, block,
                target, offset, value, bytes);
    }

    /**
     * Writes a letter: bytes, if {@code length} is not 0, then {@code count} notifications, if that is not 0, to a block. What a
     * notification alone needs is in the first two words.
     */
    static void writeLetter(HostPage page, long index, int length, long offset, long value, int block, int tag, int count) {
        int op = (length != 0 ? PUT_INLINE : NOTIFY) | (count != 0 ? WITH_NOTIFY : 0);
        int whom = block | count << COUNT_SHIFT;
        if (length != 0) {
            writeAt(page, letter(index), index, op, tag, length, whom, 0, offset, value, 0);
            return;
        }
        long at = letter(index);
        long flag = index + 1 << 32;
        page.set(at + 8, flag | Integer.toUnsignedLong(whom));
        page.set(at, flag | op | tag << 8);
    }

    /** Of a letter. */
    int letterBlock() {
        return block & MAX_COUNT;
    }

    /** Of a letter: how often it notifies. */
    int letterCount() {
        return block >>> COUNT_SHIFT;
    }

    private static void writeAt(HostPage page, long at, long index, int op, int tag, int length, int block, int target,
                                long offset, long value, long bytes) {
        long flag = index + 1 << 32;
        page.set(at, flag | op | tag << 8 | (long) length << 16);
        page.set(at + 8, flag | Integer.toUnsignedLong(block));
        page.set(at + 16, flag | Integer.toUnsignedLong(target));
        page.set(at + 24, flag | offset & 0xffffffffL);
        page.set(at + 32, flag | offset >>> 32);
        page.set(at + 40, flag | value & 0xffffffffL);
        page.set(at + 48, flag | value >>> 32);
        page.set(at + 56, flag | bytes);
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
