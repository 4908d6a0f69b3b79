package org.pgas4j.io;

import java.util.List;
import org.pgas4j.ElementType;

/**
 * Shape of an array in a snapshot.
 *
 * @param type         element type; BYTE for elements that are none
 * @param elementBytes size of an element
 * @param lengths      number of indices of each dimension
 */
public record SnapshotEntry(ElementType type, long elementBytes, List<Long> lengths) {

    public SnapshotEntry {
        lengths = List.copyOf(lengths);
        if (elementBytes < 1 || lengths.isEmpty() || lengths.stream().anyMatch(length -> length < 0)) {
            throw new IllegalArgumentException("shape of an array: type=" + type + " elementBytes=" + elementBytes + " lengths="
                    + lengths + " (expected: elementBytes >= 1, lengths >= 0)");
        }
    }

    static SnapshotEntry of(Elements elements) {
        return new SnapshotEntry(elements.type(), elements.elementBytes(), elements.lengths());
    }

    /** Number of elements. */
    public long count() {
        long count = 1;
        for (long length : lengths) {
            count = Math.multiplyExact(count, length);
        }
        return count;
    }
}
