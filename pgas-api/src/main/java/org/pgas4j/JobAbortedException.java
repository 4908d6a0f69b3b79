package org.pgas4j;

/** Another rank failed first: this rank's pending operation ends because the job does. */
public final class JobAbortedException extends PgasException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public JobAbortedException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    @Override
    public int exitCode() {
        return exitCode;
    }
}
