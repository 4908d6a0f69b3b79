package org.pgas4j.array;

/**
 * A product of certain matrices by one algorithm, with the memory, streams and windows that it takes, for any number of runs.
 * Used by the rank's thread.
 */
interface MatrixPlan extends AutoCloseable {

    /** Collective, between two barriers of the matrices' team: {@code c = alpha * a * b + beta * c}. */
    void run(double alpha, double beta);

    /** Collective. */
    @Override
    void close();
}
