package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;

/**
 * A place in a file that one rank reads and writes from on, and that moves behind what it has read or written (an individual file
 * pointer of {@code upc_io}, {@code UPC_INDIVIDUAL_FP}). What fails leaves it where it was; of a transfer that was started, only
 * what fails at the start. Nothing is collective. Used by the rank's thread.
 */
public final class FilePointer {

    private final SharedFile file;
    private long position;

    FilePointer(SharedFile file, long position) {
        this.file = file;
        this.position = position;
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

    /** As {@link SharedFile#readLocalUpTo}; moves behind what it has read, whose number of bytes it returns. */
    public long readUpTo(Buffer dst) {
        long bytes = file.readLocalUpTo(position, dst);
        position += bytes;
        return bytes;
    }

    /**
     * Writes shared memory, this rank alone ({@code upc_all_fwrite_shared} of an individual file pointer): each rank its own
     * elements, or none. It sees what is complete where the elements are; nobody changes them meanwhile.
     *
     * @throws SharedFileException on this rank
     */
    public void write(Elements elements) {
        file.alone("write", position, elements).write(position, elements);
        position += elements.bytes();
    }

    /**
     * Reads into shared memory, this rank alone ({@code upc_all_fread_shared} of an individual file pointer); complete remotely
     * at return.
     *
     * @throws SharedFileException on this rank, also if the file ends before the last element
     */
    public void read(Elements elements) {
        file.alone("read", position, elements).read(position, elements, elements.count());
        position += elements.bytes();
    }

    /**
     * Reads the elements that are before the file's end, as {@link #read(Elements)}; the others keep their values. Moves behind
     * what it has read, whose number of bytes it returns.
     */
    public long readUpTo(Elements elements) {
        long bytes = file.alone("readUpTo", position, elements).readUpTo(position, elements);
        position += bytes;
        return bytes;
    }

    /**
     * Starts a write at this place, as {@link SharedFile#startWriteLocal(long, Buffer)} does, and moves the place at once: the next
     * transfer begins behind this one, complete or not.
     */
    public FileHandle startWrite(Buffer src) {
        return moveBehind(file.startWriteLocal(position, src));
    }

    /** As {@link #startWrite(Buffer)}, of host memory. */
    public FileHandle startWrite(MemorySegment src) {
        return moveBehind(file.startWriteLocal(position, src));
    }

    /**
     * Starts a read at this place, as {@link SharedFile#startReadLocal(long, Buffer)} does; otherwise as {@link
     * #startWrite(Buffer)}.
     */
    public FileHandle startRead(Buffer dst) {
        return moveBehind(file.startReadLocal(position, dst));
    }

    /** As {@link #startRead(Buffer)}, into host memory. */
    public FileHandle startRead(MemorySegment dst) {
        return moveBehind(file.startReadLocal(position, dst));
    }

    /**
     * Starts a read of what is before the file's end, as {@link SharedFile#startReadLocalUpTo} does, and moves the place behind
     * that at once.
     */
    public FileHandle startReadUpTo(Buffer dst) {
        return moveBehind(file.startReadLocalUpTo(position, dst));
    }

    private FileHandle moveBehind(FileHandle started) {
        position += started.bytes();
        return started;
    }

    @Override
    public String toString() {
        return "FilePointer[" + position + " of " + file + "]";
    }
}
