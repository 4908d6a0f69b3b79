package org.pgas4j.fastpath.conduit;

import java.io.IOException;

/**
 * Carries bytes between host segments. The loopback conduit is the reference semantics: what any other conduit does
 * must be indistinguishable from it, speed aside.
 */
public interface Conduit extends AutoCloseable {

    /** Short name for tables and settings. */
    String name();

    /**
     * Makes host memory that other ranks can reach, zero-filled and reserved in full, for one of this JVM's ranks: its
     * segment, a ring, a temporary. Lives until it is released or the conduit is closed.
     *
     * @param purpose for people who look at the memory of the process
     * @throws org.pgas4j.SegmentMemoryException if the machine has not that much memory
     */
    HostSegment create(int rank, String purpose, long bytes);

    /** Frees what {@link #create} made. Nothing may be in flight to or from it. Twice does nothing. */
    void release(HostSegment segment);

    /**
     * Connects rank {@code from} of this JVM to a segment of rank {@code to}, which may be {@code from} itself.
     *
     * @throws IOException if the segment cannot be reached (its process has ended, belongs to another user, is not here)
     */
    Endpoint connect(int from, int to, SegmentAddress address) throws IOException;

    /** Undoes {@link #connect}. Nothing may be in flight. Twice does nothing. */
    void disconnect(Endpoint endpoint);

    /**
     * Moves on what waits for this JVM's rank {@code rank}: its own operations, and on conduits without remote memory
     * access in hardware those of others on its segments. Any thread.
     *
     * @return true if anything moved
     */
    boolean progress(int rank);

    /** True if {@link #progress} has work to do at times; false where memory alone does everything. */
    boolean needsProgress();

    /** What carries the bytes, for {@code --explain}: transports, lanes, error handling. */
    String describe();

    /** Unmaps and frees everything. Nothing may be in flight. */
    @Override
    void close();
}
