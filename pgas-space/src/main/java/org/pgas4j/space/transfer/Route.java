package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.pgas4j.RankCounters;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.fastpath.protocol.Operation;

/**
 * Carries transfers between one kind of a rank's own memory and one kind of a peer's segment: a cell of the {@link RouteTable}.
 * Host code, streams, windows and services start transfers here and nowhere else. Ranges are checked before, and are not empty.
 * Used by the rank's thread, but for {@link #tryPut}.
 */
public abstract sealed class Route permits HostRoute, DeviceRoute, MessageRoute {

    /** Operations of this route; those by rendezvous are counted apart. */
    private OperationCounts counts; // made at the first operation: of the routes to a peer most are never used

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
    }

    /** Counts a get of pieces that is carried out as one operation. */
    final void countGet(long bytes) {
        counts().get(bytes);
    }

    /** Counts an accumulate that is carried out as one operation. */
    final void countAtomic(long bytes) {
        counts().atomic(bytes);
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
    public abstract Operation tryPut(RmaDescriptor what, AcceleratorStream on);

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

    /** One line for people about a transfer of {@code bytes} bytes. */
    abstract String how(long bytes);
}
