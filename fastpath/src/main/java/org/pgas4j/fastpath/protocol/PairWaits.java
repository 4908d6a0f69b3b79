package org.pgas4j.fastpath.protocol;

import java.util.function.Supplier;
import org.pgas4j.PeerLostException;
import org.pgas4j.device.AcceleratorStream;

/** The waits of a rank for its own operations, in which it serves its peers. Only the rank's own thread waits. */
final class PairWaits {

    private static final int CLAIM_ATTEMPTS = 4096;
    private static final long SLICE_NS = 50_000_000;

    private final int rank;
    private final Pairs pairs;
    private final PortOptions options;
    private final Server server;
    private final CopyStreams own;
    private final IdleStrategy idle;
    private int moves;
    private final String noChunkForPut;
    private final String noChunkForMessage;
    private String waitsFor; // null if for an operation
    private Operation operation;
    private int waitsForRank;
    private final Supplier<String> reason = this::describe;

    PairWaits(int rank, Pairs pairs, PortOptions options, Server server, CopyStreams own, IdleStrategy idle) {
        this.rank = rank;
        this.pairs = pairs;
        this.options = options;
        this.server = server;
        this.own = own;
        this.idle = idle;
        this.noChunkForPut = "put: none of " + options.ring().chunks() + " chunks is free";
        this.noChunkForMessage = "message: none of " + options.ring().chunks() + " chunks is free";
    }

    /** Starts a wait for rank {@code peer}, or for no rank in particular if that is -1. */
    void begin(String what, int peer) {
        waitsFor = what;
        waitsForRank = peer;
        idle.begin();
    }

    /** Serves peers or, if there is nothing to serve, idles for a moment of the wait begun last. */
    void pause() {
        // Also in every 256th round in which something moved: it may not end this wait, and the deadline has to be checked.
        if (!server.progress(own, null, 0) || (++moves & 0xff) == 0) {
            idle.pause(reason);
        }
    }

    private String describe() {
        return (waitsFor == null ? operation.describe() : waitsFor) + " of rank " + rank + (waitsForRank < 0 ? "" : ", waiting for rank " + waitsForRank);
    }

    /** Waits for a stream. */
    void await(AcceleratorStream stream, String what) {
        stream.expectEnd();
        if (!stream.sync(System.nanoTime() + SLICE_NS)) {
            begin(what, -1);
            while (!stream.sync(System.nanoTime() + SLICE_NS)) {
                idle.pause(reason);
            }
        }
    }

    /** Waits for an operation. */
    void complete(Operation waited) {
        if (!waited.isComplete()) {
            operation = waited;
            begin(null, -1);
            while (!waited.isComplete()) {
                pause();
            }
        }
        if (waited.isLost()) {
            throw new PeerLostException(waited.describe() + ": rank " + rank + " has given it up, for the other rank is lost");
        }
    }

    /**
     * Waits until nothing sent to a rank now could overtake the messages of an unfinished rendezvous; returns the pair.
     */
    Pair awaitQuiet(int peer) {
        Pair pair = pairs.with(peer);
        if (!pair.isQuiet()) {
            Transfer last = pair.outbound().peekLast();
            begin(last.describe(), peer);
            while (!last.isQuiet()) {
                pause();
            }
        }
        return pair;
    }

    /** Claims a chunk for data, after a short wait if none is free; its message's number, or 0 if none became free. */
    long claimForData(Pair pair) {
        long sequence = pair.claim(options.keptFromData());
        if (sequence != 0) {
            return sequence;
        }
        begin(noChunkForPut, pair.peer());
        for (int i = 0; i < CLAIM_ATTEMPTS; i++) {
            pair.reportNow();
            if (!server.progress(own, null, 0)) {
                Thread.onSpinWait();
            }
            sequence = pair.claim(options.keptFromData());
            if (sequence != 0) {
                return sequence;
            }
        }
        return 0;
    }

    /** Waits until more than {@code reserve} chunks are free and claims one; its message's number. */
    long claim(Pair pair, int reserve) {
        long sequence = pair.claim(reserve);
        if (sequence == 0) {
            begin(noChunkForMessage, pair.peer());
            while ((sequence = pair.claim(reserve)) == 0) {
                pair.reportNow(); // the peer may wait for chunks as well
                pause();
            }
        }
        return sequence;
    }
}
