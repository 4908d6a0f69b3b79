package org.pgas4j.loop;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;

/**
 * A range of a rank's elements of one or more arrays. Elements are named by their place among those of the rank, from
 * {@link #from} to {@link #to}{@code - 1}; place p of every array belongs to the same index, {@link #index}{@code (p)}. Good in
 * the body alone, in any thread.
 */
public final class LocalRange {

    private final LocalPlaces places;
    private final MemorySegment[] segments;
    private final long from;
    private final long to;

    LocalRange(LocalPlaces places, MemorySegment[] segments, long from, long to) {
        this.places = places;
        this.segments = segments;
        this.from = from;
        this.to = to;
    }

    /** First place. */
    public long from() {
        return from;
    }

    /** One past the last place. */
    public long to() {
        return to;
    }

    /** Index in the arrays of a place. */
    public long index(long place) {
        return places.index(place);
    }

    /** Memory of the rank's elements of the {@code number}-th array, place 0 first; the body keeps to its range. */
    public MemorySegment segment(int number) {
        return segments[number];
    }

    /** Element of an array of {@code int}. */
    public int getInt(int number, long place) {
        return segments[number].get(ElementType.LAYOUT_INT, place * Integer.BYTES);
    }

    /** Element of an array of {@code long}. */
    public long getLong(int number, long place) {
        return segments[number].get(ElementType.LAYOUT_LONG, place * Long.BYTES);
    }

    /** Element of an array of {@code float}. */
    public float getFloat(int number, long place) {
        return segments[number].get(ElementType.LAYOUT_FLOAT, place * Float.BYTES);
    }

    /** Element of an array of {@code double}. */
    public double getDouble(int number, long place) {
        return segments[number].get(ElementType.LAYOUT_DOUBLE, place * Double.BYTES);
    }

    /** Sets an element of an array of {@code int}. */
    public void setInt(int number, long place, int value) {
        segments[number].set(ElementType.LAYOUT_INT, place * Integer.BYTES, value);
    }

    /** Sets an element of an array of {@code long}. */
    public void setLong(int number, long place, long value) {
        segments[number].set(ElementType.LAYOUT_LONG, place * Long.BYTES, value);
    }

    /** Sets an element of an array of {@code float}. */
    public void setFloat(int number, long place, float value) {
        segments[number].set(ElementType.LAYOUT_FLOAT, place * Float.BYTES, value);
    }

    /** Sets an element of an array of {@code double}. */
    public void setDouble(int number, long place, double value) {
        segments[number].set(ElementType.LAYOUT_DOUBLE, place * Double.BYTES, value);
    }
}
