package org.pgas4j.runtime.launch;

import java.util.Map;
import java.util.Set;
import org.pgas4j.PgasException;

/** Exit codes as docs/errors.md. */
final class ExitStatus {

    static final int USER_EXCEPTION = 1;
    static final int USAGE = 2;
    static final int OUT_OF_MEMORY = 3;
    static final int BOOTSTRAP = 10;
    static final int REFUSED = 11;
    static final int PEER_LOST = 12;
    static final int DEVICE = 14;
    static final int JOB_TIMEOUT = 124;
    static final int SIGNAL = 128;
    static final int SIGTERM = 15;
    /** By SIGKILL. */
    static final int KILLED = SIGNAL + 9;
    /** As by SIGPIPE, which Java ignores: nobody reads standard output. */
    static final int NO_READER = SIGNAL + 13;

    private static final int MAX_SIGNAL = 64;
    private static final Set<Integer> ONE_LINE = Set.of(USAGE, BOOTSTRAP, REFUSED, DEVICE);
    private static final Map<Integer, String> SIGNALS = Map.of(1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT",
            7, "BUS", 9, "KILL", 11, "SEGV", 15, "TERM", 24, "XCPU");

    private ExitStatus() {
    }

    /** The code a process ends with because of {@code failure}. */
    static int of(Throwable failure) {
        if (failure instanceof OutOfMemoryError) {
            return OUT_OF_MEMORY;
        }
        return failure instanceof PgasException known ? known.exitCode() : USER_EXCEPTION;
    }

    /** True if the message says it all and a stack trace would only hide it. */
    static boolean needsOneLineOnly(int code) {
        return ONE_LINE.contains(code);
    }

    /** How a child ended, from the status that Java reports for it. */
    static String describe(int status) {
        int signal = status - SIGNAL;
        if (signal > 0 && signal <= MAX_SIGNAL) {
            String name = SIGNALS.get(signal);
            return "process killed by signal " + signal + (name == null ? "" : " (SIG" + name + ")");
        }
        return switch (status) {
            case 0 -> "process ended with status 0 before its ranks were done; did the program call System.exit?";
            case OUT_OF_MEMORY -> "process ended with status 3: the Java heap is out of memory; more with"
                    + " --java-opt=-Xmx...";
            default -> "process ended with status " + status;
        };
    }
}
