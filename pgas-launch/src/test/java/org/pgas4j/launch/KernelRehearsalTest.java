package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;

/** The kernels that scripts run once for their archive of classes, in the memory that scripts give them. */
@Timeout(60)
class KernelRehearsalTest {

    @Test
    void shouldRunInTheMemoryOfTheWarmUp() {
        AtomicInteger ended = new AtomicInteger();

        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20), rank -> {
            KernelRehearsal.run(rank);
            ended.incrementAndGet();
        });

        assertEquals(1, ended.get());
    }
}
