package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.Objects;

/**
 * A comparator of the program by which {@link Collectives#sort(SharedArray, SortOrder)} orders elements. It must order all values
 * that the array has, in the same way on all members, which is not checked. It runs on the host in the rank's thread and must not
 * call anything collective.
 */
public sealed interface SortOrder permits SortOrder.LongOrder, SortOrder.DoubleOrder, SortOrder.RecordOrder {

    /** Compares integers as {@link Comparator#compare} does objects. */
    @FunctionalInterface
    interface LongComparator {
        int compare(long a, long b);
    }

    /** Compares floating-point values as {@link Comparator#compare} does objects. */
    @FunctionalInterface
    interface DoubleComparator {
        int compare(double a, double b);
    }

    /** True if the elements of the array can be compared. */
    boolean isDefinedFor(SharedArray array);

    /** An order of integers, for BYTE, SHORT, CHAR, INT and LONG elements. */
    static SortOrder ofLongs(LongComparator comparator) {
        return new LongOrder(Objects.requireNonNull(comparator, "comparator"));
    }

    /** An order of floating-point values, for FLOAT, DOUBLE, HALF and BFLOAT16. */
    static SortOrder ofDoubles(DoubleComparator comparator) {
        return new DoubleOrder(Objects.requireNonNull(comparator, "comparator"));
    }

    /**
     * An order of records, and of any other elements, each as the bytes that it has in memory.
     *
     * @param comparator is given read-only memory of one element each, at addresses that are divisible by 8, until it returns
     */
    static SortOrder ofRecords(Comparator<MemorySegment> comparator) {
        return new RecordOrder(Objects.requireNonNull(comparator, "comparator"));
    }

    private static boolean hasNumbers(SharedArray array) {
        return array.elementBytes() == array.type().bytes();
    }

    /** An order of integers. */
    record LongOrder(LongComparator comparator) implements SortOrder {

        @Override
        public boolean isDefinedFor(SharedArray array) {
            return hasNumbers(array) && !array.type().isFloatingPoint();
        }

        @Override
        public String toString() {
            return "an order of integers";
        }
    }

    /** An order of floating-point values. */
    record DoubleOrder(DoubleComparator comparator) implements SortOrder {

        @Override
        public boolean isDefinedFor(SharedArray array) {
            return hasNumbers(array) && array.type().isFloatingPoint();
        }

        @Override
        public String toString() {
            return "an order of floating-point values";
        }
    }

    /** An order of bytes in memory. */
    record RecordOrder(Comparator<MemorySegment> comparator) implements SortOrder {

        @Override
        public boolean isDefinedFor(SharedArray array) {
            return true;
        }

        @Override
        public String toString() {
            return "an order of records";
        }
    }
}
