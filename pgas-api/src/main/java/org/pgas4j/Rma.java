package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * One-sided transfers with a choice of completion. {@link Rank#memput}, {@link Rank#memget}, {@link Rank#memcpy} and
 * {@link Rank#memset} are the same with {@link Completion#LOCAL}. Nothing is allocated but by {@link Completion#HANDLE}. Used by the
 * rank's thread; ranges are checked as {@link Rank} says.
 */
public interface Rma {

    /**
     * Writes the first {@code bytes} bytes of {@code src} to {@code dst}.
     *
     * @param dst all bytes have affinity to {@code dst.rank()}
     * @return complete for {@link Completion#LOCAL} and {@link Completion#REMOTE}; for {@link Completion#IMPLICIT} a handle of all
     *         implicit operations
     */
    Handle put(SharedPointer dst, MemorySegment src, long bytes, Completion completion);

    /** Writes a buffer of the host or of this rank's device; as {@link #put(SharedPointer, MemorySegment, long, Completion)}. */
    Handle put(SharedPointer dst, Buffer src, Completion completion);

    /** Reads {@code bytes} bytes to the start of {@code dst}; as {@link #put(SharedPointer, MemorySegment, long, Completion)}. */
    Handle get(MemorySegment dst, SharedPointer src, long bytes, Completion completion);

    /** Reads {@code dst.bytes()} bytes; as {@link #put(SharedPointer, MemorySegment, long, Completion)}. */
    Handle get(Buffer dst, SharedPointer src, Completion completion);

    /** Copies between two shared places, either of which may be remote; the ranges must not overlap. */
    Handle copy(SharedPointer dst, SharedPointer src, long bytes, Completion completion);

    /** Sets {@code bytes} bytes to the low 8 bits of {@code value}. */
    Handle set(SharedPointer dst, int value, long bytes, Completion completion);

    /** Completes every implicit operation of this rank locally. */
    void syncAll();

    /** True if every implicit operation of this rank is complete; never blocks. */
    boolean trySyncAll();
}
