package org.pgas4j.examples.matmul.io;

/** Called by a reader once it knows a matrix's size and before it allocates anything for it. */
@FunctionalInterface
public interface SizeCheck {

    /** Accepts any size. */
    SizeCheck ANY = (name, rows, columns) -> { };

    /**
     * Returns if the size is acceptable.
     *
     * @param name of the file
     * @throws org.pgas4j.UsageException if it is not
     */
    void check(String name, int rows, int columns);
}
