package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Range;

/** Runs of the global order of a section as boxes. */
@Timeout(60)
class LinearSectionTest {

    @Test
    void shouldCoverEveryRunInOrderWithFewBoxes() {
        Pgas.run(SharedFileTest.config(1), rank -> {
            Distribution distribution = Distribution.blocks(1, 3, 2, 4);
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.INT, MemoryKind.HOST, distribution)) {
                LinearSection section = new LinearSection(array.all());
                for (long from = 0; from <= 24; from++) {
                    for (long count = 0; count <= 24 - from; count++) {
                        check(section, from, count);
                    }
                }
            }
        });
    }

    private static void check(LinearSection section, long from, long count) {
        List<Long> seen = new ArrayList<>();
        int[] boxes = {0};
        section.forEachBox(from, count, (box, at, length) -> {
            assertEquals(seen.size(), at);
            boxes[0]++;
            for (long i = box[0].from(); i < box[0].to(); i++) {
                for (long j = box[1].from(); j < box[1].to(); j++) {
                    for (long k = box[2].from(); k < box[2].to(); k++) {
                        seen.add((i * 2 + j) * 4 + k);
                    }
                }
            }
            assertEquals(at + length, seen.size());
            for (Range range : box) {
                assertTrue(range.length() > 0);
            }
        });
        List<Long> expected = new ArrayList<>();
        for (long element = from; element < from + count; element++) {
            expected.add(element);
        }
        assertEquals(expected, seen);
        assertTrue(boxes[0] <= 5, boxes[0] + " boxes for " + count + " elements from " + from);
    }
}
