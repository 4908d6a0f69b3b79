package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.pgas4j.RankCounters;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.os.trace.TraceKind;

/**
 * Carries transfers between one kind of a rank's own memory and one kind of a peer's segment: a cell of the {@link RouteTable}.
 * Host code, streams, windows and services start transfers here and nowhere else. Ranges are checked before, and are not empty.
 * Used by the rank's thread, but for {@link #tryPut}.
 */
public abstract sealed class Route permits HostRoute, DeviceRoute, MessageRoute {

    /** Rank that starts the transfers. */
    final int from;
    /** Rank that owns the remote memory. */
    final int to;

    /** Operations of this route; those by rendezvous are counted apart. */
    private OperationCounts counts; // made at the first operation: of the routes to a peer most are never used

    Route(int from, int to) {
        this.from = from;
        this.to = to;
    }

    final OperationCounts counts() {
        OperationCounts made = counts;
        return made != null ? made : makeCounts();
    }

    private synchronized OperationCounts makeCounts() {
        if (counts == null) {
            OperationCounts made = new OperationCounts();
            VarHandle.releaseFence(); // pairs with the dependent loads of readers, which are not synchronized
            counts = made;
        }
        return counts;
    }

    /** Adds what {@link #counts} has under the name of a route. */
    final void look(int peer, String route, String reason, List<RankCounters.Traffic> into) {
        OperationCounts made = counts;
        if (made != null) {
            made.look(peer, route, reason, into);
        }
    }

    /** Adds what this route has carried, a line for each operation and size class. Any thread. */
    void look(int peer, List<RankCounters.Traffic> into) {
        look(peer, label(0), "", into);
    }

    /** Counts a put of pieces that is carried out as one operation. */
    final void countPut(long bytes) {
        counts().put(bytes);
        traceStart(TraceKind.PUT, bytes, label(bytes));
    }

    /** Counts a get of pieces that is carried out as one operation. */
    final void countGet(long bytes) {
        counts().get(bytes);
        traceStart(TraceKind.GET, bytes, labelOfGet(bytes));
    }

    /** Counts an accumulate that is carried out as one operation. */
    final void countAtomic(long bytes) {
        counts().atomic(bytes);
        traceStart(TraceKind.ATOMIC, bytes, labelOfWord());
    }

    private void traceStart(TraceKind kind, long bytes, String label) {
        if (Trace.isOn()) {
            Trace.transfer(kind, from, to, bytes, label, System.nanoTime());
        }
    }

    /** Begin of an operation for {@link #traced}: 0 if the timeline is off. */
    static long traceBegin() {
        return Trace.isOn() ? System.nanoTime() : 0;
    }

    /** Adds an atomic operation or a set that has begun at {@code beginNs} to the timeline if that is not 0. */
    final void traced(TraceKind kind, long bytes, long beginNs) {
        if (beginNs != 0) {
            Trace.transfer(kind, from, to, bytes, labelOfWord(), beginNs);
        }
    }

    /**
     * Starts a put.
     *
     * @param via stream of the program, behind whose work the put comes; null for the rank's own
     * @return token for {@link Completions}: local completion
     */
    abstract long put(RmaDescriptor what, AcceleratorStream via);

    /** Starts a get; as {@link #put}. */
    abstract long get(RmaDescriptor what, AcceleratorStream via);

    /** Starts to set bytes of the peer's segment; returns a token as {@link #put}. */
    abstract long set(long offset, long bytes, byte value);

    /**
     * Starts an atomic operation.
     *
     * @param result native memory of 8 bytes for the bits that were there; null for none
     * @return token as {@link #put}: the bits are there
     */
    abstract long atomic(AtomicRequest what, MemorySegment result);

    /** Name of the place where atomic operations are carried out, for people. */
    abstract String atomicsBy();

    /**
     * Starts a put for a service, if that needs no wait. One service at a time, on any thread.
     *
     * @param on idle stream of the service's own, for what a device copies
     * @return completes when the source may be used again, unless {@link #isByDevice}; null if nothing was started
     */
    public final Operation tryPut(RmaDescriptor what, AcceleratorStream on) {
        long beginNs = traceBegin();
        Operation started = tryStartPut(what, on);
        if (beginNs != 0 && started != null) {
            Trace.transfer(TraceKind.PUT, from, to, what.bytes, label(what.bytes), beginNs);
        }
        return started;
    }

    abstract Operation tryStartPut(RmaDescriptor what, AcceleratorStream on);

    /** Adds a put by a device to a graph; it is counted by {@link #launchedPut}. The rank's thread. */
    public final void capturePut(RmaDescriptor what, AcceleratorStream on) {
        ((DeviceRoute) this).queuePut(what, on);
    }

    /** Counts a put of a graph that is launched. The rank's thread. */
    public final void launchedPut(long bytes) {
        countPut(bytes);
    }

    /** True if a device copies by itself: a stream can hold the transfer, and its end is that of the stream's work. */
    public final boolean isByDevice() {
        return this instanceof DeviceRoute;
    }

    /** True if transfers are messages, which the owner of the memory or its helper carries out. */
    final boolean isByMessages() {
        return this instanceof MessageRoute;
    }

    /** Name in tables and results of a put of {@code bytes} bytes. */
    abstract String label(long bytes);

    /** Name of a get of {@code bytes} bytes. */
    String labelOfGet(long bytes) {
        return label(bytes);
    }

    /** Name of an atomic operation and of a set. */
    String labelOfWord() {
        return label(0);
    }

    /** One line for people about a transfer of {@code bytes} bytes. */
    abstract String how(long bytes);
}
