package org.pgas4j.runtime.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.SourceWindow;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.PlainRanks;

@Timeout(10)
class SourceCountersTest {

    private static final int TAG = 255;
    private static final int ANY = SourceWindow.ANY_SOURCE;
    private static final int MEMBERS = 3;

    private final PlainRanks all = new PlainRanks(1);
    private final Endpoint own = all.peers(0).get(0).endpoint();
    private final long start = all.area().bytes();
    private final SourceCounters counters = new SourceCounters(MEMBERS, own, start);

    @AfterEach
    void close() {
        all.close();
    }

    private void arrive(int source, int tag, long count) {
        own.fetchAndAddWord(start + SourceCounters.offset(source, tag), count);
    }

    @Test
    void shouldCountEachSourceAndTagByItself() {
        arrive(1, TAG, 2);
        arrive(2, TAG, 1);
        arrive(2, 0, 7);

        assertEquals("0 2 1 3", counters.available(0, TAG) + " " + counters.available(1, TAG) + " " + counters.available(2, TAG)
                + " " + counters.available(ANY, TAG));
        counters.take(1, TAG, 2);
        assertEquals(1, counters.available(ANY, TAG));
        assertEquals(7, counters.available(2, 0));
    }

    @Test
    void shouldTakeFromSeveralSourcesTogether() {
        arrive(0, TAG, 1);
        arrive(1, TAG, 4);
        arrive(2, TAG, 1);

        counters.take(ANY, TAG, 5);

        assertEquals(1, counters.available(ANY, TAG));
    }

    @Test
    void shouldFindSourcesInTurn() {
        arrive(0, TAG, 9);
        arrive(2, TAG, 9);

        StringBuilder order = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            int source = counters.source(ANY, TAG);
            counters.take(source, TAG, 1);
            order.append(source);
        }

        assertEquals("0202", order.toString());
        assertEquals(-1, counters.source(1, TAG));
        assertEquals(-1, counters.source(ANY, TAG - 1));
    }

    @Test
    void shouldReserveWhatHasNotArrived() {
        arrive(0, TAG, 1);
        assertEquals(2, counters.reserve(1, TAG, 2));

        assertEquals("0 1", counters.available(1, TAG) + " " + counters.available(ANY, TAG));
        counters.take(ANY, TAG, 1);
        arrive(1, TAG, 3);
        assertEquals("0 1", counters.available(0, TAG) + " " + counters.available(1, TAG));
    }

    @Test
    void shouldWrapAround() {
        own.putWordRelease(start + SourceCounters.offset(1, TAG), Long.MAX_VALUE);
        counters.take(1, TAG, Long.MAX_VALUE);
        arrive(1, TAG, 3);

        assertEquals(3, counters.available(ANY, TAG));
    }

    @Test
    void shouldRefuseSourcesThatAreNoMembers() {
        assertThrows(IndexOutOfBoundsException.class, () -> counters.checkSource(MEMBERS));
        assertThrows(IndexOutOfBoundsException.class, () -> counters.checkSource(-2));
        assertEquals(2048 * MEMBERS, SourceCounters.bytes(MEMBERS));
    }
}
