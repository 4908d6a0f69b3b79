package org.pgas4j.fastpath.conduit;

import java.lang.foreign.MemorySegment;

/**
 * Host memory of a rank, as one rank of this JVM reaches it. Offsets are bytes from the start of the memory; ranges are
 * checked by the caller and by the memory itself. Words are 8 bytes, 8-aligned. Calls come from the rank's thread or,
 * one at a time, from a thread that works on its behalf.
 *
 * <p>Ordering: a put is visible to a thread of the target that has read, with acquire, a word written with
 * {@link #putWordRelease} after it through the same endpoint, or through another endpoint of the same rank to the same
 * target.
 */
public interface Endpoint {

    /** Writes to the memory. Local completion at return; remote completion after {@link #flush}. */
    void put(long offset, MemorySegment src, long srcOffset, long bytes);

    /** Reads from the memory; complete at return. */
    void get(MemorySegment dst, long dstOffset, long offset, long bytes);

    /**
     * Starts a put; never blocks. Remote completion after {@link #flush}.
     *
     * @param src native memory; must stay untouched until local completion
     * @return 0 if it is complete locally, else a ticket for {@link #isComplete}
     */
    long startPut(long offset, MemorySegment src, long srcOffset, long bytes);

    /**
     * Starts a get; never blocks.
     *
     * @param dst native memory
     * @return 0 if it is complete, else a ticket for {@link #isComplete}
     */
    long startGet(MemorySegment dst, long dstOffset, long offset, long bytes);

    /** True once the operation is complete, which ends the ticket: it must not be passed again. 0 is complete. */
    boolean isComplete(long ticket);

    /** Sets bytes. Remote completion after {@link #flush}. */
    void fill(long offset, long bytes, byte value);

    /** Orders puts: those started through this endpoint before are visible before those started after. */
    void fence();

    /** Writes a word after all earlier puts of this rank to this target; local completion at return. */
    void putWordRelease(long offset, long value);

    /** Reads a word before all later operations of this thread. */
    long getWordAcquire(long offset);

    /** Atomically writes a word if it has the expected value; orders both ways. */
    boolean compareAndSetWord(long offset, long expected, long value);

    /** Atomically adds to a word and returns what it was; orders both ways. */
    long fetchAndAddWord(long offset, long value);

    /**
     * Largest put whose bytes become visible in the order of their addresses, the last one last: 0 if no order is
     * guaranteed, {@link Long#MAX_VALUE} if it is for any size.
     */
    long orderedPutBytes();

    /** True if a large put is complete locally only with progress of the target's process. */
    default boolean putsNeedTarget() {
        return false;
    }

    /** Completes all puts of the rank through this endpoint at the target. */
    void flush();

    /** The memory itself if this JVM can address it, else null. */
    MemorySegment mapped();
}
