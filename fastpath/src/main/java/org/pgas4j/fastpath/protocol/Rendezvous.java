package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.os.trace.Trace;

/**
 * The rendezvous of one rank that are not done, its own and those of peers: serves requests, advances all of them and
 * reports their counts. Nothing here waits. For the port's current owner.
 */
final class Rendezvous implements AutoCloseable {

    private final int rank;
    private final LocalMemory memory;
    private final PortOptions options;
    private final Port.Connector connector;
    private final Pairs pairs;
    private final MessageValidator checks;
    private final RegistrationCache cache;
    private final List<Transfer> transfers = new ArrayList<>();
    private long bufferedBytes;
    private long bufferedPuts;
    private int copying; // transfers whose device copies were under way at the last step

    Rendezvous(int rank, LocalMemory memory, Conduit conduit, PortOptions options, Port.Connector connector, Pairs pairs,
               MessageValidator checks) {
        this.rank = rank;
        this.memory = memory;
        this.options = options;
        this.connector = connector;
        this.pairs = pairs;
        this.checks = checks;
        this.cache = new RegistrationCache(rank, conduit, memory.accelerator(), options.cacheBytes());
    }

    /** Adds a rendezvous that this rank has requested: from now on its counts may be sent. */
    void begun(Transfer transfer) {
        transfers.add(transfer);
        transfer.pair().outbound().add(transfer);
    }

    /** Takes room for a put that is held whole until its owner has taken it; returns its bytes, or 0 if there is none left. */
    long reserve(long bytes) {
        long size = RegistrationCache.size(bytes);
        if (size > options.bufferedBytes() - bufferedBytes) {
            return 0;
        }
        bufferedBytes += size;
        bufferedPuts++;
        return size;
    }

    /** Bytes of the puts that are held whole now. */
    long bufferedBytes() {
        return bufferedBytes;
    }

    /** Number of puts that were held whole so far. */
    long bufferedPuts() {
        return bufferedPuts;
    }

    boolean isEmpty() {
        return transfers.isEmpty();
    }

    /** True if device copies of any were under way at the last {@link #step}. Any thread. */
    boolean isCopying() {
        return copying > 0;
    }

    /** One of this rank's own rendezvous that is not complete, or null. */
    Transfer incomplete() {
        return incomplete(null);
    }

    /** One of this rank's own rendezvous with a pair, or with any if null, that is not complete; or null. */
    Transfer incomplete(Pair pair) {
        for (int i = 0; i < transfers.size(); i++) {
            Transfer transfer = transfers.get(i);
            if (transfer.requester() && !transfer.isComplete() && (pair == null || transfer.pair() == pair)) {
                return transfer;
            }
        }
        return null;
    }

    RegistrationCache cache() {
        return cache;
    }

    // ---- the owner's side, and counts, which both sides receive

