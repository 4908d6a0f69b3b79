package org.pgas4j;

/** A rank or its process ended before the job did. */
public final class PeerLostException extends PgasException {

    private static final long serialVersionUID = 1L;

    public PeerLostException(String message) {
        super(message);
    }

    public PeerLostException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.PEER_LOST.number();
    }
}
