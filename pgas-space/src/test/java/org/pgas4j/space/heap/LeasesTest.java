package org.pgas4j.space.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;

@Timeout(10)
class LeasesTest {

    private static final long[] ANSWER = {512, 64};
    private static final long[] NONE = {0};

    private final List<Long> ended = new ArrayList<>();
    private final Leases leases = new Leases(lease -> ended.add(lease.generation()));

    private Lease find(long generation, Supplier<long[]> ask) {
        return leases.find(MemoryKind.HOST, generation, 3, ask);
    }

    private static long[] noAnswer() {
        throw new AssertionError("no request to the owner is needed");
    }

    @Test
    void shouldRequestALeaseOnce() {
        Lease lease = find(7, () -> ANSWER);

        assertEquals(512, lease.start());
        assertEquals(64, lease.bytes());
        assertSame(lease, find(7, LeasesTest::noAnswer));
        assertSame(lease, leases.learn(MemoryKind.HOST, 7, 3, 512, 64));
    }

    @Test
    void shouldHaveNoLeaseOfAnotherKindOrRank() {
        find(7, () -> ANSWER);

        assertNull(leases.find(MemoryKind.DEVICE, 7, 3, LeasesTest::noAnswer));
        assertNull(leases.find(MemoryKind.HOST, 7, 4, LeasesTest::noAnswer));
    }

    @Test
    void shouldMakeNoLeaseOfWhatDoesNotLive() {
        assertNull(find(7, () -> NONE));
        assertNotNull(find(7, () -> ANSWER));
    }

    @Test
    void shouldEndALeaseOnce() {
        Lease lease = find(7, () -> ANSWER);

        leases.end(7);
        leases.end(7);

        assertFalse(lease.isLive());
        assertTrue(lease.refuses(3, 512, 1));
        assertEquals(List.of(7L), ended);
        assertNull(find(7, () -> NONE));
    }

    /** The owner answers, then frees; the free arrives first. */
    @Test
    void shouldMakeNoLeaseIfAFreeOvertakesTheAnswer() {
        assertNull(find(7, () -> {
            leases.end(7);
            return ANSWER;
        }));
        assertEquals(List.of(), ended);
    }

    @Test
    void shouldKeepOtherLeasesIfAFreeOvertakesAnAnswer() {
        assertNotNull(find(7, () -> {
            leases.end(8);
            return ANSWER;
        }));
    }

    /** Keeps leases that ended meanwhile until the last answer. */
    @Test
    void shouldRememberAFreeUntilTheLastAnswer() {
        assertNull(find(7, () -> {
            leases.end(7);
            assertNotNull(find(8, () -> ANSWER));
            return ANSWER;
        }));
    }

    @Test
    void shouldForgetFreesAfterTheLastAnswer() {
        find(7, () -> {
            leases.end(9);
            return ANSWER;
        });

        assertNotNull(find(8, () -> {
            assertNotNull(find(9, () -> ANSWER));
            return ANSWER;
        }));
    }

    @Test
    void shouldForgetFreesAfterARequestThatFailed() {
        assertThrows(PgasException.class, () -> find(7, () -> {
            leases.end(7);
            throw new PgasException("no answer");
        }));

        assertNotNull(find(7, () -> ANSWER));
    }

    @Test
    void shouldEndAllWhenTheJobIsOver() {
        Lease one = find(7, () -> ANSWER);
        Lease other = leases.learn(MemoryKind.DEVICE, 8, Lease.EVERY_RANK, 0, 16);

        leases.close();

        assertFalse(one.isLive() || other.isLive());
        assertEquals(List.of(7L, 8L), ended.stream().sorted().toList());
        assertNull(find(9, LeasesTest::noAnswer));
        assertFalse(leases.learn(MemoryKind.HOST, 10, 3, 0, 16).isLive());
    }
}
