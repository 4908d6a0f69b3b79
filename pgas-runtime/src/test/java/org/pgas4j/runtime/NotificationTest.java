package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.runtime.notify.PreparedTable;

/** Cases beyond the contract of windows: deadlines of the job, helpers, and services that the runtime starts for kernels. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NotificationTest {

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    private static PgasConfig hasty() {
        return config(1).set(PgasKey.TIMEOUT, "400ms");
    }

    private static void check(NotificationTimeoutException e, int tag, long expected, long seen) {
        assertEquals("0 -1 -1 " + tag + " " + expected + " " + seen, e.rank() + " " + e.block() + " " + e.window() + " "
                + e.tag() + " " + e.expected() + " " + e.seen());
        assertTrue(e.getMessage().contains("pgas.timeout"), e.getMessage());
    }

    @Test
    void shouldEndAWaitAtTheJobsDeadline() {
        NotificationTimeoutException e = assertThrows(NotificationTimeoutException.class, () -> Pgas.run(hasty(), List.of(),
                rank -> rank.notifications().await(5, 2)));

        check(e, 5, 2, 0);
    }

    @Test
    void shouldForgetValuesThatAStreamHasTaken() {
        Pgas.run(config(1).set(PgasKey.TIMEOUT, "3s"), rank -> {
            Stream stream = rank.device().newStream();
            rank.notifications().signalSet(0, 3, 1);
            stream.awaitValue(3);
            stream.sync();
            stream.awaitValue(5);

            check(assertThrows(NotificationTimeoutException.class, stream::sync), 5, 1, 0);
            rank.notifications().signalSet(0, 3, 9);
            stream.close();
            assertEquals(9, rank.notifications().reset(3), "a value that the closed stream did not wait for");
        });
    }

    @Test
    void shouldTakeTimeoutsOfAnyLength() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        Pgas.run(config(2), rank -> {
            if (rank.rank() == 0) {
                rank.notifications().await(3, 1, forever);
                assertEquals(4, rank.notifications().awaitAny(new int[] {4}, forever));
                assertEquals(5, rank.notifications().awaitSome(5, 1, forever));
            } else {
                rank.notifications().signal(0, 3);
                rank.notifications().signal(0, 4);
                rank.notifications().signalSet(0, 5, 1);
            }
        });
    }

    @Test
    void shouldEndALoopOfTestsWhenTheJobHasFailed() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(1);
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            if (rank.rank() == 1) {
                throw new IllegalStateException("of rank 1");
            }
            try {
                while (!stop.get() && rank.notifications().testSome(0, 8) < 0) {
                    Thread.onSpinWait();
                }
            } catch (PgasException e) {
                ended.countDown();
                throw e;
            }
        }));

        boolean isOver = ended.await(10, TimeUnit.SECONDS);
        stop.set(true);
        assertTrue(isOver);
        assertEquals("of rank 1", failure.getCause().getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "on"})
    void shouldEndAFutureAtTheJobsDeadline(String helper) {
        Pgas.run(hasty().set(PgasKey.HELPER, helper), List.of(), rank -> {
            CompletableFuture<Void> future = rank.notifications().future(6, 3);
            rank.notifications().signal(0, 6);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (!future.isDone() && System.nanoTime() - end < 0) {
                if (helper.equals("off")) {
                    rank.progress();
                }
                Thread.onSpinWait();
            }
            CompletionException e = assertThrows(CompletionException.class, future::join);
            check(assertInstanceOf(NotificationTimeoutException.class, e.getCause()), 6, 3, 1);
        });
    }

    @Test
    void shouldCompleteAFutureWhileTheRankDoesNothing() {
        Pgas.run(config(2).set(PgasKey.HELPER, "on"), List.of(), rank -> {
            CompletableFuture<Void> future = rank.notifications().future(7, 1);
            rank.barrier();
            rank.notifications().signal(1 - rank.rank(), 7);
            future.orTimeout(20, TimeUnit.SECONDS).join();
        });
    }

    @Test
    void shouldEndAStreamsWaitAtTheJobsDeadlineAndCloseIt() {
        NotificationTimeoutException e = assertThrows(NotificationTimeoutException.class, () -> Pgas.run(hasty(), List.of(),
                rank -> {
                    try (Stream stream = rank.device().newStream()) {
                        rank.notifications().signal(0, 8);
                        stream.awaitNotifications(8, 4);
                        stream.sync();
                    }
                }));

        check(e, 8, 4, 1);
    }

    @Test
    void shouldGiveUpFuturesOfARankThatEnds() {
        AtomicReference<CompletableFuture<Void>> kept = new AtomicReference<>();

        Pgas.run(config(1), List.of(), rank -> kept.set(rank.notifications().future(9, 1)));

        assertTrue(kept.get().isCancelled());
    }

    /** Operations that a rank starts with a notification behind it while its own stream is held up. */
    private enum Queued {
        PUT {
            @Override
            void start(Window window, Buffer own) {
                window.putNotify(1, 0, own, 10);
            }
        },
        TWO_PUTS_AND_A_SIGNAL {
            @Override
            void start(Window window, Buffer own) {
                window.putNotify(1, 8, own.slice(1, 1), 10);
                window.signal(1, 10);
                window.putNotify(1, 0, own, 10);
            }
        },
        VALUE {
            @Override
            void start(Window window, Buffer own) {
                window.putNotifySet(1, 0, own, 10, 3);
            }
        },
        PUT_AND_VALUE {
            @Override
            void start(Window window, Buffer own) {
                window.putNotify(1, 0, own, 10);
                window.putNotifySet(1, 8, own.slice(1, 1), 10, 3);
            }
        },
        GET {
            @Override
            void start(Window window, Buffer own) {
                window.getNotify(own, 1, 0, 10);
            }
        };

        abstract void start(Window window, Buffer own);

        int counted() {
            return this == TWO_PUTS_AND_A_SIGNAL ? 3 : this == VALUE ? 0 : 1;
        }

        boolean sets() {
            return this == VALUE || this == PUT_AND_VALUE;
        }
    }

    /** The call returns, nothing arrives before the stream goes on, and then everything does, although its rank only flushes. */
    @ParameterizedTest(name = "{0}, helper {1}, flush {2}")
    @CsvSource({"PUT, off, true", "PUT, off, false", "PUT, on, true", "TWO_PUTS_AND_A_SIGNAL, off, true", "VALUE, off, true",
        "VALUE, on, false", "PUT_AND_VALUE, off, false", "PUT_AND_VALUE, on, true", "GET, off, true", "GET, on, false"})
    void shouldReturnWhileItsStreamCopies(Queued queued, String helper, boolean flush) {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        Kernel holds = new Kernel("holds", null, (_, _) -> await(gate));
        Pgas.run(config(2).set(PgasKey.HELPER, helper), List.of(), rank -> {
            SharedPointer base;
            try (Scope _ = rank.onDevice()) {
                base = rank.alloc(64);
            }
            Buffer own = rank.device().alloc(ElementType.LONG, 8);
            rank.stream().fill(own, rank.rank() + 1);
            rank.stream().sync();
            try (Window window = rank.createWindow(rank.world(), base, 64)) {
                if (rank.rank() == 0) {
                    ((RankContext) rank).transferStream().launch(holds, new Kernel.Shape(1, 1), new Object[0]);
                    queued.start(window, own);
                    returned.countDown();
                    if (flush) {
                        window.flush();
                    }
                } else {
                    await(returned);
                    assertEquals(0, rank.notifications().available(10));
                    assertEquals(0, rank.notifications().reset(10));
                    gate.countDown();
                    rank.notifications().await(10, queued.counted());
                    if (queued.sets()) {
                        assertEquals(10, rank.notifications().awaitSome(10, 1, Duration.ofSeconds(20)));
                        assertEquals(3, rank.notifications().reset(10));
                    }
                    assertEquals(queued == Queued.GET ? 0 : 0x0101010101010101L, word(rank, base));
                }
                rank.barrier();
                assertEquals(0, rank.notifications().available(10), "none came twice");
                rank.barrier();
            }
            own.close();
        });
    }

    private static long word(Rank rank, SharedPointer base) {
        try (var arena = java.lang.foreign.Arena.ofConfined()) {
            var seen = arena.allocate(8, 8);
            rank.memget(seen, base, 8);
            return seen.get(ElementType.LAYOUT_LONG, 0);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "fastpath", "rendezvous"})
    void shouldStartPreparedCommunicationsForKernels(String route) {
        Pgas.run(config(2).set(PgasKey.ROUTE, route), List.of(), NotificationTest::triggered);
    }

    /** Each rank starts its communications again and again, as a kernel's service does. */
    private static void triggered(Rank rank) {
        PreparedTable table = ((RankContext) rank).communications().prepared();
        SharedPointer base;
        try (Scope _ = rank.onDevice()) {
            base = rank.alloc(64);
        }
        Buffer own = rank.device().alloc(ElementType.LONG, 8);
        try (Window window = rank.createWindow(rank.world(), base, 64)) {
            Prepared put = window.preparePutNotify(1 - rank.rank(), 0, own, 20);
            Prepared notice = window.prepareSignal(1 - rank.rank(), 21);
            for (int round = 1; round <= 50; round++) {
                rank.stream().fill(own, round);
                rank.stream().sync();
                assertTrue(table.execute(put.id()));
                assertTrue(table.execute(notice.id()));
                table.complete();
                rank.notifications().await(21, 1, Duration.ofSeconds(20));
                assertTrue(rank.notifications().test(20, 1), "the first comes first");
                try (var arena = java.lang.foreign.Arena.ofConfined()) {
                    var seen = arena.allocate(64, 8);
                    rank.memget(seen, base, 64);
                    assertEquals(round * 0x0101010101010101L, seen.get(ElementType.LAYOUT_LONG, 56));
                }
                rank.barrier();
            }
            put.close();
            assertThrows(IllegalStateException.class, () -> rank.stream().trigger(put));
            assertThrows(IllegalStateException.class, () -> table.execute(put.id()));
            notice.close();
            assertTrue(table.isIdle());
            assertFalse(rank.notifications().test(20, 1));
            rank.barrier();
        }
        own.close();
    }
}
