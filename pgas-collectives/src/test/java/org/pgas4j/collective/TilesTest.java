package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.kernels.KernelForm;

/** The order in which elements of an array are combined: on the host, and by kernels of the host device. */
@Timeout(60)
class TilesTest {

    private static final int RUN = HostTiles.RUN;
    private static final int TILE = HostTiles.TILE;
    /** Results of so many elements do not fit the room for results of tiles. */
    private static final int MANY = TILE * (TILE + 2) + 3;

    private final HostBackend backend = new HostBackend(1, 3);

    @AfterEach
    void close() {
        backend.close();
    }

    /** An operation that shows each change of the order. */
    private static Reduction op(ElementType type) {
        return type.isFloatingPoint() ? Reduction.ofDoubles((a, b) -> 0.75 * a - b) : Reduction.ofLongs((a, b) -> 3 * a - b);
    }

    private static Combination combination(ElementType type) {
        return switch (op(type)) {
            case Reduction.OfLongs op -> new Combination(type, op, TranslatedFunction.of((Serializable) op.function(),
                    KernelForm.COMBINE_LONGS));
            case Reduction.OfDoubles op -> new Combination(type, op, TranslatedFunction.of((Serializable) op.function(),
                    KernelForm.COMBINE_DOUBLES));
            case ReduceOp op -> Combination.of(type, op);
        };
    }

    private static long[] words(ElementType type, int count) {
        long[] words = new long[count];
        for (int i = 0; i < count; i++) {
            int value = i % 101 - i % 7;
            words[i] = type.isFloatingPoint() ? Double.doubleToRawLongBits(value / 4.0) : value & Byte.MAX_VALUE;
        }
        return words;
    }

    private static MemorySegment memory(Arena arena, ElementType type, long[] words) {
        MemorySegment memory = arena.allocate(type.bytes(words.length), 8);
        for (int i = 0; i < words.length; i++) {
            ArrayElements.set(type, memory, i, words[i]);
        }
        return memory;
    }

    private static long tree(ElementType type, long[] words, int first, int count) {
        if (count == 1) {
            return words[first];
        }
        int half = Integer.highestOneBit(count - 1);
        return ArrayElements.apply(type, op(type), tree(type, words, first, half), tree(type, words, first + half, count - half));
    }

    private static long inARow(ElementType type, long[] words, int first, int count) {
        long total = words[first];
        for (int i = 1; i < count; i++) {
            total = ArrayElements.apply(type, op(type), total, words[first + i]);
        }
        return total;
    }

    /** Results of runs in the range of a tile. */
    private static long[] runs(ElementType type, long[] words, int first) {
        int end = Math.min(words.length, first + TILE);
        long[] results = new long[Math.ceilDiv(end - first, RUN)];
        for (int i = 0; i < results.length; i++) {
            results[i] = inARow(type, words, first + i * RUN, Math.min(RUN, end - first - i * RUN));
        }
        return results;
    }

    private static long[] tiles(ElementType type, long[] words) {
        long[] results = new long[Math.ceilDiv(words.length, TILE)];
        for (int i = 0; i < results.length; i++) {
            long[] runs = runs(type, words, i * TILE);
            results[i] = tree(type, runs, 0, runs.length);
        }
        return results;
    }

    private static long expected(ElementType type, long[] words) {
        long[] left = words;
        do {
            left = tiles(type, left);
        } while (left.length > 1);
        return left[0];
    }

    private static long[] expectedPrefixes(ElementType type, long[] words, long[] before) {
        long[] tiles = tiles(type, words);
        long[] prefixes = new long[words.length];
        long[] upToTile = before;
        for (int tile = 0; tile < tiles.length; tile++) {
            long[] runs = runs(type, words, tile * TILE);
            long[] upToRun = upToTile;
            for (int run = 0; run < runs.length; run++) {
                long[] up = upToRun;
                int first = tile * TILE + run * RUN;
                for (int i = first; i < Math.min(words.length, first + RUN); i++) {
                    up = then(type, up, words[i]);
                    prefixes[i] = up[1];
                }
                upToRun = then(type, upToRun, runs[run]);
            }
            upToTile = then(type, upToTile, tiles[tile]);
        }
        return prefixes;
    }

    private static long[] then(ElementType type, long[] before, long word) {
        return new long[] {1, before[0] != 0 ? ArrayElements.apply(type, op(type), before[1], word) : word};
    }

    private static long[] read(ElementType type, MemorySegment memory, int count) {
        long[] words = new long[count];
        Arrays.setAll(words, i -> ArrayElements.word(type, memory, i));
        return words;
    }

    // ---- on the host

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldCombineInTheOrderOfTheTiles(ElementType type) {
        try (Arena arena = Arena.ofConfined()) {
            for (int count : new int[] {1, 2, RUN - 1, RUN, RUN + 1, 7 * RUN + 3, TILE - 1, TILE, TILE + 1, 5 * TILE + 100}) {
                long[] words = words(type, count);
                MemorySegment memory = memory(arena, type, words);
                HostTiles tiles = new HostTiles(type, op(type));
                int first = Math.min(count, 2 * TILE);
                tiles.add(memory, 0, first);
                tiles.add(memory, type.bytes(first), count - first);
                assertArrayEquals(new long[] {1, expected(type, words)}, tiles.total(), type + " " + count);
            }
        }
    }

