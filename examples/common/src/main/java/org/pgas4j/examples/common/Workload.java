package org.pgas4j.examples.common;

/** A program in one of its styles, to be run several times. All methods are collective. */
public interface Workload extends AutoCloseable {

    /** Makes all memory as it is before a run; what is to be computed becomes wrong. */
    void reset();

    /** Returns when this rank's part is done. */
    void run();

    /** Number of wrong values after a run, counted once: the sum over all ranks is the number. */
    default long wrong() {
        return 0;
    }

    /** Not after a failure, which ends the job. */
    @Override
    void close();
}
