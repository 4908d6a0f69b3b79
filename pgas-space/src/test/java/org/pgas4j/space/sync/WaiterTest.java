package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.SingleProcessBootstrap;
import org.pgas4j.bootstrap.watch.StatusBoard;
import org.pgas4j.bootstrap.watch.StatusQuery;

@Timeout(30)
class WaiterTest {

    private static final long LONG_NS = 60_000_000_000L;
    /** So many ranks to a processor that a park without a wake lasts for minutes. */
    private static final int CROWD = 1_000_000;
    private static final Supplier<String> WHAT = () -> "the test";

    private final SingleProcessBootstrap bootstrap = new SingleProcessBootstrap(1);
    private final StatusBoard board = StatusBoard.local(0, 1);

    private Waiter waiter(long timeoutNs, int ranks, boolean attentive) {
        return new Waiter(bootstrap, timeoutNs, ranks, 1, attentive, board.activity(0),
                new StatusQuery(bootstrap, board));
    }

    /** Of ranks that share a processor. */
    private Waiter waiter(long timeoutNs) {
        return waiter(timeoutNs, 2, true);
    }

    private static <E extends PgasException> E waitUntil(Class<E> failure, Waiter waiter) {
        return assertThrows(failure, () -> {
            while (true) {
                waiter.pause(WHAT);
            }
        });
    }

