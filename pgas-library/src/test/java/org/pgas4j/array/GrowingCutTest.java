package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class GrowingCutTest {

    @Test
    void shouldGrowFromASmallPart() {
        assertEquals(List.of(Range.of(0, 512), Range.of(512, 2560), Range.of(2560, 8192)), GrowingCut.of(Range.of(0, 8192)));
        assertEquals(List.of(Range.of(16_384, 17_408), Range.of(17_408, 21_504), Range.of(21_504, 32_768)),
                GrowingCut.of(Range.of(16_384, 32_768)));
    }

    @Test
    void shouldLeaveNoSmallPartAtTheEnd() {
        assertEquals(List.of(Range.of(3, 4)), GrowingCut.of(Range.of(3, 4)));
        assertEquals(List.of(Range.of(0, 1023)), GrowingCut.of(Range.of(0, 1023)));
        assertEquals(List.of(Range.of(0, 512), Range.of(512, 1024)), GrowingCut.of(Range.of(0, 1024)));
        assertEquals(List.of(), GrowingCut.of(Range.of(7, 7)));
    }
}
