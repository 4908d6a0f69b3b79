package org.pgas4j.fastpath.conduit;

import java.lang.foreign.MemorySegment;

/**
 * One rank's host segment as this JVM reaches it. Offsets are bytes from the start of the segment; ranges are checked by
 * the caller and by the memory itself. Words are 8 bytes, 8-aligned.
 *
 * <p>Ordering: a put is visible to a thread of the target that has read, with acquire, a word written with
 * {@link #putWordRelease} after it by the same thread.
 */
public interface Endpoint {

    /** Writes to the segment. Local completion at return; remote completion after {@link #flush}. */
    void put(long offset, MemorySegment src, long srcOffset, long bytes);

    /** Reads from the segment; complete at return. */
    void get(MemorySegment dst, long dstOffset, long offset, long bytes);

    /** Sets bytes. Remote completion after {@link #flush}. */
    void fill(long offset, long bytes, byte value);

    /** Writes a word after everything this thread put here before. */
    void putWordRelease(long offset, long value);

    /** Reads a word before everything this thread does after. */
    long getWordAcquire(long offset);

    /** Atomically writes a word if it has the expected value; orders both ways. */
    boolean compareAndSetWord(long offset, long expected, long value);

    /** Completes all puts of the calling thread at the target. */
    void flush();

    /** The segment itself if this JVM can address it, else null. */
    MemorySegment mapped();
}
