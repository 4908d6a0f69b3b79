package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;
import org.pgas4j.StalePointerException;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;

/** Snapshots by one number of ranks, restored by another. */
@Timeout(120)
class SnapshotTest {

    private static final int LENGTH = 300_007; // three pieces of 1 MiB
    private static final int ROWS = 61;
    private static final int COLUMNS = 53;

    @TempDir
    private Path folder;

    private static double element(long row, long column) {
        return row == 3 ? Double.longBitsToDouble(0x7ff0000000000001L + column) : row * 100 + column; // NaNs of different bits
    }

    private static double[] elements() {
        double[] all = new double[ROWS * COLUMNS];
        Arrays.setAll(all, i -> element(i / COLUMNS, i % COLUMNS));
        return all;
    }

    private static Buffer buffer(double... values) {
        return Buffer.ofHost(MemorySegment.ofArray(values), ElementType.DOUBLE);
    }

    private void save(Path path, int ranks, MemoryKind kind) {
        Pgas.run(SharedFileTest.config(ranks), rank -> {
            SharedLongs array = SharedFileTest.allocate(rank, kind, Layout.blocked(1000), LENGTH);
            SharedFileTest.fill(rank, array);
            Distribution blocks = Distribution.blocks(ranks, ROWS, COLUMNS);
            try (GlobalArray matrix = GlobalArray.allocate(rank, ElementType.DOUBLE, kind, blocks, 1, 2)) {
                if (rank.rank() == 0) {
                    matrix.all().put(buffer(elements()));
                }
                Snapshot.save(rank, path, Elements.of(array), Elements.of(matrix));
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"4, HOST, 3, HOST", "4, HOST, 8, DEVICE", "4, DEVICE, 8, HOST", "4, DEVICE, 3, DEVICE", "1, HOST, 2, HOST",
        "3, DEVICE, 1, HOST"})
    void shouldRestoreEveryBit(int savers, MemoryKind saved, int ranks, MemoryKind kind) throws IOException {
        Path path = folder.resolve("snapshot");
        Files.writeString(path, "an older file of that name");
        save(path, savers, saved);
        try (var files = Files.list(folder)) {
            assertEquals(List.of(path), files.toList());
        }
        Pgas.run(SharedFileTest.config(ranks), rank -> {
            SharedLongs array = SharedFileTest.allocate(rank, kind, Layout.cyclic(), LENGTH);
            Distribution columns = Distribution.of(Axis.whole(ROWS), Axis.blockCyclic(COLUMNS, ranks, 2));
            try (GlobalArray matrix = GlobalArray.allocate(rank, ElementType.DOUBLE, kind, columns)) {
                Snapshot.restore(rank, path, Elements.of(array), Elements.of(matrix));
                assertArrayEquals(SharedFileTest.values(LENGTH), SharedFileTest.contents(array));
                double[] seen = new double[ROWS * COLUMNS];
                matrix.all().get(buffer(seen));
                assertArrayEquals(bits(elements()), bits(seen));
                rank.barrier();
            }
        });
    }

    @Test
    void shouldRestoreElementsOfEveryType() {
        Path path = folder.resolve("types");
        Pgas.run(SharedFileTest.config(2), rank -> {
            for (ElementType type : ElementType.values()) {
                try (GlobalArray saved = GlobalArray.allocate(rank, type, MemoryKind.HOST, Distribution.blocks(2, 5, 4));
                        GlobalArray restored = GlobalArray.allocate(rank, type, MemoryKind.HOST, Distribution.blocks(2, 5, 4))) {
                    byte[] bytes = new byte[(int) type.bytes(20)];
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) (i * 37 + type.code());
                    }
                    if (rank.rank() == 0) {
                        saved.all().put(Buffer.ofHost(MemorySegment.ofArray(bytes), type));
                    }
                    Snapshot.save(rank, path, Elements.of(saved));
                    Snapshot.restore(rank, path, Elements.of(restored));
                    assertEquals(type, Snapshot.entries(rank, path).getFirst().type());
                    byte[] seen = new byte[bytes.length];
                    restored.all().get(Buffer.ofHost(MemorySegment.ofArray(seen), type));
                    assertArrayEquals(bytes, seen, type.toString());
                    rank.barrier();
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldRestoreRecordsAndBooleansOfAnotherDistribution(MemoryKind kind) {
        Path path = folder.resolve("records");
        MemoryLayout record = MemoryLayout.sequenceLayout(12, ValueLayout.JAVA_BYTE);
        Distribution blocks = Distribution.blocks(3, 7, 5);
        Distribution columns = Distribution.of(Axis.whole(7), Axis.cyclic(5, 3));
        Pgas.run(SharedFileTest.config(3), rank -> {
            byte[] bytes = new byte[7 * 5 * 12];
            new Random(5).nextBytes(bytes);
            boolean[] flags = new boolean[7 * 5];
            for (int i = 0; i < flags.length; i++) {
                flags[i] = bytes[i] > 0;
            }
            try (GlobalArray records = GlobalArray.allocateRecords(rank, record, kind, blocks, 1, 1);
                    GlobalArray booleans = GlobalArray.allocateBooleans(rank, kind, blocks)) {
                if (rank.rank() == 1) {
                    records.all().put(Buffer.ofHost(MemorySegment.ofArray(bytes), ElementType.BYTE));
                    booleans.all().put(flags);
                }
                Snapshot.save(rank, path, Elements.of(records), Elements.of(booleans));
            }
            try (GlobalArray records = GlobalArray.allocateRecords(rank, record, kind, columns);
                    GlobalArray booleans = GlobalArray.allocateBooleans(rank, kind, columns)) {
                Snapshot.restore(rank, path, Elements.of(records), Elements.of(booleans));
                byte[] seen = new byte[bytes.length];
                records.all().get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.BYTE));
                assertArrayEquals(bytes, seen);
                boolean[] seenFlags = new boolean[flags.length];
                booleans.all().get(seenFlags);
                assertArrayEquals(flags, seenFlags);
                rank.barrier();
            }
        });
    }

    private static long[] bits(double... values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }

    private void refused(Path path, String reason) {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.even(), LENGTH);
            try (GlobalArray matrix = matrix(rank)) {
                SharedFileException failure = assertThrows(SharedFileException.class,
                        () -> Snapshot.restore(rank, path, Elements.of(array), Elements.of(matrix)));
                assertTrue(failure.getMessage().contains(reason), failure.getMessage());
                assertTrue(failure.getMessage().contains(path.toString()), failure.getMessage());
            }
        });
    }

