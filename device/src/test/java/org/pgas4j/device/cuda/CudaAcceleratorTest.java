package org.pgas4j.device.cuda;

import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorContractTest;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.DeviceHandle;
import org.pgas4j.device.ExportedRange;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.select.Devices;
import org.pgas4j.os.SharedMemory;

@Tag("gpu")
@Timeout(60)
class CudaAcceleratorTest extends AcceleratorContractTest {

    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);

    @TempDir
    private static Path cache;

    private static CudaProbe probe;

    @BeforeAll
    static void probe() {
        probe = Devices.probeCuda(cache.resolve("kernels").toString(), 1);
    }

    @AfterAll
    static void closeBackend() {
        probe.backend().ifPresent(DeviceBackend::close);
    }

    private static DeviceBackend backend() {
        assumeTrue(probe.backend().isPresent(), probe.verdict());
        return probe.backend().get();
    }

    @Override
    protected Accelerator device() {
        return backend().open(0);
    }

    /** The other process: maps the memory named on its command line and sets bytes of it to 77. */
    public static final class Peer {

        private Peer() {
        }

        public static void main(String[] args) {
            try (DeviceBackend backend = Devices.probeCuda().backend().orElseThrow()) {
                Accelerator device = backend.open(Integer.parseInt(args[0]));
                device.bind();
                DeviceHandle handle = new DeviceHandle("cuda", Integer.parseInt(args[1]), Long.parseLong(args[2]),
                        HexFormat.of().parseHex(args[3]));
                try (DeviceMemory first = device.importMemory(handle); AcceleratorStream stream = device.newStream()) {
                    DeviceMemory second = device.importMemory(handle);
                    if (second.address() != first.address()) {
                        throw new IllegalStateException("mapped twice");
                    }
                    second.close();
                    stream.fill(first, Long.parseLong(args[4]), Long.parseLong(args[5]), (byte) 77);
                    if (!stream.sync(System.nanoTime() + TimeUnit.SECONDS.toNanos(20))) {
                        throw new IllegalStateException("sync timed out");
                    }
                }
            }
        }
    }

    private void checkOtherProcess(int peerOrdinal) throws Exception {
        try (DeviceMemory neighbour = device.allocate(3000, true); DeviceMemory memory = device.allocate(3000, true)) {
            checkOtherProcess(peerOrdinal, neighbour, memory, 0, () -> new ExportedRange(device.export(memory), 0));
        }
    }

    private void checkOtherProcess(int peerOrdinal, DeviceMemory neighbour, DeviceMemory memory, int first,
                                   Supplier<ExportedRange> export) throws Exception {
        stream.fill(neighbour, 0, 3000, (byte) 1);
        stream.fill(memory, 0, 3000, (byte) 1);
        sync();
        ExportedRange range = export.get();
        DeviceHandle handle = range.handle();
        Process peer = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Peer.class.getName(), String.valueOf(peerOrdinal), String.valueOf(handle.ordinal()),
                String.valueOf(handle.bytes()), HexFormat.of().formatHex(handle.token()),
                String.valueOf(range.offset()), String.valueOf(3000 - first))).inheritIO().start();
        assertTrue(peer.waitFor(50, TimeUnit.SECONDS), "the other process did not end");
        assertEquals(0, peer.exitValue());

        MemorySegment back = arena.allocate(6000, 8);
        stream.copyOut(back, 0, memory, 0, 3000);
        stream.copyOut(back, 3000, neighbour, 0, 3000);
        sync();
        for (int i = 0; i < 3000; i++) {
            assertEquals(i < first ? 1 : 77, back.get(ValueLayout.JAVA_BYTE, i));
            assertEquals(1, back.get(ValueLayout.JAVA_BYTE, 3000 + i));
        }
    }

    @Test
    void shouldExportToAnotherProcessOnTheSameDevice() throws Exception {
        checkOtherProcess(0);
    }

    @Test
    void shouldExportToAnotherProcessOnAnotherDevice() throws Exception {
        assumeTrue(backend().count() > 1, "needs two devices: " + probe.verdict());
        checkOtherProcess(1);
    }

    @Test
    void shouldExportPartsOfPrivateMemory() throws Exception {
        try (DeviceMemory neighbour = device.allocate(3000, false); DeviceMemory memory = device.allocate(3000, false)) {
            checkOtherProcess(0, neighbour, memory, 512, () -> device.exportRange(memory.address() + 512, 2488));
            assertThrows(DeviceException.class, () -> device.exportRange(memory.address(), 1L << 40));
        }
    }

    @Test
    void shouldRefuseToImportWhereItWasExported() {
        try (DeviceMemory memory = device.allocate(100, true)) {
            DeviceHandle handle = device.export(memory);

            DeviceException e = assertThrows(DeviceException.class, () -> device.importMemory(handle));
            assertTrue(e.getMessage().contains("exported by this process"), e.getMessage());
        }
    }

    @Test
    void shouldNameTheCallThatRefusesAHandle() {
        DeviceHandle nonsense = new DeviceHandle("cuda", 0, 100, new byte[64]);

        DeviceException e = assertThrows(DeviceException.class, () -> device.importMemory(nonsense));
        assertTrue(e.getMessage().startsWith("cuIpcOpenMemHandle: CUDA_ERROR_"), e.getMessage());
        assertThrows(DeviceException.class, () -> device.importMemory(new DeviceHandle("cuda", 0, 100, new byte[3])));
        assertThrows(DeviceException.class, () -> device.importMemory(new DeviceHandle("host", 0, 100, new byte[64])));
    }

    @Test
    void shouldCopyToAndFromAReachablePeer() {
        assumeTrue(backend().count() > 1, "needs two devices: " + probe.verdict());
        Accelerator peer = backend().open(1);
        assumeTrue(device.canReach(peer), "devices 0 and 1 cannot reach each other");
        assertTrue(device.canImportFrom(1));
        device.enableReach(peer);
        device.enableReach(peer);
        byte[] content = "across the link".getBytes();
        MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
        MemorySegment back = arena.allocate(content.length, 8);
        try (DeviceMemory mine = device.allocate(content.length, false);
                DeviceMemory theirs = peer.allocate(content.length, true)) {
            stream.copyIn(mine, 0, host, 0, content.length);
            stream.copy(theirs, 0, mine, 0, content.length);
            stream.fill(mine, 0, content.length, (byte) 0);
            stream.copy(mine, 0, theirs, 0, content.length);
            stream.copyOut(back, 0, mine, 0, content.length);
            sync();
        }

        assertArrayEquals(content, bytes(back));
    }

    @Test
    void shouldCopyMoreThanTwoGibibytes() {
        long bytes = (2L << 30) + 4096;
        assumeTrue(device.freeBytes() > 2 * bytes, "needs " + 2 * bytes + " free bytes of device memory");
        MemorySegment back = arena.allocate(8, 8);
        try (DeviceMemory a = device.allocate(bytes, false); DeviceMemory b = device.allocate(bytes, false);
                SharedMemory host = SharedMemory.create("large", bytes)) {
            host.segment().set(ValueLayout.JAVA_LONG, bytes - 8, 0x1234_5678_9abcL);
            stream.copyIn(a, 0, host.segment(), 0, bytes);
            stream.copy(b, 0, a, 0, bytes);
            stream.copyOut(back, 0, b, bytes - 8, 8);
            sync();

            assertEquals(0x1234_5678_9abcL, back.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void shouldRegisterSharedMemory() {
        try (SharedMemory shared = SharedMemory.create("registered", 1 << 20)) {
            HostRegistration first = device.register(shared.segment());
            HostRegistration second = device.register(shared.segment());
            assertTrue(first.effective());
            assertFalse(second.effective(), "it is registered already");
            second.close();
            first.close();
            assertFalse(first.effective());
        }
    }

    @Test
    void shouldRefuseMorePinnedMemoryThanItCanShow() {
        PinnedMemory pinned = device.allocatePinned(4096);
        assertEquals(4096, pinned.segment().byteSize());
        pinned.close();
        pinned.close();
        assertThrows(IllegalStateException.class, () -> pinned.segment().get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(DeviceException.class, () -> device.allocatePinned(3L << 30));
    }

    @Test
    void shouldShowTheCompilersLog() {
        Kernel broken = new Kernel("broken", "extern \"C\" __global__ void broken() { int x = nowhere; }", null);

        DeviceException e = assertThrows(DeviceException.class, () -> stream.launch(broken, ONE, new Object[0]));
        assertTrue(e.getMessage().contains("broken") && e.getMessage().contains("nowhere"), e.getMessage());
    }

    @Test
    void shouldShowTheLinesThatTheSourceNames() {
        Kernel broken = new Kernel("broken", """
                #line 4711 "Saxpy.java"
                extern "C" __global__ void broken() { int x = nowhere; }
                """, null);

        DeviceException e = assertThrows(DeviceException.class, () -> stream.launch(broken, ONE, new Object[0]));
        assertTrue(e.getMessage().contains("Saxpy.java(4711)"), e.getMessage());
    }

    @Test
    void shouldCompileEachKernelWithItsOptions() {
        Kernel store = new Kernel("store", """
                extern "C" __global__ void store(int *word) { *word = VALUE; }
                """, null);
        try (Arena arena = Arena.ofConfined(); DeviceMemory memory = device.allocate(8, false)) {
            MemorySegment words = arena.allocate(8, 8);
            stream.launch(store.withOptions("-DVALUE=3"), ONE, new Object[] {Buffer.ofDevice(memory, 0, ElementType.INT, 1)});
            stream.launch(store.withOptions("-DVALUE=4"), ONE, new Object[] {Buffer.ofDevice(memory, 4, ElementType.INT, 1)});
            stream.copyOut(words, 0, memory, 0, 8);
            sync();

            assertEquals(3, words.getAtIndex(ValueLayout.JAVA_INT, 0));
            assertEquals(4, words.getAtIndex(ValueLayout.JAVA_INT, 1));
        }
        DeviceException e = assertThrows(DeviceException.class,
                () -> stream.launch(store.withOptions("--no-such-option"), ONE, new Object[] {0L}));
        assertTrue(e.getMessage().contains("store") && e.getMessage().contains("no-such-option"), e.getMessage());
    }

    private int stored(Kernel kernel, Object... numbers) {
        Object[] args = new Object[numbers.length + 1];
        System.arraycopy(numbers, 0, args, 1, numbers.length);
        try (Arena arena = Arena.ofConfined(); DeviceMemory memory = device.allocate(8, false)) {
            MemorySegment word = arena.allocate(8, 8);
            args[0] = Buffer.ofDevice(memory, 0, ElementType.INT, 1);
            stream.launch(kernel, ONE, args);
            stream.copyOut(word, 0, memory, 0, 4);
            sync();
            return word.get(ValueLayout.JAVA_INT, 0);
        }
    }

    @Test
    void shouldIncludeTheHeadersOfAKernel() {
        CudaCode code = CudaCode.source("""
                #include "outer.h"
                extern "C" __global__ void store(int *word) { *word = OUTER; }
                """).withHeader("outer.h", "#include \"inner/value.h\"\n#define OUTER (INNER + 1)\n");

        assertEquals(8, stored(new Kernel("store", null, code.withHeader("inner/value.h", "#define INNER 7\n"))));
        assertEquals(10, stored(new Kernel("store", null, code.withHeader("inner/value.h", "#define INNER 9\n"))));
        DeviceException e = assertThrows(DeviceException.class, () -> stored(new Kernel("store", null, code)));
        assertTrue(e.getMessage().contains("inner/value.h"), e.getMessage());
    }

    @Test
    void shouldLoadPtxAndCubins() {
        assertEquals(4711, stored(new Kernel("store", null, CudaCode.ptx(KernelImagesTest.STORE)), 4711));

        CudaCode source = CudaCode.source("extern \"C\" __global__ void store(int *word, int number) { *word = number + 1; }");
        CUdevice gpu = CudaDriver.device(0);
        String architecture = "sm_" + CudaDriver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu)
                + CudaDriver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu);
        CudaCode cubin = CudaCode.cubin(new Nvrtc().compile("store", source, architecture, List.of()));
        assertEquals(4712, stored(new Kernel("store", null, cubin), 4711));
        DeviceException e = assertThrows(DeviceException.class, () -> stored(new Kernel("stored", null, cubin), 1));
        assertTrue(e.getMessage().contains("CUBIN needs an entry point"), e.getMessage());
        e = assertThrows(DeviceException.class,
                () -> stored(new Kernel("store", null, CudaCode.ptx(KernelImagesTest.STORE.replace("ret;", "nonsense;"))), 1));
        assertTrue(e.getMessage().contains("PTX of"), e.getMessage());
    }

    @Test
    void shouldSayWhatAKernelLacks() {
        Kernel java = new Kernel("javaonly", null, (at, args) -> { });
        Kernel mangled = new Kernel("mangled", "__global__ void mangled() { }", null);

        DeviceException e = assertThrows(DeviceException.class, () -> stream.launch(java, ONE, new Object[0]));
        assertTrue(e.getMessage().contains("no CUDA source, PTX or CUBIN"), e.getMessage());
        e = assertThrows(DeviceException.class, () -> stream.launch(mangled, ONE, new Object[0]));
        assertTrue(e.getMessage().contains("extern \"C\""), e.getMessage());
    }

    @Test
    void shouldRefuseArgumentsThatDoNotFitTheSource() {
        try (DeviceMemory memory = device.allocate(64, false)) {
            Buffer block = Buffer.ofDevice(memory, 0, ElementType.FLOAT, 16);

            IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                    () -> stream.launch(AXPB, ONE, new Object[] {block, 1}));
            assertTrue(e.getMessage().contains("2 arguments given") && e.getMessage().contains("declares 5"),
                    e.getMessage());
            e = assertThrows(IllegalArgumentException.class,
                    () -> stream.launch(AXPB, ONE, new Object[] {block, 1L, 1f, 1.0, 0L}));
            assertTrue(e.getMessage().contains("argument 1"), e.getMessage());
        }
    }

    @Test
    void shouldLeaveTheThreadsContextAsItWas() {
        assumeTrue(backend().count() > 1, "needs two devices: " + probe.verdict());
        Accelerator other = backend().open(1);
        other.bind();
        long before = NativeAddress.get(CudaDriver.currentContext());

        device.allocate(100, false).close();
        device.freeBytes();

        assertEquals(before, NativeAddress.get(CudaDriver.currentContext()));
        device.bind();
    }

    @Test
    void shouldGiveKernelsDynamicSharedMemory() {
        Kernel reverse = new Kernel("reverse", """
                extern "C" __global__ void reverse(int *words, int count) {
                    extern __shared__ int shared[];
                    for (int i = threadIdx.x; i < count; i += blockDim.x) {
                        shared[i] = i;
                    }
                    __syncthreads();
                    for (int i = threadIdx.x; i < count; i += blockDim.x) {
                        words[i] = shared[count - 1 - i];
                    }
                }
                """, null);
        int count = 15_000; // 60,000 bytes: more than a kernel has without being asked for
        try (Arena arena = Arena.ofConfined(); DeviceMemory memory = device.allocate(4L * count, false)) {
            MemorySegment words = arena.allocate(4L * count, 8);
            stream.launch(reverse, new Kernel.Shape(1, 64, 4 * count),
                    new Object[] {Buffer.ofDevice(memory, 0, ElementType.INT, count), count});
            stream.copyOut(words, 0, memory, 0, 4L * count);
            sync();

            for (int i = 0; i < count; i++) {
                assertEquals(count - 1 - i, words.getAtIndex(ValueLayout.JAVA_INT, i));
            }
            DeviceException e = assertThrows(DeviceException.class, () -> stream.launch(reverse, new Kernel.Shape(1, 64, 1 << 30),
                    new Object[] {Buffer.ofDevice(memory, 0, ElementType.INT, count), count}));
            assertTrue(e.getMessage().contains("bytes of shared memory"), e.getMessage());
        }
    }

    @Test
    void shouldLaunchClustersOfBlocks() {
        Kernel sizes = new Kernel("sizes", """
                extern "C" __global__ void sizes(int *words) {
                    unsigned blocks, rank;
                    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
                    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
                    words[blockIdx.x] = 100 * blocks + rank;
                }
                """, null);
        int blocks = 8;
        try (Arena arena = Arena.ofConfined(); DeviceMemory memory = device.allocate(4L * blocks, false)) {
            MemorySegment words = arena.allocate(4L * blocks, 8);
            stream.launch(sizes, new Kernel.Shape(blocks, 32).withCluster(Dims.of(4)),
                    new Object[] {Buffer.ofDevice(memory, 0, ElementType.INT, blocks)});
            stream.copyOut(words, 0, memory, 0, 4L * blocks);
            sync();

            for (int i = 0; i < blocks; i++) {
                assertEquals(400 + i % 4, words.getAtIndex(ValueLayout.JAVA_INT, i));
            }
        }
    }

    @Test
    void shouldNameTheLimitsOfAKernelThatIsLaunchedBeyondThem() {
        Kernel limited = new Kernel("limited", "extern \"C\" __global__ void __launch_bounds__(64) limited() { }", null);

        DeviceException e = assertThrows(DeviceException.class,
                () -> stream.launch(limited, new Kernel.Shape(1, 128), new Object[0]));
        assertTrue(e.getMessage().contains("at most 64 threads"), e.getMessage());
    }

    @Test
    void shouldRefuseAStructOfAnotherSize() {
        Settings settings = new Settings((byte) 0, (short) 0, false, 0, 0, new Pair(0, 0), 'a');

        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> stream.launch(MIXED, ONE,
                new Object[] {0L, (byte) 0, settings, (short) 0, true, 'a', settings}));
        assertTrue(e.getMessage().contains("argument 6 is a struct of 32 bytes") && e.getMessage().contains("declares 8"),
                e.getMessage());
    }

    @Test
    void shouldKnowItsOwnMemory() {
        try (Arena arena = Arena.ofConfined(); DeviceMemory memory = device.allocate(1 << 20, false);
                PinnedMemory pinned = device.allocatePinned(64)) {
            device.requireOwn(memory.address(), memory.bytes());
            device.requireOwn(memory.address() + 8, 0);
            String message = assertThrows(IllegalArgumentException.class,
                    () -> device.requireOwn(arena.allocate(64).address(), 64)).getMessage();
            assertTrue(message.contains("no device memory"), message);
            assertThrows(IllegalArgumentException.class, () -> device.requireOwn(pinned.segment().address(), 64));
            assertThrows(IllegalArgumentException.class, () -> device.requireOwn(memory.address(), 1L << 46));
        }
    }

    @Test
    void shouldShareStreamsWithOtherLibraries() {
        CUstream foreign = CudaDriver.createStream();
        try (Arena arena = Arena.ofConfined(); DeviceMemory memory = device.allocate(16, false)) {
            MemorySegment seen = arena.allocate(16, 8);
            AcceleratorStream wrapped = device.wrapStream(NativeAddress.get(foreign));
            assertEquals(NativeAddress.get(foreign), wrapped.handle());
            wrapped.fill(memory, 0, 16, (byte) 1);
            CudaDriver.fill(NativeAddress.set(new CUdeviceptr(), memory.address() + 8), (byte) 2, 8, foreign);
            wrapped.copyOut(seen, 0, memory, 0, 16);
            assertTrue(wrapped.sync(inSeconds(20)));
            wrapped.close();

            assertEquals(0x0101_0101_0101_0101L, seen.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(0x0202_0202_0202_0202L, seen.get(ValueLayout.JAVA_LONG, 8));
            assertTrue(CudaDriver.isIdle(foreign), "the stream is its owner's");
        } finally {
            CudaDriver.destroyStream(foreign);
        }
        AcceleratorStream ours = device.wrapStream(stream.handle());
        assertEquals(stream.handle(), ours.handle());
        ours.close();
        sync();
    }

    @Test
    void shouldTimeOutWhileAKernelRuns() {
        Kernel slow = new Kernel("slow", """
                extern "C" __global__ void slow(long long cycles) {
                    long long end = clock64() + cycles;
                    while (clock64() < end) { }
                }
                """, null);
        stream.launch(slow, ONE, new Object[] {500_000_000L});

        assertFalse(stream.isIdle());
        assertFalse(stream.sync(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20)));
        sync();
    }

    @Test
    void shouldPrintNothingWhileProbing() throws Exception {
        Process child = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                Verdict.class.getName())).redirectErrorStream(true).start();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        child.getInputStream().transferTo(out);
        assertTrue(child.waitFor(30, TimeUnit.SECONDS));

        assertEquals(probe.verdict(), out.toString().strip());
    }

    /** Prints the verdict. */
    public static final class Verdict {

        private Verdict() {
        }

        public static void main(String[] args) {
            System.out.println(Devices.probeCuda().verdict());
        }
    }
}
