package org.pgas4j;

/**
 * A function that was called on another rank has thrown. The message has the class and message of what it has thrown, up to 4 KiB, and
 * says if more was cut; the cause has them too, with the stack trace of that rank and its own causes, as far as there is room: the
 * exception itself stays on its rank.
 */
public final class RemoteCallException extends PgasException {

    private static final long serialVersionUID = 1L;

    private final int rank;
    private final String function;

    /**
     * Made by the runtime.
     *
     * @param rank   that ran the function
     * @param thrown copy of what the function has thrown
     */
    public RemoteCallException(String message, int rank, String function, Throwable thrown) {
        super(message, thrown);
        this.rank = rank;
        this.function = function;
    }

    /** The rank that ran the function. */
    public int rank() {
        return rank;
    }

    /** Name of the function. */
    public String function() {
        return function;
    }
}
