package org.pgas4j.fastpath.protocol;

/** A transfer in progress. */
public interface Operation {

    /** True once its local memory may be used again: a put's source, a get's destination. */
    boolean isComplete();

    /** Description for error messages. */
    String describe();
}
