package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Block;
import org.pgas4j.ElementType;
import org.pgas4j.Kind;
import org.pgas4j.Rank;

/** A rank's private memory of either kind, filled and checked with patterns. */
final class Memory implements AutoCloseable {

    private final Rank rank;
    private final Arena arena = Arena.ofConfined();
    private final Block block;
    private final MemorySegment copy;

    Memory(Rank rank, Kind kind, long bytes) {
        this.rank = rank;
        this.copy = arena.allocate(bytes, 8);
        this.block = kind == Kind.HOST ? Block.ofHost(arena.allocate(bytes, 8), ElementType.BYTE)
                : rank.device().alloc(ElementType.BYTE, bytes);
    }

    Block block() {
        return block;
    }

    /** The byte at {@code index} of the pattern {@code seed}: differs between neighbours, seeds and pages. */
    static byte pattern(long seed, long index) {
        long mixed = (index + 1) * 0x9E3779B97F4A7C15L + seed * 0xC2B2AE3D27D4EB4FL;
        return (byte) (mixed >>> 41);
    }

    /** Fills {@code count} bytes at {@code from} with a pattern. */
    void fill(long seed, long from, long count) {
        for (long i = 0; i < count; i++) {
            copy.set(ValueLayout.JAVA_BYTE, i, pattern(seed, i));
        }
        write(from, count);
    }

    /** Sets {@code count} bytes at {@code from}. */
    void set(byte value, long from, long count) {
        copy.asSlice(0, count).fill(value);
        write(from, count);
    }

    private void write(long from, long count) {
        copyBlocks(rank, block.slice(from, count), Block.ofHost(copy.asSlice(0, count), ElementType.BYTE));
    }

    /** Reads {@code count} bytes at {@code from}. */
    MemorySegment read(long from, long count) {
        MemorySegment part = copy.asSlice(0, count);
        copyBlocks(rank, Block.ofHost(part, ElementType.BYTE), block.slice(from, count));
        return part;
    }

    /** Copies between two local blocks and waits. */
    static void copyBlocks(Rank rank, Block dst, Block src) {
        rank.stream().copy(dst, src);
        rank.stream().sync();
    }

    /** Index of the first byte that differs from the pattern, or -1. */
    static long mismatch(MemorySegment memory, long seed, long from, long count) {
        for (long i = 0; i < count; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, from + i) != pattern(seed, i)) {
                return i;
            }
        }
        return -1;
    }

    /** Index of the first byte that is not {@code value}, or -1. */
    static long mismatch(MemorySegment memory, byte value, long from, long count) {
        for (long i = 0; i < count; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, from + i) != value) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void close() {
        if (block.kind() == Kind.DEVICE) {
            block.deviceMemory().close();
        }
        arena.close();
    }
}
