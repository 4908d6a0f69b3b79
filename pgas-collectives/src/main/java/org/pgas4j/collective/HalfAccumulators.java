package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Bfloat16;
import org.pgas4j.ElementType;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

/**
 * Elements of HALF or BFLOAT16. Two are combined as floats, and the result is rounded to the nearest element, ties to even, after
 * each operation: so a result that was passed on is the same as one that was not, and every form gives the same bits.
 */
final class HalfAccumulators extends Accumulators {

    private final ElementType type;
    private final short[][] blocks;

    HalfAccumulators(ElementType type, int count, int length) {
        super(count, length * Short.BYTES);
        this.type = type;
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
        if (op == ReduceOp.SUM && type == ElementType.HALF) {
            addHalves(blocks[into], blocks[from], n);
        } else if (op == ReduceOp.SUM) {
            addBfloats(blocks[into], blocks[from], n);
        } else {
            combine(blocks[into], blocks[from], n, op);
        }
    }

    /** A loop without a choice of type in it, which the compiler makes operations on vectors of. */
    private static void addHalves(short[] a, short[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Float.floatToFloat16(Float.float16ToFloat(a[i]) + Float.float16ToFloat(b[i]));
        }
    }

    private static void addBfloats(short[] a, short[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Bfloat16.of(Bfloat16.toFloat(a[i]) + Bfloat16.toFloat(b[i]));
        }
    }

    private void combine(short[] a, short[] b, int n, Reduction op) {
        for (int i = 0; i < n; i++) {
            a[i] = type.toBits((float) op.apply((double) type.toFloat(a[i]), (double) type.toFloat(b[i])));
        }
    }
}
