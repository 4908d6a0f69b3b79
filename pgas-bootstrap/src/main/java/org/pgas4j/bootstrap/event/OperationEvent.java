package org.pgas4j.bootstrap.event;

import jdk.jfr.Label;

/** An operation that may wait, from its begin to its end. */
public abstract class OperationEvent extends RankEvent {

    @Label("Operation")
    String operation;

    OperationEvent() {
    }

    /**
     * Ends the event and records it if it was longer than the threshold.
     *
     * @param by   rank that was in it
     * @param kind name of the kind of operation
     */
    public final void commit(int by, String kind) {
        end();
        if (shouldCommit()) {
            rank = by;
            operation = kind;
            commit();
        }
    }
}
