package org.pgas4j.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Gemm.Precision;
import org.pgas4j.Kernel;
import org.pgas4j.PgasUnsafe;

/** Contract of every backend; subclasses choose the device. */
@Timeout(60)
public abstract class AcceleratorContractTest {

    private static final long GUARD = 64;
    private static final byte GUARD_BYTE = (byte) 0xA5;

    /** {@code x[i] = a * x[i] + b}, in both forms. */
    protected static final Kernel AXPB = new Kernel("axpb", """
            extern "C" __global__ void axpb(float *x, int n, float a, double b, long long first) {
                long long i = first + (long long) blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) x[i] = a * x[i] + (float) b;
            }
            """, (at, args) -> {
                long i = args.longAt(4) + at.global();
                if (i < args.intAt(1)) {
                    MemorySegment x = args.segment(0);
                    float old = x.getAtIndex(ElementType.LAYOUT_FLOAT, i);
                    x.setAtIndex(ElementType.LAYOUT_FLOAT, i, args.floatAt(2) * old + (float) args.doubleAt(3));
                }
            });

    protected Accelerator device;
    protected AcceleratorStream stream;
    protected Arena arena;

    /** The device under test; skips the test with the reason if there is none. */
    protected abstract Accelerator device();

    /** A stream of it. */
    protected AcceleratorStream newStream() {
        return device.newStream();
    }

    @BeforeEach
    void openDevice() {
        device = device();
        device.bind();
        stream = newStream();
        arena = Arena.ofShared();
    }

    @AfterEach
    void closeDevice() {
        if (arena != null) {
            stream.close();
            arena.close();
        }
    }

