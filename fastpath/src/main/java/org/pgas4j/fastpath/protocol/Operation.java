package org.pgas4j.fastpath.protocol;

/** A transfer under way. */
public interface Operation {

    /** True once its local memory may be used again: a put's source, a get's destination. */
    boolean isComplete();

    /** What it is, for messages. */
    String describe();
}
