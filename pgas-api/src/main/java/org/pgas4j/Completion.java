package org.pgas4j;

/** The point at which an operation of {@link Rma} returns, and the completion its {@link Handle} stands for. */
public enum Completion {
    /** Returns at local completion: the source of a put may be reused, the bytes of a get are there. */
    LOCAL,
    /** Returns when the bytes are at their target as well: every other rank that learns of it sees them. */
    REMOTE,
    /** Returns at once; the handle is complete at local completion. Local memory stays untouched until then. */
    HANDLE,
    /** Returns at once; local completion comes with {@link Rma#syncAll()}. Local memory stays untouched until then. */
    IMPLICIT
}
