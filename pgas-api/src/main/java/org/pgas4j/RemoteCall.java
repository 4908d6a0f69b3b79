package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * A call that was made on another rank and has a result. {@link #sync} waits until the function has run, and throws
 * {@link RemoteCallException} if it has thrown; so does {@link #trySync}. {@link Rma#whenComplete} and {@link Rma#future} take
 * it.
 */
public interface RemoteCall extends Handle {

    /** Result, read only: waits for it as {@link #sync}. It stays good. */
    MemorySegment result();

    /**
     * Result of 8 bytes, little-endian: waits for it as {@link #sync}.
     *
     * @throws IllegalStateException if it has another size
     */
    long longResult();
}
