package org.pgas4j.fastpath.conduit.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;

/** The UCX worker of one rank of this JVM: its connections, its progress and its waits. Thread-safe. */
final class UcxWorker {

    /** Size of {@link #bounce()}, bytes. */
    static final int BOUNCE_BYTES = 256 << 10;

    private static final int SLOTS = 16;
    private static final int SLOT_BYTES = 64;
    private static final long CHECK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long YIELD_AFTER_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final int rank;
    private final long handle;
    private final byte[] address;
    private final ConduitOptions options;
    private final boolean peerErrors;
    private final boolean fences;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment slots = arena.allocate(SLOTS * SLOT_BYTES, SLOT_BYTES);
    private final long slotsAddress = slots.address();
    private final AtomicIntegerArray taken = new AtomicIntegerArray(SLOTS);
    private final ReentrantLock bounceLock = new ReentrantLock();
    private final Map<String, UcxPeer> peers = new LinkedHashMap<>();
    private MemorySegment bounce;

    /** @param fences as {@link Ucp.Context#fences} */
    UcxWorker(long context, int rank, int addressLimit, boolean peerErrors, boolean fences, ConduitOptions options) {
        this.rank = rank;
        this.options = options;
        this.peerErrors = peerErrors;
        this.fences = fences;
        handle = Ucp.openWorker(context, rank);
        address = Ucp.workerAddress(handle, addressLimit);
    }

    int rank() {
        return rank;
    }

    long handle() {
        return handle;
    }

    byte[] address() {
        return address;
    }

    /** Native memory that lives as long as the worker, zeroed. */
    MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, SLOT_BYTES);
    }

    /** The connection to rank {@code to}'s worker, made at first use. */
    synchronized UcxPeer peer(int to, byte[] theirs) {
        return peers.computeIfAbsent(HexFormat.of().formatHex(theirs), _ -> new UcxPeer(this, to, theirs, peerErrors));
    }

    /** Connections and their lanes, a line each. */
    synchronized void describe(StringBuilder out) {
        for (UcxPeer peer : peers.values()) {
            String line = System.lineSeparator() + "  rank " + rank + " to rank " + peer.to() + ": ";
            peer.lanes().forEach(lane -> out.append(line).append(lane));
            long ordered = orderedPutBytes(peer);
            out.append(line).append(ordered == 0 ? "a message is two writes" : ordered == Long.MAX_VALUE
                    ? "a message is one write" : "a message of up to " + ordered + " bytes is one write, a longer one two");
        }
    }

    /** {@link Endpoint#orderedPutBytes} as far as this process determines it. */
    long orderedPutBytes(UcxPeer peer) {
        // Without fences that order, puts may go several ways.
        return fences ? Math.min(Ucp.orderedPutBytes(), UcxOrder.ofLanes(peer.lanes())) : 0;
    }

    // Words that UCX reads or writes during an operation. A slot whose operation never ends is never given back.

    int takeSlot() {
        for (int i = 0; i < SLOTS; i++) {
            if (taken.getPlain(i) == 0 && taken.compareAndSet(i, 0, 1)) {
                return i;
            }
        }
        throw new IllegalStateException("rank " + rank + " has " + SLOTS + " operations on words in flight at once");
    }

    long slotAddress(int slot) {
        return slotsAddress + (long) slot * SLOT_BYTES;
    }

    /** Frees a slot; returns the word that the operation left in it. */
    long giveBack(int slot) {
        long value = slots.get(ValueLayout.JAVA_LONG, (long) slot * SLOT_BYTES);
        taken.setRelease(slot, 0);
        return value;
    }

    // Native memory for data on the Java heap

    /** Held while {@link #bounce()} is used. */
    ReentrantLock bounceLock() {
        return bounceLock;
    }

    MemorySegment bounce() {
        if (bounce == null) {
            bounce = allocate(BOUNCE_BYTES);
        }
        return bounce;
    }

    // Waiting

    boolean progress() {
        return Ucp.progress(handle);
    }

    /**
     * Waits until a request is complete.
     *
     * @param what names the operation in failures
     */
    void complete(UcxPeer peer, long request, String what) {
        if (request != 0) {
            await(peer, request, what);
        }
    }

    /** Orders puts to the peer started before ahead of the next operation with a fence. */
    void order(UcxPeer peer) {
        if (!fences) {
            complete(peer, Ucp.flush(peer), "fence");
        }
    }

    private void await(UcxPeer peer, long request, String what) {
        long start = System.nanoTime();
        long checked = start;
        while (Ucp.test(peer, request, Ucp.SPINS, what) != 0) {
            long now = System.nanoTime();
            if (now - checked >= CHECK_NS) {
                checked = now;
                options.checkAborted().run();
                if (peer.failure() != 0) {
                    throw Ucp.lost(what, peer);
                }
            }
            if (now - start >= options.timeoutNs()) {
                throw new PgasTimeoutException(what + " of rank " + rank + " waits for rank " + peer.to() + " since "
                        + TimeUnit.NANOSECONDS.toMillis(now - start) + " ms; raise pgas.timeout if that is too short");
            }
            if (now - start >= YIELD_AFTER_NS) {
                Thread.yield();
            }
        }
    }

    // Shutdown

    /** A request of the shutdown, on its connection. */
    record Last(UcxPeer peer, long request) {

        /** True if it is complete or has failed, which ends it. */
        boolean isDone() {
            try {
                return Ucp.test(peer, request, 1, "closing") == 0;
            } catch (PgasException e) {
                return true; // the peer is lost, and with it the operation
            }
        }
    }

    /** Starts to complete the operations in flight. */
    synchronized List<Last> startFlush() {
        return start(Ucp::flush);
    }

    /** Starts to close the connections whose closing takes a request. */
    synchronized List<Last> startDisconnect() {
        return peerErrors ? start(Ucp::disconnect) : List.of();
    }

    private List<Last> start(ToLongFunction<UcxPeer> operation) {
        List<Last> requests = new ArrayList<>();
        for (UcxPeer peer : peers.values()) {
            try {
                long request = operation.applyAsLong(peer);
                if (request != 0) {
                    requests.add(new Last(peer, request));
                }
            } catch (PgasException e) {
                continue; // the peer is lost
            }
        }
        return requests;
    }

    /** Frees everything; operations in flight are lost. */
    void close() {
        Ucp.closeWorker(handle);
        arena.close();
    }
}
