package org.pgas4j.examples.ring;

import org.pgas4j.Buffer;

/** A ring; collective. */
interface Way {

    /** What is passed through on this rank; the token starts and ends at the start of rank 0's. */
    Buffer memory();

    /** How often the token is passed on in a {@link #turn}. */
    long hops();

    /** All rounds; returns when this rank has nothing left to do. */
    void turn();

    /** Frees what it has allocated; not after a failure, which ends the job. */
    void free();
}
