package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;

/**
 * One rank's end of all its pairs: sends its puts and gets, and serves those of its peers. After the RDMA Fastpath and
 * the rendezvous of the GPU-aware multi-threaded UPC runtime (docs/protocol.md).
 *
 * <p>Everything but {@link #offer}, {@link #isActive}, {@link #hasMessage} and {@link #progressConduit} is for the
 * port's current owner: the rank, or a helper on its behalf. Nothing that serves a message waits: one that cannot be
 * served yet stays at the head of its ring, and the next call tries again. Messages of one pair take effect in the
 * order they were sent.
 */
public final class Port implements AutoCloseable {

    private static final int BATCH = 8;

    /** Connects a port to its peers. */
    public interface Connector {

        /** Makes the pair with a rank; may wait for that rank's JVM, not for the rank. */
        Pair connect(int peer);

        /** The host segment of a rank, registered with this rank's device where it is mapped. */
        Endpoint segment(int peer);

        /** Other memory of a rank, at an address that the rank sent. */
        Endpoint memory(int peer, SegmentAddress address);
    }

    private final int rank;
    private final LocalMemory memory;
    private final Conduit conduit;
    private final PortOptions options;
    private final RingLayout layout;
    private final CopyStreams own;
    private final Pairs pairs;
    private final Requests requests;
    private final Rendezvous rendezvous;
    private final Server server;
    private final PairWaits waits;
    private final RendezvousRequests rendezvousRequests;
    private final String tooManyParts;

    public Port(int rank, int ranks, LocalMemory memory, Conduit conduit, PortOptions options, Connector connector,
                IdleStrategy pause) {
        this.rank = rank;
        this.memory = memory;
        this.conduit = conduit;
        this.options = options;
        this.layout = options.ring();
        this.own = newCopyStreams();
        this.pairs = new Pairs(rank, ranks, layout, connector);
        this.requests = new Requests(rank);
        MessageValidator checks = new MessageValidator(rank, memory);
        this.rendezvous = new Rendezvous(rank, memory, conduit, options, connector, pairs, checks);
        this.server = new Server(rank, memory, conduit, options, pairs, requests, rendezvous, checks);
        this.waits = new PairWaits(rank, pairs, options, server, own, pause);
        this.rendezvousRequests = new RendezvousRequests(memory, options, pairs, rendezvous, waits, own);
        this.tooManyParts = "memget: " + options.maxGets() + " parts are in progress and none is answered";
    }

    // ---- any thread

    /** Offers a pair that a peer began, which the next {@link #progress} adopts. Any thread. */
    public void offer(Pair pair) {
        pairs.offer(pair);
    }

    /** True if there is anything to progress. Any thread. */
    public boolean isActive() {
        return pairs.isActive();
    }

    /** True if a message waits to be taken. Any thread; may be out of date at once. */
    public boolean hasMessage() {
        return pairs.hasMessage();
    }

    /** True if {@link #progressConduit} has work to do at times. */
    public boolean needsProgress() {
        return conduit.needsProgress();
    }

    /** Progresses the conduit; true if anything moved. Any thread. */
    public boolean progressConduit() {
        return conduit.progress(rank);
    }

    /** Sets the sink of notifications from peers, before the first can arrive. Any thread. */
    public void notifications(NotificationSink to) {
        server.notifications(to);
    }

    /** Sets the sink of commands for this rank's blocks, before the first can arrive. Any thread. */
    public void blocks(BlockSink to) {
        server.blocks(to);
    }

    // ---- the rank's own operations

    /**
     * Puts bytes into a rank's segment, by fastpath below {@code threshold} bytes and by rendezvous from there on. The
     * range has been checked. The source is host memory, or device memory that this rank's device can copy from.
     *
     * @param held true to hold a large put aside where there is room, so that it is complete whatever the owner does; false if
     *             its source is left alone meanwhile: then bytes of the own segment are not copied aside
     * @return the put, complete once its source may be used again
     */
    public Operation put(int target, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device, long srcOffset,
                         long bytes, long threshold, boolean held) {
        if (bytes == 0) {
            return Operation.COMPLETE;
        }
        Pair pair = waits.awaitQuiet(target);
        if (bytes >= threshold) {
            return rendezvousRequests.put(pair, kind, offset, host, device, srcOffset, bytes, held);
        }
        int flags = kind == MemoryKind.DEVICE ? MessageHeader.DEVICE : 0;
        int capacity = layout.capacity();
        for (long done = 0; done < bytes; ) {
            long first = waits.claimForData(pair);
            if (first == 0) {
                // No chunk has become free: the owner fetches the rest when it serves its port.
                return rendezvousRequests.put(pair, kind, offset + done, host, device, srcOffset + done, bytes - done, held);
            }
            long last = first;
            if (device == null) {
                int part = (int) Math.min(capacity, bytes - done);
                long header = layout.header(first);
                Pair.copy(host, srcOffset + done, pair.out(), RingLayout.payload(header, part), part);
            } else {
                long left = bytes - done;
                AcceleratorStream stream = own.stream();
                for (long from = srcOffset + done; ; ) {
                    int part = (int) Math.min(capacity, left);
                    stream.copyOut(pair.out(), RingLayout.payload(layout.header(last), part), device, from, part);
                    left -= part;
                    from += part;
                    if (left == 0 || last - first + 1 == BATCH || pair.claim(options.keptFromData()) == 0) {
                        break;
                    }
                    last++;
                }
                waits.await(stream, "copy from the device");
            }
            for (long sequence = first; sequence <= last; sequence++) {
                int part = (int) Math.min(capacity, bytes - done);
                pairs.send(pair, sequence, MessageHeader.PUT, flags, part, offset + done, 0, part, 0);
                pair.putSent(sequence);
                done += part;
            }
        }
        return Operation.COMPLETE;
    }

