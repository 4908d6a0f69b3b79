package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Operations in one step on an element of host memory, given by its offset in bytes; each returns what was there. */
final class AtomicElements {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle FLOAT = ValueLayout.JAVA_FLOAT.varHandle();
    private static final VarHandle DOUBLE = ValueLayout.JAVA_DOUBLE.varHandle();

    private AtomicElements() {
    }

    static int add(MemorySegment to, long offset, int value) {
        return (int) INT.getAndAdd(to, offset, value);
    }

    static long add(MemorySegment to, long offset, long value) {
        return (long) LONG.getAndAdd(to, offset, value);
    }

    static float add(MemorySegment to, long offset, float value) {
        return apply(to, offset, AtomicOp.ADD, value);
    }

    static double add(MemorySegment to, long offset, double value) {
        return apply(to, offset, AtomicOp.ADD, value);
    }

    static int apply(MemorySegment to, long offset, AtomicOp op, int value) {
        int old;
        do {
            old = (int) INT.getVolatile(to, offset);
        } while (op != AtomicOp.GET && !INT.weakCompareAndSet(to, offset, old, (int) op.combine((long) old, value)));
        return old;
    }

    static long apply(MemorySegment to, long offset, AtomicOp op, long value) {
        long old;
        do {
            old = (long) LONG.getVolatile(to, offset);
        } while (op != AtomicOp.GET && !LONG.weakCompareAndSet(to, offset, old, op.combine(old, value)));
        return old;
    }

    static float apply(MemorySegment to, long offset, AtomicOp op, float value) {
        float old;
        do {
            old = (float) FLOAT.getVolatile(to, offset);
        } while (op != AtomicOp.GET && !FLOAT.weakCompareAndSet(to, offset, old, (float) op.combine((double) old, value)));
        return old;
    }

    static double apply(MemorySegment to, long offset, AtomicOp op, double value) {
        double old;
        do {
            old = (double) DOUBLE.getVolatile(to, offset);
        } while (op != AtomicOp.GET && !DOUBLE.weakCompareAndSet(to, offset, old, op.combine(old, value)));
        return old;
    }

    static int compareAndExchange(MemorySegment to, long offset, int expected, int value) {
        return (int) INT.compareAndExchange(to, offset, expected, value);
    }

    static long compareAndExchange(MemorySegment to, long offset, long expected, long value) {
        return (long) LONG.compareAndExchange(to, offset, expected, value);
    }
}
