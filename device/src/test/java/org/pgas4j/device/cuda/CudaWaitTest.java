package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceException;

@Timeout(30)
class CudaWaitTest {

    private static long inMillis(long millis) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void shouldReturnAtTheFirstPollThatIsDone() {
        AtomicInteger polls = new AtomicInteger();

        assertTrue(CudaWait.await(() -> polls.incrementAndGet() == 3, inMillis(-1)));
        assertEquals(3, polls.get());
    }

    @Test
    void shouldWaitThroughSpinningYieldingAndSleeping() {
        long done = inMillis(30);

        assertTrue(CudaWait.await(() -> System.nanoTime() - done >= 0, inMillis(10_000)));
    }

    @Test
    void shouldGiveUpAtItsDeadline() {
        long start = System.nanoTime();

        assertFalse(CudaWait.await(() -> false, inMillis(20)));
        assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void shouldEndWhenTheThreadIsInterrupted() {
        Thread.currentThread().interrupt();

        assertThrows(DeviceException.class, () -> CudaWait.await(() -> false, inMillis(10_000)));
        assertTrue(Thread.interrupted());
    }
}
