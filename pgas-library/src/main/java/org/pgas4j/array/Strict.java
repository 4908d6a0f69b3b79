package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedBooleans;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;
import org.pgas4j.SharedShorts;

/**
 * A view of a shared array whose accesses are UPC's strict ones (UPC 1.3, section 5.1.2.3 and appendix B): all ranks see those of
 * all ranks in one order, which agrees with the order of each program, and accesses of the same rank before and after it, of
 * whatever kind, stay before and after it. Each access is fenced on both sides, and a write is at its owner when it returns. All
 * ranks that depend on the order use such views. Elements but records are single words; for a read and a write in one see
 * {@link org.pgas4j.Atomics}, for pointers as elements {@link StrictPointers}, for places that a pointer gives {@link StrictRma}.
 *
 * <p>The methods take the type of the array's elements only, and an index that is one of its elements. Used by the rank's thread.
 */
public final class Strict {

    private final Rank rank;
    private final StrictRma words;
    private final SharedArray array;

    private Strict(Rank rank, SharedArray array) {
        this.rank = rank;
        this.words = StrictRma.of(rank);
        this.array = array;
    }

    /** The strict view of an array, of any elements; {@link StrictRma} says what holds for records, which are not single words. */
    public static Strict of(Rank rank, SharedArray array) {
        return new Strict(rank, array);
    }

    /** Reads a byte. */
    public byte getByte(long index) {
        return words.getByte(element(SharedBytes.class, index));
    }

    /** Reads a short. */
    public short getShort(long index) {
        return words.getShort(element(SharedShorts.class, index));
    }

    /** Reads a char. */
    public char getChar(long index) {
        return words.getChar(element(SharedChars.class, index));
    }

    /** Reads an int. */
    public int getInt(long index) {
        return words.getInt(element(SharedInts.class, index));
    }

    /** Reads a long. */
    public long getLong(long index) {
        return words.getLong(element(SharedLongs.class, index));
    }

    /** Reads a float. */
    public float getFloat(long index) {
        return words.getFloat(element(SharedFloats.class, index));
    }

    /** Reads a double. */
    public double getDouble(long index) {
        return words.getDouble(element(SharedDoubles.class, index));
    }

    /** Reads a boolean. */
    public boolean getBoolean(long index) {
        return words.getBoolean(element(SharedBooleans.class, index));
    }

    /**
     * Reads a record.
     *
     * @param into native memory, or that of a Java array, of the record's size
     */
    public void getRecord(long index, MemorySegment into) {
        words.get(record(index, into), into);
    }

    /** Writes a byte; at its owner when it returns. */
    public void putByte(long index, byte value) {
        words.putByte(element(SharedBytes.class, index), value);
    }

    /** Writes a short; at its owner when it returns. */
    public void putShort(long index, short value) {
        words.putShort(element(SharedShorts.class, index), value);
    }

    /** Writes a char; at its owner when it returns. */
    public void putChar(long index, char value) {
        words.putChar(element(SharedChars.class, index), value);
    }

    /** Writes an int; at its owner when it returns. */
    public void putInt(long index, int value) {
        words.putInt(element(SharedInts.class, index), value);
    }

    /** Writes a long; at its owner when it returns. */
    public void putLong(long index, long value) {
        words.putLong(element(SharedLongs.class, index), value);
    }

    /** Writes a float; at its owner when it returns. */
    public void putFloat(long index, float value) {
        words.putFloat(element(SharedFloats.class, index), value);
    }

    /** Writes a double; at its owner when it returns. */
    public void putDouble(long index, double value) {
        words.putDouble(element(SharedDoubles.class, index), value);
    }

    /** Writes a boolean; at its owner when it returns. */
    public void putBoolean(long index, boolean value) {
        words.putBoolean(element(SharedBooleans.class, index), value);
    }

    /** Writes a record, from as many bytes as it has; at its owner when it returns. */
    public void putRecord(long index, MemorySegment from) {
        words.put(record(index, from), from);
    }

    private SharedPointer record(long index, MemorySegment memory) {
        SharedPointer place = element(SharedRecords.class, index);
        if (memory.byteSize() != array.elementBytes()) {
            throw new IllegalArgumentException("strict access by rank " + rank.rank() + " to a record of " + array + ": "
                    + memory.byteSize() + " bytes (expected: " + array.elementBytes() + ")");
        }
        return place;
    }

    private SharedPointer element(Class<? extends SharedArray> type, long index) {
        if (!type.isInstance(array)) {
            throw new IllegalArgumentException("strict access by rank " + rank.rank() + " to " + array + " as "
                    + type.getSimpleName() + " (expected: as " + array.getClass().getSimpleName() + ")");
        }
        return array.pointer(Objects.checkIndex(index, array.length()));
    }

    @Override
    public String toString() {
        return "Strict[" + array + "]";
    }
}
