package org.pgas4j.device.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorContractTest;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceHandle;
import org.pgas4j.device.ExportedRange;
import org.pgas4j.device.StreamEvent;

@Timeout(60)
class HostAcceleratorTest extends AcceleratorContractTest {

    private static final HostBackend BACKEND = new HostBackend(2, 2);
    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);

    @AfterAll
    static void closeBackend() {
        BACKEND.close();
    }

    @Override
    protected Accelerator device() {
        return BACKEND.open(0);
    }

    /** A kernel that keeps its stream busy until {@code gate} opens. */
    private static Kernel waitingFor(CountDownLatch gate) {
        return new Kernel("wait", null, (at, args) -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void shouldExportPartsOfPrivateMemory() {
        try (DeviceMemory memory = device.allocate(10_000, false)) {
            MemorySegment own = HostDeviceMemory.segmentOf(memory);
            own.set(ValueLayout.JAVA_BYTE, 5000, (byte) 5);
            ExportedRange range = device.exportRange(memory.address() + 4096, 5000);
            assertEquals(4096, range.offset());
            assertArrayEquals(range.handle().token(), device.exportRange(memory.address(), 10_000).handle().token());
            try (DeviceMemory mapped = device.importMemory(range.handle())) {
                MemorySegment there = HostDeviceMemory.segmentOf(mapped);
                assertEquals(5, there.get(ValueLayout.JAVA_BYTE, 5000));
                there.set(ValueLayout.JAVA_BYTE, 9999, (byte) 6);
                assertEquals(6, own.get(ValueLayout.JAVA_BYTE, 9999));
                assertThrows(DeviceException.class, () -> device.exportRange(mapped.address(), 8), "another's memory");
            }
            assertThrows(DeviceException.class, () -> device.exportRange(memory.address() + 9999, 2));
        }
    }

    @Test
    void shouldExportSharedMemoryByItsPath() {
        try (DeviceMemory memory = device.allocate(100, true)) {
            assertArrayEquals(device.export(memory).token(), device.exportRange(memory.address() + 50, 50).handle().token());
        }
    }

    @Test
    void shouldReachAndImportFromTheOtherDevice() {
        Accelerator peer = BACKEND.open(1);
        assertTrue(device.canReach(peer));
        device.enableReach(peer);
        try (DeviceMemory theirs = peer.allocate(4096, true); DeviceMemory mine = device.allocate(4096, false)) {
            DeviceHandle handle = peer.export(theirs);
            try (DeviceMemory imported = device.importMemory(handle)) {
                assertEquals(4096, imported.bytes());
                stream.fill(imported, 0, 4096, (byte) 9);
                stream.copy(mine, 0, theirs, 0, 4096);
                sync();
                assertEquals(9, HostDeviceMemory.segmentOf(mine).get(ValueLayout.JAVA_BYTE, 4095));
            }
            assertEquals(9, HostDeviceMemory.segmentOf(theirs).get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    void shouldSayWhatIsWrongWithAnImport() {
        DeviceHandle gone = new DeviceHandle("host", 0, 4096, "/proc/self/fd/99999".getBytes());
        DeviceHandle cuda = new DeviceHandle("cuda", 3, 4096, new byte[64]);

        DeviceException e = assertThrows(DeviceException.class, () -> device.importMemory(gone));
        assertTrue(e.getMessage().contains("99999"), e.getMessage());
        e = assertThrows(DeviceException.class, () -> device.importMemory(cuda));
        assertTrue(e.getMessage().contains("cuda:3"), e.getMessage());
    }

    @Test
    void shouldCopySmallBlocksBeforeReturningWhileNothingIsQueued() {
        MemorySegment source = arena.allocate(8, 8).fill((byte) 3);
        try (DeviceMemory memory = device.allocate(8, false)) {
            stream.copyIn(memory, 0, source, 0, 8);

            assertEquals(3, HostDeviceMemory.segmentOf(memory).get(ValueLayout.JAVA_BYTE, 7));
            assertTrue(stream.isIdle());
        }
    }

    @Test
    void shouldQueueSmallCopiesBehindARunningKernel() {
        CountDownLatch gate = new CountDownLatch(1);
        MemorySegment back = arena.allocate(8, 8);
        try (DeviceMemory memory = device.allocate(8, false)) {
            stream.fill(memory, 0, 8, (byte) 4);
            stream.launch(waitingFor(gate), ONE, new Object[0]);
            stream.copyOut(back, 0, memory, 0, 8);
            StreamEvent event = stream.record();

            assertFalse(stream.isIdle());
            assertFalse(event.isDone());
            assertFalse(event.sync(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20)));
            assertFalse(stream.sync(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20)));
            assertEquals(0, back.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalStateException.class, () -> event.millisSince(event));
            gate.countDown();
            sync();
            assertTrue(event.isDone());
            assertEquals(4, back.get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    void shouldHoldMemoryClosedBehindQueuedWork() {
        CountDownLatch gate = new CountDownLatch(1);
        MemorySegment back = arena.allocate(1 << 20, 8);
        DeviceMemory memory = device.allocate(1 << 20, true);
        stream.fill(memory, 0, 1 << 20, (byte) 6);
        stream.launch(waitingFor(gate), ONE, new Object[0]);
        stream.copyOut(back, 0, memory, 0, 1 << 20);
        memory.close();
        gate.countDown();
        sync();

        assertEquals(6, back.get(ValueLayout.JAVA_BYTE, (1 << 20) - 1));
    }

    /** Large enough that a copy of freed memory, which is given back to the system, ends the JVM. */
    private static final long LARGE = 64 << 20;

    @ParameterizedTest(name = "to the host: {0}")
    @ValueSource(booleans = {false, true})
    void shouldRefuseHostMemoryClosedBeforeItIsCopied(boolean out) {
        CountDownLatch gate = new CountDownLatch(1);
        try (DeviceMemory memory = device.allocate(LARGE, false); AcceleratorStream bad = device.newStream()) {
            bad.launch(waitingFor(gate), ONE, new Object[0]);
            try (Arena early = Arena.ofShared()) {
                MemorySegment host = early.allocate(LARGE, 8);
                if (out) {
                    bad.copyOut(host, 0, memory, 0, LARGE);
                } else {
                    bad.copyIn(memory, 0, host, 0, LARGE);
                }
            }
            gate.countDown();

            IllegalStateException e = assertThrows(IllegalStateException.class, () -> bad.sync(inSeconds(20)));
            assertTrue(e.getMessage().contains((out ? "copy to host of " : "copy from host of ") + LARGE
                    + " bytes failed: the arena of the host memory, " + LARGE + " bytes, is closed"), e.getMessage());
            assertThrows(IllegalStateException.class, bad::isIdle);
        }
    }

    @Test
    void shouldCopyFromAConfinedArenaThatIsClosedAtOnce() {
        CountDownLatch gate = new CountDownLatch(1);
        try (DeviceMemory memory = device.allocate(LARGE, false)) {
            stream.launch(waitingFor(gate), ONE, new Object[0]);
            try (Arena early = Arena.ofConfined()) {
                stream.copyIn(memory, 0, early.allocate(LARGE, 8).fill((byte) 5), 0, LARGE);
            }
            gate.countDown();
            sync();

            assertEquals(5, HostDeviceMemory.segmentOf(memory).get(ValueLayout.JAVA_BYTE, LARGE - 1));
        }
    }

    @Test
    void shouldCopyToAConfinedArenaBeforeReturning() {
        try (DeviceMemory memory = device.allocate(LARGE, false); Arena early = Arena.ofConfined()) {
            MemorySegment host = early.allocate(LARGE, 8);
            stream.fill(memory, 0, LARGE, (byte) 7);
            stream.copyOut(host, 0, memory, 0, LARGE);

            assertEquals(7, host.get(ValueLayout.JAVA_BYTE, LARGE - 1));
        }
    }

    @Test
    void shouldReportAFailedKernelAndSkipWhatFollows() {
        Kernel failing = new Kernel("failing", null, (at, args) -> {
            if (at.block() == 2 && at.thread() == 5) {
                throw new IllegalStateException("no luck");
            }
        });
        try (DeviceMemory memory = device.allocate(8, false); AcceleratorStream bad = device.newStream()) {
            stream.fill(memory, 0, 8, (byte) 1);
            CountDownLatch gate = new CountDownLatch(1);
            bad.launch(waitingFor(gate), ONE, new Object[0]);
            bad.launch(failing, new Kernel.Shape(4, 8), new Object[0]);
            bad.fill(memory, 0, 8, (byte) 2);
            StreamEvent event = bad.record();
            assertFalse(bad.isKnownIdle(), "work is queued");
            assertTrue(stream.isKnownIdle());
            gate.countDown();

            DeviceException e = assertThrows(DeviceException.class, () -> bad.sync(inSeconds(20)));
            for (String part : List.of("failing", "block 2", "thread 5", "no luck", "host:0")) {
                assertTrue(e.getMessage().contains(part), e.getMessage());
            }
            assertEquals("no luck", assertInstanceOf(KernelException.class, e).getCause().getMessage());
            assertEquals(1, e.exitCode());
            assertThrows(KernelException.class, bad::isIdle);
            assertFalse(bad.isKnownIdle(), "it has failed, which a wait has to report");
            assertThrows(KernelException.class, () -> bad.fill(memory, 0, 8, (byte) 3));
            assertThrows(KernelException.class, () -> event.sync(inSeconds(20)));
            assertEquals(1, HostDeviceMemory.segmentOf(memory).get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    void shouldCheckABodysAccessesAgainstItsBlock() {
        Kernel beyond = new Kernel("beyond", null, (at, args) -> args.segment(0).set(ElementType.LAYOUT_INT, 16, 1));
        try (DeviceMemory memory = device.allocate(64, false); AcceleratorStream bad = device.newStream()) {
            Buffer block = Buffer.ofDevice(memory, 16, ElementType.INT, 4);
            bad.launch(beyond, ONE, new Object[] {block});

            DeviceException e = assertThrows(DeviceException.class, () -> bad.sync(inSeconds(20)));
            assertTrue(e.getMessage().contains("beyond"), e.getMessage());
        }
    }

    @Test
    void shouldNameTheArgumentABodyReadsAsTheWrongType() {
        Kernel wrong = new Kernel("wrong", null, (at, args) -> args.intAt(0));
        try (AcceleratorStream bad = device.newStream()) {
            bad.launch(wrong, ONE, new Object[] {1f});

            DeviceException e = assertThrows(DeviceException.class, () -> bad.sync(inSeconds(20)));
            assertTrue(e.getMessage().contains("argument 0 is Float"), e.getMessage());
        }
    }

    @Test
    void shouldNameTheArgumentThatABodyMisses() {
        Kernel third = new Kernel("third", null, (at, args) -> args.intAt(2));
        try (AcceleratorStream bad = device.newStream()) {
            bad.launch(third, ONE, new Object[] {1, 2});

            DeviceException e = assertThrows(DeviceException.class, () -> bad.sync(inSeconds(20)));
            assertTrue(e.getMessage().contains("kernel third: its Java body requests argument 2 (from 0), 2 were given"),
                    e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "int *a, long long n                                    |  2",
        "float a, /* of, what */ const double *__restrict__ b   |  2",
        "''                                                     |  0",
        "void                                                   |  0",
        "unsigned long long n // how many                       |  1",
        "pair<int, long> p                                      | -1",
        "ARGUMENTS                                              | -1",
        "int (*f)(int)                                          | -1",
    })
    void shouldCountTheParametersOfPlainSources(String parameters, int count) {
        for (String bounds : List.of("", "__launch_bounds__(256) ")) {
            String source = "#define ARGUMENTS int a / 2, int b\n// void counted(int)\n/* void counted(int) // *//* */"
                    + "extern \"C\" __global__ void " + bounds + "counted(" + parameters + "\n) { }\n// the end";

            assertEquals(count, DeclaredParameters.count(new Kernel("counted", source, null)));
        }
    }

    @Test
    void shouldRefuseMoreOrFewerArgumentsThanTheSourceDeclares() {
        AtomicInteger runs = new AtomicInteger();
        Kernel two = new Kernel("two", "extern \"C\" __global__ void two(long long a, int b) { }",
                (at, args) -> runs.incrementAndGet());
        for (Object[] args : new Object[][] {{1L}, {1L, 2, 3}}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> stream.launch(two, ONE, args));
            assertTrue(e.getMessage().contains("kernel two: " + args.length + " arguments given, its CUDA source declares 2"),
                    e.getMessage());
        }
        stream.launch(two, ONE, new Object[] {1L, 2});
        sync();

        assertEquals(1, runs.get());
    }

    @Test
    void shouldSayThatAKernelHasNoJavaBody() {
        Kernel cudaOnly = new Kernel("scale", "extern \"C\" __global__ void scale() {}", null);

        DeviceException e = assertThrows(DeviceException.class, () -> stream.launch(cudaOnly, ONE, new Object[0]));
        assertTrue(e.getMessage().contains("scale") && e.getMessage().contains("no Java body"), e.getMessage());
        sync();
    }

    @Test
    void shouldRunEveryThreadOfTheGridOnce() {
        AtomicInteger[] runs = new AtomicInteger[1000 * 3];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new AtomicInteger();
        }
        stream.launch(new Kernel("count", null, (at, args) -> runs[(int) at.global()].incrementAndGet()),
                new Kernel.Shape(1000, 3), new Object[0]);
        sync();

        for (AtomicInteger run : runs) {
            assertEquals(1, run.get());
        }
    }

    @Test
    void shouldRunManyStreamsAtOnce() {
        int count = 200;
        LongAdder runs = new LongAdder();
        Kernel add = new Kernel("add", null, (at, args) -> runs.increment());
        List<AcceleratorStream> streams = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            streams.add(device.newStream());
        }
        for (int round = 0; round < 5; round++) {
            streams.forEach(s -> s.launch(add, new Kernel.Shape(4, 4), new Object[0]));
        }
        streams.forEach(s -> assertTrue(s.sync(inSeconds(20))));
        streams.forEach(AcceleratorStream::close);

        assertEquals(count * 5 * 16, runs.sum());
    }

    @Test
    void shouldStartNoThreadForSmallCopies() {
        try (DeviceMemory memory = device.allocate(1024, false); AcceleratorStream quiet = device.newStream()) {
            long before = streamThreads();
            quiet.fill(memory, 0, 1024, (byte) 1);
            quiet.record().close();
            assertTrue(quiet.sync(inSeconds(1)));

            assertEquals(before, streamThreads());
        }
    }

    private static long streamThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("pgas-stream")).count();
    }

    @Test
    void shouldRefuseMatricesThatOpenBlasCannotIndex() {
        try (DeviceMemory memory = device.allocate(8, false)) {
            Buffer block = Buffer.ofDevice(memory, 0, ElementType.DOUBLE, 1);

            DeviceException e = assertThrows(DeviceException.class, () -> stream.gemm(
                    Gemm.of(Gemm.Precision.DOUBLE, 1L << 31, 1, 1), block, block, block));
            assertTrue(e.getMessage().contains("m=2147483648"), e.getMessage());
        }
    }

    @Test
    void shouldFreeWhatIsLeftWhenTheBackendCloses() {
        HostBackend backend = new HostBackend(1, 2);
        Accelerator own = backend.open(0);
        DeviceMemory memory = own.allocate(100, true);
        AcceleratorStream left = own.newStream();
        left.launch(new Kernel("nothing", null, (at, args) -> { }), new Kernel.Shape(8, 8), new Object[0]);

        backend.close();

        assertFalse(memory.isOpen());
        assertThrows(DeviceException.class, left::isIdle);
        assertThrows(DeviceException.class, () -> own.allocate(1, false));
    }

    @Test
    void shouldRefuseDevicesThatAreNotThere() {
        assertThrows(DeviceException.class, () -> BACKEND.open(2));
        assertThrows(DeviceException.class, () -> BACKEND.open(-1));
        assertThrows(IllegalArgumentException.class, () -> new HostBackend(0, 1));
    }
}
