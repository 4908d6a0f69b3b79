package org.pgas4j.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/** Atomic operations on elements of arrays, of threads of a block on the host device. */
final class BlockAtomics {

    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle FLOATS = MethodHandles.arrayElementVarHandle(float[].class);
    private static final VarHandle DOUBLES = MethodHandles.arrayElementVarHandle(double[].class);

    private BlockAtomics() {
    }

    /** An operation of one operand. */
    static AtomicOperation requireOne(AtomicOperation op) {
        if (op.hasComparand()) {
            throw new IllegalArgumentException("atomic operation " + op + " in memory of the block (expected: compareAndExchange)");
        }
        return op;
    }

    static int update(int[] memory, int index, LongBinaryOperator next, int value) {
        int old;
        do {
            old = (int) INTS.getVolatile(memory, index);
        } while (!INTS.weakCompareAndSet(memory, index, old, (int) next.applyAsLong(old, value)));
        return old;
    }

    static long update(long[] memory, int index, LongBinaryOperator next, long value) {
        long old;
        do {
            old = (long) LONGS.getVolatile(memory, index);
        } while (!LONGS.weakCompareAndSet(memory, index, old, next.applyAsLong(old, value)));
        return old;
    }

    static float update(float[] memory, int index, DoubleBinaryOperator next, float value) {
        float old;
        do {
            old = (float) FLOATS.getVolatile(memory, index);
        } while (!FLOATS.weakCompareAndSet(memory, index, old, (float) next.applyAsDouble(old, value)));
        return old;
    }

    static double update(double[] memory, int index, DoubleBinaryOperator next, double value) {
        double old;
        do {
            old = (double) DOUBLES.getVolatile(memory, index);
        } while (!DOUBLES.weakCompareAndSet(memory, index, old, next.applyAsDouble(old, value)));
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
