package org.pgas4j.launch.join;

import java.util.List;

/**
 * Place of this JVM in a job, and its source.
 *
 * @param kind        launcher whose variables gave it
 * @param process     number of this JVM, 0..size-1
 * @param size        JVMs of the job
 * @param localRank   number of this JVM on its node; -1 if unknown
 * @param localSize   JVMs of the job on this node; -1 if unknown
 * @param job         name of the job, the same for all its JVMs; null if unknown
 * @param coordinator host or host:port of process 0; null if unknown
 * @param evidence    the variables that decided, as {@code NAME=value}
 */
record ProcessPlacement(LauncherKind kind, int process, int size, int localRank, int localSize, String job, String coordinator,
                 List<String> evidence) {

    static final int UNKNOWN = -1;

    /** True if all JVMs are on this node for certain. */
    boolean isOneNode() {
        return localSize == size;
    }

    /** One line for {@code pgas.explain}. */
    String describe() {
        return "process " + process + " of " + size + ", by " + kind.title() + " (" + String.join(", ", evidence) + ")"
                + (localRank == UNKNOWN ? "" : ", " + localRank + " of " + (localSize == UNKNOWN ? "?" : localSize)
                + " on this node") + ", job " + job;
    }
}
