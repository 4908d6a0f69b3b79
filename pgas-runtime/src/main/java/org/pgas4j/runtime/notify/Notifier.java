package org.pgas4j.runtime.notify;

import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.transfer.Completions;

/**
 * Sends a rank's notifications. A notification is a word that the conduit adds to the target's counter, after a fence;
 * where messages to the target may not have taken effect yet it is a message behind them.
 */
final class Notifier {

    /** Nothing is sent: no message to the target is under way. */
    private static final int APPLIED = 0;
    /** A message is sent. */
    private static final int SENT = 1;
    /** Nothing is sent: that would take a wait. */
    private static final int LATER = 2;

    private final int rank;
    private final Peers peers;
    private final Completions completions;
    private final ProgressEngine progress;
    private final ControlArea area;
    private final HappensBefore ordering;
    private final QueuedNotifications queued;
    private final BlockNotifier blocks;

    /**
     * @param ordering is told of each notification
     * @param queued   those behind the rank's own stream
     * @param blocks   notifies blocks
     */
    Notifier(int rank, Peers peers, Completions completions, ProgressEngine progress, ControlArea area, HappensBefore ordering,
             QueuedNotifications queued, BlockNotifier blocks) {
        this.blocks = blocks;
        this.ordering = ordering;
        this.queued = queued;
        this.rank = rank;
        this.peers = peers;
        this.completions = completions;
        this.progress = progress;
        this.area = area;
    }

    /**
     * Notifies a rank's host code and streams, after everything this rank has sent it. While the rank's own stream copies, the
     * notification is queued behind its work. The rank's thread; may wait, but not for a copy of the device.
     *
     * @param kind  {@link NotificationSink}'s
     * @param value what is added or set; offset of a word of the target's segment to which one is added
     */
    void signal(int target, int tag, int kind, long value) {
        Peer peer = peers.get(target);
        ordering.notifies(target, tag, kind == NotificationSink.VALUE);
        if (!completions.queueCompletesSoon() || queued.isPending()) {
            queued.add(target, tag, kind, value);
            return;
        }
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

    /** Reports a notification to the checks that a stream or kernel of this rank has caused. Any thread. */
    void reportLater(int target, int tag, boolean value) {
        ordering.notifiesLater(target, tag, value);
    }

    /**
     * As {@link #signal}, after what the caller knows to have arrived and all messages to the target, by a service. The checks
     * know of it.
     *
     * @param endpoint the target's host segment
     * @return false if that would take a wait; nothing is sent then
     */
    boolean tryNotify(int target, Endpoint endpoint, int tag, int kind, long value) {
        int sent = trySend(target, endpoint, NotificationSink.RANK, tag, kind, value);
        if (sent == APPLIED) {
            write(target, endpoint, tag, kind, value);
        }
        return sent != LATER;
    }

    /** As {@link #tryNotify}, of a block, by its name in messages. */
    boolean tryNotifyBlock(int target, Endpoint endpoint, int block, int tag) {
        int sent = trySend(target, endpoint, block, tag, NotificationSink.COUNTER, 1);
        return sent == APPLIED ? blocks.trySignal(target, block, tag) : sent == SENT;
    }

    /** Sends a message if others to the target may not have taken effect there. */
    private int trySend(int target, Endpoint endpoint, int block, int tag, int kind, long value) {
        if (target == rank || !progress.isActive()) {
            return APPLIED;
        }
        Port port = progress.tryEnter();
        if (port == null) {
            return LATER;
        }
        try {
            if (!port.hasUnapplied(target)) {
                return APPLIED;
            }
            flush(endpoint);
            return port.trySignal(target, block, tag, kind, value) ? SENT : LATER;
        } finally {
            progress.exit();
        }
    }

    /** A message does not follow what the conduit puts. */
    private static void flush(Endpoint endpoint) {
        if (endpoint.mapped() == null) {
            endpoint.flush();
        }
    }

    private void write(int target, Endpoint endpoint, int tag, int kind, long value) {
        long beginNs = Trace.isOn() ? System.nanoTime() : 0;
        endpoint.fence();
        switch (kind) {
            case NotificationSink.COUNTER -> {
                long before = endpoint.fetchAndAddWord(area.notification(tag), value);
                if (beginNs != 0) {
                    Trace.signal(rank, target, tag, value, before + value, beginNs);
                }
            }
            case NotificationSink.VALUE -> {
                endpoint.putWordRelease(area.notificationValue(tag), value);
                if (beginNs != 0) {
                    Trace.signalSet(rank, target, tag, value, beginNs);
                }
            }
            default -> endpoint.fetchAndAddWord(value, 1);
        }
        peers.wake(target);
    }
}
