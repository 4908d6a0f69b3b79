package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.event.GetEvent;
import org.pgas4j.bootstrap.event.PutEvent;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.space.memory.Peer;

/** Host memory to host memory by the conduit: into the mapped segment of a rank of this node, over the network else. */
public final class HostRoute extends Route {

    private final int rank;
    private final Peer peer;
    private final Endpoint endpoint;
    private final long start;
    private final HeldPuts held; // null if puts need no progress of the peer

    /** A route from rank {@code rank} to a peer; large puts wait where the conduit does. */
    public HostRoute(int rank, Peer peer) {
        this(rank, peer, null);
    }

    /** @param held takes large puts that would wait for the peer; null for none */
    HostRoute(int rank, Peer peer, HeldPuts held) {
        super(rank, peer.rank());
        this.rank = rank;
        this.peer = peer;
        this.endpoint = peer.endpoint();
        this.start = peer.heapStart();
        this.held = held != null && endpoint.mapped() == null && endpoint.putsNeedTarget() ? held : null;
    }

    private void write(long offset, MemorySegment src, long srcOffset, long bytes) {
        if (held == null || bytes < HeldPuts.MIN_BYTES || !held.put(endpoint, offset, src, srcOffset, bytes)) {
            endpoint.put(offset, src, srcOffset, bytes);
        }
    }

    /** Puts {@code bytes} bytes; when it returns the source may be used again. Checks both ranges. */
    public void put(SharedPointer dst, MemorySegment src, long bytes) {
        if (!dst.covers(bytes) || bytes > src.byteSize()) {
            checkSlowPath("memput", dst, src, bytes);
        }
        put(dst.addrField(), src, bytes);
    }

    /** Gets {@code bytes} bytes. Checks both ranges. */
    public void get(MemorySegment dst, SharedPointer src, long bytes) {
        if (!src.covers(bytes) || bytes > dst.byteSize()) {
            checkSlowPath("memget", src, dst, bytes);
        }
        get(dst, src.addrField(), bytes);
    }

    /** Throws, unless the pointer has no allocation and its range is inside the segment. */
    private void checkSlowPath(String operation, SharedPointer pointer, MemorySegment local, long bytes) {
        Bounds.check(operation, rank, pointer, bytes, peer.hostBytes());
        Bounds.checkLocal(operation, rank, local, bytes);
    }

    /** As {@link #put(SharedPointer, MemorySegment, long)}, to a checked place in the peer's shared heap. */
    public void put(long offset, MemorySegment src, long bytes) {
        counts().put(bytes);
        if (Trace.isOn()) {
            putTraced(offset, src, bytes);
        } else if (PutEvent.isOn()) {
            putRecorded(offset, src, bytes);
        } else {
            write(start + offset, src, 0, bytes);
        }
    }

    private void putTraced(long offset, MemorySegment src, long bytes) {
        long beginNs = System.nanoTime();
        if (PutEvent.isOn()) {
            putRecorded(offset, src, bytes);
        } else {
            write(start + offset, src, 0, bytes);
        }
        Trace.transfer(TraceKind.PUT, from, to, bytes, label(bytes), beginNs);
    }

    private void putRecorded(long offset, MemorySegment src, long bytes) {
        PutEvent event = new PutEvent();
        event.begin();
        write(start + offset, src, 0, bytes);
        event.commit(rank, peer.rank(), bytes, label(bytes));
    }

    /** As {@link #get(MemorySegment, SharedPointer, long)}, from a checked place in the peer's shared heap. */
    public void get(MemorySegment dst, long offset, long bytes) {
        if (Trace.isOn()) {
            getTraced(dst, offset, bytes);
        } else if (GetEvent.isOn()) {
            getRecorded(dst, offset, bytes);
        } else {
            endpoint.get(dst, 0, start + offset, bytes);
        }
        counts().get(bytes);
    }

    private void getTraced(MemorySegment dst, long offset, long bytes) {
        long beginNs = System.nanoTime();
        if (GetEvent.isOn()) {
            getRecorded(dst, offset, bytes);
        } else {
            endpoint.get(dst, 0, start + offset, bytes);
        }
        Trace.transfer(TraceKind.GET, from, to, bytes, label(bytes), beginNs);
    }

    private void getRecorded(MemorySegment dst, long offset, long bytes) {
        GetEvent event = new GetEvent();
        event.begin();
        endpoint.get(dst, 0, start + offset, bytes);
        event.commit(rank, peer.rank(), bytes, label(bytes));
    }

    @Override
    long put(RmaDescriptor what, AcceleratorStream via) {
        counts().put(what.bytes);
        write(start + what.offset, what.host, what.localOffset, what.bytes);
        return Completions.COMPLETE;
    }

    @Override
    long get(RmaDescriptor what, AcceleratorStream via) {
        counts().get(what.bytes);
        endpoint.get(what.host, what.localOffset, start + what.offset, what.bytes);
        return Completions.COMPLETE;
    }

    @Override
    long set(long offset, long bytes, byte value) {
        counts().set(bytes);
        long beginNs = traceBegin();
        endpoint.fill(start + offset, bytes, value);
        traced(TraceKind.SET, bytes, beginNs);
        return Completions.COMPLETE;
    }

    /** Performs an atomic operation on a checked and aligned word of 8 bytes; returns what was there. */
    public long fetch(long offset, AtomicOp op, long operand, long comparand) {
        counts().atomic(Long.BYTES);
        if (!Trace.isOn()) {
            return apply(offset, ElementType.LONG, op, operand, comparand);
        }
        long beginNs = System.nanoTime();
        long old = apply(offset, ElementType.LONG, op, operand, comparand);
        traced(TraceKind.ATOMIC, Long.BYTES, beginNs);
        return old;
    }

    private long apply(long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        MemorySegment mapped = endpoint.mapped();
        return mapped != null ? AtomicWords.apply(mapped, start + offset, type, op, operand, comparand)
                : EndpointAtomics.apply(endpoint, start + offset, type, op, operand, comparand);
    }

    /** Performs an atomic operation; returns the bits that were there. */
    public long fetch(AtomicRequest what) {
        counts().atomic(what.type.bytes());
        if (!Trace.isOn()) {
            return apply(what.offset, what.type, what.op, what.operand, what.comparand);
        }
        long beginNs = System.nanoTime();
        long old = apply(what.offset, what.type, what.op, what.operand, what.comparand);
        traced(TraceKind.ATOMIC, what.type.bytes(), beginNs);
        return old;
    }

    @Override
    long atomic(AtomicRequest what, MemorySegment result) {
        long old = fetch(what);
        if (result != null) {
            result.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, old);
        }
        return Completions.COMPLETE;
    }

    @Override
    String atomicsBy() {
        return endpoint.mapped() != null ? "this processor, in mapped memory" : "the owner's processor, by the conduit";
    }

    @Override
    Operation tryStartPut(RmaDescriptor what, AcceleratorStream on) {
        counts().servicePut(what.bytes);
        endpoint.put(start + what.offset, what.host, what.localOffset, what.bytes);
        return Operation.COMPLETE;
    }

    @Override
    String label(long bytes) {
        return peer.rank() == rank ? "local" : endpoint.mapped() != null ? "direct-host" : "rdma";
    }

    @Override
    String how(long bytes) {
        return peer.rank() == rank ? "copy inside the rank's memory" : endpoint.mapped() != null ? "copy into the mapped segment"
                : "put and get of the conduit between registered segments" + (held == null ? "" : ", " + held);
    }
}
