package org.pgas4j.array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/**
 * Strict accesses to words and records by pointers, to whatever place of whatever array they point. They have the order that
 * {@link Strict} describes, with its accesses as well. Each is fenced on both sides, and a write is at its owner when it returns.
 *
 * <p>A pointer that is not aligned to the word is an {@link IllegalArgumentException}, a word outside of its allocation an
 * {@link IndexOutOfBoundsException}. Used by the rank's thread; in another an {@link IllegalStateException}.
 */
public final class StrictRma {

    private final Rank rank;
    private final MemorySegment cell = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    private StrictRma(Rank rank) {
        this.rank = rank;
    }

    /** The strict accesses of a rank. */
    public static StrictRma of(Rank rank) {
        return new StrictRma(rank);
    }

    /** Reads a byte. */
    public byte getByte(SharedPointer word) {
        read(word, Byte.BYTES);
        return cell.get(ValueLayout.JAVA_BYTE, 0);
    }

    /** Reads a short. */
    public short getShort(SharedPointer word) {
        read(word, Short.BYTES);
        return cell.get(ValueLayout.JAVA_SHORT, 0);
    }

    /** Reads a char. */
    public char getChar(SharedPointer word) {
        read(word, Character.BYTES);
        return cell.get(ValueLayout.JAVA_CHAR, 0);
    }

    /** Reads an int. */
    public int getInt(SharedPointer word) {
        read(word, Integer.BYTES);
        return cell.get(ValueLayout.JAVA_INT, 0);
    }

    /** Reads a long. */
    public long getLong(SharedPointer word) {
        read(word, Long.BYTES);
        return cell.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Reads a float. */
    public float getFloat(SharedPointer word) {
        read(word, Float.BYTES);
        return cell.get(ValueLayout.JAVA_FLOAT, 0);
    }

    /** Reads a double. */
    public double getDouble(SharedPointer word) {
        read(word, Double.BYTES);
        return cell.get(ValueLayout.JAVA_DOUBLE, 0);
    }

    /** Reads a boolean, a byte: 0 is false. */
    public boolean getBoolean(SharedPointer word) {
        return getByte(word) != 0;
    }

    /** Writes a byte; at its owner when it returns. */
    public void putByte(SharedPointer word, byte value) {
        cell.set(ValueLayout.JAVA_BYTE, 0, value);
        write(word, Byte.BYTES);
    }

    /** Writes a short; at its owner when it returns. */
    public void putShort(SharedPointer word, short value) {
        cell.set(ValueLayout.JAVA_SHORT, 0, value);
        write(word, Short.BYTES);
    }

    /** Writes a char; at its owner when it returns. */
    public void putChar(SharedPointer word, char value) {
        cell.set(ValueLayout.JAVA_CHAR, 0, value);
        write(word, Character.BYTES);
    }

    /** Writes an int; at its owner when it returns. */
    public void putInt(SharedPointer word, int value) {
        cell.set(ValueLayout.JAVA_INT, 0, value);
        write(word, Integer.BYTES);
    }

    /** Writes a long; at its owner when it returns. */
    public void putLong(SharedPointer word, long value) {
        cell.set(ValueLayout.JAVA_LONG, 0, value);
        write(word, Long.BYTES);
    }

    /** Writes a float; at its owner when it returns. */
    public void putFloat(SharedPointer word, float value) {
        cell.set(ValueLayout.JAVA_FLOAT, 0, value);
        write(word, Float.BYTES);
    }

    /** Writes a double; at its owner when it returns. */
    public void putDouble(SharedPointer word, double value) {
        cell.set(ValueLayout.JAVA_DOUBLE, 0, value);
        write(word, Double.BYTES);
    }

    /** Writes a boolean; at its owner when it returns. */
    public void putBoolean(SharedPointer word, boolean value) {
        putByte(word, (byte) (value ? 1 : 0));
    }

    /**
     * Reads a record, as many bytes as {@code into} has; any alignment. It is not one word: what is read while another rank writes
     * it may be part old and part new, as in UPC.
     *
     * @param into native memory, or that of a Java array
     */
    public void get(SharedPointer record, MemorySegment into) {
        read(record, into, into.byteSize());
    }

    /** Writes a record, all bytes of {@code from}; at its owner when it returns. Otherwise as {@link #get}. */
    public void put(SharedPointer record, MemorySegment from) {
        write(record, from, from.byteSize());
    }

    private void read(SharedPointer word, int bytes) {
        requireAligned(word, bytes);
        read(word, cell, bytes);
    }

    private void read(SharedPointer place, MemorySegment into, long bytes) {
        rank.fence();
        rank.memget(into, place, bytes);
        rank.fence();
    }

    private void write(SharedPointer word, int bytes) {
        requireAligned(word, bytes);
        write(word, cell, bytes);
    }

    private void write(SharedPointer place, MemorySegment from, long bytes) {
        rank.fence();
        rank.memput(place, from, bytes);
        rank.fence();
    }

    private void requireAligned(SharedPointer word, int bytes) {
        if ((word.addrField() & bytes - 1) != 0) {
            throw new IllegalArgumentException("strict access by rank " + rank.rank() + ": " + word + " is not aligned to the "
                    + bytes + " bytes of its word");
        }
    }

    @Override
    public String toString() {
        return "StrictRma[rank " + rank.rank() + "]";
    }
}
