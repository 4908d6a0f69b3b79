package org.pgas4j.bootstrap.node;

import java.util.Optional;

/**
 * The segments of a node's ranks, readable by all JVMs of the node. Optional: the authoritative copy goes
 * over the bootstrap, every access ends within 300 ms, and one that cannot be answered is an empty answer. Thread-safe.
 */
public interface NodeDirectory extends AutoCloseable {

    /** Publishes an entry of this JVM; returns false if the directory could not take it in time. */
    boolean publish(SegmentEntry entry);

    /** The entry of a rank's segment, if it is known and the directory answered in time. */
    Optional<SegmentEntry> lookup(int rank, org.pgas4j.MemoryKind kind);

    @Override
    void close();
}
