package org.pgas4j.bootstrap;

/** Reason for which the coordinator refuses a connection. Codes are literal and never reused. */
public enum Refusal {
    NOT_PGAS(1, "the first bytes are not those of pgas4j"),
    VERSION(2, "the launcher has another version of the protocol; use one pgas4j for launcher and ranks"),
    SECRET(3, "the proof of the job's secret is wrong; was this JVM started by another launcher?"),
    JOB(4, "this is the launcher of another job"),
    SIZE(5, "the number of processes or ranks is not the launcher's"),
    RANGE(6, "the process number is outside the job"),
    DUPLICATE(7, "a JVM with this process number has connected before"),
    BUILD(8, "launcher and rank run different builds of pgas4j, Java versions or processors; use one for both"),
    LATE(9, "the proof did not come in time"),
    LENGTH(10, "too many bytes before the proof, or a frame of impossible length"),
    CROWDED(11, "too many connections without a proof; the oldest is dropped"),
    MALFORMED(12, "the message before the proof is malformed"),
    GONE(13, "closed before the proof"),
    TLS(14, "this is no TLS 1.3 connection and the job's are; pgas.tls must be the same for all");

    private final int code;
    private final String message;

    Refusal(int code, String message) {
        this.code = code;
        this.message = message;
    }

    /** On the wire. */
    public int code() {
        return code;
    }

    /** One line. */
    public String message() {
        return message;
    }

    /** True if the same connection may succeed at another time. */
    boolean isTemporary() {
        return this == LATE || this == CROWDED;
    }

    static Refusal of(int code) {
        for (Refusal refusal : values()) {
            if (refusal.code == code) {
                return refusal;
            }
        }
        throw new ProtocolException("refusal code " + code + " is unknown");
    }
}
