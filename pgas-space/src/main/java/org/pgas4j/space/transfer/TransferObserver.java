package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Lease;

/** Sees one rank's transfers before they start, their ranges checked. Used by the rank's thread. */
public interface TransferObserver {

    /**
     * Reports a use of a shared range.
     *
     * @param lease     allocation that holds it; null if unknown
     * @param offset    byte offset in the shared heap of {@code rank}
     * @param operation name for messages
     */
    void uses(Lease lease, int rank, long offset, long bytes, boolean write, String operation);

    /** Reports an atomic operation before it starts: those that follow it come after this rank. */
    void beforeAtomic(Lease lease, int rank, long offset);

    /** Reports that an atomic operation with a result has completed: this rank comes after those it follows. */
    void afterAtomic(Lease lease, int rank, long offset);

    /** Reports a use of local host memory, which may be a view of shared memory. */
    void usesLocal(MemorySegment memory, long bytes, boolean write, String operation);

    /** Runs transfers that are part of an operation which orders them itself: they are not reported. */
    void suspend(Runnable transfers);
}
