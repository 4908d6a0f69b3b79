package org.pgas4j;

/** Something that only {@code pgas.check=full} looks for was found: the program has an error that would have gone unnoticed. */
public abstract sealed class CheckException extends PgasException permits OverwrittenMemoryException, DataRaceException {

    private static final long serialVersionUID = 1L;

    CheckException(String message) {
        super(message);
    }

    @Override
    public int exitCode() {
        return ExitCode.CHECK.number();
    }
}
