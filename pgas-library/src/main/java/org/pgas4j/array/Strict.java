package org.pgas4j.array;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.Rma;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;

/**
 * A view of a shared array whose accesses are UPC's strict ones (UPC 1.3, section 5.1.2.3 and appendix B): all ranks see those of
 * all ranks in one order, which agrees with the order of each program, and accesses of the same rank before and after it, of
 * whatever kind, stay before and after it. Each access is fenced on both sides, and a write is at its owner when it returns. All
 * ranks that depend on the order use such views. Elements are single words; for a read and a write in one see
 * {@link org.pgas4j.Atomics}.
 *
 * <p>The methods take the type of the array's elements only, and an index that is one of its elements. Used by the rank's thread.
 */
public final class Strict {

    private static final Set<ElementType> TYPES = EnumSet.of(ElementType.INT, ElementType.LONG, ElementType.FLOAT,
            ElementType.DOUBLE);

    private final Rank rank;
    private final Rma rma;
    private final SharedArray array;

    private Strict(Rank rank, SharedArray array) {
        this.rank = rank;
        this.rma = rank.rma();
        this.array = array;
    }

    /**
     * The strict view of an array, which must be of INT, LONG, FLOAT or DOUBLE.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static Strict of(Rank rank, SharedArray array) {
        if (!TYPES.contains(array.type())) {
            throw new IllegalArgumentException("strict view by rank " + rank.rank() + " of " + array
                    + " (expected: elements of INT, LONG, FLOAT or DOUBLE)");
        }
        return new Strict(rank, array);
    }

    /** Reads an int. */
    public int getInt(long index) {
        SharedPointer element = element(ElementType.INT, index);
        rank.fence();
        int value = rma.getInt(element);
        rank.fence();
        return value;
    }

    /** Reads a long. */
    public long getLong(long index) {
        SharedPointer element = element(ElementType.LONG, index);
        rank.fence();
        long value = rma.getLong(element);
        rank.fence();
        return value;
    }

    /** Reads a float. */
    public float getFloat(long index) {
        SharedPointer element = element(ElementType.FLOAT, index);
        rank.fence();
        float value = rma.getFloat(element);
        rank.fence();
        return value;
    }

    /** Reads a double. */
    public double getDouble(long index) {
        SharedPointer element = element(ElementType.DOUBLE, index);
        rank.fence();
        double value = rma.getDouble(element);
        rank.fence();
        return value;
    }

    /** Writes an int; at its owner when it returns. */
    public void putInt(long index, int value) {
        SharedPointer element = element(ElementType.INT, index);
        rank.fence();
        rma.putInt(element, value);
        rank.fence();
    }

    /** Writes a long; at its owner when it returns. */
    public void putLong(long index, long value) {
        SharedPointer element = element(ElementType.LONG, index);
        rank.fence();
        rma.putLong(element, value);
        rank.fence();
    }

    /** Writes a float; at its owner when it returns. */
    public void putFloat(long index, float value) {
        SharedPointer element = element(ElementType.FLOAT, index);
        rank.fence();
        rma.putFloat(element, value);
        rank.fence();
    }

    /** Writes a double; at its owner when it returns. */
    public void putDouble(long index, double value) {
        SharedPointer element = element(ElementType.DOUBLE, index);
        rank.fence();
        rma.putDouble(element, value);
        rank.fence();
    }

    private SharedPointer element(ElementType type, long index) {
        if (array.type() != type) {
            throw new IllegalArgumentException("strict access by rank " + rank.rank() + " to " + array + ": " + type
                    + " (expected: " + array.type() + ")");
        }
        return array.pointer(Objects.checkIndex(index, array.length()));
    }

    @Override
    public String toString() {
        return "Strict[" + array + "]";
    }
}
