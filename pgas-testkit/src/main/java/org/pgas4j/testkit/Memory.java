package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;

/** A rank's private memory of either kind, filled and checked with patterns. */
final class Memory implements AutoCloseable {

    // Short runs would spend their time in byte accesses of segments that are not compiled yet.
    private static final int CHUNK = 4096;
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final int SHIFT = 41;

    private final Rank rank;
    private final Arena arena = Arena.ofConfined();
    private final Buffer block;
    private final MemorySegment copy;

    Memory(Rank rank, MemoryKind kind, long bytes) {
        this.rank = rank;
        this.copy = arena.allocate(bytes, 8);
        this.block = kind == MemoryKind.HOST ? Buffer.ofHost(arena.allocate(bytes, 8), ElementType.BYTE)
                : rank.device().alloc(ElementType.BYTE, bytes);
    }

    Buffer block() {
        return block;
    }

    /** The byte at {@code index} of the pattern {@code seed}: differs between neighbours, seeds and pages. */
    static byte pattern(long seed, long index) {
        return (byte) (mixed(seed, index) >>> SHIFT);
    }

    private static long mixed(long seed, long index) {
        return (index + 1) * STEP + seed * 0xC2B2AE3D27D4EB4FL;
    }

    /** Fills {@code count} bytes at {@code from} with a pattern. */
    void fill(long seed, long from, long count) {
        byte[] chunk = new byte[(int) Math.min(CHUNK, count)];
        for (long done = 0; done < count; done += chunk.length) {
            int part = chunk(chunk, seed, done, count);
            MemorySegment.copy(chunk, 0, copy, ValueLayout.JAVA_BYTE, done, part);
        }
        write(from, count);
    }

    /** The pattern's next bytes from {@code index} on, {@code count} being its end; how many. */
    private static int chunk(byte[] to, long seed, long index, long count) {
        int part = (int) Math.min(to.length, count - index);
        long mixed = mixed(seed, index);
        for (int i = 0; i < part; i++, mixed += STEP) {
            to[i] = (byte) (mixed >>> SHIFT);
        }
        return part;
    }

    /** Sets {@code count} bytes at {@code from}. */
    void set(byte value, long from, long count) {
        copy.asSlice(0, count).fill(value);
        write(from, count);
    }

    private void write(long from, long count) {
        copyBlocks(rank, block.slice(from, count), Buffer.ofHost(copy.asSlice(0, count), ElementType.BYTE));
    }

    /** Reads {@code count} bytes at {@code from}. */
    MemorySegment read(long from, long count) {
        MemorySegment part = copy.asSlice(0, count);
        copyBlocks(rank, Buffer.ofHost(part, ElementType.BYTE), block.slice(from, count));
        return part;
    }

    /** Copies between two local blocks and waits. */
    static void copyBlocks(Rank rank, Buffer dst, Buffer src) {
        rank.stream().copy(dst, src);
        rank.stream().sync();
    }

    /** Index of the first byte that differs from the pattern, or -1. */
    static long mismatch(MemorySegment memory, long seed, long from, long count) {
        byte[] chunk = new byte[(int) Math.min(CHUNK, count)];
        MemorySegment expected = MemorySegment.ofArray(chunk);
        for (long done = 0; done < count; done += chunk.length) {
            int part = chunk(chunk, seed, done, count);
            long at = MemorySegment.mismatch(memory, from + done, from + done + part, expected, 0, part);
            if (at >= 0) {
                return done + at;
            }
        }
        return -1;
    }

    /** Index of the first byte that is not {@code value}, or -1. */
    static long mismatch(MemorySegment memory, byte value, long from, long count) {
        if (count == 0) {
            return -1;
        }
        if (memory.get(ValueLayout.JAVA_BYTE, from) != value) {
            return 0;
        }
        // all are as the one before
        long at = MemorySegment.mismatch(memory, from, from + count - 1, memory, from + 1, from + count);
        return at < 0 ? -1 : at + 1;
    }

    @Override
    public void close() {
        if (block.kind() == MemoryKind.DEVICE) {
            block.close();
        }
        arena.close();
    }
}
