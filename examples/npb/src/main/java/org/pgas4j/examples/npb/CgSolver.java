package org.pgas4j.examples.npb;

/** Conjugate gradients on a rank's rows of CG's matrix, beginning with a vector x of ones. All methods are collective. */
interface CgSolver {

    /**
     * Makes z nearly the solution of {@code A z = x}, then x the vector {@code z / |z|}.
     *
     * @param iterations of conjugate gradients
     * @return the scalar product of the old x and z
     */
    double step(int iterations);

    /** Frees its memory; not after a failure, which ends the job. */
    void free();
}
