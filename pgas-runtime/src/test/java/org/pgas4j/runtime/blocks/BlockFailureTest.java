package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.BlockProgram;
import org.pgas4j.BlockRank.Comm;
import org.pgas4j.Blocks;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.Stream;

/**
 * How blocks of the host device fail. Deadlines of the jobs are far beyond the test's own: whatever waits for one instead of the
 * failure fails the test.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockFailureTest {

    private static final Duration FAR = Duration.ofMinutes(10);

    private static final BlockProgram THROWS = new BlockProgram("throws", null, (self, args) -> {
        if (self.rank(Comm.WORLD) == args.intAt(0)) {
            throw new ArithmeticException("thrown by block " + self.rank(Comm.WORLD));
        }
        self.awaitNotifications(9, 1); // nobody sends it
    });

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device("host").hostHeap(1 << 20).deviceHeap(4 << 20).timeout(FAR);
    }

    private static void assertThrownBy(int block, Throwable failure) {
        KernelException e = assertInstanceOf(KernelException.class, failure);
        assertEquals(1, e.exitCode());
        assertTrue(e.getMessage().contains("rank " + block / 2 + " block " + block + ": block program throws threw"), e.getMessage());
        assertEquals("thrown by block " + block, assertInstanceOf(ArithmeticException.class, e.getCause()).getMessage());
        assertEquals(BlockFailureTest.class.getName(), e.getCause().getStackTrace()[0].getClassName());
    }

    private enum Way {
        SYNC, IS_DONE, CLOSE, BARRIER, NOTIFICATION;

        void await(Rank rank, Blocks blocks) {
            switch (this) {
                case SYNC -> blocks.sync();
                case IS_DONE -> {
                    while (!blocks.isDone()) {
                        Thread.onSpinWait();
                    }
                }
                case CLOSE -> blocks.close();
                case BARRIER -> rank.barrier();
                case NOTIFICATION -> rank.notifications().await(3, 1);
            }
        }
    }

    /** One rank's block throws; the others wait for notifications, in barriers and for each other with deadlines far away. */
    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldThrowWhatABodyThrewWhereverTheRankWaits(Way way) {
        KernelException e = assertThrows(KernelException.class, () -> Pgas.run(config(2), rank -> {
            try (Blocks blocks = rank.createBlocks(Blocks.Options.of(2, 32))) {
                blocks.launch(THROWS, 1);
                if (rank.rank() == 0) {
                    way.await(rank, blocks);
                } else {
                    blocks.sync();
                }
            }
        }));

        assertThrownBy(1, e);
    }

    @Test
    void shouldThrowOnceAndThenRefuse() {
        Pgas.run(config(1), rank -> {
            Blocks blocks = rank.createBlocks(Blocks.Options.of(2, 32));
            blocks.launch(THROWS, 0);
            assertThrownBy(0, assertThrows(KernelException.class, blocks::sync));
            assertThrownBy(0, assertThrows(IllegalStateException.class, blocks::sync).getCause());
            assertThrownBy(0, assertThrows(IllegalStateException.class, blocks::isDone).getCause());
            rank.barrier();
            blocks.close();
            assertThrows(IllegalStateException.class, blocks::sync);
            try (Blocks others = rank.createBlocks(Blocks.Options.of(2, 32))) {
                others.launch(new BlockProgram("well", null, (self, _) -> self.barrier(Comm.WORLD)));
                others.sync();
                assertTrue(others.isDone());
            }
        });
    }

    @Test
    void shouldFailWhenItsStreamDid() {
        Kernel throwing = new Kernel("throwing", null, (_, _) -> {
            throw new ArithmeticException("thrown by a kernel");
        });
        KernelException e = assertThrows(KernelException.class, () -> Pgas.run(config(1), rank -> {
            try (Blocks blocks = rank.createBlocks(Blocks.Options.of(1, 32)); Stream stream = rank.device().newStream()) {
                CountDownLatch gate = new CountDownLatch(1);
                stream.launch(new Kernel("waiting", null, (_, _) -> await(gate)), new Kernel.Shape(1, 1));
                stream.launch(throwing, new Kernel.Shape(1, 1));
                blocks.launch(stream, new BlockProgram("never", null, (_, _) -> {
                    throw new IllegalStateException("has run");
                }));
                assertFalse(blocks.isDone());
                gate.countDown();
                blocks.sync();
            }
        }));

        assertEquals(1, e.exitCode());
        assertTrue(e.getMessage().contains("kernel throwing failed at block 0 thread 0"), e.getMessage());
        assertInstanceOf(ArithmeticException.class, e.getCause());
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- deadlines of launches

    @ParameterizedTest(name = "polled {0}")
    @ValueSource(booleans = {false, true})
    void shouldLetALaunchTakeLongerThanTheJobsTimeout(boolean polled) {
        Pgas.run(config(1).timeout(Duration.ofMillis(500)).set(PgasKey.WATCHDOG, "500ms"), rank -> {
            try (Blocks blocks = rank.createBlocks(Blocks.Options.of(2, 32))) {
                AtomicBoolean ended = new AtomicBoolean();
                blocks.launch(new BlockProgram("long", null, (self, _) -> {
                    for (int step = 0; step < 20; step++) { // 2 s, each wait of it far less than its deadline
                        Thread.sleep(100);
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
        PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> Pgas.run(config(1), rank -> {
            Blocks.Options options = Blocks.Options.of(2, 32).launchTimeout(Duration.ofMillis(300));
            try (Blocks blocks = rank.createBlocks(options)) {
                blocks.launch(new BlockProgram("endless", null, (self, _) -> {
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
        assertTrue(e.getMessage().contains("blocks of rank 0, program endless, launch 1 of 1 still runs after 300 ms"), e.getMessage());
    }

    @Test
    void shouldNameALaunchThatItsStreamHoldsUp() {
        CountDownLatch gate = new CountDownLatch(1);
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(1).timeout(Duration.ofMillis(500)), rank -> {
            try (Stream stream = rank.device().newStream(); Blocks blocks = rank.createBlocks(Blocks.Options.of(2, 32))) {
                stream.launch(new Kernel("waiting", null, (_, _) -> await(gate)), new Kernel.Shape(1, 1));
                blocks.launch(stream, new BlockProgram("late", null, (_, _) -> { }));
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

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 100, 1056})
    void shouldRefuseBlocksThatAreNoWholeWarps(int threads) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Blocks.Options.of(1, threads));

        assertTrue(e.getMessage().contains("threads=" + threads), e.getMessage());
    }
}
