package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Payload of a request for a rendezvous: the address of the requester's slots. Path and key of a temporary are sent the
 * first time only. Little-endian, any alignment.
 *
 * <pre>
 * 0 memory:i64 | 8 base:i64 | 16 piece:i64 | 24 size:i64 | 32 depth:i32 | 36 path length:i32 | 40 key length:i32 | 44 path, key
 * </pre>
 */
final class Region {

    /** Value of the memory field for the requester's own segment; others are numbers of temporaries. */
    static final long OWN_SEGMENT = 0;
    /** Length without path and key, bytes. */
    static final int FIELDS = 4 * Long.BYTES + 3 * Integer.BYTES;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Region() {
    }

    static void write(MemorySegment out, long at, long memory, long base, long piece, long size, int depth, byte[] path,
                      byte[] key) {
        out.set(LONG, at, memory);
        out.set(LONG, at + 8, base);
        out.set(LONG, at + 16, piece);
        out.set(LONG, at + 24, size);
        out.set(INT, at + 32, depth);
        out.set(INT, at + 36, path.length);
        out.set(INT, at + 40, key.length);
        MemorySegment.copy(path, 0, out, ValueLayout.JAVA_BYTE, at + FIELDS, path.length);
        MemorySegment.copy(key, 0, out, ValueLayout.JAVA_BYTE, at + FIELDS + path.length, key.length);
    }

    static long memory(MemorySegment in, long at) {
        return in.get(LONG, at);
    }

    static long base(MemorySegment in, long at) {
        return in.get(LONG, at + 8);
    }

    static long piece(MemorySegment in, long at) {
        return in.get(LONG, at + 16);
    }

    static long size(MemorySegment in, long at) {
        return in.get(LONG, at + 24);
    }

    static int depth(MemorySegment in, long at) {
        return in.get(INT, at + 32);
    }

    static int pathLength(MemorySegment in, long at) {
        return in.get(INT, at + 36);
    }

    static int keyLength(MemorySegment in, long at) {
        return in.get(INT, at + 40);
    }

    // Lengths are given, not read once more: they have been checked, and the peer can write this memory.
    static byte[] path(MemorySegment in, long at, int pathLength) {
        return in.asSlice(at + FIELDS, pathLength).toArray(ValueLayout.JAVA_BYTE);
    }

    static byte[] key(MemorySegment in, long at, int pathLength, int keyLength) {
        return in.asSlice(at + FIELDS + pathLength, keyLength).toArray(ValueLayout.JAVA_BYTE);
    }
}
