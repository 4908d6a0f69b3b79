package org.pgas4j.space.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.PgasException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ServiceNumber;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.protocol.Pair;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.fastpath.protocol.PortOptions;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.space.memory.Segments;

/**
 * Makes the two ends of a pair when its ranks first talk: each JVM makes the ring its rank receives into, and the control
 * plane carries the addresses. Both ranks may begin at the same time; the first end made is the one that stays. One per JVM;
 * thread-safe.
 */
public final class PairService {

    /** Number of the bootstrap service that makes the other end. */
    public static final int SERVICE = ServiceNumber.PAIRS;

    private static final int HEADER = 4 * Integer.BYTES + Long.BYTES + 2 * Integer.BYTES;

    private final Bootstrap bootstrap;
    private final Conduit conduit;
    private final Segments segments;
    private final PortOptions options;
    private final RingLayout layout;
    private final long timeoutNs;
    private final Port[] ports;
    private final Map<Long, HostSegment> rings = new HashMap<>();
    private final Map<Long, Pair> pairs = new HashMap<>();

    /** @param ports of this JVM's ranks in their order; filled before any rank runs */
    public PairService(Bootstrap bootstrap, Conduit conduit, Segments segments, PortOptions options,
                       long timeoutNs, Port[] ports) {
        this.bootstrap = bootstrap;
        this.conduit = conduit;
        this.segments = segments;
        this.options = options;
        this.layout = options.ring();
        this.timeoutNs = timeoutNs;
        this.ports = ports;
    }

    private static long key(int rank, int peer) {
        return (long) rank << 32 | peer;
    }

    private synchronized HostSegment ring(int rank, int peer) {
        return rings.computeIfAbsent(key(rank, peer), _ -> conduit.create(rank, "ring", layout.bytes()));
    }

    private synchronized Pair pair(int rank, int peer, SegmentAddress address) {
        Pair pair = pairs.get(key(rank, peer));
        if (pair == null) {
            Endpoint endpoint = segments.connect(rank, peer, address);
            pair = new Pair(rank, peer, options, conduit, segments.acceleratorOf(rank), ring(rank, peer), endpoint);
            pairs.put(key(rank, peer), pair);
        }
        return pair;
    }

    /** The end of rank {@code rank} of this JVM of its pair with {@code peer}; waits for the peer's JVM. */
    public Pair connect(int rank, int peer) {
        synchronized (this) {
            Pair known = pairs.get(key(rank, peer));
            if (known != null) {
                return known;
            }
        }
        SegmentAddress mine = ring(rank, peer).address();
        if (rank == peer) {
            return pair(rank, rank, mine);
        }
        SegmentAddress theirs = segments.isLocal(peer) ? accept(rank, peer, mine)
                : decode(bootstrap.call(bootstrap.processOf(peer), SERVICE, encode(rank, peer, mine),
                        System.nanoTime() + timeoutNs), rank, peer);
        return pair(rank, peer, theirs);
    }

    private SegmentAddress accept(int from, int rank, SegmentAddress theirs) {
        ports[rank - segments.firstRank()].offer(pair(rank, from, theirs));
        return ring(rank, from).address();
    }

    /** Answers other processes; what arrives is checked. */
    public byte[] answer(byte[] request) {
        ByteBuffer fields = ByteBuffer.wrap(request);
        if (request.length < HEADER) {
            throw new PgasException("pair request of " + request.length + " bytes is malformed");
        }
        int from = fields.getInt();
        int to = fields.getInt();
        if (from < 0 || from >= bootstrap.ranks() || !segments.isLocal(to) || segments.isLocal(from)) {
            throw new PgasException("pair request refused by process " + bootstrap.process() + ": from rank " + from
                    + " to rank " + to);
        }
        return encode(to, from, accept(from, to, decode(request, from, to)));
    }

    private byte[] encode(int from, int to, SegmentAddress address) {
        byte[] path = address.path().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(HEADER + path.length + address.key().length).putInt(from).putInt(to)
                .putInt(layout.chunkBytes()).putInt(layout.chunks()).putLong(address.bytes()).putInt(path.length)
                .putInt(address.key().length).put(path).put(address.key()).array();
    }

    private SegmentAddress decode(byte[] bytes, int from, int to) {
        ByteBuffer fields = ByteBuffer.wrap(bytes);
        if (bytes.length < HEADER) {
            throw new PgasException("pair address of " + bytes.length + " bytes is malformed");
        }
        fields.getInt();
        fields.getInt();
        int chunkBytes = fields.getInt();
        int chunks = fields.getInt();
        long size = fields.getLong();
        int pathLength = fields.getInt();
        int keyLength = fields.getInt();
        if (chunkBytes != layout.chunkBytes() || chunks != layout.chunks() || size < layout.bytes()) {
            throw new PgasException("ranks " + from + " and " + to + " have different rings: pgas.fastpath.chunk="
                    + layout.chunkBytes() + " here, " + chunkBytes + " there, pgas.fastpath.chunks=" + layout.chunks()
                    + " here, " + chunks + " there");
        }
        if (pathLength < 0 || keyLength < 0 || keyLength > SegmentAddress.MAX_KEY_BYTES || pathLength > 4096
                || HEADER + pathLength + keyLength != bytes.length) {
            throw new PgasException("pair address of " + bytes.length + " bytes is malformed: path=" + pathLength + " key="
                    + keyLength);
        }
        byte[] path = new byte[pathLength];
        byte[] key = new byte[keyLength];
        fields.get(path).get(key);
        return new SegmentAddress(new String(path, StandardCharsets.US_ASCII), size, key);
    }
}
