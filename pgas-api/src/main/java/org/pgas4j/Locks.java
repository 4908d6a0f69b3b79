package org.pgas4j;

/** Locks and semaphores of all ranks ({@code upc_lock_t}, Berkeley UPC's semaphores). Used by the rank's thread. */
public interface Locks {

    /** Collective, and a barrier as well ({@code upc_all_lock_alloc}): a free lock, the same on all ranks. */
    SharedLock allAlloc();

    /**
     * A free lock for the caller ({@code upc_global_lock_alloc}), which other ranks make of its {@link SharedLock#words()}.
     *
     * @throws SegmentMemoryException if a host segment has no room for 64 bytes
     */
    SharedLock globalAlloc();

    /**
     * The lock that another rank has passed on.
     *
     * @param words its {@link SharedLock#words()}
     * @throws StalePointerException    if it was freed
     * @throws IllegalArgumentException if the words are no lock's
     */
    SharedLock lock(long... words);

    /**
     * Collective, and a barrier as well: a semaphore.
     *
     * @param home    rank whose memory holds the count; its waits look at home
     * @param initial count, 0 or more, the same on all ranks
     */
    SharedSemaphore allSemaphore(int home, long initial);
}
