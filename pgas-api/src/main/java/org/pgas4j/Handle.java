package org.pgas4j;

/**
 * A non-blocking operation in flight. Complete means: for a put, the source may be reused; for a get, the bytes are in the
 * destination. A put's bytes are at the target after {@link Rank#fence()}. Used by the thread that started the operation only.
 */
public interface Handle {

    /**
     * Waits until the operation is complete.
     *
     * @throws PgasTimeoutException if the job's timeout passes first
     */
    void sync();

    /** True once the operation is complete; never blocks. */
    boolean trySync();
}
