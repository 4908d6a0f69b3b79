package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;
import org.pgas4j.fastpath.protocol.BlockSink;

/**
 * Small commands for the blocks of one rank of another JVM, the payload of one message. Each is 8 bytes, or 24 with up to 8 bytes
 * to put; little-endian:
 *
 * <pre>
 *   0 length &lt;&lt; 8 | tag : i32   4 count &lt;&lt; 16 | block : i32   8 offset : i64   16 value : i64
 * </pre>
 *
 * {@code count} notifications follow the bytes. Where there are neither, {@code block} says what is meant: 0, what follows comes
 * after everything before it is at its place; 1, the same as far as no launch has to take it; 2, a notification of the host code,
 * which comes then, too, but holds nothing up.
 */
final class CommandBatch {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int AT_COUNT = 4;
    private static final int AT_OFFSET = 8;
    private static final int AT_VALUE = 16;
    private static final int SHORT_BYTES = 8;
    private static final int PUT_BYTES = 24;
    private static final int LENGTH_SHIFT = 8;
    private static final int COUNT_SHIFT = 16;
    private static final int ORDER = 0;
    private static final int SETTLE = 1;
    private static final int HOST = 2;

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

    /** True if there is room for any command. */
    boolean hasRoom() {
        return PUT_BYTES <= memory.byteSize() - length;
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
        add(0, block, tag, 1, SHORT_BYTES);
    }

    /** Adds the order of what follows behind everything before. */
    void addOrder() {
        addOther(ORDER, 0);
    }

    /** Adds the same, except that what a launch has to take holds nothing up: it may begin only after what follows. */
    void addSettle() {
        addOther(SETTLE, 0);
    }

    /** Adds a notification of the host code, behind everything before. */
    void addHostNotification(int tag) {
        addOther(HOST, tag);
    }

    private void addOther(int what, int tag) {
        mayCount = false;
        add(0, what, tag, 0, SHORT_BYTES);
    }

    /** Adds a put of up to 8 bytes, with a notification if {@code count} is 1. */
    void addPut(int block, int tag, int count, long offset, long value, int bytes) {
        mayCount = false;
        memory.set(LONG, length + AT_OFFSET, offset);
        memory.set(LONG, length + AT_VALUE, value);
        add(bytes, block, tag, count, PUT_BYTES);
    }

    private void add(int bytes, int block, int tag, int count, int size) {
        memory.set(INT, length, bytes << LENGTH_SHIFT | tag);
        memory.set(INT, length + AT_COUNT, count << COUNT_SHIFT | block);
        length += size;
    }

    /**
     * Has a writer carry out the commands that can be now. With the device's context.
     *
     * @param writer null if the blocks are closed: only host code gets what is for it
     * @param host   notifies the host code
     * @throws IllegalStateException if one is not whole
     */
    static void carryOut(BlockSink.Commands commands, ProxyWriter writer, IntConsumer host) {
        while (commands.left() > 0) {
            int size = size(commands);
            if (!carryOutNext(commands, writer, host)) {
                return;
            }
            commands.advance(size);
        }
    }

    private static boolean carryOutNext(BlockSink.Commands commands, ProxyWriter writer, IntConsumer host) {
        MemorySegment in = commands.memory();
        long at = commands.next();
        int bytes = in.get(INT, at) >>> LENGTH_SHIFT;
        int tag = in.get(INT, at) & Command.MAX_TAG;
        int block = in.get(INT, at + AT_COUNT) & BlockDirectory.MAX_BLOCKS - 1;
        int count = in.get(INT, at + AT_COUNT) >>> COUNT_SHIFT;
        boolean other = bytes == 0 && count == 0;
        if (other && block == HOST) {
            if (writer == null) {
                host.accept(tag);
            } else {
                writer.whenTaken(() -> host.accept(tag));
            }
            return true;
        }
        if (writer == null) {
            return true;
        }
        if (other) {
            return isInOrder(commands, writer, block == SETTLE);
        }
        return bytes == 0 ? writer.tryWrite(0, 0, 0, block, tag, count)
                : writer.tryWrite(in.get(LONG, at + AT_OFFSET), in.get(LONG, at + AT_VALUE), bytes, block, tag, count);
    }

    /** True if all is at its place that was written when the order was first seen, or is left to a launch if that may be. */
    private static boolean isInOrder(BlockSink.Commands commands, ProxyWriter writer, boolean settles) {
        if (commands.awaited() == BlockSink.Commands.NOTHING) {
            commands.expect(writer.posted());
        }
        boolean done = writer.isTaken(commands.awaited()) || writer.isIdle() || settles && writer.hasLaunch();
        if (done) {
            writer.runTaken();
            commands.expect(BlockSink.Commands.NOTHING);
        }
        return done;
    }

    /** Bytes of the next command. */
    private static int size(BlockSink.Commands commands) {
        int left = commands.left();
        int bytes = left < SHORT_BYTES ? 0 : commands.memory().get(INT, commands.next()) >>> LENGTH_SHIFT;
        int size = bytes == 0 ? SHORT_BYTES : PUT_BYTES;
        if (size > left || bytes > Long.BYTES) {
            throw new IllegalStateException("a command of " + bytes + " bytes in " + left + " that are left (expected: 0 bytes "
                    + "in " + SHORT_BYTES + " or 1..8 in " + PUT_BYTES + ")");
        }
        return size;
    }
}
