package org.pgas4j.helper;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The word that says who may use a rank's endpoint: nobody, the rank, or a helper. Whoever takes it sees everything its last
 * owner did. A rank that finds a helper there says that it waits, and the helper leaves after the item in hand.
 */
public final class Ownership {

    /** The rank itself. */
    public static final int RANK = 1;
    /** A helper. */
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

    // A line of its own, and the next one, which the processor fetches along.
    @SuppressWarnings("unused")
    private long p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    private int word = FREE;
    private volatile boolean wanted;
    @SuppressWarnings("unused")
    private long q1, q2, q3, q4, q5, q6, q7, q8, q9, q10, q11, q12, q13, q14, q15;

    /** Takes the word if it is free. */
    public boolean tryTake(int owner) {
        // acquire: pairs with the release in release
        return (int) WORD.getOpaque(this) == FREE && (int) WORD.compareAndExchangeAcquire(this, FREE, owner) == FREE;
    }

    /** Gives the word back. */
    public void release() {
        WORD.setRelease(this, FREE);
    }

    /** The rank waits for the word, or no longer does. */
    public void wanted(boolean waits) {
        wanted = waits;
    }

    /** True if the rank waits. */
    public boolean isWanted() {
        return wanted;
    }

    /** True if nobody owns the word; may be out of date at once. */
    public boolean isFree() {
        return (int) WORD.getAcquire(this) == FREE;
    }
}
