package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Additions in one step to the first element of host memory; each returns what was there. */
final class AtomicSums {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle FLOAT = ValueLayout.JAVA_FLOAT.varHandle();
    private static final VarHandle DOUBLE = ValueLayout.JAVA_DOUBLE.varHandle();

    private AtomicSums() {
    }

    static int add(MemorySegment to, int value) {
        return (int) INT.getAndAdd(to, 0L, value);
    }

    static long add(MemorySegment to, long value) {
        return (long) LONG.getAndAdd(to, 0L, value);
    }

    static float add(MemorySegment to, float value) {
        float old;
        do {
            old = (float) FLOAT.getVolatile(to, 0L);
        } while (!FLOAT.weakCompareAndSet(to, 0L, old, old + value));
        return old;
    }

    static double add(MemorySegment to, double value) {
        double old;
        do {
            old = (double) DOUBLE.getVolatile(to, 0L);
        } while (!DOUBLE.weakCompareAndSet(to, 0L, old, old + value));
        return old;
    }
}
