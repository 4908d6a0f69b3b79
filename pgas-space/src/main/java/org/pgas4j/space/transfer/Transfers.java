package org.pgas4j.space.transfer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.event.GetEvent;
import org.pgas4j.bootstrap.event.PutEvent;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.os.trace.TraceKind;
import org.pgas4j.space.memory.Peer;

/**
 * One rank's transfers: checks ranges and lets the route of the table carry them. Every method returns a token of
 * {@link Completions}. Used by the rank's thread.
 */
public final class Transfers {

    private final int rank;
    private final RouteTable routes;
    private final Completions completions;
    private final TransferObserver observer;
    private final RmaDescriptor rma = new RmaDescriptor();
    private final AtomicRequest atomic = new AtomicRequest();
    private final MemorySegment fetched = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    /** @param observer of all transfers; null for none */
    public Transfers(int rank, RouteTable routes, Completions completions, TransferObserver observer) {
        this.rank = rank;
        this.routes = routes;
        this.completions = completions;
        this.observer = observer;
    }

    /** Routes of these transfers. */
    public RouteTable routes() {
        return routes;
    }

    /** A rank is lost: it is reached no more, and what is under way by messages with it is given up. */
    public void lose(int target) {
        routes.lose(target);
        completions.lose(target);
    }

    /** Completion of these transfers. */
    public Completions completions() {
        return completions;
    }

    /** True if every transfer has to be reported. */
    boolean isObserved() {
        return observer != null;
    }

    /** Runs transfers that are part of an operation which orders them itself. */
    public void unobserved(Runnable transfers) {
        if (observer == null) {
            transfers.run();
        } else {
            observer.suspend(transfers);
        }
    }

    private void checkShared(String operation, SharedPointer pointer, long bytes) {
        Bounds.checkShared(operation, rank, pointer, routes.peer(pointer.rank()), bytes);
    }

    /**
     * Checks the ranges of a put or get, which is not started.
     *
     * @param operation for the message
     * @throws IndexOutOfBoundsException if one leaves its memory
     */
    public void check(String operation, SharedPointer shared, Buffer local) {
        checkShared(operation, shared, local.bytes());
        rma.remote(shared, local.bytes()).local(operation, rank, local);
    }

    // ---- put

    /** Starts a put from host memory. */
    public long put(SharedPointer dst, MemorySegment src, long bytes) {
        checkShared("memput", dst, bytes);
        Bounds.checkLocal("memput", rank, src, bytes);
        return put(rma.remote(dst, bytes).local(src, 0), null);
    }

    /** Starts a put of a buffer behind the work of {@code via}, or on the rank's own stream if null. */
    public long put(SharedPointer dst, Buffer src, AcceleratorStream via) {
        checkShared("memput", dst, src.bytes());
        return put(rma.remote(dst, src.bytes()).local("memput", rank, src), via);
    }

    /** As {@link #put(SharedPointer, MemorySegment, long)}, from memory that stays as it is until the put is complete. */
    public long putKept(SharedPointer dst, MemorySegment src, long bytes) {
        checkShared("memput", dst, bytes);
        Bounds.checkLocal("memput", rank, src, bytes);
        return put(rma.remote(dst, bytes).local(src, 0).sourceKept(), null);
    }

    /** As {@link #put(SharedPointer, Buffer, AcceleratorStream)}, from a buffer that stays as it is until the put is complete. */
    public long putKept(SharedPointer dst, Buffer src) {
        checkShared("memput", dst, src.bytes());
        return put(rma.remote(dst, src.bytes()).local("memput", rank, src).sourceKept(), null);
    }

    /** Starts a put whose ranges are checked. */
    public long put(RmaDescriptor what, AcceleratorStream via) {
        Route route = routes.route(what);
        if (observer != null && (via == null || what.host != null && what.kind == MemoryKind.HOST)) {
            if (what.host != null) {
                observer.usesLocal(what.host, what.bytes, false, "put");
            }
            observer.uses(what.lease, what.target, what.offset, what.bytes, true, "put");
        }
        return what.bytes == 0 ? Completions.COMPLETE : Trace.isOn() ? putTraced(route, what, via)
                : PutEvent.isOn() ? putRecorded(route, what, via) : route.put(what, via);
    }

    // ---- get

    /** Starts a get to host memory. */
    public long get(MemorySegment dst, SharedPointer src, long bytes) {
        checkShared("memget", src, bytes);
        Bounds.checkLocal("memget", rank, dst, bytes);
        return get(rma.remote(src, bytes).local(dst, 0), null);
    }

