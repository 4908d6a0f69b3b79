package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kind;
import org.pgas4j.PgasException;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;

/**
 * One rank's end of all its pairs: sends its puts and gets, and serves those of others. After the RDMA Fastpath and the
 * rendezvous of the GPU-aware multi-threaded UPC runtime (docs/protocol.md).
 *
 * <p>Everything but {@link #offer}, {@link #isActive}, {@link #hasMessage} and {@link #progressConduit} is for the port's owner of the moment: the
 * rank, or a helper on its behalf. Nothing that serves a message waits: what cannot be done yet stays at the head of its
 * ring, and the next call tries again. Messages of one pair take effect in the order they were sent.
 */
public final class Port implements AutoCloseable {

    private static final int REQUESTS = 256;
    private static final int BATCH = 8;
    private static final int PATIENCE = 4096;
    private static final long SLICE_NS = 50_000_000;
    private static final long PAGE = 4096;
    private static final long OVERHEAD_BYTES = 256 * 1024;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int REGION_FIELDS = 4 * Long.BYTES + 3 * Integer.BYTES;
    private static final long OWN_SEGMENT = 0;

    private static final Operation COMPLETE = new Operation() {
        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public String describe() {
            return "complete";
        }
    };

    /** Finds the others. */
    public interface Neighbours {

        /** Makes a pair with a rank; may wait for that rank's JVM, not for the rank. */
        Pair connect(int peer);

        /** The host segment of a rank, registered with this rank's device where it is mapped. */
        Endpoint segment(int peer);

        /** Further memory of a rank. */
        Endpoint memory(int peer, SegmentAddress address);
    }

    private final int rank;
    private final LocalMemory memory;
    private final Conduit conduit;
    private final PortOptions options;
    private final RingLayout layout;
    private final Neighbours neighbours;
    private final Pause pause;
    private final Agent own;
    private final RegistrationCache cache;
    private final Pair[] pairs;
    private final ConcurrentLinkedQueue<Pair> offered = new ConcurrentLinkedQueue<>();
    private final Flights flights = new Flights();
    private final List<Transfer> transfers = new ArrayList<>();
    private final Request[] requests = new Request[REQUESTS];
    private final int[] freeRequests = new int[REQUESTS];
    private int freeRequestCount = REQUESTS;
    private long transferIds;
    private volatile NotificationSink sink = (block, tag, kind, value) -> {
        throw new IllegalStateException("this rank takes no notifications");
    };
    private volatile Pair[] active = new Pair[0];
    private volatile boolean offers;
    private int moves;
    private String waitsFor;
    private int waitsForRank;
    private final Supplier<String> reason = this::describeWait;

    public Port(int rank, int ranks, LocalMemory memory, Conduit conduit, PortOptions options, Neighbours neighbours,
                Pause pause) {
        this.rank = rank;
        this.memory = memory;
        this.conduit = conduit;
        this.options = options;
        this.layout = options.ring();
        this.neighbours = neighbours;
        this.pause = pause;
        this.own = new Agent(memory.accelerator(), options.depth());
        this.cache = new RegistrationCache(rank, conduit, memory.accelerator(), options.cacheBytes());
        this.pairs = new Pair[ranks];
        for (int i = 0; i < REQUESTS; i++) {
            freeRequests[i] = i;
        }
    }

    // ---- pairs

    /** Brings a pair that another rank began; any thread. */
    public void offer(Pair pair) {
        offered.add(pair);
        offers = true;
    }

    /** True if there is anything to progress; any thread. */
    public boolean isActive() {
        return offers || active.length > 0;
    }

    /** True if a message waits to be taken; any thread, a look that may be late. */
    public boolean hasMessage() {
        for (Pair pair : active) {
            if (pair.hasMessage()) {
                return true;
            }
        }
        return offers;
    }

    /** True if {@link #progressConduit} has work to do at times. */
    public boolean needsProgress() {
        return conduit.needsProgress();
    }

    /** Lets the conduit move on; any thread. */
    public boolean progressConduit() {
        return conduit.progress(rank);
    }

    private void adoptOffered() {
        offers = false;
        for (Pair pair = offered.poll(); pair != null; pair = offered.poll()) {
            adopt(pair);
        }
    }

    private void adopt(Pair pair) {
        if (pairs[pair.peer()] == null) {
            pairs[pair.peer()] = pair;
            Pair[] more = java.util.Arrays.copyOf(active, active.length + 1);
            more[active.length] = pair;
            active = more;
        }
    }

    private Pair pair(int peer) {
        if (offers) {
            adoptOffered();
        }
        if (pairs[peer] == null) {
            adopt(neighbours.connect(peer));
        }
        return pairs[peer];
    }

    /** The pair, when nothing sent to it now could overtake the messages of an unfinished rendezvous. */
    private Pair quietPair(int peer) {
        Pair pair = pair(peer);
        Transfer last = pair.outbound().peekLast();
        if (last != null && !last.isQuiet()) {
            begin(last.describe(), peer);
            while (!last.isQuiet()) {
                waitABit();
            }
        }
        return pair;
    }

    // ---- what the rank asks for