    @Test
    void shouldOnlyLookAtFirst() {
        Waiter waiter = waiter(0);
        bootstrap.abort(new Abort(0, "here", Phase.PROGRAM, "failed", 1, false));
        waiter.begin();
        for (int i = 0; i < waiter.looks(); i++) {
            waiter.pause(WHAT);
        }

        assertThrows(JobAbortedException.class, () -> waiter.pause(WHAT));
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "1000000"})
    void shouldEndWithItsDeadline(int ranks) {
        Waiter waiter = waiter(1_000_000, ranks, true);
        board.activity(0).enter(Phase.BARRIER);
        waiter.begin();

        PgasTimeoutException failure = waitUntil(PgasTimeoutException.class, waiter);

        assertEquals("the test timed out after 1 ms; raise pgas.timeout if that is too short", failure.getMessage());
        assertTrue(board.activity(0).look().text().startsWith("failed in barrier"), board.activity(0).look().text());
    }

    /** Parking is for ranks that others need the processor of, and for those that have waited long. */
    @ParameterizedTest
    @CsvSource({"2, 3, true", "1, 16, true", "2, 2, false", "3, 2, false", "1000000, 1, false"})
    void shouldYieldForMillisecondsWithAProcessorToSpare(int ranks, int processors, boolean yields) {
        Waiter waiter = new Waiter(bootstrap, 1_000_000, ranks, processors, true, board.activity(0),
                new StatusQuery(bootstrap, board));
        assertEquals(yields, waiter.yieldsOn(1_000_000));
        assertFalse(waiter.yieldsOn(10_000_000));
        waiter.begin();
        waitUntil(PgasTimeoutException.class, waiter);
        assertTrue(waiter.waitedNs() >= 1_000_000);
    }

    @Test
    void shouldEndWithADeadlineOfItsOwn() {
        Waiter waiter = waiter(LONG_NS);
        PgasTimeoutException own = new PgasTimeoutException("own");

        waiter.begin(System.nanoTime(), () -> own);

        assertSame(own, waitUntil(PgasTimeoutException.class, waiter));
    }

    @Test
    void shouldForgetTheDeadlineOfTheWaitBefore() {
        Waiter waiter = waiter(1);
        waiter.begin(System.nanoTime(), () -> new PgasTimeoutException("own"));
        waitUntil(PgasTimeoutException.class, waiter);

        waiter.begin();

        assertTrue(waitUntil(PgasTimeoutException.class, waiter).getMessage().startsWith("the test"));
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldEndWithTheJob(boolean lost) {
        Waiter waiter = waiter(LONG_NS);
        waiter.beginUnlimited();
        bootstrap.abort(new Abort(3, "node7", Phase.BARRIER, "gone", 12, lost));

        Class<? extends PgasException> expected = lost ? PeerLostException.class : JobAbortedException.class;
        PgasException failure = waitUntil(expected, waiter);

        assertTrue(failure.getMessage().contains("node7") && failure.getMessage().contains("gone"),
                failure.getMessage());
    }

    @Test
    void shouldHaveNoDeadlineIfItIsUnlimited() {
        Waiter waiter = waiter(1);
        AtomicInteger looks = new AtomicInteger();
        waiter.beginUnlimited();

        while (looks.incrementAndGet() < 400) { // far behind the first check
            waiter.pause(WHAT);
        }

        waiter.begin();
        waitUntil(PgasTimeoutException.class, waiter);
    }

    @Test
    void shouldLookAroundBeforeItEnds() {
        Waiter waiter = waiter(1);
        AtomicInteger around = new AtomicInteger();
        waiter.begin(around::incrementAndGet);
        waitUntil(PgasTimeoutException.class, waiter);
        assertEquals(1, around.get());

        waiter.begin(() -> {
            throw new PeerLostException("seen");
        });
        assertEquals("seen", waitUntil(PeerLostException.class, waiter).getMessage());

        waiter.begin();
        waitUntil(PgasTimeoutException.class, waiter);
        assertEquals(1, around.get(), "of another wait");
    }

    @Test
    void shouldEndAlsoIfThereIsAlwaysSomethingToDo() {
        Waiter waiter = waiter(1);
        AtomicInteger done = new AtomicInteger();
        waiter.progress(() -> done.incrementAndGet() > 0);
        waiter.begin();
        waitUntil(PgasTimeoutException.class, waiter);
        // The first check sets the deadline, the second one is after it.
        assertTrue(done.get() <= 2 * 256, "looked after things " + done + " times before the deadline was checked twice");

        bootstrap.abort(new Abort(0, "here", Phase.PROGRAM, "failed", 1, false));
        waiter.begin();
        waitUntil(JobAbortedException.class, waiter);
    }

    @Test
    void shouldGoOnWithAWaitThatHadAnotherInIt() {
        Waiter waiter = waiter(1);
        Waiter.Outer outer = new Waiter.Outer();
        AtomicInteger done = new AtomicInteger();
        waiter.progress(() -> {
            waiter.save(outer);
            waiter.begin();
            waiter.restore(outer);
            return done.incrementAndGet() > 0;
        });
        PgasTimeoutException own = new PgasTimeoutException("own");
        waiter.begin(System.nanoTime(), () -> own);
        assertSame(own, waitUntil(PgasTimeoutException.class, waiter));
        // The first check sets the deadline, the second one is after it.
        assertTrue(done.get() <= 2 * 256, "looked after things " + done + " times before the deadline was checked twice");

        waiter.beginUnlimited();
        for (int looks = 0; looks < 2000; looks++) {
            waiter.pause(WHAT);
        }
        AtomicInteger around = new AtomicInteger();
        waiter.begin(around::incrementAndGet);
        waitUntil(PgasTimeoutException.class, waiter);
        assertEquals(1, around.get());
    }

    @Test
    void shouldLookAfterNothingInAQuietWait() {
        Waiter waiter = waiter(1);
        waiter.progress(() -> {
            throw new AssertionError("not in a quiet wait");
        });
        waiter.begin();

        assertThrows(PgasTimeoutException.class, () -> {
            while (true) {
                waiter.pauseQuietly(WHAT);
            }
        });
    }

    @Test
    void shouldShowSinceWhenItWaits() {
        Waiter waiter = waiter(LONG_NS);
        board.activity(0).enter(Phase.GATHER);
        waiter.begin();
        assertEquals(-1, board.activity(0).look().waitedNs());

        for (int i = 0; i <= waiter.looks(); i++) {
            waiter.pause(WHAT);
        }

        assertTrue(board.activity(0).look().waitedNs() >= 0, "waits");
        assertTrue(board.activity(0).look().deadlineNs() - System.nanoTime() > 0, "its deadline is ahead");
    }

    // ---- ranks that are packed

    @Test
    void shouldKnowWhereRanksArePacked() {
        assertFalse(Waiter.isPacked(129, 2));
        assertTrue(Waiter.isPacked(130, 2));
    }

    /** Starts a thread that waits for a flag, and lets it come to its park. */
    private static Thread startParked(Waiter waiter, AtomicBoolean flag) throws InterruptedException {
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            waiter.begin();
            while (!flag.get()) {
                waiter.pause(WHAT);
            }
        });
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        return thread;
    }

    @Test
    void shouldEndAParkByAWake() throws Exception {
        Waiter waiter = waiter(LONG_NS, CROWD, false);
        AtomicBoolean flag = new AtomicBoolean();
        Thread thread = startParked(waiter, flag);

        waiter.wake(); // for something else: it parks again
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        flag.set(true);
        VarHandle.fullFence();
        assertTrue(waiter.wake());

        thread.join();
    }

    @Test
    void shouldLookOftenIfItIsAttentive() throws Exception {
        AtomicBoolean flag = new AtomicBoolean();
        Thread thread = startParked(waiter(LONG_NS, CROWD, true), flag);

        flag.set(true);

        thread.join();
    }

    @Test
    void shouldShowThatItParksOnePauseBeforeItDoes() {
        Waiter waiter = waiter(LONG_NS, CROWD, false);
        int first = pausesUntilItShows(waiter);

        waiter.pause(WHAT); // parks, for which it has been woken
        waiter.begin();

        assertFalse(waiter.wake(), "in a new wait");
        assertEquals(first, pausesUntilItShows(waiter));
        assertTrue(first > waiter.looks(), "pauses: " + first);
    }

    private static int pausesUntilItShows(Waiter waiter) {
        waiter.begin();
        int pauses = 0;
        while (!waiter.wake()) {
            waiter.pause(WHAT);
            pauses++;
        }
        return pauses;
    }
}
