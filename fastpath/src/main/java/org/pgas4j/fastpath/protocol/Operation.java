package org.pgas4j.fastpath.protocol;

/** A transfer in progress. */
public interface Operation {

    /** An operation that is complete. */
    Operation COMPLETE = new Operation() {
        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public String describe() {
            return "complete";
        }
    };

    /** True once its local memory may be used again: a put's source, a get's destination. */
    boolean isComplete();

    /** True if it was given up because the other rank is lost: it counts as complete, and its bytes are not to be read. */
    default boolean isLost() {
        return false;
    }

    /** Description for error messages. */
    String describe();

    /** The same to keep: what a port returns may stand for another transfer once that port has begun one. */
    default Operation kept() {
        return this;
    }
}
