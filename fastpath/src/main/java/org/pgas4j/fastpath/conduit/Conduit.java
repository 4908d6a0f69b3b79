package org.pgas4j.fastpath.conduit;

import java.io.IOException;

/**
 * Carries bytes between host segments. Thread-safe. The loopback conduit is the reference semantics: any other conduit
 * must be indistinguishable from it, speed aside.
 */
public interface Conduit extends AutoCloseable {

    /** Short name, for tables and settings. */
    String name();

    /**
     * Makes host memory that other ranks can reach, zero-filled and reserved in full, for one of this JVM's ranks: its
     * segment, a ring, a temporary. Lives until it is released or the conduit is closed.
     *
     * @param purpose shown in the memory map of the process
     * @throws org.pgas4j.SegmentMemoryException if the machine does not have that much memory
     */
    HostSegment create(int rank, String purpose, long bytes);

    /** Frees memory made by {@link #create}. Nothing may be in flight to or from it. Twice does nothing. */
    void release(HostSegment segment);

    /**
     * Connects rank {@code from} of this JVM to a segment of rank {@code to}, which may be {@code from} itself.
     *
     * @throws IOException if the segment cannot be reached: its process has ended, belongs to another user or is on
     *         another node
     */
    Endpoint connect(int from, int to, SegmentAddress address) throws IOException;

    /** Undoes {@link #connect}. Nothing may be in flight. Twice does nothing. */
    void disconnect(Endpoint endpoint);

    /**
     * Advances the operations of this JVM's rank {@code rank} and, on conduits without remote memory access in
     * hardware, those of other ranks on its segments. Any thread.
     *
     * @return true if anything moved
     */
    boolean progress(int rank);

    /** True if {@link #progress} has work to do at times; false if the conduit is plain memory. */
    boolean needsProgress();

    /** Description for {@code --explain}: transports, lanes, error handling. */
    String describe();

    /** Unmaps and frees everything. Nothing may be in flight. */
    @Override
    void close();
}
