package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Strided;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.host.HostBackend;

/** Copies by lines, beside the loop of the host. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PieceLinesTest {

    private static final int BYTES = 1 << 19;
    private static final DeviceBackend BACKEND = new HostBackend(1, 2);
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);

    @AfterAll
    static void closeBackend() {
        BACKEND.close();
    }

    @ParameterizedTest
    @CsvSource({
        // run, counts and strides of three levels, unit
        "8,      3, 2, 700,    48000, 17000, 8,     50000, 20000, 24,    8",
        "8,      1, 1, 5000,   0, 0, 16,            0, 0, 8,             8",
        "48,     2, 3, 100,    30000, 7000, 64,     20000, 5000, 48,     16",
        "20000,  2, 2, 3,      200000, 90000, 24000, 180000, 80000, 20000, 16",
        "70000,  1, 2, 3,      0, 260000, 80000,    0, 250000, 70000,    16",
        "12,     1, 4, 300,    0, 9000, 20,         0, 10000, 12,        4",
        "1,      2, 1, 2000,   5001, 0, 2,          4001, 0, 1,          1"})
    void shouldCopyAsTheLoopOfTheHostDoes(long run, long n0, long n1, long n2, long d0, long d1, long d2, long s0, long s1,
            long s2, int unit) {
        Strided shape = Strided.of(run, new long[] {n0, n1, n2}, new long[] {d0, d1, d2}, new long[] {s0, s1, s2});
        long row = shape.count(shape.levels() - 1);

        for (HostPieces.Packed packed : HostPieces.Packed.values()) {
            check(shape, packed, 0, shape.count(), unit);
            if (shape.count() > row) {
                check(shape, packed, row, shape.count() - row, unit);
            }
        }
    }

    @Test
    void shouldTakeLongPiecesOneByOneWhereALineIsCut() {
        Strided shape = Strided.rows(8192, 20, 10000, 9000);

        PieceLines lines = PieceLines.of(shape, 3, 5, 8);

        assertEquals(1024, lines.units());
        assertEquals(3, lines.first());
        assertEquals(5, lines.lines());
        check(shape, HostPieces.Packed.NEITHER, 3, 5, 8);
    }

    @Test
    void shouldLeaveShortLinesToThreads() {
        assertNull(PieceLines.of(Strided.rows(8, 255, 16, 24), 0, 255, 8));
        assertNull(PieceLines.of(Strided.rows(8, 1000, 16, 24), 1, 999, 8));
    }

    /** Every {@link PieceLines#MAX_PAIRS}th column of a matrix to a memory of its own, as rows go to cyclic columns. */
    @Test
    void shouldCopyBetweenSeveralPairsInOneLaunch() {
        int pairs = PieceLines.MAX_PAIRS;
        Strided shape = Strided.rows(8, 2500, 8, 8L * pairs);
        int bytes = 8 * 2500;
        byte[] matrix = new byte[pairs * bytes];
        new Random(6).nextBytes(matrix);

        Accelerator device = BACKEND.open(0);
        try (AcceleratorStream stream = device.newStream(); DeviceMemory src = device.allocate(matrix.length, false);
                DeviceMemory dst = device.allocate(matrix.length, false); Arena arena = Arena.ofShared()) {
            stream.copyIn(src, 0, arena.allocateFrom(ValueLayout.JAVA_BYTE, matrix), 0, matrix.length);
            List<Place.Pair> places = IntStream.range(0, pairs)
                    .mapToObj(i -> new Place.Pair(new Place(null, dst, (long) i * bytes), new Place(null, src, 8L * i))).toList();
            PieceKernels.copy(stream, device, places, shape, true);
            MemorySegment seen = arena.allocate(matrix.length);
            stream.copyOut(seen, 0, dst, 0, matrix.length);
            assertTrue(stream.sync(System.nanoTime() + WAIT_NS));

            byte[] expected = new byte[matrix.length];
            for (int i = 0; i < pairs; i++) {
                HostPieces.copy(MemorySegment.ofArray(expected), (long) i * bytes, MemorySegment.ofArray(matrix), 8L * i, shape);
            }
            assertArrayEquals(expected, seen.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static void check(Strided shape, HostPieces.Packed packed, long first, long count, int unit) {
        byte[] bytes = new byte[BYTES];
        new Random(5).nextBytes(bytes);
        byte[] expected = new byte[BYTES];
        HostPieces.copy(MemorySegment.ofArray(expected), 0, MemorySegment.ofArray(bytes), 0, shape, packed, first, count);
        PieceLines lines = PieceLines.of(shape, first, count, unit);

        Accelerator device = BACKEND.open(0);
        try (AcceleratorStream stream = device.newStream(); DeviceMemory src = device.allocate(BYTES, false);
                DeviceMemory dst = device.allocate(BYTES, false); Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            stream.copyIn(src, 0, host, 0, BYTES);
            stream.fill(dst, 0, BYTES, (byte) 0);
            lines.launch(stream, device, List.of(new Place.Pair(new Place(null, dst, 0), new Place(null, src, 0))), BYTES, BYTES,
                    unit, packed, true);
            MemorySegment seen = arena.allocate(BYTES);
            stream.copyOut(seen, 0, dst, 0, BYTES);
            assertTrue(stream.sync(System.nanoTime() + WAIT_NS));
            assertArrayEquals(expected, seen.toArray(ValueLayout.JAVA_BYTE), shape + " packed=" + packed + " first=" + first);
        }
    }
}
