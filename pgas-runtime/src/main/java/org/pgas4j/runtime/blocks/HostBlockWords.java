package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank.Comparison;

/**
 * Words in a row that a block of the host device waits for. Used by the block's thread.
 *
 * @param at    offset of the first, a multiple of their size
 * @param value to compare each with
 */
record HostBlockWords(HostBlockWaits waits, MemorySegment memory, long at, long count, ElementType type, Comparison comparison,
                      long value) {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private long word(long index) {
        long offset = at + index * type.bytes();
        return type == ElementType.INT ? (int) INT.getAcquire(memory, offset) : (long) HostPage.LONG.getAcquire(memory, offset);
    }

    private boolean holds(long index) {
        return comparison.holds(word(index), value);
    }

    /** Number of words for which the comparison holds. */
    private long count(long enough) {
        long found = 0;
        for (long i = 0; i < count && found < enough; i++) {
            found += holds(i) ? 1 : 0;
        }
        return found;
    }

    /** Number of words for which it holds now. */
    long test() {
        long found = count(count);
        if (found < count) {
            waits.looked();
        }
        return found;
    }

    void await(long enough) {
        waits.await(BlockFailure.LATE_VALUE, comparison.ordinal(), Math.min(enough, count), () -> count(enough));
    }

    /** Returns the lowest index. */
    long awaitAny() {
        waits.looked();
        while (count > 0) {
            await(1);
            for (long i = 0; i < count; i++) {
                if (holds(i)) {
                    return i;
                }
            }
        }
        return 0;
    }

    /** Returns the number of words found, with their indices. */
    long awaitSome(long[] indices) {
        waits.looked();
        long found = 0;
        while (found == 0 && count > 0) { // words may change again after they were found
            await(1);
            for (long i = 0; i < count; i++) {
                if (holds(i)) {
                    indices[(int) found++] = i;
                }
            }
        }
        return found;
    }
}
