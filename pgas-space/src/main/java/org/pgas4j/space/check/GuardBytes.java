package org.pgas4j.space.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.pgas4j.Lease;

/**
 * Bytes written around allocations and over freed ones. A guard byte depends on allocation, rank and place, so a copy of other
 * guards or a shifted one does not pass for it; freed memory holds one byte, which depends on the allocation.
 */
final class GuardBytes {

    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final int SHOWN = 16;

    private GuardBytes() {
    }

    private static long seed(Lease lease, int rank) {
        return (lease.generation() * 31 + rank) * 2 + lease.kind().code();
    }

    /** Finaliser of Steele, Lea and Flood's SplitMix (OOPSLA 2014). */
    private static long mix(long value) {
        value = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        value = (value ^ value >>> 27) * 0x94D049BB133111EBL;
        return value ^ value >>> 31;
    }

    /** The bytes that belong at {@code offset} of a rank's segment and behind. */
    static byte[] expected(Lease lease, int rank, long offset, int bytes) {
        byte[] guard = new byte[bytes];
        long seed = seed(lease, rank);
        long word = 0;
        for (int i = 0; i < bytes; i++) {
            long at = offset + i;
            if (i == 0 || (at & 7) == 0) {
                word = mix(seed + (at >>> 3) * STEP);
            }
            guard[i] = (byte) (word >>> 8 * (at & 7));
        }
        return guard;
    }

    /** Byte that fills freed memory of the allocation. */
    static byte freed(Lease lease) {
        return (byte) (mix(lease.generation()) | 1);
    }

    /** Index of the first of {@code bytes} bytes that is not {@code value}, or -1. */
    static long mismatch(MemorySegment memory, long bytes, byte value) {
        if (bytes == 0) {
            return -1;
        }
        if (memory.get(ValueLayout.JAVA_BYTE, 0) != value) {
            return 0;
        }
        // the first is right, and each other one as the one before it
        long at = MemorySegment.mismatch(memory, 0, bytes - 1, memory, 1, bytes);
        return at < 0 ? -1 : at + 1;
    }

    /** Some bytes from {@code at} on, as text. */
    static String show(MemorySegment memory, long at, long end) {
        byte[] bytes = memory.asSlice(at, Math.min(SHOWN, end - at)).toArray(ValueLayout.JAVA_BYTE);
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }
}
