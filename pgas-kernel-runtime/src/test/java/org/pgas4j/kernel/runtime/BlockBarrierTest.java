package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
                barrier.await();
                seen[thread * rounds + round] = come.get();
                barrier.await();
            }
        }));
        assertArrayEquals(IntStream.range(0, seen.length).map(i -> (i % rounds + 1) * threads).toArray(), seen);
    }

    @Test
    void shouldLetNobodyPassBeforeAllHaveCome() throws InterruptedException {
        shouldMeet(new BlockBarrier(THREADS), THREADS, 20);
    }

    @Test
    void shouldWakeAllThatPark() throws InterruptedException {
        shouldMeet(new BlockBarrier(5, 0), 5, 4000);
    }

    @Test
    void shouldNotWaitForThreadsThatHaveLeft() throws InterruptedException {
        BlockBarrier barrier = new BlockBarrier(THREADS);
        AtomicInteger passed = new AtomicInteger();
        runAll(times(THREADS, thread -> () -> {
            for (int round = 0; round < thread % 5; round++) {
                passed.addAndGet(barrier.await() ? 1 : 0);
            }
            barrier.leave();
        }));
        assertTrue(passed.get() == THREADS / 5 * (1 + 2 + 3 + 4), "passed " + passed);
    }

    @Test
    void shouldEndWaitsAfterAFailure() throws InterruptedException {
        BlockBarrier barrier = new BlockBarrier(2);
        boolean[] passed = {true};
        runAll(() -> passed[0] = barrier.await(), barrier::fail);
        assertFalse(passed[0]);
    }
}
