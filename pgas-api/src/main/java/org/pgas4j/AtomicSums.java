package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Additions in one step to an element of host memory, given by its offset in bytes; each returns what was there. */
final class AtomicSums {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle FLOAT = ValueLayout.JAVA_FLOAT.varHandle();
    private static final VarHandle DOUBLE = ValueLayout.JAVA_DOUBLE.varHandle();

    private AtomicSums() {
    }

    static int add(MemorySegment to, long offset, int value) {
        return (int) INT.getAndAdd(to, offset, value);
    }

    static long add(MemorySegment to, long offset, long value) {
        return (long) LONG.getAndAdd(to, offset, value);
    }

    static float add(MemorySegment to, long offset, float value) {
        float old;
        do {
            old = (float) FLOAT.getVolatile(to, offset);
        } while (!FLOAT.weakCompareAndSet(to, offset, old, old + value));
        return old;
    }

    static double add(MemorySegment to, long offset, double value) {
        double old;
        do {
            old = (double) DOUBLE.getVolatile(to, offset);
        } while (!DOUBLE.weakCompareAndSet(to, offset, old, old + value));
        return old;
    }
}
