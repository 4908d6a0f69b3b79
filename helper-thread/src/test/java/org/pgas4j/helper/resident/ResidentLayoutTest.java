package org.pgas4j.helper.resident;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ResidentLayoutTest {

    private static final long PERIOD = ResidentLayout.SLOTS * ResidentLayout.LAPS;

    @Test
    void shouldKeepWhatEachSideWritesApart() {
        assertTrue(ResidentLayout.PARKED + Long.BYTES <= ResidentLayout.STOP);
        assertTrue(ResidentLayout.STOP + Long.BYTES <= ResidentLayout.REQUESTS);
        assertEquals(ResidentLayout.REQUESTS + 32 * 256, ResidentLayout.ANSWERS);
        assertEquals(ResidentLayout.ANSWERS + 32 * 256, ResidentLayout.STAGING);
        assertEquals(ResidentLayout.STAGING + 32 * 256, ResidentLayout.bytes(1));
        assertEquals(ResidentLayout.STAGING + 32 * 512, ResidentLayout.bytes(257));
    }

    @Test
    void shouldGiveASlotAnotherTagInEachLap() {
        assertEquals(1, ResidentLayout.tag(0));
        assertEquals(1, ResidentLayout.tag(31));
        assertEquals(2, ResidentLayout.tag(32));
        assertNotEquals(0, ResidentLayout.tag(PERIOD - 1));
        assertEquals(Integer.MAX_VALUE, ResidentLayout.tag(PERIOD - 1));
        assertEquals(1, ResidentLayout.tag(PERIOD));
        assertTrue(ResidentLayout.beginsAgain(PERIOD));
        assertFalse(ResidentLayout.beginsAgain(PERIOD + 32));
    }

    @Test
    void shouldHoldDataAndTagInAWord() {
        long word = ResidentLayout.word(-2, 7);

        assertEquals(-2, (int) word);
        assertEquals(7, (int) (word >>> 32));
    }

    @Test
    void shouldHoldTheLargestInlinePutInOneRequest() {
        assertEquals(32, ResidentLayout.HEADER_WORDS + ResidentLayout.wordsOf(ResidentLayout.INLINE_BYTES));
        assertTrue(1 + ResidentLayout.wordsOf(ResidentLayout.INLINE_BYTES) <= ResidentLayout.WORDS, "answer to a get");
        assertEquals(3, ResidentLayout.head(3, 8, 2, 5) & 0xff);
        assertEquals(8, ResidentLayout.head(3, 8, 2, 5) >>> 8 & 0xff);
        assertEquals(2, ResidentLayout.head(3, 8, 2, 5) >>> 16 & 0xff);
        assertEquals(5, ResidentLayout.head(3, 8, 2, 5) >>> 24);
    }
}
