package org.pgas4j.fastpath.protocol;

import java.util.function.Supplier;
import org.pgas4j.device.AcceleratorStream;

/** The waits of a rank for its own operations; it serves others meanwhile. The rank's own thread alone waits. */
final class PairWaits {

    private static final int PATIENCE = 4096;
    private static final long SLICE_NS = 50_000_000;

    private final int rank;
    private final Pairs pairs;
    private final PortOptions options;
    private final Server server;
    private final CopyStreams own;
    private final IdleStrategy pause;
    private int moves;
    private String waitsFor;
    private int waitsForRank;
    private final Supplier<String> reason = this::describe;

    PairWaits(int rank, Pairs pairs, PortOptions options, Server server, CopyStreams own, IdleStrategy pause) {
        this.rank = rank;
        this.pairs = pairs;
        this.options = options;
        this.server = server;
        this.own = own;
        this.pause = pause;
    }

    /** Starts a wait; {@code peer} is whom for, -1 if for no rank in particular. */
    void begin(String what, int peer) {
        waitsFor = what;
        waitsForRank = peer;
        pause.begin();
    }

    /** Passes a little time of the wait that began last. */
    void aBit() {
        // Now and then also when something moved: it may not be what is waited for, and the deadline is to be seen.
        if (!server.progress(own, null, 0) || (++moves & 0xff) == 0) {
            pause.pause(reason);
        }
    }

    private String describe() {
        return waitsFor + " of rank " + rank + (waitsForRank < 0 ? "" : ", waiting for rank " + waitsForRank);
    }

    /** Waits for a stream. */
    void await(AcceleratorStream stream, String what) {
        if (stream.isIdle()) {
            return;
        }
        if (!stream.sync(System.nanoTime() + SLICE_NS)) {
            begin(what, -1);
            while (!stream.sync(System.nanoTime() + SLICE_NS)) {
                pause.pause(reason);
            }
        }
    }

    /** Waits for an operation. */
    void complete(Operation operation) {
        if (!operation.isComplete()) {
            begin(operation.describe(), -1);
            while (!operation.isComplete()) {
                aBit();
            }
        }
    }

    /** The pair with a rank, when nothing sent to it now could overtake the messages of an unfinished rendezvous. */
    Pair quietPair(int peer) {
        Pair pair = pairs.with(peer);
        if (!pair.isQuiet()) {
            Transfer last = pair.outbound().peekLast();
            begin(last.describe(), peer);
            while (!last.isQuiet()) {
                aBit();
            }
        }
        return pair;
    }

    /** A chunk for data; 0 if none is free for long. */
    long claimForData(Pair pair) {
        long sequence = pair.claim(options.keptFromData());
        if (sequence != 0) {
            return sequence;
        }
        begin("put: none of " + options.ring().chunks() + " chunks is free", pair.peer());
        for (int i = 0; i < PATIENCE; i++) {
            pair.answerNow();
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

    /** A chunk, more than {@code reserve} of which are to be free. */
    long claim(Pair pair, int reserve) {
        long sequence = pair.claim(reserve);
        if (sequence == 0) {
            begin("message: none of " + options.ring().chunks() + " chunks is free", pair.peer());
            while ((sequence = pair.claim(reserve)) == 0) {
                pair.answerNow(); // the other may wait for chunks as well
                aBit();
            }
        }
        return sequence;
    }
}
