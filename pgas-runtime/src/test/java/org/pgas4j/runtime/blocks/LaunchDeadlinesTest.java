package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;

class LaunchDeadlinesTest {

    private static final Duration SHORT = Duration.ofMillis(1);

    private final Logger logger = Logger.getLogger("pgas.blocks");
    private final List<String> warnings = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            warnings.add(record.getMessage());
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // nothing is open
        }
    };
    private final MemorySegment memory = Arena.ofAuto().allocate(HostPage.BYTES, 8);
    private final HostPage page = HostPage.of(memory);

    @BeforeEach
    void listen() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
    }

    @AfterEach
    void ignore() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    /** Looks so often that some looks are after any deadline of {@link #SHORT}. */
    private void look(LaunchDeadlines deadlines) throws Exception {
        try (HostBackend backend = new HostBackend(1, 1); AcceleratorStream stream = backend.open(0).newStream()) {
            deadlines.start();
            for (int i = 0; i < 5; i++) {
                Thread.sleep(10);
                deadlines.check(stream, () -> "launch 1 of rank 3");
            }
        }
    }

    private void begun() {
        memory.set(ValueLayout.JAVA_LONG, HostPage.BEGUN, 1);
    }

    @Test
    void shouldWarnOnceOfALaunchWithoutADeadline() throws Exception {
        begun();
        look(new LaunchDeadlines(page, SHORT, null));

        assertEquals(1, warnings.size(), warnings::toString);
        assertTrue(warnings.getFirst().startsWith("launch 1 of rank 3 still runs after 2 ms"), warnings::toString);
        assertTrue(warnings.getFirst().contains("DeviceGrid.Options.launchTimeout"), warnings::toString);
    }

    @Test
    void shouldEndALaunchThatRunsLongerThanItMay() {
        begun();
        LaunchDeadlines deadlines = new LaunchDeadlines(page, Duration.ofHours(1), SHORT);

        PgasTimeoutException late = assertThrows(PgasTimeoutException.class, () -> look(deadlines));
        assertTrue(late.getMessage().startsWith("launch 1 of rank 3 still runs after 1 ms"), late.getMessage());
        assertTrue(deadlines.havePassed());
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldEndALaunchThatDoesNotBegin() {
        PgasTimeoutException late = assertThrows(PgasTimeoutException.class, () -> look(new LaunchDeadlines(page, SHORT, null)));
        assertTrue(late.getMessage().startsWith("launch 1 of rank 3 has not begun after 1 ms"), late.getMessage());
    }
}
