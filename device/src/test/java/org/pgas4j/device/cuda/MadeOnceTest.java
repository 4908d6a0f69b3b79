package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceException;

@Timeout(30)
class MadeOnceTest {

    private final MadeOnce<String, Integer> values = new MadeOnce<>();
    private final AtomicInteger made = new AtomicInteger();

    @Test
    void shouldMakeValuesOfDifferentKeysAtTheSameTime() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Integer>> results = new ArrayList<>();
            for (String key : List.of("a", "bc")) {
                results.add(threads.submit(() -> values.get(key, () -> {
                    try {
                        both.await(20, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        throw new AssertionError(key + " is made alone", e);
                    }
                    return key.length();
                })));
            }

            assertEquals(List.of(1, 2), List.of(results.get(0).get(), results.get(1).get()));
        }
    }

    @Test
    void shouldMakeAValueOnceForAllThreads() throws Exception {
        CyclicBarrier all = new CyclicBarrier(4);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                results.add(threads.submit(() -> {
                    all.await(20, TimeUnit.SECONDS);
                    return values.get("a", made::incrementAndGet);
                }));
            }
            for (Future<Integer> result : results) {
                assertEquals(1, result.get());
            }
        }
    }

    @Test
    void shouldMakeAgainWhatFailed() {
        assertThrows(DeviceException.class, () -> values.get("a", () -> {
            throw new DeviceException("does not compile");
        }));

        assertEquals(1, values.get("a", made::incrementAndGet));
    }

    @Test
    void shouldEndEachValue() {
        List<Integer> ended = new ArrayList<>();
        values.get("a", made::incrementAndGet);
        values.get("b", made::incrementAndGet);

        values.clear(ended::add);

        assertEquals(List.of(1, 2), ended.stream().sorted().toList());
        assertEquals(3, values.get("a", made::incrementAndGet));
    }
}
