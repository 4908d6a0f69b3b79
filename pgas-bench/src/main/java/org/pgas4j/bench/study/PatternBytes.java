package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;

/** Bytes that depend on their place and on a seed. */
final class PatternBytes {

    private static final long LINE = 128;

    private PatternBytes() {
    }

    static byte pattern(long index, long seed) {
        return (byte) ((index * 0x9E3779B97F4A7C15L >>> 32) + seed);
    }

    static void fill(MemorySegment memory, long bytes, long seed) {
        for (long i = 0; i < bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, pattern(i, seed));
        }
    }

    static long wrong(MemorySegment memory, long bytes, long seed) {
        long wrong = 0;
        for (long i = 0; i < bytes; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != pattern(i, seed)) {
                wrong++;
            }
        }
        return wrong;
    }

    /** Fills a block of the host or of the rank's device. */
    static void write(Rank rank, Buffer block, long seed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(block.bytes(), LINE);
            fill(host, block.bytes(), seed);
            rank.stream().copy(block, Buffer.ofHost(host, ElementType.BYTE));
            rank.stream().sync();
        }
    }

    /** Sets every byte of a block. */
    static void clear(Rank rank, Buffer block, int value) {
        rank.stream().fill(block, value);
        rank.stream().sync();
    }

    /** Content of a buffer of the device, in host memory. */
    static MemorySegment read(Rank rank, Buffer block, Arena arena) {
        MemorySegment segment = arena.allocate(block.bytes(), Long.BYTES);
        rank.stream().copy(Buffer.ofHost(segment, block.type()), block);
        rank.stream().sync();
        return segment;
    }

    /** Bytes of a block that are not of {@code seed}. */
    static long wrong(Rank rank, Buffer block, long seed) {
        return wrong(rank, block, block.bytes(), seed, (byte) 0);
    }

    /** Bytes of a block that are not of {@code seed} in its first {@code bytes}, or not {@code guard} behind them. */
    static long wrong(Rank rank, Buffer block, long bytes, long seed, byte guard) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(block.bytes(), LINE);
            rank.stream().copy(Buffer.ofHost(host, ElementType.BYTE), block);
            rank.stream().sync();
            long wrong = wrong(host, bytes, seed);
            for (long i = bytes; i < block.bytes(); i++) {
                if (host.get(ValueLayout.JAVA_BYTE, i) != guard) {
                    wrong++;
                }
            }
            return wrong;
        }
    }
}
