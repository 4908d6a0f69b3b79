package org.pgas4j.io;

/**
 * An operation on a file that failed on one rank. All ranks that took part throw it with the same message; on the rank that
 * failed it has the cause. Of several failures that of the lowest rank is reported.
 */
public final class SharedFileException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int rank;
    private final String path;
    private final long offset;

    SharedFileException(int rank, String path, long offset, String message, Throwable cause) {
        super(message, cause);
        this.rank = rank;
        this.path = path;
        this.offset = offset;
    }

    /** The failure of an operation at a place of a file. */
    static SharedFileException of(int rank, String operation, Object path, long offset, String reason, Throwable cause) {
        return new SharedFileException(rank, path.toString(), offset, operation + " of file " + path + " by rank " + rank
                + " at offset " + offset + ": " + reason, cause);
    }

    /** Rank on which it failed. */
    public int rank() {
        return rank;
    }

    /** Path of the file. */
    public String path() {
        return path;
    }

    /** Place in the file, bytes. */
    public long offset() {
        return offset;
    }
}
