package org.pgas4j.examples.stencil;

/** A way to do the steps; collective. */
interface Way {

    /** Steps 0..{@code count - 1}; returns when all of them are done on this rank and the neighbours' last halos are here. */
    void steps(int count);

    /** Frees what it has allocated; not after a failure, which ends the job. */
    void free();
}
