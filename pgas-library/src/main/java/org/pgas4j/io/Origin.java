package org.pgas4j.io;

/** Place from which a seek counts. */
public enum Origin {
    /** The file's start ({@code UPC_SEEK_SET}). */
    START,
    /** The file pointer ({@code UPC_SEEK_CUR}). */
    CURRENT,
    /** The file's end at this moment ({@code UPC_SEEK_END}). */
    END;

    long place(String operation, long offset, long current, SharedFile file) {
        long from = switch (this) {
            case START -> 0;
            case CURRENT -> current;
            case END -> file.size();
        };
        if (offset < -from || offset > Long.MAX_VALUE - from) {
            throw new IndexOutOfBoundsException(operation + " of " + file + ": offset=" + offset + " from " + this + ", " + from
                    + " (expected: " + -from + ".." + (Long.MAX_VALUE - from) + ")");
        }
        return from + offset;
    }
}
