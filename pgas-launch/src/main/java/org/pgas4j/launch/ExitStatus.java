package org.pgas4j.launch;

import java.util.Map;

/** Exit codes as docs/errors.md. */
final class ExitStatus {

    static final int USER_EXCEPTION = 1;
    static final int USAGE = 2;
    static final int OUT_OF_MEMORY = 3;
    static final int BOOTSTRAP = 10;
    static final int PEER_LOST = 12;
    static final int WAIT_TIMEOUT = 15;
    static final int JOB_TIMEOUT = 124;
    static final int SIGNAL = 128;
    static final int SIGTERM = 15;
    /** By SIGKILL. */
    static final int KILLED = SIGNAL + 9;
    /** As by SIGPIPE, which Java ignores: nobody reads standard output. */
    static final int NO_READER = SIGNAL + 13;

    private static final int MAX_SIGNAL = 64;
    private static final Map<Integer, String> SIGNALS = Map.of(1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT",
            7, "BUS", 9, "KILL", 11, "SEGV", 15, "TERM", 24, "XCPU");

    private ExitStatus() {
    }

    /**
     * How a child ended.
     *
     * @param status that Java reports for it
     * @param exits  true if it said before that the program calls {@link System#exit}
     */
    static String describe(int status, boolean exits) {
        if (exits) {
            return "the program called System.exit(" + status + ")";
        }
        int signal = status - SIGNAL;
        if (signal > 0 && signal <= MAX_SIGNAL) {
            String name = SIGNALS.get(signal);
            return "process killed by signal " + signal + (name == null ? "" : " (SIG" + name + ")");
        }
        return switch (status) {
            case 0 -> "process ended with status 0 before its ranks were done";
            case OUT_OF_MEMORY -> "process ended with status 3: the Java heap is out of memory; more with"
                    + " --java-opt=-Xmx...";
            default -> "process ended with status " + status;
        };
    }
}
