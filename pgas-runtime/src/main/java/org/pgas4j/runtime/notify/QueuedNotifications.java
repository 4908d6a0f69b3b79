package org.pgas4j.runtime.notify;

import java.util.function.Supplier;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.transfer.Completions;

/**
 * Notifications of a rank's host code behind copies of its own stream that are not done, so that the call that sends one
 * returns at once. A value for a rank whose segment the device writes is a word that the stream writes behind the copy; others
 * are sent by a service when the stream has come there, as {@link ProxiedStreamOps} does. They keep their order, and what
 * completes the rank's transfers completes them. Used by the rank's thread.
 */
final class QueuedNotifications implements AutoCloseable {

    private final Completions completions;
    private final ControlArea area;
    private final Puts puts;
    private final Supplier<ProxiedStreamOps> ownStream;
    private ProxiedStreamOps service; // from the first one on

    /** @param ownStream makes the notifications of the rank's own stream */
    QueuedNotifications(Completions completions, ControlArea area, Puts puts, Supplier<ProxiedStreamOps> ownStream) {
        this.completions = completions;
        this.area = area;
        this.puts = puts;
        this.ownStream = ownStream;
    }

    /** True if some are left to the service, so that another one has to follow them. */
    boolean isPending() {
        return service != null && !service.isIdle();
    }

    /** Adds one behind everything that the rank's own stream has to do. Arguments are {@link Notifier#signal}'s. */
    void add(int target, int tag, int kind, long value) {
        if (kind == NotificationSink.VALUE && !isPending() && puts.reaches(target)) {
            completions.stream().writeValue(puts.wordsOf(target), area.notificationValue(tag), value);
        } else {
            if (service == null) {
                service = ownStream.get();
                completions.follower(service);
            }
            service.signalReported(target, tag, kind, value);
        }
        completions.queuedBeside();
    }

    /** Ends the service; the stream is closed afterwards. */
    @Override
    public void close() {
        if (service != null) {
            service.close();
        }
    }

    /** Frees what the stream wrote to; it is closed. */
    void free() {
        if (service != null) {
            service.free();
        }
    }
}
