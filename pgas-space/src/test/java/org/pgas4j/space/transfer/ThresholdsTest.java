package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;

@Timeout(10)
class ThresholdsTest {

    @Test
    void shouldHaveANumberForEachDirectionAndPairOfKinds() {
        Thresholds thresholds = new Thresholds(new long[] {10, 11, 12, 13, 14, 15, 16, 17}, "here");
        BitSet seen = new BitSet();
        for (boolean put : new boolean[] {true, false}) {
            for (MemoryKind own : MemoryKind.values()) {
                for (MemoryKind remote : MemoryKind.values()) {
                    int index = Thresholds.index(put, own, remote);
                    seen.set(index);
                    assertEquals(10 + index, thresholds.of(put, own, remote));
                    assertEquals((put ? "put." : "get.") + own.name().toLowerCase() + "." + remote.name().toLowerCase(),
                            Thresholds.name(index));
                }
            }
        }
        assertEquals(Thresholds.COUNT, seen.cardinality());
        assertEquals(Thresholds.COUNT, seen.length());
    }

    @Test
    void shouldTakeOneNumberForAll() {
        assertArrayEquals(new long[] {5, 5, 5, 5, 5, 5, 5, 5}, Thresholds.same(5, "setting").bytes());
    }
}
