package org.pgas4j.runtime.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.Notifications;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.PlainRanks;

@Timeout(10)
class CountersTest {

    private static final int TAG = 200;

    private final PlainRanks all = new PlainRanks(1);
    private final Endpoint own = all.peers(0).get(0).endpoint();
    private final Counters counters = new Counters(0, own, all.area());

    @AfterEach
    void close() {
        all.close();
    }

    @Test
    void shouldHaveAvailableWhatArrivedAndIsNotConsumed() {
        counters.arrive(TAG, 5);
        assertEquals(5, counters.available(TAG));

        assertEquals(2, counters.reserve(TAG, 2));

        assertEquals(3, counters.available(TAG));
        assertEquals(0, counters.available(TAG + 1));
    }

    @Test
    void shouldReserveWhatHasNotArrived() {
        counters.arrive(TAG, 1);
        long target = counters.reserve(TAG, 4);

        assertEquals(-3, counters.available(TAG));
        assertEquals(3, counters.missing(TAG, target));
        counters.arrive(TAG, 5);
        assertEquals(-2, counters.missing(TAG, target));
        assertEquals(2, counters.available(TAG));
    }

    /** Counters never restart: only differences mean anything. */
    @ParameterizedTest
    @ValueSource(longs = {(1L << 32) - 2, (1L << 31) - 2, Long.MAX_VALUE - 2, -2})
    void shouldWrapAround(long before) {
        own.putWordRelease(all.area().notification(TAG), before);
        counters.reserve(TAG, before);
        assertEquals(0, counters.available(TAG));

        long target = counters.reserve(TAG, 4);
        for (int arrived = 1; arrived <= 6; arrived++) {
            counters.arrive(TAG, 1);
            assertEquals(arrived - 4, counters.available(TAG));
            assertEquals(4 - arrived, counters.missing(TAG, target));
        }
    }

    @Test
    void shouldKeepTagsApart() {
        for (int tag = 0; tag < Notifications.TAGS; tag++) {
            counters.arrive(tag, tag + 1L);
            counters.setValue(tag, -tag - 1L);
        }
        for (int tag = 0; tag < Notifications.TAGS; tag++) {
            assertEquals(tag + 1, counters.available(tag));
            assertEquals(-tag - 1, counters.value(tag));
        }
    }

    @Test
    void shouldTakeAValueOnce() {
        own.putWordRelease(counters.valueOffset(TAG), 77);

        assertEquals(77, counters.value(TAG));
        assertEquals(77, counters.takeValue(TAG));
        assertEquals(0, counters.takeValue(TAG));
        assertEquals(0, counters.value(TAG));
    }

    @Test
    void shouldSetAValueOnlyIfThereIsNone() {
        counters.setValue(TAG, 7);
        counters.setValue(TAG, 8);

        assertEquals(7, counters.value(TAG));
    }

    @Test
    void shouldRefuseTagsThatThereAreNot() {
        Counters.checkCount(0, 0);
        Counters.checkCount(Notifications.TAGS - 1, Notifications.MAX_COUNT);
        assertThrows(IllegalArgumentException.class, () -> Counters.checkTag(-1));
        assertThrows(IllegalArgumentException.class, () -> Counters.checkTag(Notifications.TAGS));
        String why = assertThrows(IllegalArgumentException.class, () -> Counters.checkCount(3, -1)).getMessage();
        assertTrue(why.contains("tag=3 count=-1"), why);
        for (long count : new long[] {1L << 31, Long.MAX_VALUE}) {
            String many = assertThrows(IllegalArgumentException.class, () -> Counters.checkCount(3, count)).getMessage();
            assertTrue(many.contains("tag=3 count=" + count + " (expected: 0..2147483647)"), many);
        }
    }

    @Test
    void shouldNameTagAndCountsOfATimeout() {
        NotificationTimeoutException failure = counters.timeout(TAG, 5, 3, "the wait", 2_000_000);

        assertTrue(failure.getMessage().startsWith("rank=0 tag=200 expected=5 seen=3: the wait timed out after 2 ms"),
                failure.getMessage());
    }
}
