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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
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

    private static final Duration FAR = Duration.ofMinutes(10);

    private static final GridProgram THROWS = new GridProgram("throws", null, (self, args) -> {
        if (self.rank(Comm.WORLD) == args.intAt(0)) {
            throw new ArithmeticException("thrown by block " + self.rank(Comm.WORLD));
        }
        self.awaitNotifications(9, 1); // nobody sends it
    });

    private static PgasConfig config(int ranks) {
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

    private static void await(CountDownLatch gate) {
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

    // ---- after the last call

    private enum Operation {
        SIGNAL, NOTIFY_HOST, AVAILABLE, AWAIT_ANY, PUT, GET, PART, VALUE, TIMER, LOG, FLUSH, BARRIER, WINDOW, AWAIT_GETS;

        void of(GridRank self, int window, MemorySegment memory) {
            switch (this) {
                case SIGNAL -> self.signal(Comm.WORLD, 0, 1);
                case NOTIFY_HOST -> self.notifyHost(0, 1);
                case AVAILABLE -> self.availableNotifications(1);
                case AWAIT_ANY -> self.awaitAnyTag(1, 2);
                case PUT -> self.put(window, 0, 0, memory, 8);
                case GET -> self.get(window, 0, 0, memory, 8);
                case PART -> self.ptr(window, 0);
                case VALUE -> self.testValue(window, 0, ElementType.LONG, GridRank.Comparison.EQUAL, 0);
                case TIMER -> self.startTimer(1);
                case LOG -> self.log("late", 1);
                case FLUSH -> self.flush();
                case BARRIER -> self.barrier(Comm.DEVICE);
                case WINDOW -> self.createWindow(Comm.DEVICE, memory);
                case AWAIT_GETS -> self.awaitGets();
            }
        }
    }

    private static void onOneBlock(GridProgram program, Consumer<DeviceGrid> launched) {
        Pgas.run(config(1), rank -> {
            SharedBytes array;
            try (Scope _ = rank.onDevice()) {
                array = rank.allAllocBytes(Layout.replicated(), 64);
            }
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
                blocks.launch(program, array.local());
                launched.accept(blocks);
            }
        });
    }

    /** In CUDA C++ the block's state is stored for the next launch by then. */
    @ParameterizedTest
    @EnumSource(Operation.class)
    void shouldRefuseOperationsAfterTheBlockHasLeft(Operation operation) {
        GridProgram program = new GridProgram("goes on", null, (self, args) -> {
            int window = self.createWindow(Comm.WORLD, args.segment(0));
            self.leave();
            operation.of(self, window, args.segment(0));
        });
        KernelException e = assertThrows(KernelException.class, () -> onOneBlock(program, DeviceGrid::sync));

        IllegalStateException cause = assertInstanceOf(IllegalStateException.class, e.getCause());
        assertEquals("rank 0 block 0: an operation after leave(), which is the last call of a GridProgram", cause.getMessage());
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void shouldRefuseOperationsAfterTheProgramHasEnded(Operation operation) {
        AtomicReference<GridRank> kept = new AtomicReference<>();
        onOneBlock(new GridProgram("keeps", null, (self, args) -> {
            self.createWindow(Comm.WORLD, args.segment(0));
            kept.set(self);
        }), blocks -> {
            blocks.sync();
            IllegalStateException e = assertThrows(IllegalStateException.class,
                    () -> operation.of(kept.get(), 0, MemorySegment.ofArray(new long[1])));
            assertEquals("rank 0 block 0: an operation after the end of its program", e.getMessage());
        });
    }

    /** As docs/kernels.md has it. */
    @Test
    void shouldLetAKernelInJavaGoOnAfterItHasLeft() {
        Pgas.run(config(1), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                blocks.launch(self -> {
                    self.leave();
                    self.notifyHost(0, 3);
                });
                rank.notifications().await(3, 2);
                blocks.sync();
            }
        });
    }

    // ---- deadlines of launches

    @ParameterizedTest(name = "polled {0}")
    @ValueSource(booleans = {false, true})
    @Execution(ExecutionMode.CONCURRENT) // waits
    void shouldLetALaunchTakeLongerThanTheJobsTimeout(boolean polled) {
        Pgas.run(config(1).timeout(Duration.ofSeconds(2)).set(PgasKey.WATCHDOG, "2s"), rank -> {
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
        PgasTimeoutException e = assertThrows(PgasTimeoutException.class, () -> Pgas.run(config(1), rank -> {
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
                Thread.sleep(FAR);
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
        Pgas.run(config(1), rank -> {
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
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(1).timeout(Duration.ofMillis(500)), rank -> {
            try (Stream stream = rank.device().newStream(); DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(2, 32))) {
                stream.launch(new Kernel("waiting", null, (_, _) -> await(gate)), new Kernel.Shape(1, 1));
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

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 100, 1056})
    void shouldRefuseBlocksThatAreNoWholeWarps(int threads) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> DeviceGrid.Options.of(1, threads));

        assertTrue(e.getMessage().contains("threads=" + threads), e.getMessage());
    }
}
