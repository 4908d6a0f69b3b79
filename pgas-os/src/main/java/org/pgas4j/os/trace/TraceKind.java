package org.pgas4j.os.trace;

/** Kind of an event. Codes are in files, literal and never reused. */
public enum TraceKind {
    /** Transfers: {@code peer} owns the remote memory; the name is the route. */
    PUT(1, "put"),
    GET(2, "get"),
    SET(3, "set"),
    ATOMIC(4, "atomic"),
    /** An operation that may wait; {@code link} is the number of collective operations of the rank so far. */
    OPERATION(5, "operation"),
    /** A notification to {@code peer}: {@code bytes} is added to the counter of {@code tag}, which becomes {@code link}. */
    SIGNAL(6, "signal"),
    /** A notification to {@code peer}: the value of {@code tag} becomes {@code link}. */
    SIGNAL_SET(7, "signalSet"),
    /** The rank consumes {@code bytes} notifications of {@code tag}, the last of which made the counter {@code link}. */
    SEEN(8, "seen"),
    /** The rank takes the value {@code link} of {@code tag}. */
    SEEN_SET(9, "seen set"),
    /** A message to {@code peer}, number {@code link} of the pair in this direction. */
    SEND(10, "send"),
    /** The message {@code link} of {@code peer} is served, from its begin to its completion. */
    SERVE(11, "serve"),
    /** A rendezvous that a peer has requested, from the request to its completion at the owner. */
    MOVE(12, "rendezvous"),
    /** Work is queued on a stream, as operation {@code link} of the JVM; 0 if its run is not seen. */
    SUBMIT(13, "queue"),
    /** Operation {@code link} of the JVM runs on its stream. */
    RUN(14, "run"),
    /** A block of a grid on the host device, number {@code tag}. */
    BLOCK(15, "block"),
    /** A block of the host device puts {@code bytes} to block {@code tag} of rank {@code peer}. */
    BLOCK_PUT(16, "block put"),
    /** A block of the host device waits. */
    BLOCK_WAIT(17, "block wait"),
    /** As SEEN, by a stream of the rank whose wait is queued in this event. */
    SEEN_BY_STREAM(18, "stream waits"),
    /** A block of the host device gets {@code bytes} from block {@code tag} of rank {@code peer}. */
    BLOCK_GET(19, "block get");

    private static final TraceKind[] KINDS = values();

    private final int code;
    private final String text;

    TraceKind(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** Number in files, 1..255. */
    public int code() {
        return code;
    }

    /** Name for people. */
    public String text() {
        return text;
    }

    /**
     * The kind of a code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static TraceKind of(int code) {
        if (code < 1 || code > KINDS.length || KINDS[code - 1].code != code) {
            throw new IllegalArgumentException("kind of event " + code + " (expected: 1.." + KINDS.length + ")");
        }
        return KINDS[code - 1];
    }
}
