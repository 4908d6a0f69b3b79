package org.pgas4j.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Atomic operations on elements of arrays, of threads of a block on the host device. */
final class BlockAtomics {

    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle FLOATS = MethodHandles.arrayElementVarHandle(float[].class);
    private static final VarHandle DOUBLES = MethodHandles.arrayElementVarHandle(double[].class);

    private BlockAtomics() {
    }

    static int getAndAdd(int[] memory, int index, int value) {
        return (int) INTS.getAndAdd(memory, index, value);
    }

    static long getAndAdd(long[] memory, int index, long value) {
        return (long) LONGS.getAndAdd(memory, index, value);
    }

    static float getAndAdd(float[] memory, int index, float value) {
        return (float) FLOATS.getAndAdd(memory, index, value);
    }

    static double getAndAdd(double[] memory, int index, double value) {
        return (double) DOUBLES.getAndAdd(memory, index, value);
    }

    static int getAndSet(int[] memory, int index, int value) {
        return (int) INTS.getAndSet(memory, index, value);
    }

    static int compareAndExchange(int[] memory, int index, int expected, int value) {
        return (int) INTS.compareAndExchange(memory, index, expected, value);
    }

    static int getAndMin(int[] memory, int index, int value) {
        int old = (int) INTS.getVolatile(memory, index);
        while (true) {
            int found = compareAndExchange(memory, index, old, Math.min(old, value));
            if (found == old) {
                return old;
            }
            old = found;
        }
    }

    static int getAndMax(int[] memory, int index, int value) {
        int old = (int) INTS.getVolatile(memory, index);
        while (true) {
            int found = compareAndExchange(memory, index, old, Math.max(old, value));
            if (found == old) {
                return old;
            }
            old = found;
        }
    }

    static long getAndSet(long[] memory, int index, long value) {
        return (long) LONGS.getAndSet(memory, index, value);
    }

    static long compareAndExchange(long[] memory, int index, long expected, long value) {
        return (long) LONGS.compareAndExchange(memory, index, expected, value);
    }

    static long getAndMin(long[] memory, int index, long value) {
        long old = (long) LONGS.getVolatile(memory, index);
        while (true) {
            long found = compareAndExchange(memory, index, old, Math.min(old, value));
            if (found == old) {
                return old;
            }
            old = found;
        }
    }

    static long getAndMax(long[] memory, int index, long value) {
        long old = (long) LONGS.getVolatile(memory, index);
        while (true) {
            long found = compareAndExchange(memory, index, old, Math.max(old, value));
            if (found == old) {
                return old;
            }
            old = found;
        }
    }
}
