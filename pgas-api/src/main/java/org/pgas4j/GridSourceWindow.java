package org.pgas4j;

import java.lang.foreign.MemorySegment;
import org.pgas4j.GridRank.Callers;

/**
 * A window of blocks that counts its notifications by their source: for each block of the communicator and each tag below the number
 * given there is a counter of this window alone, as dCUDA's notifications name window, source and tag. The operations here add to
 * these counters and not to those of {@link GridRank#awaitNotifications}; order and visibility are the same. Operations with a {@link
 * Buffer} are for a {@link GridKernel}.
 *
 * <p>Sources are ranks of the communicator, or {@link #ANY_SOURCE}. A notification is consumed once, whichever wait takes it. Waits
 * for any source take from the blocks in turn, so that a busy one does not hide the others; each looks at a word of each block. Waits
 * end with the launch's deadline; nothing is consumed then. Used by the block's threads, all together, but for those operations that
 * take {@link Callers}. The window lasts for the launch at most.
 */
public interface GridSourceWindow {

    /** In place of a source: whichever it is. */
    int ANY_SOURCE = -1;

    /** Number of the window, for puts and gets that do not count by source ({@link GridRank}). */
    int window();

    /**
     * Writes to the target's part, then counts a notification of {@code tag} there from this block. The source may be reused after
     * {@link GridRank#flush}.
     */
    void putNotify(int target, long offset, MemorySegment src, long bytes, int tag);

    /** As {@link #putNotify(int, long, MemorySegment, long, int)}, from the start of {@code src}. */
    default void putNotify(int target, long offset, Buffer src, long bytes, int tag) {
        putNotify(target, offset, src.inKernel(), bytes, tag);
    }

    /** The same by some threads of the block. */
    default void putNotify(Callers by, int target, long offset, Buffer src, long bytes, int tag) {
        putNotify(target, offset, src, bytes, tag);
    }

    /** Counts a notification at the target, after everything this block sent it before. */
    void signal(int target, int tag);

    /** The same by some threads of the block. */
    default void signal(Callers by, int target, int tag) {
        signal(target, tag);
    }

    /** Notifications of {@code tag} from {@code source}, or from all blocks, that have arrived and are not consumed. */
    long available(int source, int tag);

    /** Consumes {@code count} notifications of {@code tag} from {@code source}, or from all blocks, if there are so many. */
    boolean test(int source, int tag, long count);

    /** Waits for {@code count} notifications of {@code tag} from {@code source}, or from all blocks together; consumes them. */
    void await(int source, int tag, long count);

    /** Waits for a notification of {@code tag} from any block and consumes one; returns its source. */
    int awaitAny(int tag);

    /** As {@link #awaitAny} without a wait: -1 if there is none. */
    int testAny(int tag);

    /**
     * Waits for a notification of {@code tag} from any block and consumes all that are there.
     *
     * @param counts receives their number from each block, from index 0 on; in a {@link GridKernel} memory of the block
     *               ({@link GridRank#sharedLongs})
     * @return number of blocks from which there were some
     */
    int awaitSome(int tag, long[] counts);

    /** Collective: frees the window. What has arrived and is not consumed is lost. */
    void free();
}
