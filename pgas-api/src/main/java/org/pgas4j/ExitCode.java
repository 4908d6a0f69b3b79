package org.pgas4j;

import java.util.Arrays;
import java.util.Optional;

/**
 * Exit codes of a job and of its processes; docs/errors.md adds what to do about each. Numbers are never reused. Beside
 * these, a process passes on the status of the program's own {@link System#exit}, and one killed by signal n has
 * {@link #ofSignal}.
 */
public enum ExitCode {
    DONE(0, "all ranks ended"),
    PROGRAM(1, "the program threw an exception"),
    USAGE(2, "a wrong option, setting or file"),
    OUT_OF_MEMORY(3, "out of memory"),
    BOOTSTRAP(10, "ranks and launcher did not find each other in time"),
    REFUSED(11, "a connection was refused"),
    PEER_LOST(12, "a rank's process, a node or the launcher was lost"),
    MISMATCH(13, "ranks called different collective operations"),
    DEVICE(14, "no GPU where one is required, a device error, device memory full"),
    TIMEOUT(15, "a wait passed its deadline"),
    CHECK(16, "`pgas.check=full` found"),
    JOB_TIMEOUT(124, "the job took longer than `--timeout`"),
    ABORTED(134, "SIGABRT"),
    KILLED(137, "SIGKILL"),
    SEGMENTATION(139, "SIGSEGV"),
    /** As by SIGPIPE, which Java ignores. */
    NO_READER(141, "SIGPIPE"),
    TERMINATED(143, "SIGTERM");

    private static final int SIGNAL = 128;

    private final int number;
    private final String sentence;

    ExitCode(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** Status of a process that ends with this code. */
    public int number() {
        return number;
    }

    /** Beginning of what docs/errors.md says about it; for a signal, its name. */
    public String sentence() {
        return sentence;
    }

    /** True if a process with this status failed in this way. */
    public boolean is(int status) {
        return status == number;
    }

    /** The code of a status; empty if it is the program's own, or that of another signal. */
    public static Optional<ExitCode> of(int status) {
        return Arrays.stream(values()).filter(code -> code.is(status)).findFirst();
    }

    /** Status of a process that was killed by a signal. */
    public static int ofSignal(int signal) {
        return SIGNAL + signal;
    }

    /** The signal of such a status; 0 if it is no signal's. */
    public static int signalOf(int status) {
        return status > SIGNAL && status <= SIGNAL + 64 ? status - SIGNAL : 0;
    }
}
