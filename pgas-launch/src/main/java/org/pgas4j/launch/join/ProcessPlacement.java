package org.pgas4j.launch.join;

import java.util.List;

/**
 * Which part of a job this JVM is, and who says so.
 *
 * @param family      whose variables said it
 * @param process     number of this JVM, 0..size-1
 * @param size        JVMs of the job
 * @param localRank   number of this JVM on its node; -1 if nobody says
 * @param localSize   JVMs of the job on this node; -1 if nobody says
 * @param job         name of the job, the same for all its JVMs; null if nobody says
 * @param coordinator host or host:port where process 0 may be reached; null if nobody says
 * @param evidence    the variables that decided, as {@code NAME=value}
 */
record ProcessPlacement(LauncherKind family, int process, int size, int localRank, int localSize, String job, String coordinator,
                 List<String> evidence) {

    static final int UNKNOWN = -1;

    /** True if all JVMs are on this node for certain. */
    boolean isOneNode() {
        return localSize == size;
    }

    /** One line for {@code pgas.explain}. */
    String describe() {
        return "process " + process + " of " + size + ", by " + family.title() + " (" + String.join(", ", evidence) + ")"
                + (localRank == UNKNOWN ? "" : ", " + localRank + " of " + (localSize == UNKNOWN ? "?" : localSize)
                + " on this node") + ", job " + job;
    }
}
