package org.pgas4j.helper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class HelperThreadsTest {

    private static final List<int[]> ANYWHERE = List.of();
    private static final long THRESHOLD_NS = 1_000;

    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    private final List<PortToSelf> ranks = new ArrayList<>();

    @AfterEach
    void close() {
        ranks.forEach(PortToSelf::close);
        assertNull(failures.poll());
    }

    private PortToSelf rank() {
        PortToSelf rank = new PortToSelf();
        ranks.add(rank);
        return rank;
    }

    private HelperThreads helpers(String mode, int threads, boolean perDevice, String waiting, List<int[]> places,
                                  boolean crowded) {
        return new HelperThreads(new HelperOptions(mode, threads, perDevice, THRESHOLD_NS, waiting, places, crowded),
                (rank, failure) -> failures.add(rank + ": " + failure.getMessage()));
    }

    private static HelperThreads.Served served(PortToSelf rank, int device) {
        return new HelperThreads.Served(rank.engine, device);
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("pgas-helper-")).toList();
    }

    /** Waits until all helpers sleep; a helper that spins or yields for ever is never seen asleep. */
    private static void awaitSleep() {
        List<Thread> all = threads();
        while (!all.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING)) {
            if (Thread.currentThread().isInterrupted()) { // by the timeout
                throw new AssertionError("helpers do not sleep: " + all.stream().map(Thread::getState).toList());
            }
            Thread.yield();
        }
    }

    @ParameterizedTest
    @CsvSource({"on, spin, false", "on, yield, false", "on, park, false", "on, auto, false", "on, auto, true",
        "auto, auto, false", "auto, park, true"})
    void shouldServeABusyRankWithEachIdleStrategy(String mode, String waiting, boolean crowded) {
        PortToSelf rank = rank();
        try (HelperThreads helpers = helpers(mode, 1, false, waiting, ANYWHERE, crowded)) {
            helpers.start(List.of(served(rank, 0)));
            awaitSleep(); // nothing to serve: there is no pair
            rank.engine.enter().connect(0);
            rank.engine.exit();
            for (int i = 1; i <= 50; i++) {
                rank.engine.beginBusy();
                rank.send(true, 0, i);
                rank.send(false, 0, i);
                rank.awaitWord(0, i);
                rank.engine.endBusy();
            }
        }
        assertEquals(50, rank.word(true, 0));
        assertEquals(100, rank.engine.takeStats().requests());
        assertEquals(List.of(), threads());
    }

    /** Objects of each of a million rounds a second are soon to be collected, which stops the rank too, for milliseconds. */
    @Test
    void shouldMakeNoObjectsWhileItLooksAround() {
        PortToSelf rank = rank().connected();
        AtomicLong rounds = new AtomicLong();
        rank.engine.addService(() -> {
            rounds.incrementAndGet();
            return false;
        });
        ThreadMXBean allocations = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (HelperThreads helpers = helpers("on", 1, false, "spin", ANYWHERE, false)) {
            rank.engine.beginBusy();
            helpers.start(List.of(served(rank, 0)));
            long helper = threads().getFirst().threadId();
            awaitRounds(rounds, 1_000);
            long roundsBefore = rounds.get();
            long before = allocations.getThreadAllocatedBytes(helper);
            awaitRounds(rounds, roundsBefore + 20_000); // most of them before the compiler could remove objects
            long bytes = allocations.getThreadAllocatedBytes(helper) - before;
            rank.engine.endBusy();
            assertTrue(bytes < rounds.get() - roundsBefore, bytes + " bytes in " + (rounds.get() - roundsBefore) + " rounds");
        }
    }

    private static void awaitRounds(AtomicLong rounds, long wanted) {
        while (rounds.get() < wanted) {
            if (Thread.currentThread().isInterrupted()) { // by the timeout
                throw new AssertionError(rounds + " rounds of " + wanted);
            }
            Thread.yield();
        }
    }

    @ParameterizedTest
    @CsvSource({"auto, false", "auto, true", "park, false"})
    void shouldSleepWhenNoRankIsBusyAndWakeForOneThatIs(String waiting, boolean crowded) {
        PortToSelf rank = rank().connected();
        try (HelperThreads helpers = helpers("on", 1, false, waiting, ANYWHERE, crowded)) {
            helpers.start(List.of(served(rank, 0)));
            awaitSleep();
            rank.send(false, 0, 1);
            rank.engine.beginBusy();
            rank.awaitWord(0, 1);
            rank.engine.endBusy();
            awaitSleep();
        }
    }

    /** Else it takes the processor from the rank that has the port, or that is to answer within the threshold. */
    @ParameterizedTest
    @CsvSource({"auto, false", "auto, true", "park, false"})
    void shouldSleepWhereItIsCrowdedWhileARequestHasToWait(String waiting, boolean taken) {
        PortToSelf rank = rank().connected();
        rank.send(false, 0, 1);
        try (HelperThreads helpers = helpers("auto", 1, false, waiting, ANYWHERE, true)) {
            if (taken) {
                rank.engine.enter();
            } else {
                helpers.change(options -> options.withThreshold(86_400_000_000_000L));
            }
            helpers.start(List.of(served(rank, 0)));
            awaitSleep();
            assertEquals(0, rank.word(false, 0));
            if (taken) {
                rank.engine.exit();
            } else {
                helpers.change(options -> options.withThreshold(THRESHOLD_NS));
            }
            rank.awaitWord(0, 1);
        }
    }

    /** A request that would wait for a day is served as soon as the settings say so. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldFollowSettingsThatAreChanged(boolean threshold) {
        PortToSelf rank = rank().connected();
        long day = 86_400_000_000_000L;
        try (HelperThreads helpers = helpers("auto", 1, false, "spin", ANYWHERE, false)) {
            helpers.change(options -> options.withThreshold(day));
            helpers.start(List.of(served(rank, 0)));
            rank.engine.beginBusy();
            rank.send(false, 0, 1);
            awaitStart(helpers);
            assertEquals(0, rank.word(false, 0));
            helpers.change(options -> threshold ? options.withThreshold(1) : options.withMode("on"));
            rank.awaitWord(0, 1);
            rank.engine.endBusy();
            helpers.change(options -> options.withWaiting("park"));
            awaitSleep();
            assertEquals("park", helpers.options().waiting());
        }
    }

    private static void awaitStart(HelperThreads helpers) {
        while (threads().size() < helpers.count()) {
            Thread.yield();
        }
    }

    @Test
    void shouldRefuseSettingsThereAreNot() {
        HelperOptions options = new HelperOptions("on", 1, false, 1, "auto", ANYWHERE, false);
        assertEquals("mode of helper threads: 'off' (expected: one of [on, auto])",
                assertThrows(IllegalArgumentException.class, () -> options.withMode("off")).getMessage());
        assertThrows(IllegalArgumentException.class, () -> options.withThreshold(0));
        assertThrows(IllegalArgumentException.class, () -> options.withWaiting("sleep"));
    }

    @Test
    void shouldPollAServiceThatIsAddedWhileItSleeps() throws InterruptedException {
        PortToSelf rank = rank();
        BlockingQueue<String> polls = new LinkedBlockingQueue<>();
        try (HelperThreads helpers = helpers("auto", 1, false, "park", ANYWHERE, false)) {
            helpers.start(List.of(served(rank, 0)));
            awaitSleep();
            rank.engine.addService(() -> polls.add(Thread.currentThread().getName()));
            assertEquals("pgas-helper-0", polls.take());
        }
    }

    @ParameterizedTest
    @CsvSource({"1, false, 1", "2, false, 2", "8, false, 3", "1, true, 2", "2, true, 3"})
    void shouldShareRanksAmongItsThreads(int threads, boolean perDevice, int count) {
        List<PortToSelf> three = List.of(rank().connected(), rank().connected(), rank().connected());
        try (HelperThreads helpers = helpers("auto", threads, perDevice, "auto", ANYWHERE, true)) {
            helpers.start(List.of(served(three.get(0), 0), served(three.get(1), 1), served(three.get(2), 0)));
            assertEquals(count, helpers.count());
            assertEquals(count, threads().size());
            three.forEach(rank -> rank.send(false, 3, 7));
            three.forEach(rank -> rank.awaitWord(3, 7));
        }
        assertEquals(List.of(), threads());
    }

    @Test
    void shouldReportTheFailureOfARankItServes() throws InterruptedException {
        PortToSelf rank = rank();
        rank.engine.addService(() -> {
            throw new IllegalStateException("broken service");
        });
        try (HelperThreads helpers = helpers("auto", 1, false, "auto", ANYWHERE, true)) {
            helpers.start(List.of(served(rank, 0)));
            assertEquals("0: broken service", failures.take());
        }
    }

    @Test
    void shouldReportAProcessorThatItCannotUse() throws InterruptedException {
        PortToSelf rank = rank();
        try (HelperThreads helpers = helpers("auto", 1, false, "auto", List.of(new int[] {1023}), true)) {
            helpers.start(List.of(served(rank, 0)));
            String failure = failures.take();
            assertTrue(failure.startsWith("0: sched_setaffinity(processors [1023]): "), failure);
        }
    }

    @Test
    void shouldEndThoughCopiesDoNotComplete() {
        PortToSelf rank = rank().connected();
        rank.hold();
        try (HelperThreads helpers = helpers("auto", 1, false, "auto", ANYWHERE, false)) {
            helpers.start(List.of(served(rank, 0)));
            rank.send(true, 0, 1);
            rank.awaitLooks(3);
        }
        assertEquals(List.of(), threads());
        assertTrue(rank.port.hasInFlight());
    }

    @Test
    void shouldKeepTheInterruptOfAClosingThread() {
        HelperThreads helpers = helpers("auto", 1, false, "auto", ANYWHERE, false);
        helpers.start(List.of(served(rank(), 0)));
        Thread.currentThread().interrupt();
        helpers.close();
        assertTrue(Thread.interrupted());
        assertFalse(Thread.interrupted());
        assertEquals(List.of(), threads());
    }
}
