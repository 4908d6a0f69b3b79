package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Pgas;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Stream;

/** Deadlines of launches of blocks on the host device. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockDeadlineTest {

    @ParameterizedTest(name = "polled {0}")
    @ValueSource(booleans = {false, true})
    @Execution(ExecutionMode.CONCURRENT) // waits
    void shouldLetALaunchTakeLongerThanTheJobsTimeout(boolean polled) {
        Pgas.run(BlockFailureTest.config(1).timeout(Duration.ofSeconds(2)).set(PgasKey.WATCHDOG, "2s"), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                AtomicBoolean ended = new AtomicBoolean();
                blocks.launch(new GridProgram("long", null, (self, _) -> {
                    for (int step = 0; step < 12; step++) { // 5 s, each wait of it far less than its deadline
                        Thread.sleep(400);
                        self.barrier(Comm.DEVICE);
                    }
                    ended.set(true);
                }));
                while (polled && !blocks.isDone()) {
                    Thread.onSpinWait();
                }
                blocks.sync();
                assertTrue(ended.get());
            }
        });
    }

    @ParameterizedTest(name = "polled {0}")
    @ValueSource(booleans = {false, true})
    void shouldEndALaunchPastItsOwnDeadline(boolean polled) {
        PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> Pgas.run(BlockFailureTest.config(1), rank -> {
            DeviceGrid.Options options = DeviceGrid.Options.of(2, 32).launchTimeout(Duration.ofMillis(300));
            try (DeviceGrid blocks = rank.createGrid(options)) {
                blocks.launch(new GridProgram("endless", null, (self, _) -> {
                    while (!self.testNotifications(1, 1)) {
                        Thread.sleep(1);
                    }
                }));
                while (polled && !blocks.isDone()) {
                    Thread.onSpinWait();
                }
                blocks.sync();
            }
        }));

        assertEquals(15, e.exitCode());
        assertTrue(e.getMessage().contains("blocks of rank 0, program endless, launch 1 of 1 still runs after 300 ms"),
                e.getMessage());
    }

    /** Threads of Java cannot be stopped; the failure is reported all the same. */
    @Test
    void shouldSayThatALaunchGoesOnThatCannotBeStopped() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch stopped = new CountDownLatch(2);
        try {
            PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> launchLate(self -> {
                while (!stop.get()) {
                    Thread.onSpinWait();
                }
                stopped.countDown();
            }));

            assertEquals("blocks of rank 0, program late, launch 1 of 1 goes on: neither a wait in it nor an interrupt has ended its"
                    + " blocks, and they cannot be stopped", e.getSuppressed()[0].getMessage());
            assertEquals(1, e.getSuppressed().length, () -> "waited again: " + List.of(e.getSuppressed()));
        } finally {
            stop.set(true);
            stopped.await();
        }
    }

    @Test
    void shouldInterruptALaunchPastItsDeadline() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(2);
        PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> launchLate(self -> {
            try {
                Thread.sleep(BlockFailureTest.FAR);
            } catch (InterruptedException _) {
                interrupted.countDown();
            }
        }));
        interrupted.await();

        assertEquals(15, e.exitCode());
    }

    private interface LateBody {
        void run(GridRank self) throws Exception;
    }

    private static void launchLate(LateBody body) {
        Pgas.run(BlockFailureTest.config(1), rank -> {
            DeviceGrid.Options options = DeviceGrid.Options.of(2, 32).launchTimeout(Duration.ofMillis(100));
            try (DeviceGrid blocks = rank.createGrid(options)) {
                blocks.launch(new GridProgram("late", null, (self, _) -> body.run(self)));
                blocks.sync();
            }
        });
    }

    @Test
    void shouldNameALaunchThatItsStreamHoldsUp() {
        CountDownLatch gate = new CountDownLatch(1);
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(
                BlockFailureTest.config(1).timeout(Duration.ofMillis(500)), rank -> {
            try (Stream stream = rank.device().newStream(); DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                stream.launch(new Kernel("waiting", null, (_, _) -> BlockFailureTest.await(gate)), new Kernel.Shape(1, 1));
                blocks.launch(stream, new GridProgram("late", null, (_, _) -> { }));
                try {
                    blocks.sync();
                } finally {
                    gate.countDown();
                }
            }
        }));

        assertEquals(15, e.exitCode());
        assertTrue(e.getMessage().contains("program late, launch 1 of 1 has not begun after 500 ms"), e.getMessage());
    }
}
