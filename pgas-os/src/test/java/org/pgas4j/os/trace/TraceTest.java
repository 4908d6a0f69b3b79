package org.pgas4j.os.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TraceTest {

    private static void inThread(String name, Runnable work) throws InterruptedException {
        Thread thread = Thread.ofPlatform().name(name).start(work);
        thread.join();
    }

    private static List<TraceTrack> tracks() {
        return Trace.tracks().stream().map(Supplier::get).toList();
    }

    @Test
    void shouldRecordWhileItIsOnAlone() throws InterruptedException {
        assertFalse(Trace.isOn());
        Trace.attach(0);
        Trace.transfer(TraceKind.PUT, 0, 1, 8, "local", System.nanoTime());
        Trace.start(100);
        try {
            assertTrue(Trace.isOn());
            long beginNs = System.nanoTime();
            inThread("rank-5", () -> {
                Trace.attach(5);
                assertEquals(5, Trace.rank());
                Trace.transfer(TraceKind.PUT, 5, 1, 8, "local", beginNs);
                Trace.signal(5, 1, 2, 3, 4, beginNs);
            });
            inThread("other", () -> Trace.operation(5, "barrier", 9, beginNs));

            assertEquals(List.of("rank-5", "other"), tracks().stream().map(TraceTrack::name).toList());
            TraceTrack rank = tracks().getFirst();
            assertEquals(5, rank.rank());
            assertEquals(2, rank.count());
            assertEquals("local", Trace.names().get(TraceRecord.name(rank.words(), 0)));
            assertEquals(beginNs, TraceRecord.beginNs(rank.words(), 0));
            assertTrue(TraceRecord.endNs(rank.words(), 0) >= beginNs);
            assertEquals(-1, tracks().getLast().rank());
        } finally {
            Trace.stop();
        }
        assertFalse(Trace.isOn());
        assertEquals(List.of(), tracks());
    }

    @Test
    void shouldNotMixSessionsInAThreadThatLivesOn() {
        for (int session = 1; session <= 2; session++) {
            Trace.start(64);
            try {
                Trace.operation(0, "session " + session, 0, System.nanoTime());
                assertEquals(1, tracks().getFirst().count());
            } finally {
                Trace.stop();
            }
        }
        assertTrue(Trace.names().containsAll(List.of("session 1", "session 2")));
    }

    @Test
    void shouldShareOneSessionAmongThoseThatOverlap() {
        Trace.start(64);
        Trace.start(64);
        Trace.operation(0, "x", 0, System.nanoTime());
        Trace.stop();
        assertTrue(Trace.isOn());
        assertEquals(1, tracks().size());
        Trace.stop();
        assertFalse(Trace.isOn());
    }

    @Test
    void shouldRefuseRingsThatAreTooSmallOrTooLarge() {
        assertThrows(IllegalArgumentException.class, () -> Trace.start(Trace.MIN_EVENTS - 1));
        assertThrows(IllegalArgumentException.class, () -> Trace.start((1 << 24) + 1));
        assertFalse(Trace.isOn());
    }
}
