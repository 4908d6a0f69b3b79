package org.pgas4j;

/**
 * Two ranks used the same bytes of shared memory, one of them to write, and nothing that the ranks did orders the two. Thrown at
 * the later of the two, before it is done, or, by ranks outside process 0, where the rank next does something that orders it with
 * others; the message names both, with their lines, and what is missing between them.
 */
public final class DataRaceException extends CheckException {

    private static final long serialVersionUID = 1L;

    public DataRaceException(String message) {
        super(message);
    }
}