    /** Starts a get to a buffer behind the work of {@code via}, or on the rank's own stream if null. */
    public long get(Buffer dst, SharedPointer src, AcceleratorStream via) {
        checkShared("memget", src, dst.bytes());
        return get(rma.remote(src, dst.bytes()).local("memget", rank, dst), via);
    }

    /** Starts a get whose ranges are checked. */
    public long get(RmaDescriptor what, AcceleratorStream via) {
        Route route = routes.route(what);
        if (observer != null && (via == null || what.host != null)) {
            observer.uses(what.lease, what.target, what.offset, what.bytes, false, "get");
            if (what.host != null) {
                observer.usesLocal(what.host, what.bytes, true, "get");
            }
        }
        return what.bytes == 0 ? Completions.COMPLETE : Trace.isOn() ? getTraced(route, what, via)
                : GetEvent.isOn() ? getRecorded(route, what, via) : route.get(what, via);
    }

    // ---- recorded

    private long putTraced(Route route, RmaDescriptor what, AcceleratorStream via) {
        int target = what.target; // the descriptor may hold another transfer by the end of this one
        long bytes = what.bytes;
        long beginNs = System.nanoTime();
        long token = PutEvent.isOn() ? putRecorded(route, what, via) : route.put(what, via);
        Trace.transfer(TraceKind.PUT, rank, target, bytes, route.label(bytes), beginNs);
        return token;
    }

    private long getTraced(Route route, RmaDescriptor what, AcceleratorStream via) {
        int target = what.target;
        long bytes = what.bytes;
        long beginNs = System.nanoTime();
        long token = GetEvent.isOn() ? getRecorded(route, what, via) : route.get(what, via);
        Trace.transfer(TraceKind.GET, rank, target, bytes, route.labelOfGet(bytes), beginNs);
        return token;
    }

    private long putRecorded(Route route, RmaDescriptor what, AcceleratorStream via) {
        int target = what.target;
        long bytes = what.bytes;
        PutEvent event = new PutEvent();
        event.begin();
        long token = route.put(what, via);
        event.commit(rank, target, bytes, route.label(bytes));
        return token;
    }

    private long getRecorded(Route route, RmaDescriptor what, AcceleratorStream via) {
        int target = what.target;
        long bytes = what.bytes;
        GetEvent event = new GetEvent();
        event.begin();
        long token = route.get(what, via);
        event.commit(rank, target, bytes, route.labelOfGet(bytes));
        return token;
    }

    // ---- atomic operations

    /**
     * Starts an atomic operation. To an observer it orders those that follow it, but not this rank, as {@link #fetch} and
     * {@link #start} do.
     *
     * @param result native memory of 8 bytes for the bits that were there; null for none
     */
    public long atomic(SharedPointer word, ElementType type, AtomicOp op, long operand, long comparand, MemorySegment result) {
        checkWord(op, word, type);
        Route route = routes.atomics(word.rank(), word.kind());
        AtomicRequest what = atomic.word(word.rank(), word.kind(), word.addrField(), type).operation(op, operand, comparand);
        if (observer != null) {
            observer.beforeAtomic(PgasUnsafe.lease(word), word.rank(), word.addrField());
        }
        return route.atomic(what, result);
    }

    /**
     * Starts an atomic operation and returns its handle: the rank comes after the operations that this one follows when it knows
     * that this one is complete.
     *
     * @param result native memory of 8 bytes for the bits that were there
     */
    public Handle start(SharedPointer word, ElementType type, AtomicOp op, long operand, long comparand, MemorySegment result) {
        long token = atomic(word, type, op, operand, comparand, result);
        return observer == null ? completions.handle(token) : completions.reporting(token, () -> afterAtomic(word));
    }

    private void afterAtomic(SharedPointer word) {
        observer.afterAtomic(PgasUnsafe.lease(word), word.rank(), word.addrField());
    }

    /** Performs an atomic operation and returns the bits that were there; an int's are extended. */
    public long fetch(SharedPointer word, ElementType type, AtomicOp op, long operand, long comparand) {
        if (observer == null && routes.atomics(word.rank(), word.kind()) instanceof HostRoute host) {
            checkWord(op, word, type);
            return host.fetch(atomic.word(word.rank(), word.kind(), word.addrField(), type).operation(op, operand, comparand));
        }
        completions.finish(atomic(word, type, op, operand, comparand, fetched));
        if (observer != null) {
            afterAtomic(word);
        }
        return fetched.get(ValueLayout.JAVA_LONG, 0);
    }