    /** As {@link #put(int, MemoryKind, long, MemorySegment, DeviceMemory, long, long, long, boolean)}, held aside if large. */
    public Operation put(int target, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device, long srcOffset,
                         long bytes, long threshold) {
        return put(target, kind, offset, host, device, srcOffset, bytes, threshold, true);
    }

    /**
     * Takes memory into which a stream copies the bytes of a put behind its other work; {@link #putStaged} or the port's end takes
     * it back. Null if so many bytes are put in several pieces, which {@link #put} copies beside those that move on, or if no such
     * memory is kept.
     */
    public Temporary stage(long bytes) {
        return rendezvousRequests.stage(bytes);
    }

    /** Puts as {@link #put} the bytes that a stream has copied to the begin of {@code staged}. Complete when it returns. */
    public void putStaged(int target, MemoryKind kind, long offset, Temporary staged, long bytes, long threshold) {
        if (bytes >= threshold) {
            complete(rendezvousRequests.putStaged(waits.awaitQuiet(target), kind, offset, staged, bytes));
            return;
        }
        complete(put(target, kind, offset, staged.memory(), null, 0, bytes, threshold));
        rendezvous.giveBack(staged);
    }

    /**
     * Gets bytes of a rank's segment. The range has been checked.
     *
     * @return the get, complete once the destination holds the bytes
     */
    public Operation get(int target, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device, long dstOffset,
                         long bytes, long threshold) {
        if (bytes == 0) {
            return Operation.COMPLETE;
        }
        Pair pair = waits.awaitQuiet(target);
        if (bytes >= threshold) {
            return rendezvousRequests.get(pair, kind, offset, host, device, dstOffset, bytes);
        }
        awaitRequest(target);
        Request request = requests.begin(target, host, device, dstOffset, bytes);
        int flags = kind == MemoryKind.DEVICE ? MessageHeader.DEVICE : 0;
        int capacity = layout.capacity();
        for (long done = 0; done < bytes; done += capacity) {
            awaitPart(pair);
            long sequence = waits.claim(pair, options.keptFromData());
            pair.getSent();
            pairs.send(pair, sequence, MessageHeader.GET, flags, 0, offset + done, request.id(),
                    Math.min(capacity, bytes - done), done);
        }
        return request;
    }

    /** Sets bytes of a rank's segment. The range has been checked. */
    public void set(int target, MemoryKind kind, long offset, long bytes, byte value) {
        Pair pair = waits.awaitQuiet(target);
        long sequence = waits.claim(pair, options.keptFromData());
        pairs.send(pair, sequence, MessageHeader.SET, kind == MemoryKind.DEVICE ? MessageHeader.DEVICE : 0, 0, offset, 0, bytes,
                value & 0xff);
        pair.putSent(sequence);
    }

    /**
     * Performs an atomic operation on a word of a rank's segment. The word has been checked.
     *
     * @param what    {@link org.pgas4j.AtomicOp#code} and, from bit 8 on, the number of the type
     * @param operand bits, as the comparand
     * @param result  native memory of 8 bytes for the bits that were there; null for none
     * @return the operation, complete once the result is there; at once without one
     */
    public Operation atomic(int target, MemoryKind kind, long offset, int what, long operand, long comparand, MemorySegment result) {
        Pair pair = waits.awaitQuiet(target);
        Request request = null;
        if (result != null) {
            awaitRoomForGet(pair);
            request = requests.begin(target, result, null, 0, Long.BYTES);
        }
        long sequence = waits.claim(pair, options.keptFromData());
        if (request != null) {
            pair.getSent();
        }
        pair.out().set(ValueLayout.JAVA_LONG, RingLayout.payload(layout.header(sequence), Long.BYTES), what);
        pairs.send(pair, sequence, MessageHeader.ATOMIC, kind == MemoryKind.DEVICE ? MessageHeader.DEVICE : 0, Long.BYTES, offset,
                request == null ? 0 : request.id(), operand, comparand);
        pair.putSent(sequence);
        return request == null ? Operation.COMPLETE : request;
    }

