package org.pgas4j;

/** A wait passed its deadline; names the operation and the ranks waited for. */
public sealed class PgasTimeoutException extends PgasException permits NotificationTimeoutException {

    private static final long serialVersionUID = 1L;

    public PgasTimeoutException(String message) {
        super(message);
    }

    public PgasTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.TIMEOUT.number();
    }
}