    @Test
    void shouldHaveNoTotalOfNothing() {
        assertArrayEquals(new long[2], new HostTiles(ElementType.INT, ReduceOp.SUM).total());
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldMakePrefixesInTheOrderOfTheTiles(ElementType type) {
        try (Arena arena = Arena.ofConfined()) {
            for (int count : new int[] {1, RUN, RUN + 1, TILE, TILE + 1, 3 * TILE + 100}) {
                for (long[] before : new long[][] {{0, 0}, {1, words(type, 10)[9]}}) {
                    long[] words = words(type, count);
                    MemorySegment memory = memory(arena, type, words);
                    HostTiles tiles = new HostTiles(type, op(type));
                    tiles.before(before);
                    int first = Math.min(count, TILE);
                    tiles.prefixes(memory, first);
                    tiles.prefixes(memory.asSlice(type.bytes(first)), count - first);
                    assertArrayEquals(expectedPrefixes(type, words, before), read(type, memory, count), type + " " + count);
                }
            }
        }
    }

    // ---- on the device

    private static void sync(AcceleratorStream stream) {
        assertTrue(stream.sync(System.nanoTime() + 30_000_000_000L));
    }

    private long deviceTotal(ElementType type, MemorySegment memory, int count, long room) {
        Accelerator device = backend.open(0);
        try (AcceleratorStream stream = device.newStream(); DeviceScratch scratch = new DeviceScratch(device);
             DeviceMemory elements = device.allocate(256 + memory.byteSize(), false); Arena arena = Arena.ofConfined()) {
            stream.copyIn(elements, 256, memory, 0, memory.byteSize());
            DeviceTiles tiles = new DeviceTiles(device, stream, scratch, combination(type), room);
            tiles.add(elements, 256, count);
            MemorySegment result = arena.allocate(8, 8);
            stream.copyOut(result, 0, tiles.total(), 0, type.bytes());
            sync(stream);
            return ArrayElements.word(type, result, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 17, 4096, 5 * 4096 + 100})
    void shouldCombineOnTheDeviceAsOnTheHost(int count) {
        try (Arena arena = Arena.ofConfined()) {
            for (ElementType type : ElementType.values()) {
                long[] words = words(type, count);
                assertEquals(expected(type, words), deviceTotal(type, memory(arena, type, words), count, DeviceTiles.fitting(type)),
                        type + " " + count);
            }
        }
    }

    @Test
    void shouldCombineMoreThanThereIsRoomForResultsOf() {
        try (Arena arena = Arena.ofConfined()) {
            long[] words = words(ElementType.BYTE, MANY);
            MemorySegment memory = memory(arena, ElementType.BYTE, words);
            HostTiles tiles = new HostTiles(ElementType.BYTE, op(ElementType.BYTE));
            tiles.add(memory, 0, MANY);
            assertArrayEquals(new long[] {1, expected(ElementType.BYTE, words)}, tiles.total());
            assertEquals(expected(ElementType.BYTE, words), deviceTotal(ElementType.BYTE, memory, MANY, TILE));
        }
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldMakePrefixesOnTheDeviceAsOnTheHost(ElementType type) {
        Accelerator device = backend.open(0);
        int count = 5 * TILE + 100;
        int first = 2 * TILE;
        long[] words = words(type, count);
        try (Arena arena = Arena.ofConfined(); AcceleratorStream stream = device.newStream();
             DeviceScratch scratch = new DeviceScratch(device);
             DeviceMemory elements = device.allocate(type.bytes(count), false);
             DeviceMemory prefixes = device.allocate(type.bytes(count), false)) {
            for (long[] before : new long[][] {{0, 0}, {1, words[9]}}) {
                MemorySegment memory = memory(arena, type, words);
                stream.copyIn(elements, 0, memory, 0, memory.byteSize());
                DeviceTiles tiles = new DeviceTiles(device, stream, scratch, combination(type),
                        DeviceTiles.fitting(type));
                if (before[0] != 0) {
                    tiles.before(memory(arena, type, new long[] {before[1]}));
                }
                tiles.prefixes(prefixes, 0, elements, 0, first);
                tiles.prefixes(prefixes, type.bytes(first), elements, type.bytes(first), count - first);
                stream.copyOut(memory, 0, prefixes, 0, memory.byteSize());
                sync(stream);
                assertArrayEquals(expectedPrefixes(type, words, before), read(type, memory, count), type.toString());
            }
        }
    }

    @Test
    void shouldHaveASourceOfItsOwnForEachTypeAndOperation() {
        Set<String> sources = new HashSet<>();
        int count = 0;
        for (ElementType type : ElementType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                for (TileKernels.Work work : TileKernels.Work.values()) {
                    if (op.isDefinedFor(type)) {
                        Kernel kernel = TileKernels.of(work, type, op);
                        assertTrue(kernel.cuda().contains(" " + kernel.name() + "("), kernel.cuda());
                        assertFalse(kernel.cuda().contains("@"), kernel.cuda());
                        sources.add(kernel.cuda());
                        count++;
                    }
                }
            }
        }
        assertEquals(3 * (5 * 11 + 4 * 6), count);
        assertEquals(count, sources.size());
    }
}
