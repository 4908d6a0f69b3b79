package org.pgas4j;

/** The ranks of a job could not find each other in time. */
public final class BootstrapException extends PgasException {

    private static final long serialVersionUID = 1L;

    public BootstrapException(String message) {
        super(message);
    }

    public BootstrapException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.BOOTSTRAP.number();
    }
}