    /**
     * Puts bytes into a rank's segment, by fastpath below {@code threshold} bytes and by rendezvous from there on. The
     * range has been checked. The source is host memory, or device memory this rank's device can copy from.
     *
     * @return when its source may be used again
     */
    public Operation put(int target, Kind kind, long offset, MemorySegment host, DeviceMemory device, long srcOffset,
                         long bytes, long threshold) {
        Pair pair = quietPair(target);
        if (bytes >= threshold) {
            return rendezvous(pair, true, kind, offset, host, device, srcOffset, bytes);
        }
        int flags = kind == Kind.DEVICE ? MessageHeader.DEVICE : 0;
        int capacity = layout.capacity();
        for (long done = 0; done < bytes; ) {
            long first = claimForData(pair);
            if (first == 0) {
                // No chunk is free for long: the owner is to fetch the rest when it comes to it.
                return rendezvous(pair, true, kind, offset + done, host, device, srcOffset + done, bytes - done);
            }
            long last = first;
            if (device == null) {
                int part = (int) Math.min(capacity, bytes - done);
                long header = layout.header(first);
                copyHost(host, srcOffset + done, pair.out(), RingLayout.payload(header, part), part);
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
                await(stream, "copy from the device of rank ");
            }
            for (long sequence = first; sequence <= last; sequence++) {
                int part = (int) Math.min(capacity, bytes - done);
                send(pair, sequence, MessageHeader.PUT, flags, part, offset + done, 0, part, 0);
                pair.putSent(sequence);
                done += part;
            }
        }
        return COMPLETE;
    }

    // One word is one load and one store; the general copy takes several times as long to decide how to move it.
    private static void copyHost(MemorySegment src, long srcOffset, MemorySegment dst, long dstOffset, long bytes) {
        if (bytes == Long.BYTES) {
            dst.set(LONG, dstOffset, src.get(LONG, srcOffset));
        } else {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
        }
    }

    /**
     * Gets bytes of a rank's segment. The range has been checked.
     *
     * @return when the destination holds them
     */
    public Operation get(int target, Kind kind, long offset, MemorySegment host, DeviceMemory device, long dstOffset,
                         long bytes, long threshold) {
        Pair pair = quietPair(target);
        if (bytes >= threshold) {
            return rendezvous(pair, false, kind, offset, host, device, dstOffset, bytes);
        }
        Request request = newRequest(target);
        request.begin(target, host, device, dstOffset, bytes, REQUESTS);
        int flags = kind == Kind.DEVICE ? MessageHeader.DEVICE : 0;
        int capacity = layout.capacity();
        for (long done = 0; done < bytes; done += capacity) {
            if (pair.gets() == options.getsAtOnce()) {
                begin("memget: " + pair.gets() + " parts are under way and none is answered", target);
                while (pair.gets() == options.getsAtOnce()) {
                    waitABit();
                }
            }
            long sequence = claim(pair, options.keptFromData());
            pair.getSent();
            send(pair, sequence, MessageHeader.GET, flags, 0, offset + done, request.id(),
                    Math.min(capacity, bytes - done), done);
        }
        return request.operation();
    }

    private Request newRequest(int target) {
        if (freeRequestCount == 0) {
            begin(REQUESTS + " gets are under way and none is answered", target);
            while (freeRequestCount == 0) {
                waitABit();
            }
        }
        int slot = freeRequests[--freeRequestCount];
        if (requests[slot] == null) {
            requests[slot] = new Request(slot);
        }
        return requests[slot];
    }

    /** Sets bytes of a rank's segment. The range has been checked. */
    public void set(int target, Kind kind, long offset, long bytes, byte value) {
        Pair pair = quietPair(target);
        long sequence = claim(pair, options.keptFromData());
        send(pair, sequence, MessageHeader.SET, kind == Kind.DEVICE ? MessageHeader.DEVICE : 0, 0, offset, 0, bytes,
                value & 0xff);
        pair.putSent(sequence);
    }

    // ---- notifications

    /** Says where notifications from others go. Before the first one can come; any thread. */
    public void notifications(NotificationSink to) {
        sink = to;
    }

    /** True if something sent to this rank may not have taken effect there, so that a notification has to follow it. */
    public boolean hasUnapplied(int target) {
        if (offers) {
            adoptOffered();
        }
        Pair pair = pairs[target];
        return pair != null && (!pair.outbound().isEmpty() || pair.gets() > 0 || pair.lastPut() > pair.consumedByPeer());
    }

    /** Notifies a rank, or one of its blocks, after everything sent to it before. Arguments are {@link NotificationSink}'s. */
    public void notify(int target, int block, int tag, int kind, long value) {
        Pair pair = quietPair(target);
        sendNotification(pair, claim(pair, options.keptFromData()), block, tag, kind, value);
    }

    /** As {@link #notify} if that needs no wait; false, and nothing is sent, if it does. */
    public boolean tryNotify(int target, int block, int tag, int kind, long value) {
        Pair pair = pair(target);
        if (!isQuiet(pair)) {
            return false;
        }
        long sequence = pair.claim(options.keptFromData());
        if (sequence == 0) {
            pair.answerNow();
            return false;
        }
        sendNotification(pair, sequence, block, tag, kind, value);
        return true;
    }

