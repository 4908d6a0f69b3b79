package org.pgas4j.launch;

import java.util.Map;
import org.pgas4j.ExitCode;

/** Describes how a process ended. */
final class ExitStatus {

    private static final Map<Integer, String> SIGNALS = Map.of(1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT",
            7, "BUS", 9, "KILL", 11, "SEGV", 15, "TERM", 24, "XCPU");

    private ExitStatus() {
    }

    /**
     * Describes how a child ended.
     *
     * @param status that Java reports for it
     * @param exits  true if its status board shows that the program called {@link System#exit}
     */
    static String describe(int status, boolean exits) {
        if (exits) {
            return "the program called System.exit(" + status + ")";
        }
        int signal = ExitCode.signalOf(status);
        if (signal > 0) {
            String name = SIGNALS.get(signal);
            return "process killed by signal " + signal + (name == null ? "" : " (SIG" + name + ")");
        }
        String ended = "process ended with status " + status;
        return ExitCode.DONE.is(status) ? ended + " before its ranks were done"
                : ExitCode.OUT_OF_MEMORY.is(status) ? ended + ": the Java heap is out of memory; more with"
                + " --java-opt=-Xmx..." : ended;
    }
}