    /** True if this rank's device has atomic operations on the word, so that a stream can hold them. */
    public boolean hasDeviceAtomics(SharedPointer word) {
        return routes.atomics(word.rank(), word.kind()) instanceof DeviceRoute;
    }

    /**
     * Queues an atomic operation on a word of 8 bytes that this rank's device carries out.
     *
     * @param result 8 bytes of this rank's device; null for none
     */
    public void queueAtomic(SharedPointer word, AtomicOp op, long operand, long comparand, Buffer result, AcceleratorStream via) {
        checkWord(op, word, ElementType.LONG);
        DeviceRoute route = (DeviceRoute) routes.atomics(word.rank(), word.kind());
        route.queueAtomic(atomic.word(word.rank(), word.kind(), word.addrField(), ElementType.LONG).operation(op, operand, comparand),
                result, via);
    }

    /** Throws if a word of 8 bytes is not there any more for {@code op}. */
    public void checkAtomic(SharedPointer word, AtomicOp op) {
        checkWord(op, word, ElementType.LONG);
    }

    private void checkWord(AtomicOp op, SharedPointer word, ElementType type) {
        if (!word.covers(type.bytes())) {
            checkShared("atomic", word, type.bytes());
        }
        if ((word.addrField() & type.bytes() - 1) != 0) {
            throw new IllegalArgumentException("atomic " + op + " of rank " + rank + ": " + word + " is not aligned to the "
                    + type.bytes() + " bytes of " + type);
        }
    }

    // ---- copy and set

    /** Starts to set bytes. */
    public long set(SharedPointer dst, int value, long bytes) {
        checkShared("memset", dst, bytes);
        if (observer != null) {
            observer.uses(rma.remote(dst, bytes).lease, dst.rank(), dst.addrField(), bytes, true, "set");
        }
        return bytes == 0 ? Completions.COMPLETE
                : routes.route(dst.rank(), MemoryKind.HOST, dst.kind()).set(dst.addrField(), bytes, (byte) value);
    }

    /** Starts a copy between two shared places. */
    public long copy(SharedPointer dst, SharedPointer src, long bytes) {
        checkShared("memcpy", dst, bytes);
        checkShared("memcpy", src, bytes);
        if (observer == null) {
            return bytes == 0 ? Completions.COMPLETE : start(dst, src, bytes);
        }
        observer.uses(rma.remote(src, bytes).lease, src.rank(), src.addrField(), bytes, false, "copy");
        observer.uses(rma.remote(dst, bytes).lease, dst.rank(), dst.addrField(), bytes, true, "copy");
        long[] token = new long[1];
        observer.suspend(() -> token[0] = bytes == 0 ? Completions.COMPLETE : start(dst, src, bytes));
        return token[0];
    }

    /** A put where this rank or its device addresses the source, a get where the target is its own, else piece by piece. */
    private long start(SharedPointer dst, SharedPointer src, long bytes) {
        Peer from = routes.peer(src.rank());
        if (src.kind() == MemoryKind.HOST && routes.addressesHost(src.rank())) {
            routes.registerHost(src.rank(), dst.kind());
            return put(rma.remote(dst, bytes).local(from.endpoint().mapped(), from.heapStart() + src.addrField()), null);
        }
        if (src.kind() == MemoryKind.DEVICE && !routes.route(src.rank(), MemoryKind.DEVICE, MemoryKind.DEVICE).isByMessages()) {
            return put(rma.remote(dst, bytes).local(from.device(), from.deviceOffset() + src.addrField()), null);
        }
        if (dst.rank() == rank) {
            Peer own = routes.peer(rank);
            return get(dst.kind() == MemoryKind.HOST
                    ? rma.remote(src, bytes).local(own.endpoint().mapped(), own.heapStart() + dst.addrField())
                    : rma.remote(src, bytes).local(own.device(), own.deviceOffset() + dst.addrField()), null);
        }
        MemorySegment piece = completions.piece();
        for (long done = 0; done < bytes; done += piece.byteSize()) {
            long part = Math.min(piece.byteSize(), bytes - done);
            completions.finish(get(piece, at(src, done), part));
            completions.finish(put(at(dst, done), piece, part));
        }
        return Completions.COMPLETE;
    }

    private static SharedPointer at(SharedPointer pointer, long done) {
        return pointer.cast(0, 1).plus(done);
    }
}
