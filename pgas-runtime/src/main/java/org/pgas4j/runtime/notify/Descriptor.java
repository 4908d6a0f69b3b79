package org.pgas4j.runtime.notify;

import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.space.transfer.RmaDescriptor;
import org.pgas4j.space.transfer.Route;

/** A put, its route, and the notification behind it, complete in itself: a service performs it without the rank. */
final class Descriptor {

    private static final int NO_TAG = -1;

    final RmaDescriptor rma = new RmaDescriptor();
    /** Carries the bytes; null if there are none, or if they have been queued. */
    Route route;
    int target;
    Endpoint endpoint;
    private int tag = NO_TAG;
    private int block = NotificationSink.RANK;
    private int kind;
    private long value;
    private boolean reported;

    /** Adds a notification that is counted. */
    void counted(int number) {
        notification(number, NotificationSink.COUNTER, 1);
    }

    /** Adds a notification with a value; counted if that is 0. */
    void valued(int number, long itsValue) {
        if (itsValue == 0) {
            counted(number);
        } else {
            notification(number, NotificationSink.VALUE, itsValue);
        }
    }

    /** Adds a counted notification of a block, by its name in messages. */
    void ofBlock(int name, int number) {
        counted(number);
        block = name;
    }

    /** Adds a notification; arguments are {@link NotificationSink}'s. */
    void notification(int number, int itsKind, long itsValue) {
        tag = number;
        block = NotificationSink.RANK;
        kind = itsKind;
        value = itsValue;
        reported = false;
    }

    void noTag() {
        tag = NO_TAG;
    }

    boolean notifies() {
        return tag != NO_TAG;
    }

    int tag() {
        return tag;
    }

    /** Notes that the checks know the notification already. */
    void reported() {
        reported = true;
    }

    boolean isReported() {
        return reported;
    }

    /** Name of the block that is notified, or {@link NotificationSink#RANK}. */
    int block() {
        return block;
    }

    /** Kind of the notification, {@link NotificationSink}'s. */
    int kind() {
        return kind;
    }

    /** Operation on a notification and its place. */
    long value() {
        return value;
    }

    void copyFrom(Descriptor other) {
        rma.copyFrom(other.rma);
        route = other.route;
        target = other.target;
        endpoint = other.endpoint;
        tag = other.tag;
        block = other.block;
        kind = other.kind;
        value = other.value;
        reported = other.reported;
    }
}
