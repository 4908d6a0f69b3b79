package org.pgas4j;

/**
 * A rank or its process ended before the job did. The job ends with it, unless {@code pgas.lost=event}: then it ends what this
 * rank waits for, once for each loss, and the ranks that live may go on with {@link Rank#survivors()}.
 */
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
