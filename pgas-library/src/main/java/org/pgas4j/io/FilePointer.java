package org.pgas4j.io;

import org.pgas4j.Buffer;

/**
 * A place in a file that one rank reads and writes from on, and that moves behind what it has read or written (an individual file
 * pointer of {@code upc_io}, {@code UPC_INDIVIDUAL_FP}). What fails leaves it where it was. Nothing is collective. Used by the
 * rank's thread.
 */
public final class FilePointer {

    private final SharedFile file;
    private long position;

    FilePointer(SharedFile file) {
        this.file = file;
    }

    /** Bytes from the file's start. */
    public long position() {
        return position;
    }

    /** Sets the place ({@code upc_all_fseek}); it may be behind the file's end. */
    public void seek(Origin origin, long offset) {
        position = origin.place("seek", offset, position, file);
    }

    /** As {@link SharedFile#writeLocal(long, Buffer)}. */
    public void write(Buffer src) {
        file.writeLocal(position, src);
        position += src.bytes();
    }

    /** As {@link SharedFile#readLocal(long, Buffer)}. */
    public void read(Buffer dst) {
        file.readLocal(position, dst);
        position += dst.bytes();
    }

    @Override
    public String toString() {
        return "FilePointer[" + position + " of " + file + "]";
    }
}
