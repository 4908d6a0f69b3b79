package org.pgas4j.bootstrap.event;

import jdk.jfr.DataAmount;
import jdk.jfr.Label;

/**
 * A transfer, from its start to the return of the call that starts it: complete if nothing more is to be waited for. Longer waits
 * for it are {@link WaitEvent}s.
 */
public abstract class TransferEvent extends RankEvent {

    @Label("Peer")
    int peer;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Route")
    String route;

    TransferEvent() {
    }

    /**
     * Ends the event and records it if it was longer than the threshold.
     *
     * @param from  rank that started the transfer
     * @param to    rank that owns the remote memory
     * @param count number of bytes
     * @param by    name of the route
     */
    public final void commit(int from, int to, long count, String by) {
        end();
        if (shouldCommit()) {
            rank = from;
            peer = to;
            bytes = count;
            route = by;
            commit();
        }
    }
}
