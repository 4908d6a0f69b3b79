package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;

/**
 * One rank's end of a pair: the ring it receives into, and the chunks it sends from, each bound to one chunk of the
 * peer's ring. Where this JVM can address the peer's ring, the chunks it sends from are those very chunks, and sending
 * is publishing. For the port's current owner.
 */
public final class Pair implements AutoCloseable {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Memory of the peer that a rendezvous named. */
    record RemoteRegion(Endpoint endpoint, HostRegistration registration) {
    }

    private final int peer;
    private final RingLayout layout;
    private final int maxUnreported;
    private final Conduit conduit;
    private final MemorySegment in;
    private final Endpoint endpoint;
    private final MemorySegment out;
    private final HostSegment sendRing;
    private final boolean direct;
    private final long orderedBytes;
    private final List<HostRegistration> registrations = new ArrayList<>();
    private final long[] tickets;
    private final long[] flagTickets;
    private final Map<Long, RemoteRegion> regions = new HashMap<>();

    // Receiving: messages up to taken have been read, those up to consumed are applied, those up to written are reported
    // in the credit word.
    private volatile long taken;
    private long consumed;
    private long written;
    private int inFlight;
    private boolean reportNow;
    private Transfer inbound;
    private final BlockSink.Commands commands = new BlockSink.Commands();

    // Sending.
    private long sent;
    private long lastPut;
    private long credit;
    private int gets;
    private final ArrayDeque<Transfer> outbound = new ArrayDeque<>();

    /**
     * @param in       memory of this rank into which the peer sends
     * @param endpoint of the memory of the peer into which this rank sends
     */
    public Pair(int rank, int peer, PortOptions options, Conduit conduit, Accelerator accelerator, HostSegment in,
                Endpoint endpoint) {
        this.peer = peer;
        this.layout = options.ring();
        this.maxUnreported = options.maxUnreported();
        this.conduit = conduit;
        this.in = in.memory();
        this.endpoint = endpoint;
        this.direct = endpoint.mapped() != null;
        this.orderedBytes = endpoint.orderedPutBytes();
        this.sendRing = direct ? null : conduit.create(rank, "send ring", layout.bytes());
        this.out = direct ? endpoint.mapped() : sendRing.memory();
        this.tickets = direct ? null : new long[layout.chunks()];
        this.flagTickets = direct ? null : new long[layout.chunks()];
        registrations.add(accelerator.register(this.in));
        if (out.address() != this.in.address()) {
            registrations.add(accelerator.register(out));
        }
    }

    int peer() {
        return peer;
    }

    MemorySegment in() {
        return in;
    }