    private void sendNotification(Pair pair, long sequence, int block, int tag, int kind, long value) {
        send(pair, sequence, MessageHeader.NOTIFY, 0, 0, 0, 0, value, tag | kind << 8 | (block + 1L) << 32);
        pair.putSent(sequence);
    }

    private static boolean isQuiet(Pair pair) {
        Transfer last = pair.outbound().peekLast();
        return last == null || last.isQuiet();
    }

    /** Makes the pair with a rank if there is none, so that {@link #tryPut} and {@link #tryNotify} do not wait for one. */
    public void connect(int target) {
        pair(target);
    }

    /**
     * As {@link #put} if that needs no wait for the target; null, and nothing is sent, if it does. What takes more chunks than
     * are copied at a time goes by rendezvous.
     */
    public Operation tryPut(int target, Kind kind, long offset, MemorySegment host, DeviceMemory device, long srcOffset,
                            long bytes, long threshold) {
        Pair pair = pair(target);
        long chunks = Math.ceilDiv(bytes, (long) layout.capacity());
        boolean fits = bytes < threshold && chunks <= Math.min(BATCH, layout.chunks() - options.keptFromData());
        if (!isQuiet(pair) || !(fits ? pair.hasFree(options.keptFromData(), (int) chunks)
                : pair.hasFree(options.keptFromRendezvous(), 1))) {
            pair.answerNow();
            return null;
        }
        return put(target, kind, offset, host, device, srcOffset, bytes, fits ? threshold : 0);
    }

    /** Waits for an operation. */
    public void complete(Operation operation) {
        if (!operation.isComplete()) {
            begin(operation.describe(), -1);
            while (!operation.isComplete()) {
                waitABit();
            }
        }
    }

    /** Waits until every get has its bytes and every put's source may be used again. */
    public void completeAll() {
        if (freeRequestCount < REQUESTS) {
            begin(REQUESTS - freeRequestCount + " gets under way", -1);
            while (freeRequestCount < REQUESTS) {
                waitABit();
            }
        }
        for (int i = 0; i < transfers.size(); ) {
            Transfer transfer = transfers.get(i);
            if (transfer.requester() && !transfer.isComplete()) {
                complete(transfer);
                i = 0;
            } else {
                i++;
            }
        }
    }

    /** True if {@link #completeAll} would not wait. */
    public boolean isAllComplete() {
        for (Transfer transfer : transfers) {
            if (transfer.requester() && !transfer.isComplete()) {
                return false;
            }
        }
        return freeRequestCount == REQUESTS;
    }

    /** Waits until every put has been applied at its target. */
    public void fence() {
        for (Pair pair : active) {
            quietPair(pair.peer());
            if (pair.lastPut() > pair.consumedByPeer()) {
                long sequence = claim(pair, options.keptFromData());
                send(pair, sequence, MessageHeader.FENCE, 0, 0, 0, 0, 0, 0);
                pair.putSent(sequence);
            }
        }
        for (Pair pair : active) {
            if (pair.lastPut() > pair.consumedByPeer() || !pair.outbound().isEmpty()) {
                begin("fence", pair.peer());
                while (pair.lastPut() > pair.consumedByPeer() || !pair.outbound().isEmpty()) {
                    waitABit();
                }
            }
        }
    }

    // ---- waiting; the rank's own thread alone does

    private void begin(String what, int peer) {
        waitsFor = what;
        waitsForRank = peer;
        pause.begin();
    }

    private void waitABit() {
        // Now and then also when something moved: it may not be what is waited for, and the deadline is to be seen.
        if (!progress(own, null, 0) || (++moves & 0xff) == 0) {
            pause.pause(reason);
        }
    }

    private String describeWait() {
        return waitsFor + " of rank " + rank + (waitsForRank < 0 ? "" : ", waiting for rank " + waitsForRank);
    }

