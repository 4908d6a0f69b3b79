package org.pgas4j.runtime.notify;

import org.pgas4j.fastpath.conduit.Endpoint;
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
    private long value;
    private boolean reported;

    /** Adds a counted notification. */
    void tag(int number) {
        tag(number, 0);
    }

    /** Adds a notification with a value; counted if that is 0. */
    void tag(int number, long itsValue) {
        tag = number;
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

    /** 0 if the notification is counted. */
    long value() {
        return value;
    }

    void copyFrom(Descriptor other) {
        rma.copyFrom(other.rma);
        route = other.route;
        target = other.target;
        endpoint = other.endpoint;
        tag = other.tag;
        value = other.value;
        reported = other.reported;
    }
}
