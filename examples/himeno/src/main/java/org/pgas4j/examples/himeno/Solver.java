package org.pgas4j.examples.himeno;

/** One of the two ways to do the iterations. */
interface Solver extends AutoCloseable {

    /** All iterations, from a field that was reset; returns when this rank's are done. Collective. */
    void run();

    /** Sum of the squared residuals of the last iteration over all ranks. Collective. */
    double gosa();

    @Override
    void close();
}
