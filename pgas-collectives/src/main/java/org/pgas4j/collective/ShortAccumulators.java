package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

/** Integers of 16 bits, with and without a sign. */
final class ShortAccumulators extends Accumulators {

    private final boolean signed;
    private final short[][] blocks;

    /** @param type SHORT or CHAR */
    ShortAccumulators(ElementType type, int count, int length) {
        super(count, length * Short.BYTES);
        this.signed = type == ElementType.SHORT;
        this.blocks = new short[count][length];
    }

    @Override
    void load(int block, MemorySegment from, long offset, int n) {
        MemorySegment.copy(from, ElementType.LAYOUT_SHORT, offset, blocks[block], 0, n);
    }

    @Override
    void gather(int into, int from, int first, int n, int step) {
        short[] a = blocks[into];
        short[] b = blocks[from];
        for (int i = 0; i < n; i++) {
            a[i] = b[first + i * step];
        }
    }

    @Override
    void store(int block, MemorySegment to, long offset, int n) {
        MemorySegment.copy(blocks[block], 0, to, ElementType.LAYOUT_SHORT, offset, n);
    }

    @Override
    void combine(int into, int from, int n, Reduction op) {
        if (op == ReduceOp.SUM) { // of the same bits with and without a sign
            add(blocks[into], blocks[from], n);
        } else if (signed) {
            combineSigned(blocks[into], blocks[from], n, op);
        } else {
            combineUnsigned(blocks[into], blocks[from], n, op);
        }
    }

    private static void add(short[] a, short[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] += b[i];
        }
    }

    private static void combineSigned(short[] a, short[] b, int n, Reduction op) {
        for (int i = 0; i < n; i++) {
            a[i] = (short) op.apply((long) a[i], (long) b[i]);
        }
    }

    private static void combineUnsigned(short[] a, short[] b, int n, Reduction op) {
        for (int i = 0; i < n; i++) {
            a[i] = (short) op.apply(Short.toUnsignedLong(a[i]), Short.toUnsignedLong(b[i]));
        }
    }
}
