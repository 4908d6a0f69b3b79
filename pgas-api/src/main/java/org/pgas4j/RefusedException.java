package org.pgas4j;

/** A connection was refused: secret, job, version or size do not match. */
public final class RefusedException extends PgasException {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.REFUSED.number();
    }
}