    private void await(AcceleratorStream stream, String what) {
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

    private long claimForData(Pair pair) {
        long sequence = pair.claim(options.keptFromData());
        if (sequence != 0) {
            return sequence;
        }
        begin("put: none of " + layout.chunks() + " chunks is free", pair.peer());
        for (int i = 0; i < PATIENCE; i++) {
            pair.answerNow();
            if (!progress(own, null, 0)) {
                Thread.onSpinWait();
            }
            sequence = pair.claim(options.keptFromData());
            if (sequence != 0) {
                return sequence;
            }
        }
        return 0;
    }

    private long claim(Pair pair, int reserve) {
        long sequence = pair.claim(reserve);
        if (sequence == 0) {
            begin("message: none of " + layout.chunks() + " chunks is free", pair.peer());
            while ((sequence = pair.claim(reserve)) == 0) {
                pair.answerNow(); // the other may wait for chunks as well
                waitABit();
            }
        }
        return sequence;
    }

    // ---- sending

    private void send(Pair pair, long sequence, int type, int flags, int length, long offset, long request, long bytes,
                      long extra) {
        long header = layout.header(sequence);
        MessageHeader.write(pair.out(), header, type, flags, length, pair.creditToSend(), offset, request, bytes, extra,
                System.nanoTime());
        pair.send(sequence, header, length);
    }

    // ---- rendezvous, the requester's side

    private Operation rendezvous(Pair pair, boolean put, Kind kind, long offset, MemorySegment host, DeviceMemory device,
                                 long localOffset, long bytes) {
        long id = ++transferIds << 1 | (put ? 0 : 1);
        long piece = pieceBytes(bytes);
        Transfer transfer = new Transfer(put, true, id, pair, host, device, localOffset, bytes, piece,
                device == null ? null : own.lanes());
        long inSegment = host == null ? -1 : offsetInSegment(host, localOffset, bytes);
        Temporary temporary = null;
        if (inSegment >= 0) {
            transfer.slots(memory.host(), inSegment, 0);
        } else {
            int depth = Math.min(options.depth(), transfer.pieces());
            temporary = cache.acquire(depth * piece);
            transfer.temporary(temporary);
            transfer.slots(temporary.segment().memory(), 0, depth);
            transfer.step();
        }
        // One piece alone is there before it is offered, if that does not take long: then one message does.
        if (put && transfer.pieces() == 1) {
            for (int i = 0; i < PATIENCE && !transfer.isComplete() && inSegment < 0; i++) {
                transfer.step();
            }
        }
        transfer.step();
        long sequence = claim(pair, options.keptFromRendezvous());
        int length = writeRegion(pair, sequence, temporary, inSegment, piece, transfer);
        int ready = put ? transfer.toAnnounce() : 0;
        transfer.announced(ready);
        send(pair, sequence, put ? MessageHeader.RENDEZVOUS_PUT : MessageHeader.RENDEZVOUS_GET,
                kind == Kind.DEVICE ? MessageHeader.DEVICE : 0, length, offset, id, bytes, ready);
        transfers.add(transfer); // from now on its counts may be sent
        pair.outbound().add(transfer);
        return transfer;
    }

    /**
     * A transfer of n pieces takes the time of its bytes once, of one piece more (nothing overlaps the first and the last),
     * and n times what starting and announcing one costs. That is least at the root of bytes times what could be copied
     * meanwhile, some 256 KiB.
     */
    private long pieceBytes(long bytes) {
        long wanted = Math.min(options.pieceBytes(), Math.max(PAGE, (long) Math.sqrt((double) bytes * OVERHEAD_BYTES)));
        long even = Math.ceilDiv(bytes, Math.ceilDiv(bytes, wanted));
        return Math.min(options.pieceBytes(), Math.ceilDiv(even, PAGE) * PAGE);
    }

    private long offsetInSegment(MemorySegment host, long offset, long bytes) {
        if (!host.isNative()) {
            return -1;
        }
        long at = host.address() + offset - memory.host().address();
        return at >= 0 && at <= memory.host().byteSize() - bytes ? at : -1;
    }

    /** The payload of a rendezvous: where the slots are; the rest of the address the first time only. */
    private int writeRegion(Pair pair, long sequence, Temporary temporary, long inSegment, long piece, Transfer transfer) {
        boolean known = temporary == null || temporary.knownTo().get(pair.peer());
        byte[] path = known ? new byte[0] : temporary.segment().address().path().getBytes(StandardCharsets.US_ASCII);
        byte[] key = known ? new byte[0] : temporary.segment().address().key();
        int length = REGION_FIELDS + path.length + key.length;
        if (length > layout.capacity()) {
            throw new PgasException("the address of registered memory takes " + length + " bytes, a chunk holds "
                    + layout.capacity() + "; raise pgas.fastpath.chunk");
        }
        MemorySegment out = pair.out();
        long at = RingLayout.payload(layout.header(sequence), length);
        out.set(LONG, at, temporary == null ? OWN_SEGMENT : temporary.id());
        out.set(LONG, at + 8, temporary == null ? inSegment : 0);
        out.set(LONG, at + 16, piece);
        out.set(LONG, at + 24, temporary == null ? memory.host().byteSize() : temporary.bytes());
        out.set(INT, at + 32, temporary == null ? 0 : Math.min(options.depth(), transfer.pieces()));
        out.set(INT, at + 36, path.length);
        out.set(INT, at + 40, key.length);
        MemorySegment.copy(path, 0, out, ValueLayout.JAVA_BYTE, at + REGION_FIELDS, path.length);
        MemorySegment.copy(key, 0, out, ValueLayout.JAVA_BYTE, at + REGION_FIELDS + path.length, key.length);
        if (temporary != null) {
            temporary.knownTo().set(pair.peer());
        }
        return length;
    }

    // ---- serving

    /**
     * Serves what can be served without waiting.
     *
     * @param agent    whose streams copy
     * @param observer hears of requests served, or null
     * @param seenNs   when the caller first saw that something waits; used with an observer
     * @return true if anything was done
     */
    public boolean progress(Agent agent, Observer observer, long seenNs) {
        boolean any = conduit.needsProgress() && conduit.progress(rank);
        if (offers) {
            adoptOffered();
            any = true;
        }
        any |= land(observer);
        for (Pair pair : active) {
            any |= receive(pair, agent, observer, seenNs);
        }
        if (!transfers.isEmpty()) {
            any |= stepTransfers(observer);
        }
        return any;
    }

    /** True if nothing that was begun here is unfinished: copies in flight, rendezvous. */
    public boolean isIdle() {
        return flights.isEmpty() && transfers.isEmpty();
    }

    /** True if started copies have not landed: their streams are not to be left to another agent's. */
    public boolean isFlying() {
        return !flights.isEmpty();
    }

    private boolean land(Observer observer) {
        if (flights.isEmpty() || !flights.landed()) {
            return false;
        }
        long copiedNs = observer == null ? 0 : System.nanoTime();
        int count = flights.count();
        for (int i = 0; i < count; i++) {
            Flights.Flight flight = flights.get(i);
            Pair pair = flight.pair;
            pair.landed(flight.sequence);
            switch (flight.what) {
                case Flights.REPLY_OUT -> send(pair, flight.outSequence, MessageHeader.GET_REPLY, flight.flags,
                        flight.length, 0, flight.requestId, flight.length, flight.extra);
                case Flights.REPLY_IN -> arrived(pair, flight.request, flight.requestId, flight.length);
                default -> pair.report();
            }
            if (observer != null && flight.startNs != 0 && flight.what != Flights.REPLY_IN) {
                observer.served(flight.sentNs, flight.seenNs, flight.startNs, copiedNs, System.nanoTime());
            }
        }
        flights.clear();
        for (Pair pair : active) {
            pair.report();
        }
        return true;
    }

    private void arrived(Pair pair, Request request, long id, int bytes) {
        pair.getAnswered();
        if (request.id() != id || bytes > request.remaining()) {
            throw new PgasException("rank " + rank + " got " + bytes + " bytes for request " + id + ", of which "
                    + request.remaining() + " are missing");
        }
        request.arrived(bytes);
        if (request.remaining() == 0) {
            freeRequests[freeRequestCount++] = request.slot();
        }
    }

    private boolean receive(Pair pair, Agent agent, Observer observer, long seenNs) {
        boolean any = false;
        while (true) {
            long next = pair.taken() + 1;
            long header = layout.header(next);
            // acquire: pairs with the release in RingSlot.publish
            if (RingSlot.sequence(pair.in(), header + MessageHeader.SEQUENCE) != next
                    || !take(pair, next, header, agent, observer, seenNs)) {
                break;
            }
            any = true;
        }
        pair.report();
        return any;
    }

    /** Serves one message; false if it has to wait. */
    private boolean take(Pair pair, long sequence, long header, Agent agent, Observer observer, long seenNs) {
        MemorySegment in = pair.in();
        int type = MessageHeader.type(in, header);
        int length = MessageHeader.length(in, header);
        boolean toDevice = (MessageHeader.flags(in, header) & MessageHeader.DEVICE) != 0;
        if (MessageHeader.version(in, header) != MessageHeader.VERSION || length < 0 || length > layout.capacity()) {
            throw violation(pair, sequence, type, "version " + MessageHeader.version(in, header) + ", length " + length);
        }
        pair.credited(MessageHeader.field(in, header, MessageHeader.CREDIT));
        return switch (type) {
            case MessageHeader.PUT -> takePut(pair, sequence, header, toDevice, length, agent, observer, seenNs);
            case MessageHeader.GET -> takeGet(pair, sequence, header, toDevice, agent, observer, seenNs);
            case MessageHeader.GET_REPLY -> takeReply(pair, sequence, header, length, agent);
            case MessageHeader.SET -> takeSet(pair, sequence, header, toDevice, agent);
            case MessageHeader.FENCE -> takeFence(pair);
            case MessageHeader.RENDEZVOUS_PUT, MessageHeader.RENDEZVOUS_GET ->
                    takeRendezvous(pair, sequence, header, type, toDevice, length, agent, observer, seenNs);
            case MessageHeader.READY, MessageHeader.DONE -> takeCount(pair, sequence, header, type);
            case MessageHeader.FORGET -> takeForget(pair, header);
            case MessageHeader.NOTIFY -> takeNotification(pair, sequence, header);
            default -> throw violation(pair, sequence, type, "unknown type");
        };
    }

    private PgasException violation(Pair pair, long sequence, int type, String what) {
        return new PgasException("protocol violation: rank " + rank + " got message " + sequence + " of type " + type
                + " from rank " + pair.peer() + ": " + what);
    }

    /** True if messages that touch memory have to wait for the rendezvous before them. */
    private static boolean isBlocked(Pair pair) {
        return pair.inbound() != null;
    }

    private void check(Pair pair, long sequence, int type, boolean onDevice, long offset, long bytes) {
        long size = onDevice ? memory.deviceBytes() : memory.hostBytes();
        if (bytes < 0 || offset < 0 || offset > size - bytes) {
            throw violation(pair, sequence, type, "out of bounds: kind=" + (onDevice ? Kind.DEVICE : Kind.HOST) + " offset="
                    + offset + " length=" + bytes + " segmentBytes=" + size);
        }
    }

    private boolean takePut(Pair pair, long sequence, long header, boolean toDevice, int length, Agent agent,
                            Observer observer, long seenNs) {
        if (isBlocked(pair)) {
            return false;
        }
        MemorySegment in = pair.in();
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        check(pair, sequence, MessageHeader.PUT, toDevice, offset, length);
        long payload = RingLayout.payload(header, length);
        if (!toDevice) {
            if (pair.inFlight() > 0) {
                return false;
            }
            long startNs = observer == null ? 0 : System.nanoTime();
            copyHost(in, payload, memory.host(), memory.heapStart() + offset, length);
            long sentNs = MessageHeader.field(in, header, MessageHeader.SENT);
            pair.take(false);
            observeAtOnce(observer, sentNs, seenNs, startNs);
            return true;
        }
        AcceleratorStream stream = agent.stream();
        if (!flights.accepts(stream)) {
            return false;
        }
        stream.copyIn(memory.device(), memory.deviceOffset() + offset, in, payload, length);
        fly(pair, sequence, header, stream, Flights.PUT, observer, seenNs);
        return true;
    }

    private Flights.Flight fly(Pair pair, long sequence, long header, AcceleratorStream stream, int what, Observer observer,
                               long seenNs) {
        Flights.Flight flight = flights.add(stream, what, pair, sequence);
        if (observer != null) {
            flight.sentNs = MessageHeader.field(pair.in(), header, MessageHeader.SENT);
            flight.seenNs = seenNs;
            flight.startNs = System.nanoTime();
        }
        pair.take(true);
        return flight;
    }

    private static void observeAtOnce(Observer observer, long sentNs, long seenNs, long startNs) {
        if (observer != null) {
            long nowNs = System.nanoTime();
            observer.served(sentNs, seenNs, startNs, nowNs, nowNs);
        }
    }

    private boolean takeGet(Pair pair, long sequence, long header, boolean fromDevice, Agent agent, Observer observer,
                            long seenNs) {
        MemorySegment in = pair.in();
        AcceleratorStream stream = fromDevice ? agent.stream() : null;
        if (isBlocked(pair) || fromDevice && !flights.accepts(stream) || !fromDevice && pair.inFlight() > 0) {
            return false;
        }
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        long bytes = MessageHeader.field(in, header, MessageHeader.SIZE);
        long request = MessageHeader.field(in, header, MessageHeader.REQUEST);
        long extra = MessageHeader.field(in, header, MessageHeader.EXTRA);
        check(pair, sequence, MessageHeader.GET, fromDevice, offset, bytes);
        if (bytes > layout.capacity()) {
            throw violation(pair, sequence, MessageHeader.GET, "wants " + bytes + " bytes, a chunk holds "
                    + layout.capacity());
        }
        int length = (int) bytes;
        long answer = pair.claim(options.keptFromAnswers());
        if (answer == 0) {
            // It keeps chunks for this, but hears of consumed ones late; so may the other: it is told now.
            pair.answerNow();
            return false;
        }
        long payload = RingLayout.payload(layout.header(answer), length);
        if (fromDevice) {
            stream.copyOut(pair.out(), payload, memory.device(), memory.deviceOffset() + offset, length);
            Flights.Flight flight = fly(pair, sequence, header, stream, Flights.REPLY_OUT, observer, seenNs);
            flight.outSequence = answer;
            flight.length = length;
            flight.flags = 0;
            flight.requestId = request;
            flight.extra = extra;
            return true;
        }
        long startNs = observer == null ? 0 : System.nanoTime();
        copyHost(memory.host(), memory.heapStart() + offset, pair.out(), payload, length);
        long sentNs = MessageHeader.field(in, header, MessageHeader.SENT);
        pair.take(false);
        send(pair, answer, MessageHeader.GET_REPLY, 0, length, 0, request, length, extra);
        observeAtOnce(observer, sentNs, seenNs, startNs);
        return true;
    }

    private boolean takeReply(Pair pair, long sequence, long header, int length, Agent agent) {
        MemorySegment in = pair.in();
        long id = MessageHeader.field(in, header, MessageHeader.REQUEST);
        long place = MessageHeader.field(in, header, MessageHeader.EXTRA);
        Request request = requests[(int) Math.floorMod(id, (long) REQUESTS)];
        if (request == null || request.id() != id || place < 0 || place > request.bytes() - length) {
            throw violation(pair, sequence, MessageHeader.GET_REPLY, "no such request: " + id + ", place " + place
                    + ", length " + length);
        }
        long payload = RingLayout.payload(header, length);
        if (request.device() == null) {
            copyHost(in, payload, request.host(), request.offset() + place, length);
            pair.take(false);
            arrived(pair, request, id, length);
            return true;
        }
        AcceleratorStream stream = agent.stream();
        if (!flights.accepts(stream)) {
            return false;
        }
        stream.copyIn(request.device(), request.offset() + place, in, payload, length);
        Flights.Flight flight = flights.add(stream, Flights.REPLY_IN, pair, sequence);
        flight.request = request;
        flight.requestId = id;
        flight.length = length;
        pair.take(true);
        return true;
    }

    private boolean takeSet(Pair pair, long sequence, long header, boolean toDevice, Agent agent) {
        AcceleratorStream stream = toDevice ? agent.stream() : null;
        if (isBlocked(pair) || toDevice && !flights.accepts(stream) || !toDevice && pair.inFlight() > 0) {
            return false;
        }
        MemorySegment in = pair.in();
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        long bytes = MessageHeader.field(in, header, MessageHeader.SIZE);
        byte value = (byte) MessageHeader.field(in, header, MessageHeader.EXTRA);
        check(pair, sequence, MessageHeader.SET, toDevice, offset, bytes);
        if (toDevice) {
            stream.fill(memory.device(), memory.deviceOffset() + offset, bytes, value);
            flights.add(stream, Flights.PUT, pair, sequence);
            pair.take(true);
        } else {
            memory.host().asSlice(memory.heapStart() + offset, bytes).fill(value);
            pair.take(false);
        }
        return true;
    }

    private boolean takeFence(Pair pair) {
        if (isBlocked(pair) || pair.inFlight() > 0) {
            return false;
        }
        pair.take(false);
        pair.answerNow();
        return true;
    }

    private boolean takeNotification(Pair pair, long sequence, long header) {
        if (isBlocked(pair) || pair.inFlight() > 0) {
            return false;
        }
        long extra = MessageHeader.field(pair.in(), header, MessageHeader.EXTRA);
        int tag = (int) (extra & 0xff);
        int kind = (int) (extra >>> 8 & 0xffffff);
        int block = (int) (extra >>> 32) - 1;
        if (kind != NotificationSink.COUNTER && kind != NotificationSink.VALUE || block < NotificationSink.RANK) {
            throw violation(pair, sequence, MessageHeader.NOTIFY, "kind " + kind + ", block " + block);
        }
        boolean taken;
        try {
            taken = sink.notify(block, tag, kind, MessageHeader.field(pair.in(), header, MessageHeader.SIZE));
        } catch (IllegalStateException e) {
            throw violation(pair, sequence, MessageHeader.NOTIFY, "block " + block + ", tag " + tag + ": " + e.getMessage());
        }
        if (taken) {
            pair.take(false);
        }
        return taken;
    }

    private boolean takeForget(Pair pair, long header) {
        if (isBlocked(pair)) {
            return false;
        }
        pair.forget(MessageHeader.field(pair.in(), header, MessageHeader.EXTRA));
        pair.take(false);
        return true;
    }

    // ---- rendezvous, the owner's side, and what both sides hear

    private boolean takeRendezvous(Pair pair, long sequence, long header, int type, boolean onDevice, int length,
                                   Agent agent, Observer observer, long seenNs) {
        if (isBlocked(pair) || pair.inFlight() > 0) {
            return false;
        }
        MemorySegment in = pair.in();
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        long bytes = MessageHeader.field(in, header, MessageHeader.SIZE);
        long id = MessageHeader.field(in, header, MessageHeader.REQUEST);
        int ready = (int) MessageHeader.field(in, header, MessageHeader.EXTRA);
        check(pair, sequence, type, onDevice, offset, bytes);
        long at = RingLayout.payload(header, length);
        if (length < REGION_FIELDS) {
            throw violation(pair, sequence, type, "address of " + length + " bytes");
        }
        long region = in.get(LONG, at);
        long base = in.get(LONG, at + 8);
        long piece = in.get(LONG, at + 16);
        long size = in.get(LONG, at + 24);
        int depth = in.get(INT, at + 32);
        int pathLength = in.get(INT, at + 36);
        int keyLength = in.get(INT, at + 40);
        long needed = depth == 0 ? bytes : depth * piece;
        if (piece <= 0 || piece > 1L << 30 || depth < 0 || depth > 1024 || base < 0 || bytes <= 0 || needed < 0
                || base > size - needed || pathLength < 0 || keyLength < 0 || pathLength > length || keyLength > length
                || REGION_FIELDS + pathLength + keyLength != length) {
            throw violation(pair, sequence, type, "slots: piece=" + piece + " depth=" + depth + " base=" + base + " size="
                    + size + " path=" + pathLength + " key=" + keyLength);
        }
        Endpoint endpoint = region == OWN_SEGMENT ? neighbours.segment(pair.peer())
                : remote(pair, sequence, region, size, at, pathLength, keyLength);
        boolean put = type == MessageHeader.RENDEZVOUS_PUT;
        Transfer transfer = new Transfer(!put, false, id, pair, onDevice ? null : memory.host(),
                onDevice ? memory.device() : null, (onDevice ? memory.deviceOffset() : memory.heapStart()) + offset, bytes,
                piece, onDevice ? agent.lanes() : null);
        if (endpoint.mapped() != null) {
            transfer.slots(endpoint.mapped(), base, depth);
        } else {
            int relayed = Math.min(options.depth(), transfer.pieces());
            transfer.remoteSlots(endpoint, base, depth, onDevice ? cache.acquire(relayed * piece) : null, relayed);
        }
        transfer.others(put ? ready : 0);
        if (observer != null) {
            transfer.observe(MessageHeader.field(in, header, MessageHeader.SENT), seenNs, System.nanoTime());
        }
        pair.inbound(transfer);
        pair.take(false);
        transfers.add(transfer);
        transfer.step();
        return true;
    }

    private Endpoint remote(Pair pair, long sequence, long region, long size, long at, int pathLength, int keyLength) {
        Pair.RemoteRegion known = pair.region(region);
        if (known == null) {
            byte[] path = new byte[pathLength];
            byte[] key = new byte[keyLength];
            MemorySegment.copy(pair.in(), ValueLayout.JAVA_BYTE, at + REGION_FIELDS, path, 0, pathLength);
            MemorySegment.copy(pair.in(), ValueLayout.JAVA_BYTE, at + REGION_FIELDS + pathLength, key, 0, keyLength);
            if (pathLength == 0 && keyLength == 0) {
                throw violation(pair, sequence, MessageHeader.RENDEZVOUS_PUT, "temporary " + region + " is not known");
            }
            Endpoint endpoint = neighbours.memory(pair.peer(), new SegmentAddress(
                    new String(path, StandardCharsets.US_ASCII), size, key));
            MemorySegment mapped = endpoint.mapped();
            HostRegistration registration = memory.accelerator().register(mapped == null ? MemorySegment.NULL : mapped);
            known = new Pair.RemoteRegion(endpoint, registration);
            pair.region(region, known);
        }
        return known.endpoint();
    }

    private boolean takeCount(Pair pair, long sequence, long header, int type) {
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
            throw violation(pair, sequence, type, "no such rendezvous: " + id);
        }
        transfer.others(count);
        pair.take(false);
        return true;
    }