    private static GlobalArray matrix(Rank rank) {
        return GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, Distribution.blocks(3, ROWS, COLUMNS));
    }

    @Test
    void shouldRefuseCorruptedAndTruncatedFilesByName() throws IOException {
        Path path = folder.resolve("original");
        save(path, 2, MemoryKind.HOST);
        byte[] good = Files.readAllBytes(path);
        SnapshotHeader header = SnapshotHeader.decode(ByteBuffer.wrap(good), good.length);
        long last = header.places().getFirst().data() + 8L * LENGTH - 1;
        long second = header.places().getFirst().data() + SnapshotHeader.PIECE_BYTES;

        broken("flipped bit of the last element", good, bytes -> bytes[(int) last] ^= 1, "corrupted elements");
        broken("flipped bit of the second piece", good, bytes -> bytes[(int) second] ^= 64, "at offset " + second);
        broken("flipped bit of a checksum", good, bytes -> bytes[(int) header.places().get(1).checksums()] ^= 1,
                "of array 1: checksum");
        broken("flipped bit of a length", good, bytes -> bytes[SnapshotHeader.SHAPES_OFFSET + 16] ^= 1,
                "corrupted header: checksum");
        broken("other magic", good, bytes -> bytes[0] = 'p', "no snapshot");
        broken("other version", good, bytes -> bytes[SnapshotHeader.VERSION_OFFSET] = 9, "version 9 (expected: 1)");
        refused(written("a byte short", Arrays.copyOf(good, good.length - 1)), "truncated: " + (good.length - 1));
        refused(written("a byte long", Arrays.copyOf(good, good.length + 1)), "too long");
        refused(written("of ten bytes", Arrays.copyOf(good, 10)), "truncated: 10 bytes");
        refused(written("of half a header", Arrays.copyOf(good, SnapshotHeader.SHAPES_OFFSET + 5)), "truncated");
        refused(written("empty", new byte[0]), "truncated: 0 bytes");
        refused(folder.resolve("missing"), "NoSuchFileException");
    }

    private Path written(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private void broken(String name, byte[] good, Consumer<byte[]> damage, String reason) throws IOException {
        byte[] bytes = good.clone();
        damage.accept(bytes);
        refused(written(name, bytes), reason);
    }

    @Test
    void shouldRefuseOtherShapes() {
        Path path = folder.resolve("shapes");
        save(path, 2, MemoryKind.HOST);
        Pgas.run(SharedFileTest.config(2), rank -> {
            SharedLongs right = rank.allAllocLongs(Layout.even(), LENGTH);
            SharedLongs shorter = rank.allAllocLongs(Layout.even(), LENGTH - 1);
            refused(rank, path, "it has 2 arrays (expected: 1)", Elements.of(right));
            refused(rank, path, "array 1 is SnapshotEntry[type=DOUBLE", Elements.of(right), Elements.of(right));
            refused(rank, path, "array 0 is", Elements.of(shorter), Elements.of(right));
            refused(rank, path, "array 0 is", Elements.of(rank.allAllocDoubles(Layout.even(), LENGTH)), Elements.of(right));
            List<SnapshotEntry> entries = Snapshot.entries(rank, path);
            assertEquals(new SnapshotEntry(ElementType.DOUBLE, 8, List.of((long) ROWS, (long) COLUMNS)), entries.get(1));
        });
    }

    private static void refused(Rank rank, Path path, String reason, Elements... arrays) {
        SharedFileException failure = assertThrows(SharedFileException.class, () -> Snapshot.restore(rank, path, arrays));
        assertTrue(failure.getMessage().contains(reason), failure.getMessage());
    }

    @Test
    void shouldLeaveNothingWhenSavingFails() throws IOException {
        Path path = Files.createDirectory(folder.resolve("taken"));
        Files.writeString(path.resolve("file"), "a folder with a file cannot be replaced");
        Pgas.run(SharedFileTest.config(2), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.even(), 10);
            SharedFileException failure = assertThrows(SharedFileException.class, () -> Snapshot.save(rank, path, array));
            assertEquals(0, failure.rank());
            assertTrue(failure.getMessage().startsWith("rename of file " + path), failure.getMessage());
            assertThrows(SharedFileException.class, () -> Snapshot.save(rank, folder.resolve("no/such/folder"), array));
        });
        assertFalse(Files.exists(folder.resolve("taken.unfinished")));
    }

    @Test
    void shouldRefuseArraysThatAreFreedBeforeThereIsAFile() throws IOException {
        Path path = folder.resolve("stale");
        Pgas.run(SharedFileTest.config(2), rank -> {
            SharedLongs freed = rank.allAllocLongs(Layout.even(), 10);
            rank.allFree(freed);
            GlobalArray closed = GlobalArray.allocate(rank, ElementType.INT, MemoryKind.HOST, Distribution.blocks(2, 4, 4));
            closed.close();
            SharedLongs open = rank.allAllocLongs(Layout.even(), 10);

            for (Elements stale : List.of(Elements.of(freed), Elements.of(closed))) {
                assertThrows(StalePointerException.class, () -> Snapshot.save(rank, path, Elements.of(open), stale));
                assertThrows(StalePointerException.class, () -> Snapshot.restore(rank, path, stale));
            }
            Snapshot.save(rank, folder.resolve("good"), open);
        });
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("good")), files.toList());
        }
    }

    @Test
    void shouldLeaveNothingWhenTheJobEndsMeanwhile() throws IOException {
        Path path = folder.resolve("ended");
        Path failing = (Path) Proxy.newProxyInstance(Path.class.getClassLoader(), new Class<?>[] {Path.class},
                (_, method, arguments) -> {
                    if (!method.getName().equals("resolveSibling")) {
                        return method.invoke(path, arguments);
                    }
                    while (!Files.exists(folder.resolve("ended.unfinished"))) {
                        Thread.onSpinWait();
                    }
                    throw new IllegalStateException("while rank 0 saves");
                });
        assertThrows(RuntimeException.class, () -> Pgas.run(SharedFileTest.config(2), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.even(), 10);
            Snapshot.save(rank, rank.rank() == 0 ? path : failing, array);
        }));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void shouldKeepTheLayoutOfFiles() {
        SnapshotHeader header = new SnapshotHeader(List.of(new SnapshotEntry(ElementType.INT, 4, List.of(262_145L)),
                new SnapshotEntry(ElementType.BYTE, 3 << 20, List.of(2L, 0L)),
                new SnapshotEntry(ElementType.BYTE, 12, List.of(5L))));

        assertEquals(4096, header.places().get(0).checksums());
        assertEquals(8192, header.places().get(0).data());
        assertEquals(2, header.places().get(0).pieces());
        assertEquals((8192 + 4 * 262_145 + 4095) / 4096 * 4096, header.places().get(1).checksums());
        assertEquals(0, header.places().get(1).pieces());
        assertEquals(1, header.places().get(1).pieceElements());
        assertEquals(header.places().get(2).data() + 60, header.fileBytes());
        ByteBuffer bytes = ByteBuffer.allocate(SnapshotHeader.headerBytes(3));
        header.encode(bytes);
        assertEquals("PGASSNAP", new String(bytes.array(), 0, 8, java.nio.charset.StandardCharsets.US_ASCII));
        assertEquals(1, bytes.array()[8]);
        assertEquals(3, bytes.array()[12]);
        assertEquals(header.places(), SnapshotHeader.decode(bytes, header.fileBytes()).places());
    }
}
