package org.pgas4j.helper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.helper.ProgressEngine.Round;

@Timeout(60)
class ProgressEngineTest {

    private static final long NEVER_NS = Long.MAX_VALUE;

    private final PortToSelf rank = new PortToSelf();
    private final ProgressEngine engine = rank.engine;

    @AfterEach
    void close() {
        rank.release();
        rank.close();
    }

    // ---- the rank

    @Test
    void shouldServeAMessageWhenTheRankPolls() {
        assertFalse(engine.isActive() || engine.mayHaveWork());
        rank.connected();
        assertTrue(engine.isActive() && engine.mayHaveWork());
        assertFalse(engine.poll());

        rank.send(false, 1, 11);
        assertTrue(engine.poll());
        assertEquals(11, rank.word(false, 1));
        assertFalse(engine.poll());
    }

    @Test
    void shouldServeUntilCopiesAreComplete() {
        rank.connected().send(true, 0, 1);
        rank.send(false, 0, 2);
        assertTrue(engine.serveAll());
        assertEquals(1, rank.word(true, 0));
        assertEquals(2, rank.word(false, 0), "waits for the copy before it");
        assertFalse(engine.serveAll());
    }

    /** Else a rank that looks once between two kernels serves a large transfer in as many turns as it has steps. */
    @Test
    void shouldServeARendezvousInOneLook() {
        rank.connected();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(512, 8);
            source.set(ValueLayout.JAVA_LONG, 8, 77);
            Operation put = rank.port.put(0, MemoryKind.DEVICE, 0, source, null, 0, source.byteSize(), 1, false);
            rank.holdForLooks(5);
            assertTrue(engine.serveAll());
            assertTrue(put.isComplete(), put::describe);
            assertEquals(77, rank.word(true, 1));
            assertFalse(rank.port.isCopying());
            assertFalse(engine.serveAll());
        }
    }

    @Test
    void shouldServeNothingWhileThePortIsTaken() {
        rank.connected().send(false, 0, 1);
        assertEquals(rank.port, engine.enter());
        assertFalse(engine.poll());
        assertNull(engine.tryEnter());
        assertEquals(Round.WAITING, engine.serve(true, 0, () -> true));
        assertEquals(0, rank.word(false, 0));

        engine.exit();
        assertNotNull(engine.tryEnter());
        engine.exit();
        assertTrue(engine.poll());
        assertEquals(1, rank.word(false, 0));
    }

    // ---- a helper

    @Test
    void shouldServeABusyRankAtOnce() {
        rank.connected();
        assertEquals(Round.IDLE, engine.serve(true, NEVER_NS, () -> true));
        rank.send(false, 0, 1);
        assertEquals(Round.WAITING, engine.serve(true, NEVER_NS, () -> true));
        assertEquals(0, rank.word(false, 0), "the rank is not busy");

        engine.beginBusy();
        engine.beginBusy();
        engine.endBusy();
        assertTrue(engine.isBusy());
        assertEquals(Round.WAITING, engine.serve(false, NEVER_NS, () -> true));
        assertEquals(0, rank.word(false, 0), "helpers wait for the threshold");
        assertEquals(Round.SERVED, engine.serve(true, NEVER_NS, () -> true));
        assertEquals(1, rank.word(false, 0));
        engine.endBusy();
        assertFalse(engine.isBusy());
        assertEquals(Round.IDLE, engine.serve(true, NEVER_NS, () -> true));
    }

    /** The next request is served sooner where the driver has been used a moment ago. */
    @Test
    void shouldKeepTheDeviceReadyBesideABusyRank() {
        rank.connected().send(true, 0, 1);
        engine.beginBusy();
        idle(10 * ProgressEngine.ROUNDS_BETWEEN_CALLS - 1); // the first one serves
        assertEquals(9, rank.keptReady.get());

        engine.endBusy();
        idle(10 * ProgressEngine.ROUNDS_BETWEEN_CALLS);
        assertEquals(9, rank.keptReady.get(), "nobody is kept waiting");
    }

    private void idle(int rounds) {
        for (int round = 0; round < rounds; round++) {
            engine.serve(true, NEVER_NS, () -> true);
        }
    }

    @Test
    void shouldServeAnyRankAfterTheThresholdAndCountIt() {
        rank.connected().send(false, 0, 1);
        rank.send(true, 0, 2);
        assertEquals(Round.SERVED, engine.serve(false, 0, () -> true));
        assertEquals(1, rank.word(false, 0));
        assertEquals(2, rank.word(true, 0));
        assertFalse(rank.port.hasInFlight());
        assertEquals(2, engine.takeStats().requests());
        assertEquals(0, engine.takeStats().requests());
    }

    @Test
    void shouldGoOnWithWhatTheRankLeftUndone() {
        rank.connected().send(true, 0, 1);
        rank.hold();
        assertTrue(engine.poll());
        assertFalse(rank.port.isIdle());
        rank.release();

        assertEquals(Round.SERVED, engine.serve(false, 0, () -> true));
        assertTrue(rank.port.isIdle());
    }

    /** A helper that has the port until the device's copies are released. */
    private Thread helperWithTheHeldPort() {
        rank.connected().hold();
        rank.send(true, 0, 1);
        Thread helper = Thread.ofPlatform().start(() -> engine.serve(false, 0, () -> true));
        rank.awaitLooks(1);
        return helper;
    }

    @Test
    void shouldTakeNoFurtherMessageWhenTheRankWaitsForItsPort() throws InterruptedException {
        Thread helper = helperWithTheHeldPort();
        AtomicInteger pauses = new AtomicInteger();
        rank.pause(why -> {
            if (pauses.getAndIncrement() == 0) {
                assertEquals("port of rank 0, which a helper owns", why);
                rank.awaitLooks(2); // before the second the helper has seen that the rank waits
                rank.send(true, 1, 2);
                rank.awaitLooks(2);
                rank.release();
            }
        });

        engine.enter();
        helper.join();

        assertTrue(pauses.get() > 0);
        assertEquals(1, rank.word(true, 0));
        assertEquals(0, rank.word(true, 1), "taken although the rank waited");
        assertFalse(rank.port.hasInFlight());
        engine.exit();
        assertTrue(engine.poll());
        assertEquals(2, rank.word(true, 1));
    }

    /** A function of another rank that ran then would use the array, and the transfer, that the rank is about to put. */
    @Test
    void shouldNotEnterTwiceWhileTheRankWaitsForItsPort() throws InterruptedException {
        Thread helper = helperWithTheHeldPort();
        AtomicBoolean mayEnter = new AtomicBoolean();
        rank.pause(_ -> {
            mayEnter.compareAndSet(false, engine.mayEnter());
            rank.release();
        });
        assertTrue(engine.mayEnter(), "a helper has the port, and leaves it soon");

        engine.enter();
        helper.join();

        assertFalse(mayEnter.get());
        engine.exit();
        assertTrue(engine.mayEnter());
    }

    @Test
    void shouldServeOnAfterAWaitOfTheRankThatFailed() throws InterruptedException {
        Thread helper = helperWithTheHeldPort();
        rank.pause(why -> {
            throw new PgasTimeoutException(why);
        });
        assertThrows(PgasTimeoutException.class, engine::enter);

        rank.send(true, 1, 2);
        while (rank.word(true, 1) != 2) {
            Thread.onSpinWait(); // the helper takes it: the rank no longer waits
        }
        rank.release();
        helper.join();
        assertFalse(rank.port.hasInFlight());
    }

    @Test
    void shouldLeaveCopiesThatDoNotCompleteAtTheEnd() {
        rank.connected().hold();
        rank.send(true, 0, 1);
        AtomicInteger asked = new AtomicInteger();
        engine.serve(false, 0, () -> asked.incrementAndGet() < 3);
        assertEquals(3, asked.get());
        assertTrue(rank.port.hasInFlight());
        assertNotNull(engine.tryEnter(), "the port is free");
    }

    // ---- services

    @Test
    void shouldPollServicesInEachRoundOfRankAndHelper() {
        AtomicInteger polls = new AtomicInteger();
        ProgressEngine.Service service = () -> polls.incrementAndGet() < 3;
        assertFalse(engine.hasServices() || engine.hasUrgentServices());
        engine.addService(service);
        assertTrue(engine.hasServices() && engine.hasUrgentServices() && engine.mayHaveWork());

        assertTrue(engine.poll());
        assertEquals(Round.SERVED, engine.serve(false, NEVER_NS, () -> true));
        assertFalse(engine.poll());
        assertEquals(3, polls.get());

        engine.removeService(service);
        assertFalse(engine.hasServices() || engine.poll() || engine.mayHaveWork());
        assertEquals(3, polls.get());
        engine.removeService(service); // twice does nothing
    }

    @Test
    void shouldPollServicesAlsoWhileThePortIsTaken() {
        AtomicInteger polls = new AtomicInteger();
        engine.addService(() -> {
            polls.incrementAndGet();
            return engine.tryEnter() != null;
        });
        engine.enter();
        assertFalse(engine.poll());
        assertEquals(Round.IDLE, engine.serve(false, 0, () -> true));
        assertEquals(2, polls.get());
        engine.exit();
        assertTrue(engine.poll());
        engine.exit();
    }

    @Test
    void shouldTellUrgentServicesFromOthers() {
        AtomicBoolean urgent = new AtomicBoolean();
        engine.addService(new ProgressEngine.Service() {
            @Override
            public boolean poll() {
                return false;
            }

            @Override
            public boolean isUrgent() {
                return urgent.get();
            }
        });
        assertFalse(engine.hasUrgentServices());
        urgent.set(true);
        assertTrue(engine.hasUrgentServices());
    }

    @Test
    void shouldPollAServiceByOneThreadAtATimeAndFreeItAfterAFailure() {
        AtomicInteger polls = new AtomicInteger();
        engine.addService(() -> {
            polls.incrementAndGet();
            assertFalse(engine.pollServices());
            throw new IllegalStateException("poll " + polls.get());
        });
        assertThrows(IllegalStateException.class, engine::pollServices);
        assertEquals(1, polls.get());
        assertThrows(IllegalStateException.class, engine::pollServices);
    }

    @Test
    void shouldRemoveAServiceOnlyWhenItsPollHasEnded() throws InterruptedException {
        CountDownLatch polling = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean endedBefore = new AtomicBoolean();
        ProgressEngine.Service service = () -> {
            polling.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            ended.set(true);
            return true;
        };
        engine.addService(service);
        Thread helper = Thread.ofPlatform().start(engine::pollServices);
        polling.await();
        Thread remover = Thread.ofPlatform().start(() -> {
            engine.removeService(service);
            endedBefore.set(ended.get());
        });
        while (engine.hasServices()) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        helper.join();
        remover.join();
        assertTrue(endedBefore.get());
    }
}
