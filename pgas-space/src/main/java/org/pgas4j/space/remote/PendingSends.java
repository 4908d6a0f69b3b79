package org.pgas4j.space.remote;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/**
 * Calls that a rank's functions have sent and for which there was no room: functions never wait, so that two ranks with full
 * rings cannot wait for each other. Used by the rank's thread.
 */
final class PendingSends {

    private record Sent(int target, int function, MemorySegment arguments) {
    }

    private final RequestRing ring;
    private final int capacity;
    private final ArrayDeque<Sent> waiting = new ArrayDeque<>();

    PendingSends(RequestRing ring, int capacity) {
        this.ring = ring;
        this.capacity = capacity;
    }

    /** Sends a call behind those that wait, or lets it wait as well; false if too many do. */
    boolean trySend(int target, int function, MemorySegment arguments) {
        if (waiting.isEmpty() && ring.trySend(target, function, RemoteLayout.NO_REPLY, arguments)) {
            return true;
        }
        if (waiting.size() >= capacity) {
            return false;
        }
        byte[] copy = arguments.toArray(ValueLayout.JAVA_BYTE);
        waiting.add(new Sent(target, function, MemorySegment.ofArray(copy)));
        return true;
    }

    /** Sends what there is room for, in order; true if anything was sent. */
    boolean poll() {
        boolean any = false;
        for (Sent next = waiting.peek(); next != null && ring.trySend(next.target, next.function, RemoteLayout.NO_REPLY,
                next.arguments); next = waiting.peek()) {
            waiting.remove();
            any = true;
        }
        return any;
    }

    boolean hasRoom() {
        return waiting.size() < capacity;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Rank that the oldest waiting call is for; there is one. */
    int target() {
        return waiting.element().target;
    }
}
