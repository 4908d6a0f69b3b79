package org.pgas4j.collective.forms;

/** Collective operations on streams that move data. Public for the study that measures them. */
public enum StreamCall {
    /** Bytes are those of the vector. */
    ALL_REDUCE("allReduce"),
    /** Bytes are those of a part of the source, as in the three that follow. */
    REDUCE_SCATTER("reduceScatter"),
    /** Bytes are those of a member's source. */
    ALL_GATHER("allGather"),
    /** Bytes are those of what one member has for one other. */
    EXCHANGE("exchange"),
    /** Bytes are those of the buffer. */
    BROADCAST("broadcast");

    private final String text;

    StreamCall(String text) {
        this.text = text;
    }

    /** Name of the method. */
    public String text() {
        return text;
    }
}
