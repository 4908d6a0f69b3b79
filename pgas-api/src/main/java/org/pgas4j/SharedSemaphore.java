package org.pgas4j;

/**
 * A counting semaphore of all ranks, in host memory ({@code bupc_sem_t}). What a rank has put before {@link #post} is seen by the rank
 * whose wait it ends. Used by the rank's thread.
 */
public interface SharedSemaphore {

    /** Adds {@code count}, 1 or more; never waits for other ranks. Includes {@link Rank#fence()}. */
    void post(long count);

    /**
     * Waits until the count is at least {@code count}, 1 or more, and takes so much.
     *
     * @throws PgasTimeoutException if the job's timeout passes first
     */
    void await(long count);

    /** Takes {@code count} if there is so much; never waits. */
    boolean tryAwait(long count);

    /** Collective, and a barrier as well: frees its memory. */
    void allFree();
}