    MemorySegment out() {
        return out;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    boolean direct() {
        return direct;
    }

    // ---- receiving

    /** True if a message waits that has not been taken. Any thread; may be out of date at once. */
    boolean hasMessage() {
        long next = taken + 1;
        return RingSlot.sequence(in, layout.header(next) + MessageHeader.SEQUENCE) == next;
    }

    long taken() {
        return taken;
    }

    /**
     * Takes the next message: it is applied already or, if a copy was {@code started}, from its {@link #completed} on.
     */
    void take(boolean started) {
        taken = taken + 1; // one owner at a time writes it
        if (started) {
            inFlight++;
        } else if (inFlight == 0) {
            consumed = taken;
        }
    }

    /** Marks the copy of message {@code sequence} complete; copies complete in order. */
    void completed(long sequence) {
        inFlight--;
        consumed = inFlight == 0 ? taken : sequence;
    }

    int inFlight() {
        return inFlight;
    }

    /** The rendezvous of the peer that is being served, or null; later messages that touch memory wait for its end. */
    Transfer inbound() {
        return inbound;
    }

    void inbound(Transfer transfer) {
        inbound = transfer;
    }

    /** True if messages that touch memory have to wait for the rendezvous before them. */
    boolean isBlocked() {
        return inbound != null;
    }

    /** Progress of the message of blocks' commands at the head of the ring. */
    BlockSink.Commands commands() {
        return commands;
    }

    /** Makes the next {@link #report} write the credit word: the peer waits for it. */
    void reportNow() {
        reportNow = true;
    }

    /**
     * Writes the credit word if the peer waits for it, or if the peer cannot have many chunks left; true if it was
     * written.
     */
    boolean report() {
        // The credit in a header is read when its message is taken, which may be behind one that waits for a chunk: only the
        // credit word is certain to reach the peer.
        if (reportNow ? consumed == written : consumed - written <= maxUnreported) {
            return false;
        }
        reportNow = false;
        written = consumed;
        endpoint.putWordRelease(RingLayout.CREDIT, consumed);
        return true;
    }

    /** Number of messages consumed, for the header of a message. */
    long creditToSend() {
        return consumed;
    }

    // ---- sending

    /** Notes that the peer has consumed this many of the messages sent. */
    void credited(long messages) {
        credit = Math.max(credit, messages);
    }

    /** Number of messages sent that are known to be consumed. */
    long consumedByPeer() {
        credited(RingSlot.sequence(in, RingLayout.CREDIT));
        return credit;
    }

    long sent() {
        return sent;
    }

    /** Number of the last message that changed the peer's memory. */
    long lastPut() {
        return lastPut;
    }

    void putSent(long sequence) {
        lastPut = sequence;
    }

    /** Number of parts of gets sent and not answered. */
    int gets() {
        return gets;
    }

    void getSent() {
        gets++;
    }

    void getAnswered() {
        gets--;
    }

    /** Claims the next chunk if more than {@code reserve} are free; its message's number, or 0. */
    long claim(int reserve) {
        int chunks = layout.chunks();
        if (chunks - (sent - credit) <= reserve && chunks - (sent - consumedByPeer()) <= reserve) {
            return 0;
        }
        if (!direct && !reusable(layout.index(sent + 1))) {
            return 0;
        }
        return ++sent;
    }

    /** True if {@link #claim} would succeed {@code count} times now, one after the other. */
    boolean hasFree(int reserve, int count) {
        int chunks = layout.chunks();
        if (chunks - (sent - credit) < reserve + count && chunks - (sent - consumedByPeer()) < reserve + count) {
            return false;
        }
        for (int i = 1; !direct && i <= count; i++) {
            if (!reusable(layout.index(sent + i))) {
                return false;
            }
        }
        return true;
    }

    private boolean reusable(int chunk) {
        if (tickets[chunk] != 0) {
            if (!endpoint.isComplete(tickets[chunk])) {
                return false;
            }
            tickets[chunk] = 0;
        }
        if (flagTickets[chunk] != 0) {
            if (!endpoint.isComplete(flagTickets[chunk])) {
                return false;
            }
            flagTickets[chunk] = 0;
        }
        return true;
    }

    /** Sends the claimed message with its header at {@code header}. */
    void send(long sequence, long header, int length) {
        long flag = header + MessageHeader.SEQUENCE;
        RingSlot.publish(out, flag, sequence);
        if (direct) {
            return;
        }
        int chunk = layout.index(sequence);
        long start = RingLayout.payload(header, length);
        long bytes = flag + Long.BYTES - start;
        if (bytes <= orderedBytes) {
            tickets[chunk] = endpoint.startPut(start, out, start, bytes);
        } else {
            tickets[chunk] = endpoint.startPut(start, out, start, flag - start);
            endpoint.fence();
            flagTickets[chunk] = endpoint.startPut(flag, out, flag, Long.BYTES);
        }
    }

    /** This rank's rendezvous with the peer that are not done, oldest first. */
    ArrayDeque<Transfer> outbound() {
        return outbound;
    }

    /** True if nothing sent now could overtake the messages of an unfinished rendezvous. */
    boolean isQuiet() {
        Transfer last = outbound.peekLast();
        return last == null || last.isQuiet();
    }

    /** Copies host memory to or from a chunk. */
    static void copy(MemorySegment src, long srcOffset, MemorySegment dst, long dstOffset, long bytes) {
        // One word is one load and one store; the general copy takes several times as long to decide how to move it.
        if (bytes == Long.BYTES) {
            dst.set(LONG, dstOffset, src.get(LONG, srcOffset));
        } else {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
        }
    }

    // ---- memory named by rendezvous

    RemoteRegion region(long id) {
        return regions.get(id);
    }

    void region(long id, RemoteRegion region) {
        regions.put(id, region);
    }

    void forget(long id) {
        RemoteRegion region = regions.remove(id);
        if (region != null) {
            region.registration().close();
            conduit.disconnect(region.endpoint());
        }
    }

    /** Host memory of this end, bytes. */
    long bytes() {
        return in.byteSize() + (sendRing == null ? 0 : sendRing.memory().byteSize());
    }

    @Override
    public void close() {
        regions.values().forEach(region -> region.registration().close());
        registrations.forEach(HostRegistration::close);
    }
}
