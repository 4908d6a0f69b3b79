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
     * Makes the host segment of one of this JVM's ranks, zero-filled and reserved in full; lives until the conduit is
     * closed.
     *
     * @throws org.pgas4j.SegmentMemoryException if the machine has not that much memory
     */
    HostSegment create(int rank, long bytes);

    /**
     * Connects to the segment of a rank, this JVM's own included. Called once per rank.
     *
     * @throws IOException if the segment cannot be reached (its process has ended, belongs to another user, is not here)
     */
    Endpoint connect(int rank, SegmentAddress address) throws IOException;

    /** Unmaps and frees everything. Nothing may be in flight. */
    @Override
    void close();
}
