package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * One side of a rendezvous. The source side copies pieces into slots, the sink side copies them out; both work at the
 * same time, a few pieces apart. The slots are the requester's: a registered temporary used as a ring, or its own host
 * segment, which holds the bytes already. The owner works on the slots where it can address them (its device copies
 * straight from and to them), else on a temporary of its own, between which and the slots the conduit moves the pieces.
 *
 * <p>Counters only grow. Source: started, copied, moved (at the requester's side), announced; it receives the number
 * that the sink has drained. Sink: it receives the number that are ready; fetching, fetched, started, copied,
 * announced. For the port's current owner.
 */
final class Transfer implements Operation {

    private final boolean source;
    private final boolean requester;
    private final long id;
    private final Pair pair;
    private final MemorySegment host;
    private final DeviceMemory device;
    private final long offset;
    private final long bytes;
    private final long pieceBytes;
    private final int pieces;
    private final AcceleratorStream[] lanes;

    // The requester's slots. depth 0: the bytes are in order from base on.
    private MemorySegment slots;
    private Endpoint remote;
    private long base;
    private int depth;
    private Temporary temporary;
    private Temporary relay;
    private long[] tickets;
    private long bufferedBytes;
    private int piecesAtOnce = Integer.MAX_VALUE;

    private int started;
    private int copied;
    private int moving;
    private int moved;
    private int fetching;
    private int fetched;
    private int announced;
    private int peerPieces; // source: drained by the sink; sink: made ready by the source
    private boolean lost;
    private long sentNs;
    private long seenNs;
    private long startNs;
    private long copiedNs;
    private long tracedNs;

    Transfer(boolean source, boolean requester, long id, Pair pair, MemorySegment host, DeviceMemory device, long offset,
             long bytes, long pieceBytes, AcceleratorStream[] lanes) {
        this.source = source;
        this.requester = requester;
        this.id = id;
        this.pair = pair;
        this.host = host;
        this.device = device;
        this.offset = offset;
        this.bytes = bytes;
        this.pieceBytes = pieceBytes;
        this.pieces = Math.toIntExact(Math.ceilDiv(bytes, pieceBytes));
        this.lanes = lanes;
    }

    /** Sets slots that this side can address. */
    void slots(MemorySegment memory, long start, int count) {
        slots = memory;
        base = start;
        depth = count;
    }

    /**
     * Sets slots that the conduit reaches, and the memory here between which and them it moves pieces; null for the end
     * itself.
     */
    void remoteSlots(Endpoint endpoint, long start, int count, Temporary own, int inFlight) {
        remote = endpoint;
        base = start;
        depth = count;
        relay = own;
        tickets = new long[inFlight];
    }

    /**
     * Marks a put that is held whole: each piece has a slot.
     *
     * @param reserved bytes reserved for that
     * @param atOnce   pieces copied before they are announced, so that the owner copies meanwhile
     */
    void buffered(long reserved, int atOnce) {
        bufferedBytes = reserved;
        piecesAtOnce = atOnce;
    }

    /** Notes that the slots hold all bytes already. */
    void staged() {
        started = pieces;
        copied = pieces;
        moved = pieces;
    }

    /** Bytes reserved for holding the put whole, or 0. */
    long bufferedBytes() {
        return bufferedBytes;
    }

    /** True if the source waits for no slot to become free. */
    boolean hasSlotForEach() {
        return depth >= pieces;
    }

    void temporary(Temporary own) {
        temporary = own;
    }

    Temporary temporary() {
        return temporary;
    }

    Temporary relay() {
        return relay;
    }

    boolean source() {
        return source;
    }

    boolean requester() {
        return requester;
    }

    long id() {
        return id;
    }

    Pair pair() {
        return pair;
    }

    int pieces() {
        return pieces;
    }

    long pieceBytes() {
        return pieceBytes;
    }

    int peerPieces() {
        return peerPieces;
    }

    /** Notes the number of pieces that the peer reports. */
    void peerPieces(int count) {
        peerPieces = Math.max(peerPieces, Math.min(count, pieces));
    }

    int announced() {
        return announced;
    }

    void announced(int count) {
        announced = count;
    }

    /** Number of pieces to report to the peer. */
    int toAnnounce() {
        return source ? moved : copied;
    }

    void observe(long sent, long seen, long start) {
        sentNs = sent;
        seenNs = seen;
        startNs = start;
    }

    /** Sets the begin on the timeline. */
    void traced(long beginNs) {
        tracedNs = beginNs;
    }

    /** Begin on the timeline; 0 if that is off. */
    long tracedNs() {
        return tracedNs;
    }

    long bytes() {
        return bytes;
    }

    boolean observed() {
        return startNs != 0;
    }

    void report(Observer observer, long doneNs) {
        observer.served(sentNs, seenNs, startNs, copiedNs, doneNs);
    }

    /** True if the slots hold the bytes already: nothing is copied on this side. */
    private boolean inPlace() {
        return requester && depth == 0;
    }

    /** Advances as far as possible without waiting; true if anything moved. */
    boolean step() {
        int before = started + copied + moving + moved + fetching + fetched;
        if (source) {
            stepSource();
        } else {
            stepSink();
        }
        if (startNs != 0 && copiedNs == 0 && copied == pieces) {
            copiedNs = System.nanoTime();
        }
        return started + copied + moving + moved + fetching + fetched != before;
    }

    private void stepSource() {
        if (inPlace()) {
            staged();
            return;
        }
        complete();
        int end = (int) Math.min(pieces, (long) started + piecesAtOnce);
        while (started < end && (depth == 0 || started < peerPieces + depth) && mayStart()
                && (remote == null || started < moved + tickets.length)) {
            startOut(started);
            started++;
            complete();
        }
        if (remote == null) {
            moved = copied;
            return;
        }
        while (moving < copied) {
            tickets[moving % tickets.length] = remote.startPut(slot(moving), wire(), wireOffset(moving), size(moving));
            moving++;
        }
        while (moved < moving && remote.isComplete(tickets[moved % tickets.length])) {
            moved++;
        }
    }

    private void stepSink() {
        if (inPlace()) {
            started = peerPieces;
            copied = peerPieces;
            return;
        }
        complete();
        if (remote == null) {
            fetched = peerPieces;
        } else {
            while (fetching < peerPieces && fetching < copied + tickets.length) {
                tickets[fetching % tickets.length] = remote.startGet(wire(), wireOffset(fetching), slot(fetching),
                        size(fetching));
                fetching++;
            }
            while (fetched < fetching && remote.isComplete(tickets[fetched % tickets.length])) {
                fetched++;
            }
        }
        while (started < fetched && mayStart()) {
            startIn(started);
            started++;
            complete();
        }
    }

    /** True if a lane is free: pieces are on lanes in turn, one on each at most. */
    private boolean mayStart() {
        return device == null || started - copied < lanes.length;
    }

    private void complete() {
        if (device == null) {
            copied = started;
            return;
        }
        while (copied < started && lanes[copied % lanes.length].isIdle()) {
            copied++;
        }
    }

    private void startOut(int piece) {
        MemorySegment to = remote == null ? slots : wire();
        long at = remote == null ? slot(piece) : wireOffset(piece);
        if (device != null) {
            AcceleratorStream lane = lanes[piece % lanes.length];
            lane.copyOut(to, at, device, offset + piece * pieceBytes, size(piece));
            lane.expectEnd();
        } else if (remote == null || relay != null) {
            copy(host, offset + piece * pieceBytes, to, at, size(piece));
        }
    }

    private void startIn(int piece) {
        MemorySegment from = remote == null ? slots : wire();
        long at = remote == null ? slot(piece) : wireOffset(piece);
        if (device != null) {
            AcceleratorStream lane = lanes[piece % lanes.length];
            lane.copyIn(device, offset + piece * pieceBytes, from, at, size(piece));
            lane.expectEnd();
        } else if (remote == null || relay != null) {
            copy(from, at, host, offset + piece * pieceBytes, size(piece));
        }
    }

    private void copy(MemorySegment src, long srcOffset, MemorySegment dst, long dstOffset, long size) {
        try {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, size);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(describe() + ": " + HostBuffers.closed(host.byteSize()), e);
        }
    }

    /** Memory here that the conduit reads or writes: the relay, or the end itself, which is registered host memory. */
    private MemorySegment wire() {
        return relay != null ? relay.segment().memory() : host;
    }

    private long wireOffset(int piece) {
        return relay != null ? piece % tickets.length * pieceBytes : offset + piece * pieceBytes;
    }

    private long slot(int piece) {
        return base + (depth == 0 ? piece : piece % depth) * pieceBytes;
    }

    private long size(int piece) {
        return Math.min(pieceBytes, bytes - piece * pieceBytes);
    }

    /** True if a copy of this side's device is under way: it goes on whatever the peer does. */
    boolean isCopying() {
        return copied < started;
    }

    /** True if this side has nothing left to do. */
    boolean isDone() {
        return announced == pieces && (source ? peerPieces == pieces : copied == pieces);
    }

    /** True once this side will send no further message that another one must not overtake. */
    boolean isQuiet() {
        return source ? announced == pieces : isDone();
    }

    /** Gives it up: the other rank is lost. */
    void lose() {
        lost = true;
    }

    @Override
    public boolean isLost() {
        return lost;
    }

    @Override
    public boolean isComplete() {
        if (lost) {
            return true;
        }
        if (source) {
            return inPlace() ? peerPieces == pieces : copied == pieces;
        }
        return copied == pieces;
    }

    @Override
    public String describe() {
        return (source == requester ? "memput" : "memget") + " of " + bytes + " bytes by rendezvous with rank " + pair.peer()
                + ", " + (source ? peerPieces : copied) + " of " + pieces + " pieces are done";
    }
}
