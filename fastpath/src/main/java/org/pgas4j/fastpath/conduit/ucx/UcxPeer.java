package org.pgas4j.fastpath.conduit.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/** The connection of a rank of this JVM to another rank, or to itself. */
final class UcxPeer {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final UcxWorker owner;
    private final long worker;
    private final int to;
    private final MemorySegment failure;
    private final long handle;
    private final List<String> lanes;
    private final boolean overTcp;

    /** Connects. */
    UcxPeer(UcxWorker owner, int to, byte[] address, boolean peerErrors) {
        this.owner = owner;
        this.worker = owner.handle();
        this.to = to;
        this.failure = owner.allocate(Long.BYTES);
        this.handle = Ucp.connect(worker, address, peerErrors, failure.address(), owner.rank(), to);
        this.lanes = Ucp.lanes(handle);
        this.overTcp = !lanes.isEmpty() && lanes.stream().allMatch(lane -> lane.contains(":tcp/"));
    }

    UcxWorker owner() {
        return owner;
    }

    long worker() {
        return worker;
    }

    long handle() {
        return handle;
    }

    int from() {
        return owner.rank();
    }

    int to() {
        return to;
    }

    /** {@link Ucp#lanes} of the connection. */
    List<String> lanes() {
        return lanes;
    }

    /** True if every lane is a tcp connection, whose receiver takes bytes out of the kernel by its own progress. */
    boolean isOverTcp() {
        return overTcp;
    }

    /** The status with which UCX has closed the connection after an error, or 0. */
    long failure() {
        return (long) WORD.getAcquire(failure, 0L);
    }
}
