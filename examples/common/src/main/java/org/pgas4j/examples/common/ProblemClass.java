package org.pgas4j.examples.common;

/** Size of a problem with a known answer, in the notation of the NAS Parallel Benchmarks. */
public enum ProblemClass {
    /** Sample: less than a second. */
    S,
    /** Workstation: some seconds. */
    W,
    /** The smallest that fills a large machine's memory hierarchy. */
    A;

    /** The value of this class, of one value for each. */
    public long of(long s, long w, long a) {
        return switch (this) {
            case S -> s;
            case W -> w;
            case A -> a;
        };
    }
}
