package org.pgas4j;

/**
 * A lock of all ranks, in host memory: fair, one remote write hands it over, and each rank waits at its own memory (Mellor-Crummey and
 * Scott, ACM TOCS 1991). What a holder has put before {@link #unlock()} the next holder reads after {@link #lock()}, as UPC says.
 * It cannot be taken twice by one rank, whose objects of one lock ({@link Locks#lock(long...)}) are the same lock. Used by the rank's
 * thread.
 *
 * <p>A wait ends with the job's timeout, in a {@link PgasTimeoutException} that names the holder or the rank before, and when the job
 * fails, as when the process of the holder is lost. A rank whose program ends while it holds a lock fails, and the job with it.
 */
public interface SharedLock {

    /**
     * Waits for the lock and takes it ({@code upc_lock}). Includes {@link Rank#fence()}: what the rank has started before is
     * complete at its target before the rank has the lock.
     *
     * @return closing it unlocks: for {@code try (Scope _ = lock.lock())}
     * @throws IllegalStateException if this rank has it already
     * @throws StalePointerException if the lock was freed, or is while this rank waits for it
     */
    Scope lock();

    /**
     * Takes the lock if it is free ({@code upc_lock_attempt}), with a fence as {@link #lock()}; never waits for another holder. True
     * if this rank has it now.
     */
    boolean tryLock();

    /**
     * Gives the lock to the rank that waits longest ({@code upc_unlock}). Includes {@link Rank#fence()}.
     *
     * @throws IllegalStateException if this rank does not have it
     * @throws StalePointerException if another rank has freed the lock that this rank had; it has it no more
     */
    void unlock();

    /** True if this rank has it; false once it was freed. */
    boolean isHeld();

    /**
     * Frees its memory ({@code upc_lock_free}), by one rank, once. Any rank may hold the lock, which nobody has any more then: a
     * rank that waits for it, takes it or unlocks it later gets a {@link StalePointerException}.
     *
     * @throws IllegalArgumentException if it was freed
     */
    void free();

    /** Collective, and a barrier as well: frees its memory ({@code upc_all_lock_free}), held or not. */
    void allFree();

    /** The lock as words, for {@link Locks#lock(long...)} of other ranks. */
    long[] words();
}
