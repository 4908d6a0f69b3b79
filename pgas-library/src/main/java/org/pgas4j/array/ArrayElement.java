package org.pgas4j.array;

import java.lang.foreign.MemoryLayout;
import org.pgas4j.ElementType;

/** An element of a global array: a number, a boolean or a record. Two are equal if arrays of them can be copied to each other. */
sealed interface ArrayElement {

    /** The type of buffers with such elements; BYTE for those that are no numbers. */
    ElementType type();

    /** Size in memory. */
    long bytes();

    /** Number that ranks compare, another for each type and size of record. */
    long code();

    /** A number of one of the element types. */
    record OfNumber(ElementType type) implements ArrayElement {

        @Override
        public long bytes() {
            return type.bytes();
        }

        @Override
        public long code() {
            return type.code();
        }

        @Override
        public String toString() {
            return type.toString();
        }
    }

    /** A boolean, a byte: 0 is false. */
    record OfBoolean() implements ArrayElement {

        private static final int CODE = -1;

        @Override
        public ElementType type() {
            return ElementType.BYTE;
        }

        @Override
        public long bytes() {
            return Byte.BYTES;
        }

        @Override
        public long code() {
            return CODE;
        }

        @Override
        public String toString() {
            return "BOOLEAN";
        }
    }

    /** A struct. */
    record OfRecord(MemoryLayout layout) implements ArrayElement {

        public OfRecord {
            if (layout.byteSize() == 0) {
                throw new IllegalArgumentException("global array of records: " + layout + " has no bytes (expected: 1 or more)");
            }
        }

        @Override
        public ElementType type() {
            return ElementType.BYTE;
        }

        @Override
        public long bytes() {
            return layout.byteSize();
        }

        @Override
        public long code() {
            return -1 - bytes();
        }

        @Override
        public String toString() {
            return "records of " + bytes() + " bytes";
        }
    }
}
