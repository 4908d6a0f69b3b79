package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.pgas4j.fastpath.protocol.BlockSink;

/**
 * Small commands for the blocks of one rank of another JVM, the payload of one message. Each is 8 bytes, and with bytes
 * to put 8 more and the bytes, padded to 8; little-endian:
 *
 * <pre>
 *   0 length &lt;&lt; 8 | tag : i32   4 count &lt;&lt; 16 | block : i32   8 offset : i64   16 bytes
 * </pre>
 *
 * {@code count} notifications follow the bytes. Neither bytes nor notifications: what follows comes after everything
 * before it is at its place.
 */
final class CommandBatch {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int AT_COUNT = 4;
    private static final int AT_OFFSET = 8;
    private static final int AT_BYTES = 16;
    private static final int LENGTH_SHIFT = 8;
    private static final int COUNT_SHIFT = 16;

    private final MemorySegment memory;
    private int length;
    private int last; // place of the last command, if that is a notification alone
    private boolean mayCount;

    /** @param capacity largest payload, bytes */
    CommandBatch(Arena arena, int capacity) {
        memory = arena.allocate(capacity, Long.BYTES);
    }

    MemorySegment memory() {
        return memory;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
        mayCount = false;
    }

    /** Bytes of a command that puts so many. */
    static int size(int bytes) {
        return bytes == 0 ? AT_OFFSET : AT_BYTES + (bytes + Long.BYTES - 1 & -Long.BYTES);
    }

    /** True if there is room for a command that puts so many bytes. */
    boolean hasRoom(int bytes) {
        return size(bytes) <= memory.byteSize() - length;
    }

    /** Adds a notification, to the last command if that is one for the same tag. */
    void addNotification(int block, int tag) {
        int counted = memory.get(INT, last + AT_COUNT);
        if (mayCount && memory.get(INT, last) == tag && (counted & BlockDirectory.MAX_BLOCKS - 1) == block
                && counted >>> COUNT_SHIFT < Command.MAX_COUNT) {
            memory.set(INT, last + AT_COUNT, counted + (1 << COUNT_SHIFT));
            return;
        }
        last = length;
        mayCount = true;
        add(0, block, tag, 1);
    }

    /** Adds the order of what follows behind everything before. */
    void addOrder() {
        mayCount = false;
        add(0, 0, 0, 0);
    }

    /** Adds a put of up to 8 bytes, with a notification if {@code count} is 1. */
    void addPut(int block, int tag, int count, long offset, long value, int bytes) {
        memory.set(LONG, addPut(block, tag, count, offset, bytes), value);
    }

    /** Adds a put. */
    void addPut(int block, int tag, int count, long offset, MemorySegment source, long from, int bytes) {
        MemorySegment.copy(source, from, memory, addPut(block, tag, count, offset, bytes), bytes);
    }

    /** Returns the place of the bytes. */
    private long addPut(int block, int tag, int count, long offset, int bytes) {
        mayCount = false;
        int at = length;
        add(bytes, block, tag, count);
        memory.set(LONG, at + AT_OFFSET, offset);
        return at + AT_BYTES;
    }

    private void add(int bytes, int block, int tag, int count) {
        memory.set(INT, length, bytes << LENGTH_SHIFT | tag);
        memory.set(INT, length + AT_COUNT, count << COUNT_SHIFT | block);
        length += size(bytes);
    }

    /**
     * Has a writer carry out the commands that can be now.
     *
     * @throws IllegalStateException if one is not whole
     */
    static void carryOut(BlockSink.Commands commands, ProxyWriter writer) {
        while (commands.left() > 0) {
            long at = commands.next();
            if (commands.left() < AT_OFFSET) {
                throw new IllegalStateException(commands.left() + " bytes left of a command");
            }
            MemorySegment in = commands.memory();
            int bytes = in.get(INT, at) >>> LENGTH_SHIFT;
            int tag = in.get(INT, at) & Command.MAX_TAG;
            int block = in.get(INT, at + AT_COUNT) & BlockDirectory.MAX_BLOCKS - 1;
            int count = in.get(INT, at + AT_COUNT) >>> COUNT_SHIFT;
            if (size(bytes) > commands.left()) {
                throw new IllegalStateException(bytes + " bytes in a command of " + commands.left());
            }
            long offset = bytes == 0 ? 0 : in.get(LONG, at + AT_OFFSET);
            long value = bytes > Long.BYTES ? 0 : Command.value(in, at + AT_BYTES, bytes);
            boolean isOrder = bytes == 0 && count == 0;
            if (isOrder ? !writer.isTaken(commands.last) && !writer.isIdle()
                    : !writer.tryWrite(offset, value, in, at + AT_BYTES, bytes, block, tag, count)) {
                return;
            }
            commands.last = isOrder ? commands.last : writer.posted();
            commands.advance(size(bytes));
        }
    }
}