    /** Serves a request; false if it has to wait. */
    boolean take(Pair pair, long sequence, long header, int type, boolean onDevice, int length,
                 CopyStreams streams, Observer observer, long seenNs) {
        if (pair.isBlocked() || pair.inFlight() > 0) {
            return false;
        }
        MemorySegment in = pair.in();
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        long bytes = MessageHeader.field(in, header, MessageHeader.SIZE);
        long id = MessageHeader.field(in, header, MessageHeader.REQUEST);
        int ready = (int) MessageHeader.field(in, header, MessageHeader.EXTRA);
        checks.range(pair, sequence, type, onDevice, offset, bytes);
        long at = RingLayout.payload(header, length);
        if (length < Region.FIELDS) {
            throw checks.violation(pair, sequence, type, "address of " + length + " bytes");
        }
        long region = Region.memory(in, at);
        long base = Region.base(in, at);
        long piece = Region.piece(in, at);
        long size = Region.size(in, at);
        int depth = Region.depth(in, at);
        int pathLength = Region.pathLength(in, at);
        int keyLength = Region.keyLength(in, at);
        long needed = depth == 0 ? bytes : depth * piece;
        if (piece <= 0 || piece > 1L << 30 || depth < 0 || depth > PortOptions.MAX_SLOTS || base < 0 || bytes <= 0 || needed < 0
                || base > size - needed || pathLength < 0 || keyLength < 0 || pathLength > length || keyLength > length
                || Region.FIELDS + pathLength + keyLength != length) {
            throw checks.violation(pair, sequence, type, "slots: piece=" + piece + " depth=" + depth + " base=" + base + " size="
                    + size + " path=" + pathLength + " key=" + keyLength);
        }
        Endpoint endpoint = region == Region.OWN_SEGMENT ? connector.segment(pair.peer())
                : remote(pair, sequence, region, size, at, pathLength, keyLength);
        boolean put = type == MessageHeader.RENDEZVOUS_PUT;
        Transfer transfer = new Transfer(!put, false, id, pair, onDevice ? null : memory.host(),
                onDevice ? memory.device() : null, (onDevice ? memory.deviceOffset() : memory.heapStart()) + offset, bytes,
                piece, onDevice ? streams.lanes() : null);
        if (endpoint.mapped() != null) {
            transfer.slots(endpoint.mapped(), base, depth);
        } else {
            int relayed = Math.min(options.depth(), transfer.pieces());
            transfer.remoteSlots(endpoint, base, depth, onDevice ? cache.acquire(relayed * piece) : null, relayed);
        }
        transfer.peerPieces(put ? ready : 0);
        if (observer != null) {
            transfer.observe(MessageHeader.field(in, header, MessageHeader.SENT), seenNs, System.nanoTime());
        }
        if (Trace.isOn()) {
            transfer.traced(System.nanoTime());
        }
        pair.inbound(transfer);
        pair.take(false);
        transfers.add(transfer);
        transfer.step();
        return true;
    }

    /** Endpoint of a requester's temporary; its address is in the first message only. */
    private Endpoint remote(Pair pair, long sequence, long region, long size, long at, int pathLength, int keyLength) {
        Pair.RemoteRegion known = pair.region(region);
        if (known == null) {
            MemorySegment in = pair.in();
            byte[] path = Region.path(in, at, pathLength);
            byte[] key = Region.key(in, at, pathLength, keyLength);
            if (pathLength == 0 && keyLength == 0) {
                throw checks.violation(pair, sequence, MessageHeader.RENDEZVOUS_PUT, "temporary " + region + " is not known");
            }
            Endpoint endpoint = connector.memory(pair.peer(), new SegmentAddress(
                    new String(path, StandardCharsets.US_ASCII), size, key));
            MemorySegment mapped = endpoint.mapped();
            HostRegistration registration = memory.accelerator().register(mapped == null ? MemorySegment.NULL : mapped);
            known = new Pair.RemoteRegion(endpoint, registration);
            pair.region(region, known);
        }
        return known.endpoint();
    }

    /** Takes the count of pieces that the peer reports. */
    boolean takeCount(Pair pair, long sequence, long header, int type) {
        MemorySegment in = pair.in();
        long id = MessageHeader.field(in, header, MessageHeader.REQUEST);
        int count = (int) MessageHeader.field(in, header, MessageHeader.EXTRA);
        boolean mine = (id & 1) == 0 == (type == MessageHeader.DONE);
        Transfer transfer = null;
        if (!mine) {
            transfer = pair.inbound() != null && pair.inbound().id() == id ? pair.inbound() : null;
        } else {
            for (Transfer candidate : pair.outbound()) {
                if (candidate.id() == id) {
                    transfer = candidate;
                    break;
                }
            }
        }
        if (transfer == null) {
            throw checks.violation(pair, sequence, type, "no such rendezvous: " + id);
        }
        transfer.peerPieces(count);
        pair.take(false);
        return true;
    }