    protected static long inSeconds(int seconds) {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    protected void sync() {
        assertTrue(stream.sync(inSeconds(20)), "sync timed out");
    }

    private MemorySegment pattern(long bytes, long seed) {
        MemorySegment segment = arena.allocate(Math.max(bytes, 1), 8);
        byte[] content = new byte[(int) bytes];
        new Random(seed).nextBytes(content);
        MemorySegment.copy(content, 0, segment, ValueLayout.JAVA_BYTE, 0, content.length);
        return segment.asSlice(0, bytes);
    }

    private MemorySegment guarded(long bytes) {
        return arena.allocate(bytes + 2 * GUARD, 8).fill(GUARD_BYTE);
    }

    private static void assertGuards(MemorySegment guarded) {
        MemorySegment expected = MemorySegment.ofArray(new byte[(int) GUARD]).fill(GUARD_BYTE);
        assertEquals(-1, guarded.asSlice(0, GUARD).mismatch(expected), "bytes before the range were changed");
        assertEquals(-1, guarded.asSlice(guarded.byteSize() - GUARD).mismatch(expected),
                "bytes after the range were changed");
    }

    protected static byte[] bytes(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 8, 9, 4095, 4096, 4097, 262_144, 262_145, 9_000_000})
    void shouldCopyInAndOutWithGuardBytes(long bytes) {
        MemorySegment source = pattern(bytes, bytes);
        MemorySegment guards = guarded(bytes);
        MemorySegment back = guarded(bytes);
        byte[] expected = bytes(guards);
        MemorySegment.copy(source, 0, MemorySegment.ofArray(expected), GUARD, bytes);
        try (DeviceMemory a = device.allocate(bytes + 2 * GUARD, false);
                DeviceMemory b = device.allocate(bytes + 2 * GUARD, true)) {
            stream.copyIn(a, 0, guards, 0, bytes + 2 * GUARD);
            stream.copyIn(a, GUARD, source, 0, bytes);
            stream.copyIn(b, 0, guards, 0, bytes + 2 * GUARD);
            stream.copy(b, GUARD, a, GUARD, bytes);
            MemorySegment all = arena.allocate(bytes + 2 * GUARD, 8);
            stream.copyOut(all, 0, b, 0, bytes + 2 * GUARD);
            stream.copyOut(back, GUARD, b, GUARD, bytes);
            sync();

            assertArrayEquals(expected, bytes(all));
            assertGuards(back);
            assertEquals(-1, back.asSlice(GUARD, bytes).mismatch(source));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1000, 1_000_000})
    void shouldFillTheRangeOnly(long bytes) {
        MemorySegment back = arena.allocate(bytes + 2, 8);
        try (DeviceMemory memory = device.allocate(bytes + 2, false)) {
            stream.fill(memory, 0, bytes + 2, (byte) 1);
            stream.fill(memory, 1, bytes, (byte) 0xFE);
            stream.copyOut(back, 0, memory, 0, bytes + 2);
            sync();
        }

        assertEquals(1, back.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(1, back.get(ValueLayout.JAVA_BYTE, bytes + 1));
        for (long i = 1; i <= bytes; i++) {
            assertEquals((byte) 0xFE, back.get(ValueLayout.JAVA_BYTE, i));
        }
    }

    @Test
    void shouldKeepTheOrderOfCopiesAndKernels() {
        int n = 200_000; // large copies and small ones take different ways on the host device
        MemorySegment x = arena.allocate(4L * n, 8);
        MemorySegment one = arena.allocate(4, 4);
        one.set(ElementType.LAYOUT_FLOAT, 0, 100);
        MemorySegment back = arena.allocate(4L * n, 8);
        try (DeviceMemory memory = device.allocate(4L * n, false)) {
            Buffer block = Buffer.ofDevice(memory, 0, ElementType.FLOAT, n);
            for (int round = 0; round < 10; round++) {
                for (int i = 0; i < n; i++) {
                    x.setAtIndex(ElementType.LAYOUT_FLOAT, i, i % 1000);
                }
                stream.copyIn(memory, 0, x, 0, 4L * n);
                stream.launch(AXPB, Kernel.Shape.covering(n, 128), new Object[] {block, n, 2f, 1.0, 0L});
                stream.copyIn(memory, 0, one, 0, 4);
                stream.launch(AXPB, Kernel.Shape.covering(n, 256), new Object[] {block, n, 1f, 5.0, 0L});
                stream.copyOut(back, 0, memory, 0, 4L * n);
                sync();

                assertEquals(105f, back.getAtIndex(ElementType.LAYOUT_FLOAT, 0));
                for (int i = 1; i < n; i++) {
                    assertEquals(i % 1000 * 2f + 6f, back.getAtIndex(ElementType.LAYOUT_FLOAT, i));
                }
            }
        }
    }

    @Test
    void shouldGiveKernelsTheBlocksOffset() {
        int n = 100;
        MemorySegment back = arena.allocate(4L * n, 8);
        try (DeviceMemory memory = device.allocate(4L * n, false)) {
            stream.fill(memory, 0, 4L * n, (byte) 0);
            Buffer second = Buffer.ofDevice(memory, 4L * n / 2, ElementType.FLOAT, n / 2);
            stream.launch(AXPB, new Kernel.Shape(1, 64), new Object[] {second, n / 2, 1f, 3.0, 10L});
            stream.copyOut(back, 0, memory, 0, 4L * n);
            sync();
        }

        for (int i = 0; i < n; i++) {
            assertEquals(i < n / 2 + 10 ? 0f : 3f, back.getAtIndex(ElementType.LAYOUT_FLOAT, i), "element " + i);
        }
    }

    @Test
    void shouldRefuseArgumentsKernelsDoNotTake() {
        try (DeviceMemory memory = device.allocate(64, false)) {
            Buffer block = Buffer.ofDevice(memory, 0, ElementType.FLOAT, 16);
            Buffer host = Buffer.ofHost(arena.allocate(64, 8), ElementType.FLOAT);

            assertMentions("argument 0", () -> stream.launch(AXPB, new Kernel.Shape(1, 1),
                    new Object[] {host, 1, 1f, 1.0, 0L}));
            assertMentions("argument 1", () -> stream.launch(AXPB, new Kernel.Shape(1, 1),
                    new Object[] {block, "16", 1f, 1.0, 0L}));
            sync();
        }
    }

    private static void assertMentions(String text, Executable call) {
        RuntimeException e = assertThrows(IllegalArgumentException.class, call);
        assertTrue(e.getMessage().contains(text), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"1,1,1,0,0,0,1,0", "3,5,7,0,0,0,1,0", "16,16,16,3,2,1,0.5,2", "65,33,129,7,0,5,-1,1",
        "4,6,0,0,1,2,1,0.5", "0,4,4,0,0,0,1,0", "4,0,4,0,0,0,1,0", "128,64,32,0,0,0,2,0.25"})
    void shouldMultiplyLikeATripleLoop(int m, int n, int k, int padA, int padB, int padC, double alpha, double beta) {
        checkGemm(ElementType.FLOAT, m, n, k, m + padA, k + padB, m + padC, alpha, beta, 1e-4);
        checkGemm(ElementType.DOUBLE, m, n, k, m + padA, k + padB, m + padC, alpha, beta, 1e-12);
    }

    private void checkGemm(ElementType type, int m, int n, int k, int lda, int ldb, int ldc, double alpha, double beta,
                           double tolerance) {
        double[] a = matrix(lda * k, 1);
        double[] b = matrix(ldb * n, 2);
        double[] c = matrix(ldc * n, 3);
        double[] expected = c.clone();
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int l = 0; l < k; l++) {
                    sum += a[i + l * lda] * b[l + j * ldb];
                }
                expected[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
            }
        }
        try (DeviceMemory memoryA = upload(type, a); DeviceMemory memoryB = upload(type, b);
                DeviceMemory memoryC = upload(type, c)) {
            stream.gemm(Gemm.of(Precision.of(type), m, n, k).factors(alpha, beta)
                            .leading(lda, Math.max(1, ldb), Math.max(1, ldc)), Buffer.ofDevice(memoryA, 0, type, a.length), Buffer.ofDevice(memoryB, 0, type, b.length),
                    Buffer.ofDevice(memoryC, 0, type, c.length));
            MemorySegment back = arena.allocate(Math.max(1, type.bytes(c.length)), 8);
            stream.copyOut(back, 0, memoryC, 0, type.bytes(c.length));
            sync();
            for (int i = 0; i < c.length; i++) {
                double got = type == ElementType.FLOAT ? back.getAtIndex(ElementType.LAYOUT_FLOAT, i)
                        : back.getAtIndex(ElementType.LAYOUT_DOUBLE, i);
                assertEquals(expected[i], got, tolerance * Math.max(1, k), type + " element " + i);
            }
        }
    }

    /** The stream's own product, and the kernel for shapes that a library does not take. */
    @ParameterizedTest
    @CsvSource({"1,1,1,0,false,false,1,0", "3,5,7,1,true,false,2,-1", "33,65,17,0,false,true,-3,2", "4,8,4,0,false,false,1,0",
        "64,64,32,4,true,true,1,1", "70,66,100,3,false,false,1,0", "5,3,0,0,false,false,1,7"})
    void shouldMultiplyBytesOfAnyShape(int m, int n, int k, int pad, boolean transposedA, boolean transposedB, int alpha,
                                       int beta) {
        Gemm shape = new Gemm(Precision.INT8, m, n, k, transposedA, transposedB, alpha, beta, 0, 0, 0, null,
                Gemm.Activation.NONE);
        Gemm gemm = shape.leading(shape.lda() + pad, shape.ldb() + pad, m + pad);
        byte[] a = bytes((int) (gemm.lda() * gemm.columnsA()), 1);
        byte[] b = bytes((int) (gemm.ldb() * gemm.columnsB()), 2);
        int[] c = new Random(3).ints(gemm.ldc() * n).toArray();
        int[] expected = c.clone();
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                int sum = 0;
                for (int l = 0; l < k; l++) {
                    sum += a[(int) (transposedA ? i * gemm.lda() + l : l * gemm.lda() + i)]
                            * b[(int) (transposedB ? l * gemm.ldb() + j : j * gemm.ldb() + l)];
                }
                int at = (int) (j * gemm.ldc() + i);
                expected[at] = alpha * sum + beta * c[at];
            }
        }
        for (boolean kernel : new boolean[] {false, true}) {
            // an odd address, which a slice of bytes may have
            try (DeviceMemory memoryA = upload(MemorySegment.ofArray(a), 1);
                    DeviceMemory memoryB = upload(MemorySegment.ofArray(b), 3);
                    DeviceMemory memoryC = upload(MemorySegment.ofArray(c), 0)) {
                Buffer left = Buffer.ofDevice(memoryA, 1, ElementType.BYTE, a.length);
                Buffer right = Buffer.ofDevice(memoryB, 3, ElementType.BYTE, b.length);
                Buffer result = Buffer.ofDevice(memoryC, 0, ElementType.INT, c.length);
                if (kernel) {
                    stream.launch(ByteProduct.KERNEL, ByteProduct.shape(gemm), ByteProduct.args(gemm, left, right, result));
                } else {
                    stream.gemm(gemm, left, right, result);
                }
                MemorySegment back = arena.allocate(4L * c.length, 8);
                stream.copyOut(back, 0, memoryC, 0, 4L * c.length);
                sync();
                assertArrayEquals(expected, back.toArray(ElementType.LAYOUT_INT), gemm + (kernel ? " by the kernel" : ""));
            }
        }
    }

    private static byte[] bytes(int elements, long seed) {
        byte[] bytes = new byte[elements];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private DeviceMemory upload(MemorySegment values, long offset) {
        MemorySegment host = arena.allocate(Math.max(1, values.byteSize()), 8);
        MemorySegment.copy(values, 0, host, 0, values.byteSize());
        DeviceMemory memory = device.allocate(Math.max(8, offset + values.byteSize()), false);
        stream.copyIn(memory, offset, host, 0, values.byteSize());
        return memory;
    }

    private static double[] matrix(int elements, long seed) {
        // Values a float holds exactly, so that both types see the same matrices.
        return new Random(seed).ints(elements, -64, 65).mapToDouble(i -> i / 64.0).toArray();
    }

    private DeviceMemory upload(ElementType type, double[] values) {
        MemorySegment host = arena.allocate(Math.max(1, type.bytes(values.length)), 8);
        for (int i = 0; i < values.length; i++) {
            if (type == ElementType.FLOAT) {
                host.setAtIndex(ElementType.LAYOUT_FLOAT, i, (float) values[i]);
            } else {
                host.setAtIndex(ElementType.LAYOUT_DOUBLE, i, values[i]);
            }
        }
        DeviceMemory memory = device.allocate(type.bytes(values.length), false);
        stream.copyIn(memory, 0, host, 0, type.bytes(values.length));
        return memory;
    }

    @Test
    void shouldMeasureTimeBetweenEvents() {
        try (DeviceMemory memory = device.allocate(64 << 20, false); StreamEvent before = stream.record()) {
            for (int i = 0; i < 4; i++) {
                stream.fill(memory, 0, memory.bytes(), (byte) i);
            }
            try (StreamEvent after = stream.record()) {
                assertTrue(after.sync(inSeconds(20)));

                assertTrue(before.isDone());
                assertTrue(after.isDone());
                assertTrue(stream.isIdle() || stream.sync(inSeconds(20)));
                double millis = after.millisSince(before);
                assertTrue(millis > 0 && millis < 20_000, "millis=" + millis);
            }
        }
    }

    @Test
    void shouldStartAfterTheEventOfAnotherStream() {
        int bytes = 32 << 20;
        MemorySegment back = arena.allocate(bytes, 8);
        try (AcceleratorStream first = newStream(); DeviceMemory memory = device.allocate(bytes, false)) {
            for (int i = 1; i <= 5; i++) {
                first.fill(memory, 0, bytes, (byte) i);
            }
            try (StreamEvent filled = first.record()) {
                stream.await(filled);
                stream.copyOut(back, 0, memory, 0, bytes);
                sync();
                assertTrue(filled.isDone());
            }
            assertTrue(first.sync(inSeconds(20)));
        }

        assertEquals(5, back.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(5, back.get(ValueLayout.JAVA_BYTE, bytes - 1));
    }

    @Test
    void shouldBeIdleWithNothingQueuedAndSyncAtOnceEvenPastItsDeadline() {
        assertTrue(stream.isIdle());
        assertTrue(stream.sync(System.nanoTime() - 1));
    }

    @Test
    void shouldRefuseMoreMemoryThanThereIs() {
        long bytes = device.totalBytes() * 4;
        DeviceException e = assertThrows(DeviceException.class, () -> device.allocate(bytes, false));

        assertTrue(e.getMessage().contains(device.backend() + ":" + device.ordinal()), e.getMessage());
        assertTrue(e.getMessage().contains(String.valueOf(bytes)), e.getMessage());
        assertTrue(e.getMessage().contains("free"), e.getMessage());
    }

    @Test
    void shouldDescribeTheDevice() {
        assertFalse(device.name().isBlank());
        assertTrue(device.totalBytes() > 0);
        assertTrue(device.freeBytes() > 0 && device.freeBytes() <= device.totalBytes());
        assertTrue(device.canReach(device));
        device.enableReach(device);
        device.enableReach(device);
        assertTrue(device.canImportFrom(device.ordinal()));
    }

    @Test
    void shouldAlignMemoryAndRefuseItOnceClosed() {
        DeviceMemory memory = device.allocate(100, true);
        assertEquals(0, memory.address() % 256);
        assertEquals(100, memory.bytes());

        memory.close();
        memory.close();

        assertFalse(memory.isOpen());
        MemorySegment host = arena.allocate(100, 8);
        DeviceException e = assertThrows(DeviceException.class, () -> stream.copyIn(memory, 0, host, 0, 100));
        assertTrue(e.getMessage().contains("closed"), e.getMessage());
    }

    @Test
    void shouldRefuseAStreamOnceClosed() {
        try (DeviceMemory memory = device.allocate(100, false)) {
            AcceleratorStream other = newStream();
            other.close();
            other.close();

            assertThrows(DeviceException.class, () -> other.fill(memory, 0, 100, (byte) 0));
            assertThrows(DeviceException.class, other::isIdle);
        }
    }

    @Test
    void shouldCopyFromAndToPinnedAndRegisteredMemory() {
        MemorySegment mapped = pattern(1 << 20, 4);
        try (PinnedMemory pinned = device.allocatePinned(1 << 20);
                DeviceMemory memory = device.allocate(1 << 20, false)) {
            HostRegistration registration = device.register(mapped);
            stream.copyIn(memory, 0, mapped, 0, 1 << 20);
            stream.copyOut(pinned.segment(), 0, memory, 0, 1 << 20);
            sync();

            assertEquals(-1, pinned.segment().mismatch(mapped));
            registration.close();
            registration.close();
            assertFalse(registration.effective());
        }
    }

    @Test
    void shouldCopyWhatItIsToldAfterItWasKeptReady() {
        MemorySegment host = pattern(64, 5);
        MemorySegment back = arena.allocate(64, 8);
        try (AcceleratorStream urgent = device.newUrgentStream(); DeviceMemory memory = device.allocate(64, false)) {
            urgent.copyIn(memory, 0, host, 0, 64);
            for (long end = System.nanoTime() + 5_000_000; System.nanoTime() - end < 0; ) {
                urgent.keepReady(); // one call a millisecond does more than the others
            }
            urgent.copyOut(back, 0, memory, 0, 64);
            urgent.keepReady();

            assertTrue(urgent.sync(inSeconds(10)));
        }
        assertArrayEquals(bytes(host), bytes(back));
    }

    @Test
    void shouldWriteTheWordBehindTheBytes() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            MemorySegment host = pattern(64, 6);
            stream.takeNonZero(word, 0);
            stream.copyIn(memory, 0, host, 0, 64);
            stream.copyAndWrite(memory, 101, memory, 3, 61, word, 8, 9);
            assertFalse(stream.sync(System.nanoTime() + 200_000));
            assertEquals(0, word.get(ValueLayout.JAVA_LONG, 8));

            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
            sync();
            assertEquals(9, word.get(ValueLayout.JAVA_LONG, 8));
            MemorySegment back = arena.allocate(61, 1);
            stream.copyOut(back, 0, memory, 101, 61);
            sync();
            assertEquals(-1, back.mismatch(host.asSlice(3)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 24, 4097, 64 << 10, (64 << 10) + 1, 1 << 20})
    void shouldPassMessagesBetweenStreamsOfLowLatency(long bytes) {
        int rounds = 20;
        try (AcceleratorStream one = device.newLowLatencyStream(true, 20_000_000_000L);
             AcceleratorStream two = device.newLowLatencyStream(true, 20_000_000_000L);
             PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(3 * bytes + 64, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            MemorySegment host = pattern(bytes + 1, 7);
            one.copyIn(memory, 0, host, 0, bytes);
            for (int i = 1; i <= rounds; i++) {
                one.copyAndWrite(memory, bytes, memory, 0, bytes, word, 0, 1);
                two.takeNonZero(word, 0);
                two.copyAndWrite(memory, 2 * bytes, memory, bytes, bytes, word, 8, i);
                one.waitValue(word, 8, i);
            }
            two.writeValue(word, 16, 5);
            assertTrue(one.sync(inSeconds(20)), "the first stream");
            assertTrue(two.sync(inSeconds(20)), "the second stream");

            assertEquals(0, word.get(ValueLayout.JAVA_LONG, 0), "taken");
            assertEquals(rounds, word.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(5, word.get(ValueLayout.JAVA_LONG, 16));
            MemorySegment back = arena.allocate(bytes + 1, 1);
            one.copyOut(back, 0, memory, 2 * bytes, bytes);
            assertTrue(one.sync(inSeconds(20)));
            assertEquals(-1, MemorySegment.mismatch(host, 0, bytes, back, 0, bytes));
        }
    }

    @Test
    void shouldExportMemoryOnlyIfAllocatedAsShareable() {
        try (DeviceMemory plain = device.allocate(1000, false); DeviceMemory shareable = device.allocate(1000, true)) {
            assertThrows(DeviceException.class, () -> device.export(plain));
            DeviceHandle handle = device.export(shareable);

            assertEquals(device.backend(), handle.backend());
            assertEquals(device.ordinal(), handle.ordinal());
            assertEquals(1000, handle.bytes());
        }
    }

    @Test
    void shouldStartWorkWhenAWordHasCome() throws InterruptedException {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false)) {
            MemorySegment word = words.segment();
            word.fill((byte) 0);
            stream.fill(memory, 0, 256, (byte) 0);
            stream.waitValue(word, 0, 3);
            stream.writeValue(memory, 8, 0x1122334455667788L);
            stream.writeValue32(memory, 16, 0x99aabbcc);
            stream.writeValue(word, 8, 7);
            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 2L);
            Thread.sleep(20);
            assertEquals(0L, (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(word, 8L));
            assertFalse(stream.isIdle());

            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 4L);
            sync();

            assertEquals(7L, word.get(ValueLayout.JAVA_LONG, 8));
            MemorySegment seen = arena.allocate(256, 8);
            stream.copyOut(seen, 0, memory, 0, 256);
            sync();
            assertEquals(0x1122334455667788L, seen.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(0x99aabbcc, seen.get(ValueLayout.JAVA_INT, 16));
        }
    }

    @Test
    void shouldCompareWordsCyclically() {
        try (PinnedMemory words = device.allocatePinned(64)) {
            MemorySegment word = words.segment();
            word.set(ValueLayout.JAVA_LONG, 0, Long.MIN_VALUE + 1);
            stream.waitValue(word, 0, Long.MAX_VALUE);
            stream.writeValue(word, 8, 1);
            sync();
            assertEquals(1L, word.get(ValueLayout.JAVA_LONG, 8));
        }
    }

    @Test
    void shouldLaunchWhatWasCapturedAsOftenAsWanted() {
        try (PinnedMemory words = device.allocatePinned(8192); DeviceMemory memory = device.allocate(4096, false);
             DeviceMemory copy = device.allocate(4096, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            MemorySegment seen = words.segment().asSlice(4096, 4096);
            Buffer x = Buffer.ofDevice(memory, 0, ElementType.FLOAT, 1024);
            stream.fill(memory, 0, 4096, (byte) 0);
            sync();
            int before = stream.ahead();
            try (AcceleratorGraph graph = stream.capture(on -> {
                on.takeNonZero(word, 0);
                on.launch(AXPB, Kernel.Shape.covering(1024, 128), new Object[] {x, 1024, 2f, 1.0, 0L});
                on.copy(copy, 0, memory, 0, 4096);
                on.copyOut(seen, 0, copy, 0, 4096);
                on.writeValue(word, 64, 7);
            })) {
                assertEquals(5, graph.operations());
                assertEquals(before, stream.ahead(), "a capture queues nothing");
                float expected = 0;
                for (int round = 0; round < 40; round++) {
                    stream.launch(graph);
                    assertFalse(stream.sync(System.nanoTime() + 200_000), "the graph waits for the word");
                    ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L + round);
                    sync();
                    expected = Math.min(2 * expected + 1, 1 << 24);
                    float value = seen.getAtIndex(ValueLayout.JAVA_FLOAT, 1023);
                    assertEquals(expected, Math.min(value, 1 << 24), "after launch " + round);
                    assertEquals(0L, word.get(ValueLayout.JAVA_LONG, 0), "the word was taken");
                    assertEquals(7L, word.get(ValueLayout.JAVA_LONG, 64));
                }
            }
        }
    }

    @Test
    void shouldRunAheadWithGraphs() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(4096, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            Buffer x = Buffer.ofDevice(memory, 0, ElementType.FLOAT, 1024);
            stream.fill(memory, 0, 4096, (byte) 0);
            try (AcceleratorGraph graph = stream.capture(on -> {
                for (int i = 0; i < 20; i++) {
                    on.launch(AXPB, Kernel.Shape.covering(1024, 128), new Object[] {x, 1024, 1f, 1.0, 0L});
                }
            })) {
                stream.takeNonZero(word, 0);
                for (int i = 0; i < 400; i++) {
                    stream.launch(graph);
                }
                assertFalse(stream.sync(System.nanoTime() + 1_000_000));
                ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
                sync();
                MemorySegment seen = arena.allocate(4096, 8);
                stream.copyOut(seen, 0, memory, 0, 4096);
                sync();
                assertEquals(8000f, seen.getAtIndex(ValueLayout.JAVA_FLOAT, 1023));
            }
        }
    }

    @Test
    void shouldRefuseGraphsThatAreClosedOrFailedToBeCaptured() {
        try (DeviceMemory memory = device.allocate(256, false)) {
            AcceleratorGraph graph = stream.capture(on -> on.fill(memory, 0, 256, (byte) 3));
            graph.close();
            graph.close();
            IllegalStateException e = assertThrows(IllegalStateException.class, () -> stream.launch(graph));
            assertTrue(e.getMessage().contains("closed"), e.getMessage());

            assertThrows(UnsupportedOperationException.class, () -> stream.capture(on -> {
                on.fill(memory, 0, 256, (byte) 4);
                throw new UnsupportedOperationException("by the program");
            }));
            stream.fill(memory, 0, 256, (byte) 5); // the stream is as before
            MemorySegment seen = arena.allocate(256, 8);
            stream.copyOut(seen, 0, memory, 0, 256);
            sync();
            assertEquals(5, seen.get(ValueLayout.JAVA_BYTE, 255));
        }
    }

    /** More than any queue of a driver holds; who queues them never waits. */
    @Test
    void shouldTakeThousandsOfOperationsAheadOfAWaitingStream() {
        try (PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(256, false);
             AcceleratorStream other = newStream(); DeviceMemory copy = device.allocate(256, false)) {
            MemorySegment word = words.segment().fill((byte) 0);
            stream.waitValue(word, 0, 1);
            for (int i = 0; i < 10_000; i++) {
                stream.fill(memory, i % 256, 1, (byte) (i / 256));
                if (i % 1000 == 0) {
                    stream.writeValue(word, 8, i);
                }
            }
            StreamEvent last = stream.record();
            other.await(last);
            other.copy(copy, 0, memory, 0, 256);
            assertFalse(last.isDone());
            last.close();
            assertFalse(stream.isIdle());
            assertFalse(other.sync(System.nanoTime() + 1_000_000));
            assertEquals(0L, (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(word, 8L));

            ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
            assertTrue(other.sync(inSeconds(20)), "sync of the stream that waits for the event");
            sync();

            assertTrue(stream.isIdle());
            assertEquals(0, stream.ahead());
            assertEquals(9000L, word.get(ValueLayout.JAVA_LONG, 8));
            MemorySegment seen = arena.allocate(256);
            other.copyOut(seen, 0, copy, 0, 256);
            assertTrue(other.sync(inSeconds(20)));
            for (int i = 0; i < 256; i++) {
                assertEquals((byte) ((9999 - i) / 256), seen.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
            }
        }
    }

    /** Each thread writes its number of three dimensions, which counts x first, in units of the whole grid. */
    private static final Kernel PLACES = new Kernel("places", """
            extern "C" __global__ void places(int *words) {
                int x = blockIdx.x * blockDim.x + threadIdx.x;
                int y = blockIdx.y * blockDim.y + threadIdx.y;
                int z = blockIdx.z * blockDim.z + threadIdx.z;
                int at = (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x;
                words[at] = 1000000 * z + 1000 * y + x;
            }
            """, (at, args) -> {
                Kernel.Shape shape = at.shape();
                long width = (long) shape.grid().x() * shape.block().x();
                long height = (long) shape.grid().y() * shape.block().y();
                args.segment(0).setAtIndex(ElementType.LAYOUT_INT, (at.z() * height + at.y()) * width + at.x(),
                        (int) (1_000_000 * at.z() + 1000 * at.y() + at.x()));
            });

    @Test
    void shouldLaunchGridsOfThreeDimensions() {
        Dims block = new Dims(4, 2, 3);
        Dims grid = new Dims(3, 5, 2);
        int count = grid.count() * block.count();
        MemorySegment words = arena.allocate(4L * count, 8);
        try (DeviceMemory memory = device.allocate(words.byteSize(), false)) {
            stream.launch(PLACES, new Kernel.Shape(grid, block),
                    new Object[] {Buffer.ofDevice(memory, 0, ElementType.INT, count)});
            stream.copyOut(words, 0, memory, 0, words.byteSize());
            sync();
        }
        for (int z = 0; z < 6; z++) {
            for (int y = 0; y < 10; y++) {
                for (int x = 0; x < 12; x++) {
                    assertEquals(1_000_000 * z + 1000 * y + x, words.getAtIndex(ValueLayout.JAVA_INT, (z * 10 + y) * 12 + x));
                }
            }
        }
    }

    /** A struct of all primitives and of another struct. */
    public record Settings(byte tag, short step, boolean on, double origin, int n, Pair pair, char letter) {
    }

    /** A struct in a struct. */
    public record Pair(float x, float y) {
    }

    protected static final Kernel MIXED = new Kernel("mixed", """
            struct pair { float x, y; };
            struct settings { signed char tag; short step; bool on; double origin; int n; pair p; unsigned short letter; };
            extern "C" __global__ void mixed(double *out, signed char b, settings s, short h, bool z, unsigned short c, pair p) {
                double sum = b + 2.0 * h + 3.0 * z + 5.0 * c + 7.0 * p.x + 11.0 * p.y;
                sum += 13.0 * s.tag + 17.0 * s.step + 19.0 * s.on + 23.0 * s.origin + 29.0 * s.n + 31.0 * s.p.x + 37.0 * s.p.y;
                out[0] = sum + 41.0 * s.letter;
            }
            """, (_, args) -> {
                Settings s = args.recordAt(2, Settings.class);
                Pair p = args.recordAt(6, Pair.class);
                double sum = args.byteAt(1) + 2.0 * args.shortAt(3) + 3.0 * (args.booleanAt(4) ? 1 : 0) + 5.0 * args.charAt(5)
                        + 7.0 * p.x() + 11.0 * p.y();
                sum += 13.0 * s.tag() + 17.0 * s.step() + 19.0 * (s.on() ? 1 : 0) + 23.0 * s.origin() + 29.0 * s.n()
                        + 31.0 * s.pair().x() + 37.0 * s.pair().y();
                args.segment(0).set(ElementType.LAYOUT_DOUBLE, 0, sum + 41.0 * s.letter());
            });

    private static double sumOfMixed(byte b, Settings s, short h, boolean z, char c, Pair p) {
        return b + 2.0 * h + 3.0 * (z ? 1 : 0) + 5.0 * c + 7.0 * p.x + 11.0 * p.y + 13.0 * s.tag + 17.0 * s.step
                + 19.0 * (s.on ? 1 : 0) + 23.0 * s.origin + 29.0 * s.n + 31.0 * s.pair.x + 37.0 * s.pair.y + 41.0 * s.letter;
    }

    @Test
    void shouldPassPrimitivesAndStructsByValue() {
        MemorySegment out = arena.allocate(16, 8);
        Settings settings = new Settings((byte) -5, (short) -300, true, 0.25, 1 << 20, new Pair(2, -4), '\u8001');
        Pair pair = new Pair(8, 0.5f);
        MemorySegment struct = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 8, 0.5f);
        try (DeviceMemory memory = device.allocate(16, false)) {
            Buffer first = Buffer.ofDevice(memory, 0, ElementType.DOUBLE, 1);
            Buffer second = Buffer.ofDevice(memory, 8, ElementType.DOUBLE, 1);
            stream.launch(MIXED, new Kernel.Shape(1, 1),
                    new Object[] {first, (byte) -1, settings, (short) 77, true, '\uFFFF', struct});
            struct.fill((byte) 0); // it was copied
            stream.launch(AXPB, new Kernel.Shape(1, 1), new Object[] {first, 0, 1f, 1.0, 0L}); // after one with structs
            stream.launch(MIXED, new Kernel.Shape(1, 1), new Object[] {second, (byte) 1, settings, (short) -1, false, 'a', pair});
            stream.copyOut(out, 0, memory, 0, 16);
            sync();
        }
        assertEquals(sumOfMixed((byte) -1, settings, (short) 77, true, '\uFFFF', pair), out.get(ValueLayout.JAVA_DOUBLE, 0));
        assertEquals(sumOfMixed((byte) 1, settings, (short) -1, false, 'a', pair), out.get(ValueLayout.JAVA_DOUBLE, 8));
    }

    @Test
    void shouldLetKernelsUsePinnedMemory() {
        int n = 1000;
        PinnedMemory pinned = device.allocatePinned(4L * n);
        try (Buffer buffer = Buffer.ofPinned(pinned.segment(), new PinnedView(pinned), ElementType.FLOAT, n)) {
            for (int i = 0; i < n; i++) {
                buffer.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
            }
            stream.launch(AXPB, Kernel.Shape.covering(n, 128), new Object[] {buffer.slice(100, n - 100), n - 100, 2f, 1.0, 0L});
            sync();

            for (int i = 0; i < n; i++) {
                assertEquals(i < 100 ? i : 2 * i + 1, buffer.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
        }
        assertThrows(IllegalStateException.class, () -> pinned.segment().get(ValueLayout.JAVA_FLOAT, 0));
    }

    @Test
    void shouldUseMemoryOfOtherLibrariesByItsAddress() {
        int n = 1000;
        MemorySegment back = arena.allocate(4L * n, 8);
        try (DeviceMemory owner = device.allocate(4L * n, false); DeviceMemory other = device.allocate(4L * n, false)) {
            stream.fill(owner, 0, owner.bytes(), (byte) 0);
            Buffer foreign = PgasUnsafe.deviceBuffer(owner.address() + 4, ElementType.FLOAT, n - 1);
            assertEquals(owner.address() + 8, PgasUnsafe.address(foreign.slice(1, 5)));
            stream.launch(AXPB, Kernel.Shape.covering(n, 128), new Object[] {foreign.slice(9, 20), 20, 1f, 2.0, 0L});
            stream.copy(other, 0, foreign.deviceMemory(), 0, foreign.bytes());
            foreign.close(); // leaves the memory to its owner
            stream.copyOut(back, 0, other, 0, foreign.bytes());
            sync();

            for (int i = 0; i < n - 1; i++) {
                assertEquals(i >= 9 && i < 29 ? 2 : 0, back.getAtIndex(ValueLayout.JAVA_FLOAT, i), "element " + i);
            }
            assertThrows(IndexOutOfBoundsException.class, () -> foreign.slice(n - 2, 2));
            assertThrows(IllegalArgumentException.class, () -> PgasUnsafe.deviceBuffer(0, ElementType.INT, 1));
        }
    }
}
