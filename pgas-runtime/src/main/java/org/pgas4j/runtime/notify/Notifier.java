package org.pgas4j.runtime.notify;

import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.runtime.memory.ControlArea;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.sync.HappensBefore;
import org.pgas4j.runtime.transfer.Completions;

/**
 * Sends a rank's notifications. A notification is a word that the conduit adds to the target's counter, after a fence;
 * where messages to the target may not have taken effect yet it is a message behind them.
 */
public final class Notifier {

    private final int rank;
    private final Peers peers;
    private final Completions completions;
    private final ProgressEngine progress;
    private final ControlArea area;
    private final HappensBefore ordering;

    /** @param ordering is told of each notification */
    public Notifier(int rank, Peers peers, Completions completions, ProgressEngine progress, ControlArea area,
                    HappensBefore ordering) {
        this.ordering = ordering;
        this.rank = rank;
        this.peers = peers;
        this.completions = completions;
        this.progress = progress;
        this.area = area;
    }

    /**
     * Notifies a rank's host code and streams, after everything this rank has sent it. The rank's thread; may wait.
     *
     * @param kind  {@link NotificationSink#COUNTER} or {@link NotificationSink#VALUE}
     * @param value what is added or set
     */
    public void signal(int target, int tag, int kind, long value) {
        Peer peer = peers.get(target);
        completions.completeQueued();
        ordering.notifies(target, tag, kind == NotificationSink.VALUE);
        if (target != rank && progress.isActive()) {
            Port port = progress.enter();
            try {
                if (port.hasUnapplied(target)) {
                    flush(peer.endpoint());
                    port.signal(target, NotificationSink.RANK, tag, kind, value);
                    return;
                }
            } finally {
                progress.exit();
            }
        }
        write(target, peer.endpoint(), tag, kind, value);
    }

    /**
     * As {@link #notify}, after what the caller knows to have arrived and all messages to the target, by a service.
     *
     * @param endpoint the target's host segment
     * @return false if that would take a wait; nothing is sent then
     */
    public boolean tryNotify(int target, Endpoint endpoint, int tag, int kind, long value) {
        ordering.notifiesLater(target, tag, kind == NotificationSink.VALUE);
        if (target != rank && progress.isActive()) {
            Port port = progress.tryEnter();
            if (port == null) {
                return false;
            }
            try {
                if (port.hasUnapplied(target)) {
                    flush(endpoint);
                    return port.trySignal(target, NotificationSink.RANK, tag, kind, value);
                }
            } finally {
                progress.exit();
            }
        }
        write(target, endpoint, tag, kind, value);
        return true;
    }

    /** A message does not follow what the conduit puts. */
    private static void flush(Endpoint endpoint) {
        if (endpoint.mapped() == null) {
            endpoint.flush();
        }
    }

    private void write(int target, Endpoint endpoint, int tag, int kind, long value) {
        endpoint.fence();
        if (kind == NotificationSink.COUNTER) {
            endpoint.fetchAndAddWord(area.notification(tag), value);
        } else {
            endpoint.putWordRelease(area.notificationValue(tag), value);
        }
        peers.wake(target);
    }
}
