package org.pgas4j.examples.halo;

/** One of the ways to run the loop. */
interface Loop extends AutoCloseable {

    /** All periods, from a box that was reset; returns when this rank's are done. Collective. */
    void run();

    /** Collective. */
    @Override
    void close();
}
