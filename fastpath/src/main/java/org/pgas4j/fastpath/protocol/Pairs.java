package org.pgas4j.fastpath.protocol;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;

/**
 * The pairs of one rank: made when it first sends to a rank, or taken over when another rank began. Everything but
 * {@link #offer}, {@link #isActive} and {@link #hasMessage} is for the port's owner of the moment.
 */
final class Pairs implements AutoCloseable {

    private final RingLayout layout;
    private final Port.Neighbours neighbours;
    private final RankTable<Pair> pairs;
    private final ConcurrentLinkedQueue<Pair> offered = new ConcurrentLinkedQueue<>();
    private volatile Pair[] active = new Pair[0];
    private volatile boolean offers;

    Pairs(int ranks, RingLayout layout, Port.Neighbours neighbours) {
        this.layout = layout;
        this.neighbours = neighbours;
        this.pairs = new RankTable<>(ranks);
    }

    /** Brings a pair that another rank began; any thread. */
    void offer(Pair pair) {
        offered.add(pair);
        offers = true;
    }

    /** True if there is anything to progress; any thread. */
    boolean isActive() {
        return offers || active.length > 0;
    }

    /** True if a message waits to be taken; any thread, a look that may be late. */
    boolean hasMessage() {
        for (Pair pair : active) {
            if (pair.hasMessage()) {
                return true;
            }
        }
        return offers;
    }

    /** Takes over what other ranks began; true if there was anything. */
    boolean adoptOffered() {
        if (!offers) {
            return false;
        }
        offers = false;
        for (Pair pair = offered.poll(); pair != null; pair = offered.poll()) {
            adopt(pair);
        }
        return true;
    }

    private void adopt(Pair pair) {
        if (pairs.get(pair.peer()) == null) {
            pairs.put(pair.peer(), pair);
            Pair[] more = Arrays.copyOf(active, active.length + 1);
            more[active.length] = pair;
            active = more;
        }
    }

    /** The pair with a rank, made if there is none: that may wait for the rank's JVM. */
    Pair with(int peer) {
        adoptOffered();
        Pair pair = pairs.get(peer);
        if (pair == null) {
            adopt(neighbours.connect(peer));
            pair = pairs.get(peer);
        }
        return pair;
    }

    /** The pair with a rank, or null if the two have not talked. */
    Pair known(int peer) {
        adoptOffered();
        return pairs.get(peer);
    }

    /** All, in the order in which they were made. */
    Pair[] active() {
        return active;
    }

    /** Sends a message into a claimed chunk that holds its payload. */
    void send(Pair pair, long sequence, int type, int flags, int length, long offset, long request, long bytes,
              long extra) {
        long header = layout.header(sequence);
        MessageHeader.write(pair.out(), header, type, flags, length, pair.creditToSend(), offset, request, bytes, extra,
                System.nanoTime());
        pair.send(sequence, header, length);
    }

    /** Host memory of their rings, bytes. */
    long ringBytes() {
        long bytes = 0;
        for (Pair pair : active) {
            bytes += pair.bytes();
        }
        return bytes;
    }

    @Override
    public void close() {
        for (Pair pair : active) {
            pair.close();
        }
    }
}
