package org.pgas4j;

/**
 * A function that was called on another rank has thrown. The cause has the class and message of what it has thrown, and where, as
 * text: the exception itself stays on its rank.
 */
public final class RemoteCallException extends PgasException {

    private static final long serialVersionUID = 1L;

    private final int rank;
    private final String function;

    /**
     * Made by the runtime.
     *
     * @param rank   that ran the function
     * @param thrown what the function has thrown, as text
     */
    public RemoteCallException(String message, int rank, String function, String thrown) {
        super(message, new Thrown(thrown));
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

    /** Text of an exception of another rank. */
    private static final class Thrown extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Thrown(String text) {
            super(text, null, false, false);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }
}
