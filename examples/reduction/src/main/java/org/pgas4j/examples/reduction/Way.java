package org.pgas4j.examples.reduction;

/** A way to add up; collective. */
interface Way {

    /** The sum of all ranks' values; on rank 0, others may return null. */
    Sums sum();

    /** Frees what it has allocated; not after a failure, which ends the job. */
    void free();
}
