package org.pgas4j;

/** A shared pointer was used after its memory had been freed, or after its job; the memory may belong to others by now. */
public final class StalePointerException extends PgasException {

    private static final long serialVersionUID = 1L;

    public StalePointerException(String message) {
        super(message);
    }
}
