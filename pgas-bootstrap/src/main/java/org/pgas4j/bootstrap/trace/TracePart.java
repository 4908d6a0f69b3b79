package org.pgas4j.bootstrap.trace;

import java.util.List;
import org.pgas4j.os.trace.TraceTrack;

/**
 * Timeline of one JVM in one run.
 *
 * @param run       number of the run in the job
 * @param process   number of the JVM
 * @param host      name of its machine
 * @param firstRank of its ranks
 * @param endRank   after its last rank
 * @param offsets   of process 0's clock from its own
 * @param tracks    of its threads
 * @param names     of its events, by their numbers
 */
record TracePart(int run, int process, String host, int firstRank, int endRank, List<TimeOffset> offsets, List<TraceTrack> tracks,
                 List<String> names) {

    /** True for the same object: a part is a key, and has millions of words. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return 31 * run + process;
    }
}