    /** Waits until a get may begin that has one part. */
    private void awaitRoomForGet(Pair pair) {
        awaitRequest(pair.peer());
        awaitPart(pair);
    }

    private void awaitRequest(int target) {
        if (requests.isFull()) {
            waits.begin(Requests.ALL_TAKEN, target);
            while (requests.isFull()) {
                waits.pause();
            }
        }
    }

    private void awaitPart(Pair pair) {
        if (pair.gets() == options.maxGets()) {
            waits.begin(tooManyParts, pair.peer());
            while (pair.gets() == options.maxGets()) {
                waits.pause();
            }
        }
    }

    /** True if something sent to a rank may not have taken effect there, so that a notification has to follow it. */
    public boolean hasUnapplied(int target) {
        Pair pair = pairs.known(target);
        return pair != null && (!pair.outbound().isEmpty() || pair.gets() > 0 || pair.lastPut() > pair.consumedByPeer());
    }

    /**
     * Notifies a rank, or one of its blocks, after everything sent to it before. Arguments are {@link
     * NotificationSink}'s.
     */
    public void signal(int target, int block, int tag, int kind, long value) {
        Pair pair = waits.awaitQuiet(target);
        sendNotification(pair, waits.claim(pair, options.keptFromData()), block, tag, kind, value);
    }

    /** Notifies as {@link #signal} if that needs no wait; false, and nothing is sent, if it does. */
    public boolean trySignal(int target, int block, int tag, int kind, long value) {
        Pair pair = pairs.with(target);
        if (!pair.isQuiet()) {
            return false;
        }
        long sequence = pair.claim(options.keptFromData());
        if (sequence == 0) {
            pair.reportNow();
            return false;
        }
        sendNotification(pair, sequence, block, tag, kind, value);
        return true;
    }

    private void sendNotification(Pair pair, long sequence, int block, int tag, int kind, long value) {
        pairs.send(pair, sequence, MessageHeader.NOTIFY, 0, 0, 0, 0, value, tag | kind << 8 | (block + 1L) << 32);
        pair.putSent(sequence);
    }

    /** Largest payload of one message. */
    public int capacity() {
        return layout.capacity();
    }

    /**
     * Sends commands for a rank's blocks, after everything sent to it before, if that needs no wait; false, and nothing
     * is sent, if it does.
     *
     * @param team   number of the blocks
     * @param length up to {@link #capacity}
     */
    public boolean tryCommand(int target, int team, MemorySegment commands, int length) {
        Pair pair = pairs.with(target);
        long sequence = pair.isQuiet() ? pair.claim(options.keptFromData()) : 0;
        if (sequence == 0) {
            pair.reportNow();
            return false;
        }
        Pair.copy(commands, 0, pair.out(), RingLayout.payload(layout.header(sequence), length), length);
        pairs.send(pair, sequence, MessageHeader.BLOCKS, 0, length, 0, 0, length, team);
        pair.putSent(sequence);
        return true;
    }

    /**
     * Makes the pair with a rank if there is none, so that {@link #tryPut} and {@link #trySignal} do not wait for one.
     */
    public void connect(int target) {
        pairs.with(target);
    }

    /**
     * Puts as {@link #put} if that needs no wait for the target; null, and nothing is sent, if it does. A put of more
     * chunks than are copied at a time goes by rendezvous.
     */
    public Operation tryPut(int target, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device, long srcOffset,
                            long bytes, long threshold) {
        Pair pair = pairs.with(target);
        long chunks = Math.ceilDiv(bytes, (long) layout.capacity());
        boolean fits = bytes < threshold && chunks <= Math.min(BATCH, layout.chunks() - options.keptFromData());
        if (!pair.isQuiet() || !(fits ? pair.hasFree(options.keptFromData(), (int) chunks)
                : pair.hasFree(options.keptFromRendezvous(), 1))) {
            pair.reportNow();
            return null;
        }
        return put(target, kind, offset, host, device, srcOffset, bytes, fits ? threshold : 0);
    }

    /**
     * Gets into device memory by rendezvous if that needs no wait for the target; null, and nothing is sent, if it does.
     *
     * @param bytes at least 1
     */
    public Operation tryGet(int target, MemoryKind kind, long offset, DeviceMemory device, long dstOffset, long bytes) {
        Pair pair = pairs.with(target);
        if (!pair.isQuiet() || !pair.hasFree(options.keptFromRendezvous(), 1)) {
            pair.reportNow();
            return null;
        }
        return rendezvousRequests.get(pair, kind, offset, null, device, dstOffset, bytes);
    }

