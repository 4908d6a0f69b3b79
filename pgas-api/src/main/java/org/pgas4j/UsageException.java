package org.pgas4j;

/** Something given from outside is wrong: an option, a setting, a file. */
public final class UsageException extends PgasException {

    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }

    public UsageException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.USAGE.number();
    }
}
