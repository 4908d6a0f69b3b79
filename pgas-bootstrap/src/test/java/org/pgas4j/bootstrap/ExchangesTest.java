package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PeerLostException;

/** Waits for the shares of JVMs, of which one ends. */
@Timeout(60)
class ExchangesTest {

    private static final byte[] SHARE = {7};

    /** JVM 1 has ended, which becomes known between the first look at it and the next. */
    private static final class EndsBetweenLooks extends HashSet<Integer> {

        private static final long serialVersionUID = 1L;

        private boolean looked;

        @Override
        public boolean contains(Object process) {
            boolean ended = looked;
            looked |= process.equals(1);
            return ended;
        }
    }

    private static Exchanges exchanges(Set<Integer> left) {
        Exchanges exchanges = new Exchanges(new ProcessLayout(2, 2), left, new Losses(), new AbortState());
        exchanges.received("key", 0, SHARE);
        return exchanges;
    }

    private static long deadline() {
        return System.nanoTime() + Duration.ofSeconds(30).toNanos();
    }

    /** Waits as the thread of a rank does, while something else is reported again and again, so that it looks again. */
    private static byte[][] await(boolean orWithout) {
        Exchanges exchanges = exchanges(new EndsBetweenLooks());
        Thread reports = Thread.ofVirtual().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                exchanges.changed();
                LockSupport.parkNanos(1_000_000);
            }
        });
        try {
            return exchanges.await("key", orWithout, deadline());
        } finally {
            reports.interrupt();
        }
    }

    @Test
    void shouldGoOnWithoutAJvmWhoseEndBecomesKnownWhileItLooks() {
        byte[][] values = await(true);

        assertArrayEquals(SHARE, values[0]);
        assertNull(values[1]);
    }

    @Test
    void shouldNameTheJvmThatAllMustHear() {
        PeerLostException e = assertThrows(PeerLostException.class, () -> await(false));

        assertEquals("allGather key: process 1 (rank 1) ended without taking part", e.getMessage());
    }
}
