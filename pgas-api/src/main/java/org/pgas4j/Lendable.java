package org.pgas4j;

/** A rank whose blocking and non-blocking transfers may be given to another thread. */
public interface Lendable {

    /** From now on {@code borrower} makes the transfers, and the rank's own thread none; called by the borrower, after the rank's. */
    void lend(Thread borrower);
}
