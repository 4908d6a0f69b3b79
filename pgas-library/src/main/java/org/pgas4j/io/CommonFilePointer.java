package org.pgas4j.io;

import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Section;

/**
 * A place in a file that all ranks read and write from on together, and that moves behind what they have read or written (the
 * common file pointer of {@code upc_io}, {@code UPC_COMMON_FP}). All methods but {@link #position} are collective; what fails
 * leaves it where it was, on all ranks; of a transfer that was started, only what fails at the start. Used by the rank's thread.
 */
public final class CommonFilePointer {

    private final Rank rank;
    private final SharedFile file;
    private long position; // the same on all ranks, for what moves it is collective

    CommonFilePointer(Rank rank, SharedFile file, long position) {
        this.rank = rank;
        this.file = file;
        this.position = position;
    }

    /** Bytes from the file's start. */
    public long position() {
        return position;
    }

    /** Sets the place ({@code upc_all_fseek}); it may be behind the file's end. */
    public void seek(Origin origin, long offset) {
        Agreement.sameOnAllRanks(rank, "seek", origin.name(), offset);
        position = rank.collectives().broadcast(origin.place("seek", offset, position, file), 0);
    }

    /** As {@link SharedFile#write(long, Elements)}. */
    public void write(Elements elements) {
        file.write(position, elements);
        position += elements.bytes();
    }

    /** As {@link #write(Elements)}. */
    public void write(SharedArray array) {
        write(Elements.of(array));
    }

    /** As {@link #write(Elements)}, without ghost cells. */
    public void write(GlobalArray array) {
        write(Elements.of(array));
    }

    /** As {@link #write(Elements)}. */
    public void write(Section section) {
        write(Elements.of(section));
    }

    /** As {@link SharedFile#read(long, Elements)}. */
    public void read(Elements elements) {
        file.read(position, elements);
        position += elements.bytes();
    }

    /** As {@link #read(Elements)}. */
    public void read(SharedArray array) {
        read(Elements.of(array));
    }

    /** As {@link #read(Elements)}; ghost cells keep their values. */
    public void read(GlobalArray array) {
        read(Elements.of(array));
    }

    /** As {@link #read(Elements)}. */
    public void read(Section section) {
        read(Elements.of(section));
    }

    /** As {@link SharedFile#readUpTo}; moves behind what it has read, whose number of bytes it returns. */
    public long readUpTo(Elements elements) {
        long bytes = file.readUpTo(position, elements);
        position += bytes;
        return bytes;
    }

    /**
     * Starts a write of all elements at this place, as {@link SharedFile#startWrite(long, Elements)} does, and moves the place at
     * once, on all ranks: the next transfer begins behind this one, complete or not.
     */
    public FileHandle startWrite(Elements elements) {
        FileHandle handle = file.startWrite(position, elements);
        position += elements.bytes();
        return handle;
    }

    /**
     * Starts a read of all elements at this place, as {@link SharedFile#startRead(long, Elements)} does; otherwise as {@link
     * #startWrite}.
     */
    public FileHandle startRead(Elements elements) {
        FileHandle handle = file.startRead(position, elements);
        position += elements.bytes();
        return handle;
    }

    /**
     * Starts a read of the elements that are before the file's end, as {@link SharedFile#startReadUpTo} does, and moves the place
     * behind them at once; otherwise as {@link #startWrite}.
     */
    public FileHandle startReadUpTo(Elements elements) {
        FileHandle handle = file.startReadUpTo(position, elements);
        position += handle.bytes();
        return handle;
    }

    @Override
    public String toString() {
        return "CommonFilePointer[" + position + " of " + file + "]";
    }
}
