package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.AtomicOp;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedBytes;
import org.pgas4j.StalePointerException;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;

/**
 * How blocks of the host device fail. Deadlines of the jobs are far beyond the test's own: whatever waits for one instead of the
 * failure fails the test.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockFailureTest {

    static final Duration FAR = Duration.ofMinutes(10);

    private static final GridProgram THROWS = new GridProgram("throws", null, (self, args) -> {
        if (self.rank(Comm.WORLD) == args.intAt(0)) {
            throw new ArithmeticException("thrown by block " + self.rank(Comm.WORLD));
        }
        self.awaitNotifications(9, 1); // nobody sends it
    });

    static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(4 << 20).timeout(FAR);
    }

    private static void assertThrownBy(int block, Throwable failure) {
        KernelException e = assertInstanceOf(KernelException.class, failure);
        assertEquals(1, e.exitCode());
        assertTrue(e.getMessage().contains("rank " + block / 2 + " block " + block + ", program throws: threw"), e.getMessage());
        assertEquals("thrown by block " + block, assertInstanceOf(ArithmeticException.class, e.getCause()).getMessage());
        assertEquals(BlockFailureTest.class.getName(), e.getCause().getStackTrace()[0].getClassName());
    }

    private enum Way {
        SYNC, IS_DONE, CLOSE, BARRIER, NOTIFICATION;

        void await(Rank rank, DeviceGrid blocks) {
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
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
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
    void shouldNameTheBlockThatTriggersNothing() {
        GridProgram triggers = new GridProgram("triggers", null, (self, _) -> {
            if (self.rank(Comm.WORLD) == 1) {
                self.trigger(12345);
            }
            self.awaitNotifications(9, 1); // nobody sends it
        });
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(1), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                blocks.launch(triggers);
                blocks.sync();
            }
        }));

        assertTrue(e.getMessage().contains("rank 0 block 1 triggered: no communication is prepared under number 12345"),
                e.getMessage());
    }

    @Test
    void shouldThrowOnceAndThenRefuse() {
        Pgas.run(config(1), rank -> {
            DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32));
            blocks.launch(THROWS, 0);
            assertThrownBy(0, assertThrows(KernelException.class, blocks::sync));
            assertThrownBy(0, assertThrows(IllegalStateException.class, blocks::sync).getCause());
            assertThrownBy(0, assertThrows(IllegalStateException.class, blocks::isDone).getCause());
            rank.barrier();
            blocks.close();
            assertThrows(IllegalStateException.class, blocks::sync);
            try (DeviceGrid others = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                others.launch(new GridProgram("well", null, (self, _) -> self.barrier(Comm.WORLD)));
                others.sync();
                assertTrue(others.isDone());
            }
        });
    }

    /** Rank 0's block goes on sending to blocks of rank 1 that have failed and are closed, by every command there is. */
    @ParameterizedTest(name = "helper {0}, window {1}")
    @CsvSource({"on, true", "off, true", "on, false"})
    void shouldDropWhatComesForClosedBlocksOfTheSameProcess(String helper, boolean window) {
        CountDownLatch closed = new CountDownLatch(1);
        GridProgram sends = new GridProgram("sends", null, (self, args) -> {
            MemorySegment shared = args.segment(0);
            int number = window ? self.createWindow(Comm.WORLD, shared) : -1; // whose barrier goes to rank 1, too
            if (self.rank(Comm.WORLD) == 0) {
                await(closed);
                self.signal(Comm.WORLD, 1, 2);
                if (window) {
                    self.put(number, 1, 0, args.segment(1), 8);
                    self.putNotify(number, 1, 0, shared.asSlice(0, 4096), 4096, 2);
                    self.flush();
                }
                self.notifyHost(1, 3);
            }
            throw new ArithmeticException("thrown by block " + self.rank(Comm.WORLD));
        });
        Pgas.run(config(2).set(PgasKey.HELPER, helper), rank -> {
            SharedBytes array;
            try (Scope _ = rank.onDevice()) {
                array = rank.allAllocBytes(Layout.replicated(), 8192);
            }
            DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32).proxy());
            blocks.launch(sends, array.local(), rank.device().alloc(ElementType.BYTE, 8));
            KernelException e = assertThrows(KernelException.class, blocks::sync);
            String who = "rank " + rank.rank() + " block " + rank.rank();
            assertTrue(e.getMessage().contains(who + ", program sends: threw"), e.getMessage());
            blocks.close();
            assertThrows(IllegalStateException.class, () -> blocks.signal(0, 2), "the program's own mistake");
            if (rank.rank() == 1) {
                closed.countDown();
                rank.notifications().await(3, 1);
            }
            rank.barrier();
        });
    }

    @Test
    void shouldFailWhenItsStreamDid() {
        Kernel throwing = new Kernel("throwing", null, (_, _) -> {
            throw new ArithmeticException("thrown by a kernel");
        });
        KernelException e = assertThrows(KernelException.class, () -> Pgas.run(config(1), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32)); Stream stream = rank.device().newStream()) {
                CountDownLatch gate = new CountDownLatch(1);
                stream.launch(new Kernel("waiting", null, (_, _) -> await(gate)), new Kernel.Shape(1, 1));
                stream.launch(throwing, new Kernel.Shape(1, 1));
                blocks.launch(stream, new GridProgram("never", null, (_, _) -> {
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

    static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- mistakes in programs

    /** Done by block 0 of two, with a window of 64 bytes of shared memory each. */
    private enum Mistake {
        JAVA_WINDOW(IllegalArgumentException.class,
                "the memory of a window is not in the rank's shared device segment: bytes=512"),
        TOO_MANY_WINDOWS(IllegalArgumentException.class,
                "no window is left of the 3 of all blocks; free one, or raise DeviceGrid.Options.windows"),
        TOO_MANY_WINDOWS_OF_A_RANK(IllegalArgumentException.class, "no window is left of the 64 of the rank's blocks; free one"),
        UNRESERVED_WINDOW(IllegalArgumentException.class, "no window has the number 3"),
        NO_WINDOW(IllegalArgumentException.class, "no window has the number 5"),
        FREED_WINDOW(IllegalArgumentException.class, "no window has the number 256"),
        TARGET(IllegalArgumentException.class, "no block 2 in window 0 (expected: 0..1)"),
        NOTIFIED(IllegalArgumentException.class, "no block -1 (expected: 0..1)"),
        TAG(IllegalArgumentException.class, "no tag 256 (expected: 0..255)"),
        HOST_RANK(IllegalArgumentException.class, "no host rank 1 (expected: 0..0)"),
        OUTSIDE(IndexOutOfBoundsException.class, "window=0 target=1 offset=64 bytes=8 windowBytes=64"),
        NEGATIVE(IndexOutOfBoundsException.class, "window=0 target=1 offset=0 bytes=-8 windowBytes=64"),
        SHORT_SOURCE(IndexOutOfBoundsException.class, "window=0 target=1 bytes=48 sourceBytes=32");

        private final Class<? extends Exception> type;
        private final String fragment;

        Mistake(Class<? extends Exception> type, String fragment) {
            this.type = type;
            this.fragment = fragment;
        }

        void make(GridRank self, int window, MemorySegment shared) {
            MemorySegment source = shared.asSlice(64, 32);
            switch (this) {
                case JAVA_WINDOW -> self.createWindow(Comm.WORLD, MemorySegment.ofArray(new byte[512]));
                case TOO_MANY_WINDOWS, TOO_MANY_WINDOWS_OF_A_RANK -> {
                }
                case UNRESERVED_WINDOW -> self.put(3, 1, 0, source, 8);
                case NO_WINDOW -> self.put(5, 1, 0, source, 8);
                case FREED_WINDOW -> self.put(0x100, 0, 0, source, 8);
                case TARGET -> self.put(window, 2, 0, source, 8);
                case NOTIFIED -> self.signal(Comm.DEVICE, -1, 3);
                case TAG -> self.putNotify(window, 1, 0, source, 8, 256);
                case HOST_RANK -> self.notifyHost(1, 0);
                case OUTSIDE -> self.put(window, 1, 64, source, 8);
                case NEGATIVE -> self.put(window, 1, 0, source, -8);
                case SHORT_SOURCE -> self.put(window, 1, 0, source, 48);
            }
            self.barrier(Comm.WORLD);
        }
    }

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void shouldSayWhatIsWrong(Mistake mistake) {
        Exception e = assertThrows(Exception.class, () -> Pgas.run(config(1), rank -> {
            SharedBytes array;
            try (Scope _ = rank.onDevice()) {
                array = rank.allAllocBytes(Layout.replicated(), 512);
            }
            GridProgram program = new GridProgram("mistaken", null, (self, args) -> {
                int window = self.createWindow(Comm.WORLD, args.segment(0).asSlice(0, 64));
                self.freeWindow(self.createWindow(Comm.DEVICE, args.segment(0)));
                for (int i = 1; i <= 3 && mistake == Mistake.TOO_MANY_WINDOWS; i++) {
                    self.createWindow(Comm.WORLD, args.segment(0));
                }
                for (int i = 0; i <= BlockLayout.WINDOWS && mistake == Mistake.TOO_MANY_WINDOWS_OF_A_RANK; i++) {
                    self.createWindow(Comm.DEVICE, args.segment(0));
                }
                if (self.rank(Comm.WORLD) == 0) {
                    mistake.make(self, window, args.segment(0));
                }
            });
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32).windows(3))) {
                blocks.launch(program, array.local());
                blocks.sync();
            }
        }));

        Throwable failure = e instanceof PgasException ? e.getCause() : e;
        assertInstanceOf(mistake.type, failure);
        assertTrue(failure.getMessage().contains("program mistaken: ") && failure.getMessage().contains(mistake.fragment),
                failure.getMessage());
    }

    @Test
    void shouldHoldLaunchesToTheParametersOfTheSource() {
        GridProgram program = new GridProgram("taking", """
                #include <pgas_device.cuh>
                extern "C" __global__ void taking(pgas_world world, char *base, int count) {
                }
                """, (_, _) -> { });
        Pgas.run(config(1), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                for (Object[] args : new Object[][] {{1}, {1, 2, 3}}) {
                    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> blocks.launch(program, args));
                    assertTrue(e.getMessage().contains("taking: " + args.length + " arguments given, its CUDA source declares 2"),
                            e.getMessage());
                }
                blocks.launch(program, rank.device().alloc(ElementType.BYTE, 8), 2);
                blocks.sync();
            }
        });
    }

    /** A graph's put or atomic operation would write to what lies there now. */
    @Test
    void shouldRefuseGraphsWhoseTargetsAreGone() {
        Pgas.run(config(2), rank -> {
            SharedBytes array;
            try (Scope _ = rank.onDevice()) {
                array = rank.allAllocBytes(Layout.even(), 128);
            }
            Buffer source = rank.device().alloc(ElementType.BYTE, 64);
            Window window = rank.createWindow(rank.world(), array.pointer(64L * rank.rank()), 64);
            Stream stream = rank.stream();
            StreamGraph put = stream.capture(on -> on.put(window, 1 - rank.rank(), 0, source));
            StreamGraph notify = stream.capture(on -> on.putNotifySet(window, 1 - rank.rank(), 0, source, 3, 1));
            StreamGraph atomic = stream.capture(on -> on.atomic(array.pointer(64L * rank.rank()), AtomicOp.ADD, 1));
            stream.launch(put);
            stream.launch(atomic);
            stream.sync();
            rank.barrier();
            window.close();
            for (StreamGraph graph : List.of(put, notify)) {
                assertTrue(assertThrows(IllegalStateException.class, () -> stream.launch(graph)).getMessage().endsWith(" is closed"));
            }
            rank.allFree(array);
            assertTrue(assertThrows(StalePointerException.class, () -> stream.launch(atomic)).getMessage().contains("freed"));
        });
    }

    @Test
    void shouldRefuseSharedBlocksThatAreFreed() {
        Kernel kernel = new Kernel("reads", null, (_, args) -> args.segment(0));
        GridProgram program = new GridProgram("reading", null, (_, args) -> args.segment(0));
        Pgas.run(config(1), rank -> {
            SharedBytes array;
            try (Scope _ = rank.onDevice()) {
                array = rank.allAllocBytes(Layout.replicated(), 512);
            }
            Buffer block = array.local().slice(8, 64);
            Buffer other = rank.device().alloc(ElementType.BYTE, 64);
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                StreamGraph graph = rank.stream().capture(stream -> stream.fill(block, 1));
                rank.stream().launch(kernel, new Kernel.Shape(1, 1), block);
                rank.stream().launch(graph);
                blocks.launch(program, block);
                blocks.sync();
                rank.stream().sync();
                rank.allFree(array);
                for (Runnable use : List.<Runnable>of(() -> rank.stream().launch(kernel, new Kernel.Shape(1, 1), block),
                        () -> rank.stream().launch(graph), () -> rank.stream().copy(other, block),
                        () -> blocks.launch(program, block), () -> rank.memput(array.pointer(), block))) {
                    StalePointerException e = assertThrows(StalePointerException.class, use::run);
                    assertTrue(e.getMessage().contains("was freed"), e.getMessage());
                }
                graph.close();
            }
        });
    }

    @Test
    void shouldSayWhatBlocksCost() {
        SegmentMemoryException e = assertThrows(SegmentMemoryException.class, () -> Pgas.run(config(1), rank ->
                rank.createGrid(DeviceGrid.Options.of(5000, 32))));

        assertEquals(3, e.exitCode());
        assertTrue(e.getMessage().contains("createGrid of rank 0: 5000 blocks of the rank")
                && e.getMessage().contains("47 KiB for each"), e.getMessage());
    }

    @Test
    void shouldNameTheBarrierAndWhoHasNotCome() {
        PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> Pgas.run(config(3), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32).timeout(Duration.ofSeconds(2)))) {
                if (rank.rank() != 1) {
                    blocks.launch(new GridProgram("ends", null, (_, _) -> { }));
                    blocks.sync();
                }
                rank.barrier();
            }
        }));

        assertTrue(e.getMessage()
                .contains("program ends: the end of the launch, for which all blocks wait: blocks of ranks [1] have"
                + " not come"), e.getMessage());
    }

    @Test
    void shouldNameABarrierThatBlocksOfTheRankSkip() {
        PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> Pgas.run(config(1), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(3, 32).timeout(Duration.ofSeconds(2)))) {
                blocks.launch(new GridProgram("skips", null, (self, _) -> {
                    if (self.rank(Comm.WORLD) != 0) {
                        self.barrier(Comm.DEVICE);
                    }
                    self.leave();
                }));
                blocks.sync();
            }
        }));

        assertTrue(e.getMessage()
                .contains("program skips: a barrier of the device's blocks: 1 blocks of this rank have not come, 2 of 3"
                + " arrivals"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 100, 1056})
    void shouldRefuseBlocksThatAreNoWholeWarps(int threads) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> DeviceGrid.Options.of(1, threads));

        assertTrue(e.getMessage().contains("threads=" + threads), e.getMessage());
    }
}
