package org.pgas4j;

/**
 * Which bytes of a source go to which bytes of a destination, for one transfer of many pieces. Offsets count bytes from the first
 * byte of the source buffer or pointer, and of the destination's. Pieces of a destination must not overlap, but for accumulates.
 * Immutable.
 */
public sealed interface Pieces permits Strided, Indexed {

    /** Takes one piece. */
    @FunctionalInterface
    interface Visitor {

        /** A piece of {@code bytes} bytes at these offsets. */
        void piece(long dstOffset, long srcOffset, long bytes);
    }

    /** Number of bytes that are moved. */
    long bytes();

    /** Number of pieces. */
    long count();

    /** Bytes from the start of the destination to the end of its last byte; 0 if nothing is moved. */
    long dstExtent();

    /** Bytes from the start of the source to the end of its last byte; 0 if nothing is moved. */
    long srcExtent();

    /** Calls {@code visitor} with every piece. */
    void forEach(Visitor visitor);
}
