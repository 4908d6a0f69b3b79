package org.pgas4j;

/**
 * A failure of the job. The message names what failed, the values, the rank and the setting to change; where it is
 * the first failure of a job, the process ends with {@link #exitCode()}.
 */
public sealed class PgasException extends RuntimeException
        permits BootstrapException, CheckException, CollectiveMismatchException, DeviceException,
        JobAbortedException, PeerLostException, PgasTimeoutException, RefusedException, RemoteCallException,
        SegmentMemoryException, StalePointerException, UsageException {

    private static final long serialVersionUID = 1L;

    public PgasException(String message) {
        super(message);
    }

    public PgasException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The exit code of a process that ends with this failure; {@link ExitCode} lists those of the runtime. */
    public int exitCode() {
        return ExitCode.PROGRAM.number();
    }
}
