package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.fastpath.conduit.Endpoint;

/** A put and a notification, written down in full: whoever performs it asks the rank nothing. */
final class Descriptor {

    /** How the bytes move. */
    enum Way {
        /** There are none, or they have been moved. */
        NONE,
        /** By the conduit, host memory to host memory. */
        CONDUIT,
        /** By messages. */
        MESSAGES,
        /** By the rank's device, straight. */
        DEVICE
    }

    private static final int NO_TAG = -1;

    Way way;
    int target;
    Endpoint endpoint;
    MemoryKind kind;
    long heapOffset;
    long offset;
    DeviceMemory targetDevice;
    MemorySegment host;
    DeviceMemory device;
    long srcOffset;
    long bytes;
    long threshold;
    private int tag = NO_TAG;
    private long value;

    /** One more notification of a tag. */
    void tag(int number) {
        tag(number, 0);
    }

    /** A notification with a value, or one that is counted if that is 0. */
    void tag(int number, long itsValue) {
        tag = number;
        value = itsValue;
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

    /** 0 if the notification is counted. */
    long value() {
        return value;
    }

    void copyFrom(Descriptor other) {
        way = other.way;
        target = other.target;
        endpoint = other.endpoint;
        kind = other.kind;
        heapOffset = other.heapOffset;
        offset = other.offset;
        targetDevice = other.targetDevice;
        host = other.host;
        device = other.device;
        srcOffset = other.srcOffset;
        bytes = other.bytes;
        threshold = other.threshold;
        tag = other.tag;
        value = other.value;
    }
}
