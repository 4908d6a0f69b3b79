package org.pgas4j;

/** A shared heap cannot hold what was asked for; names the segment, the request, what is free and the setting. */
public final class SegmentMemoryException extends PgasException {

    private static final long serialVersionUID = 1L;

    public SegmentMemoryException(String message) {
        super(message);
    }

    public SegmentMemoryException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.OUT_OF_MEMORY.number();
    }
}
