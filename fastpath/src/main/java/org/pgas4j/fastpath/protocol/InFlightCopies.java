package org.pgas4j.fastpath.protocol;

import org.pgas4j.device.AcceleratorStream;

/**
 * Device copies of chunks that have been started and have not been seen to land, oldest first. All are on one stream, so an
 * idle stream says that all have landed. Used by the port's owner of the moment.
 */
final class InFlightCopies {

    /** A message copied into the own device segment. */
    static final int PUT = 1;
    /** An answer copied out of the own device segment, to be sent. */
    static final int REPLY_OUT = 2;
    /** An answer copied to its destination. */
    static final int REPLY_IN = 3;

    private static final int CAPACITY = 32;

    /** One copy. */
    static final class Flight {
        int what;
        Pair pair;
        long sequence;
        long outSequence;
        int length;
        int flags;
        Request request;
        long requestId;
        long extra;
        long sentNs;
        long seenNs;
        long startNs;
    }

    private final Flight[] flights = new Flight[CAPACITY];
    private AcceleratorStream stream;
    private int count;

    InFlightCopies() {
        for (int i = 0; i < CAPACITY; i++) {
            flights[i] = new Flight();
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** True if a copy may be started on {@code wanted}: no other stream has copies in flight, and there is room. */
    boolean accepts(AcceleratorStream wanted) {
        return count == 0 || stream == wanted && count < CAPACITY;
    }

    /** Adds a copy that was just started on {@code on}. */
    Flight add(AcceleratorStream on, int what, Pair pair, long sequence) {
        stream = on;
        Flight flight = flights[count++];
        flight.what = what;
        flight.pair = pair;
        flight.sequence = sequence;
        flight.startNs = 0;
        return flight;
    }

    /** True if all have landed. */
    boolean landed() {
        return stream.isIdle();
    }

    int count() {
        return count;
    }

    Flight get(int index) {
        return flights[index];
    }

    void clear() {
        count = 0;
    }
}
