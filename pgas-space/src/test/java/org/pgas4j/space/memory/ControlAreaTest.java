package org.pgas4j.space.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Notifications;
import org.pgas4j.space.sync.ScalarAllReduce;

@Timeout(10)
class ControlAreaTest {

    private record Field(String name, long offset, long bytes) {
    }

    private static List<Field> fields(ControlArea area) {
        long line = ControlArea.LINE;
        List<Field> all = new ArrayList<>();
        all.add(new Field("entered", ControlArea.ENTERED, 8));
        all.add(new Field("given", ControlArea.GIVEN, 8));
        all.add(new Field("looked up", ControlArea.LOOKED_UP, 8));
        for (int parity = 0; parity < 2; parity++) {
            for (int writer = 0; writer < ControlArea.FLAT_MAX; writer++) {
                all.add(new Field("flat " + parity + " " + writer, ControlArea.flat(parity, writer), line));
            }
        }
        for (int level = 0; level < ControlArea.TREE_LEVELS; level++) {
            all.add(new Field("node " + level, ControlArea.node(level), line));
        }
        all.add(new Field("release", ControlArea.RELEASE, line));
        all.add(new Field("call", ControlArea.CALL, ControlArea.CALL_BYTES));
        for (int level = 0; level < area.levels(); level++) {
            all.add(new Field("words in " + level, area.wordsIn(level), line));
        }
        for (int level = 0; level <= area.levels(); level++) {
            all.add(new Field("slot " + level, area.slot(level), ControlArea.SLOT_BYTES));
        }
        all.add(new Field("words out", area.wordsOut(), line));
        all.add(new Field("exposed", area.exposed(), line));
        for (int tag = 0; tag < Notifications.TAGS; tag++) {
            all.add(new Field("notified " + tag, area.notification(tag), 8));
            all.add(new Field("value " + tag, area.notificationValue(tag), 8));
        }
        all.add(new Field("windows", area.windows(), ControlArea.WINDOW_TABLE_BYTES));
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 9, 64, 65, 1000, 1 << 24, Integer.MAX_VALUE})
    void shouldHaveNoFieldsThatOverlap(int ranks) {
        ControlArea area = new ControlArea(ranks);
        List<Field> all = fields(area);
        all.sort(Comparator.comparingLong(Field::offset));
        Field before = new Field("the start", 0, 0);
        for (Field field : all) {
            assertTrue(field.offset >= before.offset + before.bytes, field + " overlaps " + before);
            assertEquals(0,
                    field.offset % (field.bytes % ControlArea.LINE == 0 && field.bytes < 4096 ? ControlArea.LINE : 8),
                    field + " is not aligned");
            before = field;
        }
        assertTrue(before.offset + before.bytes <= area.bytes(), before + " is behind the end at " + area.bytes());
        assertEquals(0, area.slot(0) % ControlArea.SLOT_BYTES);
        assertEquals(0, area.bytes() % ControlArea.SLOT_BYTES);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "3,2", "4,2", "5,3", "8,3", "9,4", "1024,10", "1025,11", "2147483647,31"})
    void shouldHaveALevelForEachStepOfABinomialTree(int ranks, int levels) {
        assertEquals(levels, new ControlArea(ranks).levels());
    }

    /** Sequence and call before the words of an exchange, all in one line. */
    @Test
    void shouldHaveRoomForTheWordsOfAnExchange() {
        assertTrue((2 + ScalarAllReduce.MAX_WORDS) * Long.BYTES <= ControlArea.LINE);
        ControlArea area = new ControlArea(5);
        assertEquals(area.wordsOut() + ControlArea.LINE - area.wordsIn(0), area.exchangeBytes());
    }

    /** The tree's nodes have eight children each. */
    @Test
    void shouldHaveANodeForEachLevelOfTheBarrierOfAnyJob() {
        assertTrue(Math.pow(ControlArea.FAN_IN, ControlArea.TREE_LEVELS) >= 1 << 24);
    }
}
