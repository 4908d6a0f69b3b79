package org.pgas4j.examples.reduction;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;

/** The vector: {@code value(i)} for all i, an equal number on each rank's device. */
final class Values {

    private Values() {
    }

    static long value(long index) {
        return index * 48271 % 65521;
    }

    /** This rank's part, in private device memory. */
    static Buffer onDevice(Rank rank, long count) {
        Buffer device = rank.device().alloc(ElementType.LONG, count);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(device.bytes());
            for (long i = 0; i < count; i++) {
                host.set(ElementType.LAYOUT_LONG, i * Long.BYTES, value(rank.rank() * count + i));
            }
            rank.stream().copy(device, Buffer.ofHost(host, ElementType.LONG));
            rank.stream().sync();
        }
        return device;
    }

    /** Of the first {@code count}. */
    static Sums sum(long count) {
        Sums sum = Sums.ZERO;
        for (long i = 0; i < count; i++) {
            sum = sum.plus(value(i));
        }
        return sum;
    }

    /** Of {@code count} in memory from {@code first} on. */
    static Sums sum(MemorySegment values, long first, long count) {
        Sums sum = Sums.ZERO;
        for (long i = first; i < first + count; i++) {
            sum = sum.plus(values.get(ElementType.LAYOUT_LONG, i * Long.BYTES));
        }
        return sum;
    }
}
