package org.pgas4j.bootstrap.watch;

/** What a rank can be busy with. Order is the wire form: append only. */
public enum Phase {
    /** Its JVM has not read its job yet. */
    STARTING("starting", false),
    CONNECTING("connecting", false),
    /** Connected; the program has not asked for its ranks. */
    RUNNING("running", false),
    REGISTERING("registering", false),
    DIRECTORY("directory", false),
    PROGRAM("program", false),
    TRANSFER("transfer", false),
    BARRIER("barrier", true),
    BROADCAST("broadcast", true),
    GATHER("gather", true),
    REDUCE("reduce", true),
    ALL_REDUCE("allReduce", true),
    ALLOCATION("allocation", false),
    COLLECTIVE_ALLOCATION("collective allocation", true),
    NOTIFICATION("notification", false),
    TEAM("team", false),
    /** The program has ended and waits for those of the other ranks. */
    END("end", true),
    CLOSING("closing", false),
    CLOSED("closed", false);

    private static final Phase[] ALL = values();

    private final String text;
    private final boolean collective;

    Phase(String text, boolean collective) {
        this.text = text;
        this.collective = collective;
    }

    static Phase of(int ordinal) {
        return ordinal >= 0 && ordinal < ALL.length ? ALL[ordinal] : STARTING;
    }

    /** True if an abort's phase is one of the program's, whatever it did; false before its ranks begin. */
    public static boolean isOfProgram(String phase) {
        return java.util.Arrays.stream(ALL, PROGRAM.ordinal(), ALL.length).anyMatch(own -> phase.startsWith(own.text));
    }

    /** As messages name it. */
    public String text() {
        return text;
    }

    /** True if all ranks of the job do it in the same order: such operations are counted. */
    public boolean isCollective() {
        return collective;
    }
}
