package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.kernel.runtime.BlockBarrier.Outcome;

/** Virtual threads at a barrier. */
@Timeout(60)
class BlockBarrierTest {

    private static final int THREADS = 50;

    private static void runAll(Runnable... works) throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (Runnable work : works) {
            all.add(Thread.ofVirtual().start(work));
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    private static Runnable[] times(int count, java.util.function.IntFunction<Runnable> work) {
        return IntStream.range(0, count).mapToObj(work).toArray(Runnable[]::new);
    }

    private static void shouldMeet(BlockBarrier barrier, int threads, int rounds) throws InterruptedException {
        AtomicInteger come = new AtomicInteger();
        int[] seen = new int[threads * rounds];
        runAll(times(threads, thread -> () -> {
            for (int round = 0; round < rounds; round++) {
                come.incrementAndGet();
                barrier.await(thread);
                seen[thread * rounds + round] = come.get();
                barrier.await(thread);
            }
        }));
        assertArrayEquals(IntStream.range(0, seen.length).map(i -> (i % rounds + 1) * threads).toArray(), seen);
    }

    @Test
    void shouldLetNobodyPassBeforeAllHaveCome() throws InterruptedException {
        shouldMeet(new BlockBarrier(THREADS, new ParkedThreads(THREADS)), THREADS, 20);
    }

    @Test
    void shouldWakeAllThatPark() throws InterruptedException {
        shouldMeet(new BlockBarrier(5, new ParkedThreads(5), 0), 5, 4000);
    }

    /** Some come twice and some once, and leave after that. */
    @Test
    void shouldEndWaitsForThreadsThatHaveLeft() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            BlockBarrier barrier = new BlockBarrier(THREADS, new ParkedThreads(THREADS), i % 40);
            AtomicInteger first = new AtomicInteger();
            AtomicInteger second = new AtomicInteger();
            runAll(times(THREADS, thread -> () -> {
                first.addAndGet(barrier.await(thread) == Outcome.MET ? 1 : 0);
                if (thread % 5 != 0) {
                    second.addAndGet(barrier.await(thread) == Outcome.MET ? 1 : 0);
                }
                barrier.leave(thread);
            }));
            assertEquals(THREADS, first.get(), "all came to the first");
            assertEquals(0, second.get());
        }
    }

    @Test
    void shouldEndWaitsAfterAFailure() throws InterruptedException {
        BlockBarrier barrier = new BlockBarrier(2, new ParkedThreads(2));
        Outcome[] outcome = {null};
        runAll(() -> outcome[0] = barrier.await(0), barrier::fail);
        assertEquals(Outcome.FAILED, outcome[0]);
    }

    /** One thread of two waits in each of two barriers, which both expect. */
    @Test
    void shouldFindThatAllThreadsWait() throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            ParkedThreads parked = new ParkedThreads(2);
            BlockBarrier[] barriers = {new BlockBarrier(2, parked, i % 2), new BlockBarrier(2, parked, i % 3)};
            Outcome[] outcomes = new Outcome[2];
            runAll(times(2, thread -> () -> {
                outcomes[thread] = barriers[thread].await(thread);
                barriers[1 - thread].fail();
            }));
            assertEquals(Set.of(Outcome.STUCK, Outcome.FAILED), Set.of(outcomes));
        }
    }
}
