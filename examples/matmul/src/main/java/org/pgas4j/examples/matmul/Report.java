package org.pgas4j.examples.matmul;

/** Prints a measurement; rank 0's thread. */
interface Report {

    void start(Setup setup);

    void iteration(Iteration iteration);

    void end(Summary summary);
}
