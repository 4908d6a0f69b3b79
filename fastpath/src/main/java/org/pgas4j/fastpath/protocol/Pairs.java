package org.pgas4j.fastpath.protocol;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.pgas4j.fastpath.conduit.RankTable;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.os.trace.Trace;

/**
 * The pairs of one rank: made when it first sends to a peer, or adopted when the peer sent first. Everything but
 * {@link #offer}, {@link #isActive} and {@link #hasMessage} is for the port's current owner.
 */
final class Pairs implements AutoCloseable {

    private final int rank;
    private final RingLayout layout;
    private final Port.Connector connector;
    private final RankTable<Pair> pairs;
    private final ConcurrentLinkedQueue<Pair> offered = new ConcurrentLinkedQueue<>();
    private volatile Pair[] active = new Pair[0];
    private volatile boolean offers;

    Pairs(int rank, int ranks, RingLayout layout, Port.Connector connector) {
        this.rank = rank;
        this.layout = layout;
        this.connector = connector;
        this.pairs = new RankTable<>(ranks);
    }

    /** Offers a pair that a peer began, which the next progress adopts. Any thread. */
    void offer(Pair pair) {
        offered.add(pair);
        offers = true;
    }

    /** True if there is anything to progress. Any thread. */
    boolean isActive() {
        return offers || active.length > 0;
    }

    /** True if a message waits to be taken. Any thread; may be out of date at once. */
    boolean hasMessage() {
        for (Pair pair : active) {
            if (pair.hasMessage()) {
                return true;
            }
        }
        return offers;
    }

    /** Adopts the pairs that peers began; true if there were any. */
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

    /** The pair with a rank; makes it if there is none, which may wait for the rank's JVM. */
    Pair with(int peer) {
        adoptOffered();
        Pair pair = pairs.get(peer);
        if (pair == null) {
            adopt(connector.connect(peer));
            pair = pairs.get(peer);
        }
        return pair;
    }

    /** The pair with a rank, or null if there is none. */
    Pair known(int peer) {
        adoptOffered();
        return pairs.get(peer);
    }

    /** Takes out the pair with a rank that is lost; null if there is none. Its memory stays until the job ends. */
    Pair lose(int peer) {
        Pair gone = known(peer);
        if (gone != null) {
            pairs.remove(peer);
            active = Arrays.stream(active).filter(pair -> pair != gone).toArray(Pair[]::new);
        }
        return gone;
    }

    /** All pairs, in the order in which they were made. */
    Pair[] active() {
        return active;
    }

    /** Sends the message of a claimed chunk, which holds its payload. */
    void send(Pair pair, long sequence, int type, int flags, int length, long offset, long request, long bytes,
              long extra) {
        long header = layout.header(sequence);
        long nowNs = System.nanoTime();
        MessageHeader.write(pair.out(), header, type, flags, length, pair.creditToSend(), offset, request, bytes, extra,
                nowNs);
        pair.send(sequence, header, length);
        if (Trace.isOn()) {
            Trace.sent(rank, pair.peer(), MessageHeader.name(type), length, sequence, nowNs);
        }
    }

    /** Host memory of the rings of all pairs, bytes. */
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
