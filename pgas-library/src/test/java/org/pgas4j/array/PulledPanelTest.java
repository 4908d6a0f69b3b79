package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class PulledPanelTest {

    private static String cut(Range range, long width, Axis... axes) {
        StringBuilder text = new StringBuilder();
        PulledPanel.cut(range, width, axes).forEach(part -> text.append(part.from()).append('-').append(part.to()).append(' '));
        return text.toString().strip();
    }

    @Test
    void shouldCutWhereOwnersChange() {
        assertEquals("0-5 5-10 10-13", cut(Range.of(0, 13), 100, Axis.block(13, 3)));
        assertEquals("3-5 5-7", cut(Range.of(3, 7), 100, Axis.block(13, 3)));
        assertEquals("0-5 5-7 7-10 10-13", cut(Range.of(0, 13), 100, Axis.block(13, 3), Axis.block(13, 2)));
        assertEquals("0-13", cut(Range.of(0, 13), 100, Axis.whole(13)));
        assertEquals("", cut(Range.of(4, 4), 100, Axis.whole(13)));
    }

    @Test
    void shouldCutWideRangesIntoEqualParts() {
        assertEquals("0-334 334-668 668-1000", cut(Range.of(0, 1000), 400, Axis.whole(1000)));
        assertEquals("0-250 250-500 500-750 750-1000", cut(Range.of(0, 1000), 400, Axis.block(1000, 2)));
    }

    @Test
    void shouldCutAtLargeBlocksOfCyclicAxesAlone() {
        assertEquals("0-128 128-256 256-300", cut(Range.of(0, 300), 1000, Axis.blockCyclic(300, 2, 128)));
        assertEquals("0-300", cut(Range.of(0, 300), 1000, Axis.blockCyclic(300, 2, 64)));
        assertEquals(List.of(Range.of(0, 300)), PulledPanel.cut(Range.of(0, 300), Long.MAX_VALUE, Axis.cyclic(300, 7)));
    }
}
