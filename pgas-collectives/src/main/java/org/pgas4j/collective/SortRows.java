package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.pgas4j.ElementType;
import org.pgas4j.SortOrder;

/**
 * Elements on their way through a sort by a comparator, in host memory. Each is in a row with its index in the array, by which
 * elements that compare equal keep their order and are still different:
 *
 * <pre>
 *   0    index
 *   8    element, filled up to a multiple of 8 bytes
 * </pre>
 */
final class SortRows {

    private static final int ELEMENT = Long.BYTES;

    private final ElementType type;
    private final long elementBytes;
    private final SortOrder order;
    private final MemorySegment memory;
    private final MemorySegment shown;
    private final int count;
    private final long[] words;

    /** @param memory of whole rows, to be filled before it is compared */
    SortRows(ElementType type, long elementBytes, SortOrder order, MemorySegment memory) {
        this.type = type;
        this.elementBytes = elementBytes;
        this.order = order;
        this.memory = memory;
        this.shown = memory.asReadOnly();
        this.count = Math.toIntExact(memory.byteSize() / bytes(elementBytes));
        this.words = order instanceof SortOrder.RecordOrder ? null : new long[count];
        for (int i = 0; words != null && i < count; i++) {
            words[i] = ArrayElements.word(type, memory.asSlice(place(i) + ELEMENT), 0);
        }
    }

    /** Bytes of a row. */
    static long bytes(long elementBytes) {
        return ELEMENT + Math.ceilDiv(elementBytes, (long) Long.BYTES) * Long.BYTES;
    }

    /** Memory for {@code count} rows. */
    static MemorySegment allocate(SegmentAllocator arena, long elementBytes, long count) {
        long bytes = Math.multiplyExact(bytes(elementBytes), count);
        return arena.allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes);
    }

    /** Sets row {@code i} of memory for rows, from element {@code from} of others. */
    static void set(MemorySegment rows, long i, long index, MemorySegment elements, long from, long elementBytes) {
        long at = i * bytes(elementBytes);
        rows.set(ValueLayout.JAVA_LONG, at, index);
        MemorySegment.copy(elements, from * elementBytes, rows, at + ELEMENT, elementBytes);
    }

    int count() {
        return count;
    }

    MemorySegment memory() {
        return memory;
    }

    private long place(int row) {
        return row * bytes(elementBytes);
    }

    private long index(int row) {
        return memory.get(ValueLayout.JAVA_LONG, place(row));
    }

    private MemorySegment element(int row) {
        return shown.asSlice(place(row) + ELEMENT, elementBytes);
    }

    /** Order of a row and one of {@code other}; 0 only if both have the same index. */
    private int compare(int row, SortRows other, int theirs) {
        int result = switch (order) {
            case SortOrder.LongOrder longs -> longs.comparator().compare(words[row], other.words[theirs]);
            case SortOrder.DoubleOrder doubles -> doubles.comparator().compare(Double.longBitsToDouble(words[row]),
                    Double.longBitsToDouble(other.words[theirs]));
            case SortOrder.RecordOrder records -> records.comparator().compare(element(row), other.element(theirs));
        };
        return result != 0 ? result : Long.compare(index(row), other.index(theirs));
    }

    /** Number of the first rows that come before one of {@code other}; these rows are sorted. */
    int before(SortRows other, int theirs) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(middle, other, theirs) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Numbers of the rows in their order. Rows that are in order already are merged without being moved. */
    int[] sort() {
        int[] rows = new int[count];
        Arrays.setAll(rows, row -> row);
        sort(rows, new int[count], 0, count);
        return rows;
    }

    private void sort(int[] rows, int[] spare, int begin, int end) {
        if (end - begin < 2) {
            return;
        }
        int middle = (begin + end) >>> 1;
        sort(rows, spare, begin, middle);
        sort(rows, spare, middle, end);
        if (compare(rows[middle - 1], this, rows[middle]) <= 0) {
            return;
        }
        System.arraycopy(rows, begin, spare, begin, middle - begin);
        int left = begin;
        int right = middle;
        int to = begin;
        while (left < middle && right < end) {
            rows[to++] = compare(spare[left], this, rows[right]) <= 0 ? spare[left++] : rows[right++];
        }
        System.arraycopy(spare, left, rows, to, middle - left);
    }

    /** The rows in their order. */
    SortRows sorted(SegmentAllocator arena) {
        MemorySegment into = allocate(arena, elementBytes, count);
        long bytes = bytes(elementBytes);
        long to = 0;
        for (int row : sort()) {
            MemorySegment.copy(memory, place(row), into, to, bytes);
            to += bytes;
        }
        return new SortRows(type, elementBytes, order, into);
    }

    /** The elements in their order, one behind the other. */
    MemorySegment sortedElements(SegmentAllocator arena) {
        MemorySegment into = arena.allocate(Math.max(1, count * elementBytes), Long.BYTES);
        long to = 0;
        for (int row : sort()) {
            MemorySegment.copy(memory, place(row) + ELEMENT, into, to, elementBytes);
            to += elementBytes;
        }
        return into;
    }
}