    /** Takes the end of a temporary of the peer; false if that has to wait. */
    boolean takeForget(Pair pair, long header) {
        if (pair.isBlocked()) {
            return false;
        }
        pair.forget(MessageHeader.field(pair.in(), header, MessageHeader.EXTRA));
        pair.take(false);
        return true;
    }

    /** Advances all as far as possible without waiting; true if anything moved. */
    boolean step(Observer observer) {
        boolean any = false;
        int underWay = 0;
        for (int i = 0; i < transfers.size(); ) {
            Transfer transfer = transfers.get(i);
            any |= transfer.step();
            any |= announce(transfer);
            underWay += transfer.isCopying() ? 1 : 0;
            if (transfer.isDone()) {
                end(transfer, observer);
                transfers.remove(i);
                any = true;
            } else {
                i++;
            }
        }
        copying = underWay;
        return any;
    }

    private boolean announce(Transfer transfer) {
        int count = transfer.toAnnounce();
        if (count == transfer.announced()
                || !transfer.source() && count < transfer.pieces()
                && (transfer.pieces() <= options.depth() || transfer.hasSlotForEach())) {
            return false;
        }
        Pair pair = transfer.pair();
        long sequence = pair.claim(0);
        if (sequence == 0) {
            pair.reportNow();
            return false;
        }
        transfer.announced(count);
        if (transfer.source() && !transfer.requester() && !pair.direct()) {
            pair.endpoint().fence(); // the pieces before the count
        }
        pairs.send(pair, sequence, transfer.source() ? MessageHeader.READY : MessageHeader.DONE, 0, 0, 0, transfer.id(), 0,
                count);
        return true;
    }

    private void end(Transfer transfer, Observer observer) {
        Pair pair = transfer.pair();
        if (transfer.requester()) {
            pair.outbound().remove(transfer);
        } else {
            pair.inbound(null);
            if (transfer.tracedNs() != 0) {
                Trace.moved(rank, pair.peer(), transfer.bytes(), transfer.tracedNs());
            }
            if (observer != null && transfer.observed()) {
                transfer.report(observer, System.nanoTime());
            }
        }
        bufferedBytes -= transfer.bufferedBytes();
        for (Temporary temporary : new Temporary[] {transfer.temporary(), transfer.relay()}) {
            if (temporary != null) {
                cache.giveBack(temporary);
            }
        }
        evict();
    }

    /** Gives up all with a peer that is lost. Copies may be under way: their temporaries stay until the port's end. */
    void lose(Pair pair) {
        for (int i = transfers.size() - 1; i >= 0; i--) {
            Transfer transfer = transfers.get(i);
            if (transfer.pair() == pair) {
                transfer.lose();
                bufferedBytes -= transfer.bufferedBytes();
                transfers.remove(i);
            }
        }
        pair.outbound().clear();
        pair.inbound(null);
    }

    /** Takes back a temporary that no transfer has used. */
    void giveBack(Temporary temporary) {
        cache.giveBack(temporary);
        evict();
    }

    private void evict() {
        for (Temporary old = cache.evict(); old != null && forget(old); old = cache.evict()) {
            // until the cache fits its bound
        }
    }

    /** Sends FORGET to the ranks that know a temporary, and frees it; false if that has to wait. */
    private boolean forget(Temporary temporary) {
        for (int peer = temporary.knownTo().nextSetBit(0); peer >= 0; peer = temporary.knownTo().nextSetBit(peer + 1)) {
            Pair pair = pairs.known(peer);
            if (pair == null) { // it is lost
                temporary.knownTo().clear(peer);
                continue;
            }
            // The peer takes it after a later rendezvous, whose counts must not be behind it in the ring.
            long sequence = pair.isQuiet() ? pair.claim(0) : 0;
            if (sequence == 0) {
                cache.keep(temporary);
                return false;
            }
            pairs.send(pair, sequence, MessageHeader.FORGET, 0, 0, 0, 0, 0, temporary.id());
            temporary.knownTo().clear(peer);
        }
        cache.free(temporary);
        return true;
    }

    @Override
    public void close() {
        cache.close();
    }
}
