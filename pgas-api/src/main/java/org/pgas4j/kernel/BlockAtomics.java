package org.pgas4j.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;

/** Atomic operations on elements of arrays, of threads of a block on the host device. */
final class BlockAtomics {

    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle FLOATS = MethodHandles.arrayElementVarHandle(float[].class);
    private static final VarHandle DOUBLES = MethodHandles.arrayElementVarHandle(double[].class);

    private BlockAtomics() {
    }

    private static void require(AtomicOp op, ElementType type) {
        if (op == AtomicOp.COMPARE_SWAP || !op.isOf(type)) {
            throw new IllegalArgumentException("atomic operation " + op + " of " + type + " in memory of the block"
                    + (op == AtomicOp.COMPARE_SWAP ? " (expected: compareAndExchange)" : " (integers only)"));
        }
    }

    static int atomic(int[] memory, int index, AtomicOp op, int value) {
        require(op, ElementType.INT);
        int old;
        do {
            old = (int) INTS.getVolatile(memory, index);
        } while (op != AtomicOp.GET && !INTS.weakCompareAndSet(memory, index, old, (int) op.combine((long) old, value)));
        return old;
    }

    static long atomic(long[] memory, int index, AtomicOp op, long value) {
        require(op, ElementType.LONG);
        long old;
        do {
            old = (long) LONGS.getVolatile(memory, index);
        } while (op != AtomicOp.GET && !LONGS.weakCompareAndSet(memory, index, old, op.combine(old, value)));
        return old;
    }

    static float atomic(float[] memory, int index, AtomicOp op, float value) {
        require(op, ElementType.FLOAT);
        float old;
        do {
            old = (float) FLOATS.getVolatile(memory, index);
        } while (op != AtomicOp.GET && !FLOATS.weakCompareAndSet(memory, index, old, (float) op.combine((double) old, value)));
        return old;
    }

    static double atomic(double[] memory, int index, AtomicOp op, double value) {
        require(op, ElementType.DOUBLE);
        double old;
        do {
            old = (double) DOUBLES.getVolatile(memory, index);
        } while (op != AtomicOp.GET && !DOUBLES.weakCompareAndSet(memory, index, old, op.combine(old, value)));
        return old;
    }

    static int getAndAdd(int[] memory, int index, int value) {
        return (int) INTS.getAndAdd(memory, index, value);
    }

    static int getAndSet(int[] memory, int index, int value) {
        return (int) INTS.getAndSet(memory, index, value);
    }

    static int compareAndExchange(int[] memory, int index, int expected, int value) {
        return (int) INTS.compareAndExchange(memory, index, expected, value);
    }

    static long getAndAdd(long[] memory, int index, long value) {
        return (long) LONGS.getAndAdd(memory, index, value);
    }

    static long getAndSet(long[] memory, int index, long value) {
        return (long) LONGS.getAndSet(memory, index, value);
    }

    static long compareAndExchange(long[] memory, int index, long expected, long value) {
        return (long) LONGS.compareAndExchange(memory, index, expected, value);
    }
}
