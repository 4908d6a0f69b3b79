package org.pgas4j;

/**
 * Guard words beside a shared allocation, or memory that had been freed, were written to. The message names the allocation, who
 * made and freed it, where, the bytes seen, and who looked; the write came before that look.
 */
public final class OverwrittenMemoryException extends CheckException {

    private static final long serialVersionUID = 1L;

    public OverwrittenMemoryException(String message) {
        super(message);
    }
}