    private boolean stepTransfers(Observer observer) {
        boolean any = false;
        for (int i = 0; i < transfers.size(); ) {
            Transfer transfer = transfers.get(i);
            any |= transfer.step();
            any |= announce(transfer);
            if (transfer.isDone()) {
                end(transfer, observer);
                transfers.remove(i);
                any = true;
            } else {
                i++;
            }
        }
        return any;
    }

    private boolean announce(Transfer transfer) {
        int count = transfer.toAnnounce();
        if (count == transfer.announced()
                || !transfer.source() && count < transfer.pieces() && transfer.pieces() <= options.depth()) {
            return false;
        }
        Pair pair = transfer.pair();
        long sequence = pair.claim(0);
        if (sequence == 0) {
            pair.answerNow();
            return false;
        }
        transfer.announced(count);
        if (transfer.source() && !transfer.requester() && !pair.direct()) {
            pair.endpoint().fence(); // the pieces, then the word that they are there
        }
        send(pair, sequence, transfer.source() ? MessageHeader.READY : MessageHeader.DONE, 0, 0, 0, transfer.id(), 0, count);
        return true;
    }

    private void end(Transfer transfer, Observer observer) {
        Pair pair = transfer.pair();
        if (transfer.requester()) {
            pair.outbound().remove(transfer);
        } else {
            pair.inbound(null);
            if (observer != null && transfer.observed()) {
                transfer.report(observer, System.nanoTime());
            }
        }
        for (Temporary temporary : new Temporary[] {transfer.temporary(), transfer.relay()}) {
            if (temporary != null) {
                cache.giveBack(temporary);
            }
        }
        for (Temporary old = cache.evict(); old != null && forget(old); old = cache.evict()) {
            // as many as do not fit
        }
    }

