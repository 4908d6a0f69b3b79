package org.pgas4j.helper;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Ownership of a rank's port: free, the rank's, or a helper's. The owner sees everything that the last one did. A rank
 * that waits sets a flag, at which a helper takes no further message and releases the port once its copies are
 * complete.
 */
public final class Ownership {

    /** The rank itself. */
    public static final int RANK = 1;
    /** A helper thread. */
    public static final int HELPER = 2;

    private static final int FREE = 0;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Ownership.class, "word", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // A cache line of its own, and the next one, which the processor prefetches.
    @SuppressWarnings("unused")
    private long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    private int word = FREE;
    private volatile boolean wanted;
    @SuppressWarnings("unused")
    private long q1, q2, q3, q4, q5, q6, q7, q8, q9, q10, q11, q12, q13, q14, q15;

    /** Takes ownership if it is free. */
    public boolean tryTake(int owner) {
        // acquire: pairs with the release in release
        return (int) WORD.getOpaque(this) == FREE && (int) WORD.compareAndExchangeAcquire(this, FREE, owner) == FREE;
    }

    /** Makes it free again. */
    public void release() {
        WORD.setRelease(this, FREE);
    }

    /** Sets whether the rank waits. */
    public void wanted(boolean waits) {
        wanted = waits;
    }

    /** True if the rank waits. */
    public boolean isWanted() {
        return wanted;
    }

    /** True if it is the rank's; for the rank's thread, to which it cannot become so by another but for a moment. */
    public boolean isTheRanks() {
        return (int) WORD.getOpaque(this) == RANK;
    }

    /** True if it is free; may be out of date at once. */
    public boolean isFree() {
        return (int) WORD.getAcquire(this) == FREE;
    }
}
