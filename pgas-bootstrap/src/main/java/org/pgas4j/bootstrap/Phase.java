package org.pgas4j.bootstrap;

import java.util.Arrays;
import java.util.Optional;

/**
 * Occupation of a rank, or of a part of the job before or beside its ranks. Codes are on the wire, literal and never
 * reused.
 */
public enum Phase {
    /** Its JVM has not read its job yet. */
    STARTING(0, "starting", Kind.SETUP),
    CONNECTING(1, "connecting", Kind.SETUP),
    /** Connected; the program has not started its ranks. */
    RUNNING(2, "running", Kind.SETUP),
    REGISTERING(3, "registering", Kind.SETUP),
    DIRECTORY(4, "directory", Kind.SETUP),
    PROGRAM(5, "program", Kind.PROGRAM),
    TRANSFER(6, "transfer", Kind.OPERATION),
    BARRIER(7, "barrier", Kind.COLLECTIVE),
    BROADCAST(8, "broadcast", Kind.COLLECTIVE),
    GATHER(9, "gather", Kind.COLLECTIVE),
    REDUCE(10, "reduce", Kind.COLLECTIVE),
    ALL_REDUCE(11, "allReduce", Kind.COLLECTIVE),
    ALLOCATION(12, "allocation", Kind.OPERATION),
    COLLECTIVE_ALLOCATION(13, "collective allocation", Kind.COLLECTIVE),
    NOTIFICATION(14, "notification", Kind.OPERATION),
    TEAM(15, "team", Kind.OPERATION),
    /** The program has ended and waits for those of the other ranks. */
    END(16, "end", Kind.COLLECTIVE),
    CLOSING(17, "closing", Kind.PROGRAM),
    CLOSED(18, "closed", Kind.PROGRAM),
    /** The program's main method, outside its ranks. */
    MAIN(19, "main", Kind.SETUP),
    /** A helper thread does the work of a busy rank. */
    SERVING(20, "serving", Kind.PROGRAM),
    /** The JVMs of a job without launcher meet. */
    JOINING(21, "joining", Kind.SETUP),
    /** The launcher prepares the job. */
    LAUNCHING(22, "launching", Kind.SETUP),
    /** The thread that called {@code Pgas.run} waits for its ranks. */
    WAITING(23, "waiting for ranks", Kind.PROGRAM),
    LOCK(24, "lock", Kind.OPERATION),
    REMOTE_CALL(25, "remote call", Kind.OPERATION),
    SCATTER(32, "scatter", Kind.COLLECTIVE),
    ALL_GATHER(33, "allGather", Kind.COLLECTIVE),
    EXCHANGE(34, "exchange", Kind.COLLECTIVE),
    PERMUTE(35, "permute", Kind.COLLECTIVE),
    REDUCE_SCATTER(36, "reduceScatter", Kind.COLLECTIVE),
    PREFIX_REDUCE(37, "prefixReduce", Kind.COLLECTIVE),
    SORT(38, "sort", Kind.COLLECTIVE);

    private enum Kind { SETUP, PROGRAM, OPERATION, COLLECTIVE }

    private final int code;
    private final String text;
    private final Kind kind;

    Phase(int code, String text, Kind kind) {
        this.code = code;
        this.text = text;
        this.kind = kind;
    }

    /** The phase of a code; empty if there is none. */
    public static Optional<Phase> of(int code) {
        return Arrays.stream(values()).filter(phase -> phase.code == code).findFirst();
    }

    /** Number in messages and on status boards, 0..255. */
    public int code() {
        return code;
    }

    /** Name in messages. */
    public String text() {
        return text;
    }

    /** True from the start of the rank's program on; false while the job starts and outside of {@code Pgas.run}. */
    public boolean isOfProgram() {
        return kind != Kind.SETUP;
    }

    /** True for an operation of the rank's program, as opposed to the program itself. */
    public boolean isOperation() {
        return kind == Kind.OPERATION || kind == Kind.COLLECTIVE;
    }

    /** True if all ranks of the job do it in the same order: such operations are counted. */
    public boolean isCollective() {
        return kind == Kind.COLLECTIVE;
    }
}