    /** Tells everybody who knows a temporary that it goes, and frees it; false if there is no chunk to say so now. */
    private boolean forget(Temporary temporary) {
        for (int peer = temporary.knownTo().nextSetBit(0); peer >= 0; peer = temporary.knownTo().nextSetBit(peer + 1)) {
            Pair pair = pairs[peer];
            long sequence = pair.claim(0);
            if (sequence == 0) {
                cache.keep(temporary);
                return false;
            }
            send(pair, sequence, MessageHeader.FORGET, 0, 0, 0, 0, 0, temporary.id());
            temporary.knownTo().clear(peer);
        }
        cache.free(temporary);
        return true;
    }

    // ---- figures

    /** Host memory of the rings of all pairs, bytes. */
    public long ringBytes() {
        long bytes = 0;
        for (Pair pair : active) {
            bytes += pair.bytes();
        }
        return bytes;
    }

    /** Pairs that have talked. */
    public int pairCount() {
        return active.length;
    }

    /** Temporaries asked for. */
    public long temporaries() {
        return cache.acquired();
    }

    /** Temporaries that were there already. */
    public long cacheHits() {
        return cache.hits();
    }

    /** Bytes of temporaries kept for later. */
    public long cacheBytes() {
        return cache.freeBytes();
    }

    /** Streams for another thread that serves this port. */
    public Agent newAgent() {
        return new Agent(memory.accelerator(), options.depth());
    }

    /** The rank's own streams. */
    public Agent ownAgent() {
        return own;
    }

    /** Ends the streams and registrations; the conduit frees the memory. Nothing may be in flight. */
    @Override
    public void close() {
        own.close();
        cache.close();
        for (Pair pair : active) {
            pair.close();
        }
    }
}
