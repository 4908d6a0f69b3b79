package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generated Java methods give what their C++ gives, bit for bit, with the same faults at the same lines. */
class KernelFuzzTest {

    private static final long SEED = Long.getLong("pgas.fuzz.seed", 18);

    @TempDir
    private Path folder;

    @Test
    void shouldAgreeForGeneratedMethods() throws Throwable {
        FuzzComparison comparison = new FuzzComparison("Fuzz", SEED, 200, true, folder).run();
        assertTrue(comparison.values() > 1000, () -> comparison.values() + " values");
        assertTrue(comparison.faults() > 10, () -> comparison.faults() + " faults");
        for (long copies : comparison.copies()) {
            assertTrue(copies > 3, () -> "copies used " + Arrays.toString(comparison.copies()));
        }
    }

    /** Without what only the compiler sees, which is more than half of its time; the methods above have it. */
    @Test
    @Tag("slow")
    void shouldAgreeForTenThousandGeneratedMethods() throws Throwable {
        List<Future<FuzzComparison>> runs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int i = 0; i < 10; i++) {
                FuzzComparison comparison = new FuzzComparison("Fuzz" + i, SEED * 1000 + i, 1000, false,
                        folder.resolve("fuzz" + i));
                runs.add(threads.submit(() -> {
                    try {
                        return comparison.run();
                    } catch (Exception | Error e) {
                        throw e;
                    } catch (Throwable e) {
                        throw new AssertionError(e);
                    }
                }));
            }
        }
        for (Future<FuzzComparison> run : runs) {
            assertTrue(run.get().values() > 1000);
        }
    }
}