    /** Gives up what is under way with a rank that is lost: it counts as complete, and who waits for it gets an exception. */
    public void lose(int peer) {
        Pair pair = pairs.lose(peer);
        if (pair != null) {
            requests.lose(peer);
            rendezvous.lose(pair);
        }
    }

    // ---- completion

    /**
     * Waits for an operation.
     *
     * @throws org.pgas4j.PeerLostException if it was given up
     */
    public void complete(Operation operation) {
        waits.complete(operation);
    }

    /** Waits until every get has its bytes and every put's source may be used again. */
    public void completeAll() {
        if (requests.underWay() > 0) {
            waits.begin("gets in progress", -1);
            while (requests.underWay() > 0) {
                waits.pause();
            }
        }
        for (Transfer next = rendezvous.incomplete(); next != null; next = rendezvous.incomplete()) {
            waits.complete(next);
        }
    }

    /** True if {@link #completeAll} would not wait. */
    public boolean isAllComplete() {
        return requests.underWay() == 0 && rendezvous.incomplete() == null;
    }

    /** Waits until every put has been applied at its target. */
    public void fence() {
        for (Pair pair : pairs.active()) {
            sendFence(pair);
        }
        for (Pair pair : pairs.active()) {
            awaitApplied(pair);
        }
    }

    /** Waits until every put to a rank has been applied there. */
    public void flush(int target) {
        Pair pair = pairs.known(target);
        if (pair != null) {
            for (Transfer next = rendezvous.incomplete(pair); next != null; next = rendezvous.incomplete(pair)) {
                waits.complete(next);
            }
            sendFence(pair);
            awaitApplied(pair);
        }
    }

    private void sendFence(Pair pair) {
        waits.awaitQuiet(pair.peer());
        if (pair.lastPut() > pair.consumedByPeer()) {
            long sequence = waits.claim(pair, options.keptFromData());
            pairs.send(pair, sequence, MessageHeader.FENCE, 0, 0, 0, 0, 0, 0);
            pair.putSent(sequence);
        }
    }

    private void awaitApplied(Pair pair) {
        if (pair.lastPut() > pair.consumedByPeer() || !pair.outbound().isEmpty()) {
            waits.begin("fence", pair.peer());
            while (pair.lastPut() > pair.consumedByPeer() || !pair.outbound().isEmpty()) {
                waits.pause();
            }
        }
    }

    // ---- serving

    /**
     * Serves everything that can be served without waiting.
     *
     * @param streams  of the calling thread, for device copies
     * @param observer receives the times of requests served; or null
     * @param seenNs   when the caller first saw that something waits; used with an observer
     * @return true if anything was done
     */
    public boolean progress(CopyStreams streams, Observer observer, long seenNs) {
        return server.progress(streams, observer, seenNs);
    }

    /** Sends what completed copies allow, and takes no further message: as {@link #progress} otherwise. */
    public boolean completeCopies(Observer observer) {
        return server.completeCopies(observer);
    }

    /** True if no copy is in flight and no rendezvous is unfinished. */
    public boolean isIdle() {
        return !server.hasInFlight() && rendezvous.isEmpty();
    }

    /** True if started copies are not complete: until they are, no other thread's streams may copy for this port. */
    public boolean hasInFlight() {
        return server.hasInFlight();
    }

    /** True if device copies are under way that need no peer to end: those in flight, and those of rendezvous. */
    public boolean isCopying() {
        return server.isCopying();
    }

    /** New streams, for another thread that serves this port. */
    public CopyStreams newCopyStreams() {
        return new CopyStreams(memory.accelerator(), options.depth());
    }

    /** The rank's own streams. */
    public CopyStreams ownStreams() {
        return own;
    }

    // ---- statistics

    /** Host memory of the rings of all pairs, bytes. */
    public long ringBytes() {
        return pairs.ringBytes();
    }

    /** Number of pairs. */
    public int pairCount() {
        return pairs.active().length;
    }

    /** Number of temporaries acquired so far. */
    public long temporaries() {
        return rendezvous.cache().acquired();
    }

    /** Number of those that were in the cache already. */
    public long cacheHits() {
        return rendezvous.cache().hits();
    }

    /** Bytes of large puts that are held whole until their owners have taken them. */
    public long bufferedBytes() {
        return rendezvous.bufferedBytes();
    }

    /** Number of puts that were held so. */
    public long bufferedPuts() {
        return rendezvous.bufferedPuts();
    }

    /** Bytes of temporaries in the cache. */
    public long cacheBytes() {
        return rendezvous.cache().freeBytes();
    }

    /** Ends the streams and registrations; the conduit frees the memory. No peer may use the port any more. */
    @Override
    public void close() {
        server.close();
        own.close();
        rendezvous.close();
        pairs.close();
    }
}
