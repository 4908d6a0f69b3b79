package org.pgas4j.kernel.runtime;

import java.util.List;
import org.pgas4j.GlobalPlace;

/** Iterations of a kernel's loop that are one rank's, counted by their places. */
interface KernelRange {

    /** Number of places. */
    long count();

    /** Number of thread blocks, at most {@code max}, for {@code threads} threads each. */
    int blocks(int max, int threads);

    /** Appends the parameters that a translated kernel declares for its loop. */
    void append(Object[] captured, int max, int threads, List<Object> arguments);

    /** A bit for each of three dimensions in which the array's blocks are dealt as those of the loop are. */
    int aligned(GlobalPlace array);

    /** The loop in words, for people. */
    String text();
}
