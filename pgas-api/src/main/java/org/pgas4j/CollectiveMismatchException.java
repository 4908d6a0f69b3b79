package org.pgas4j;

/** Ranks called a collective operation differently: another one, another label, other sizes. */
public final class CollectiveMismatchException extends PgasException {

    private static final long serialVersionUID = 1L;

    public CollectiveMismatchException(String message) {
        super(message);
    }

    public CollectiveMismatchException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.MISMATCH.number();
    }
}
