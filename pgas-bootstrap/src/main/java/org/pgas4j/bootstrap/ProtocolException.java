package org.pgas4j.bootstrap;

/** Bytes that are no message of the bootstrap: too long, too short, out of range, of an unknown type. */
public final class ProtocolException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }

    /** Without stack trace: invalid bytes must not cost this side work. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
