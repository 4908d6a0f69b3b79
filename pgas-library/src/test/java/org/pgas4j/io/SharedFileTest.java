package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedRecords;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Range;

/** Files of all ranks, over ranks as threads on the host device. */
@Timeout(120)
class SharedFileTest {

    @TempDir
    private Path folder;

    static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 23).deviceHeap(1 << 23);
    }

    static SharedLongs allocate(Rank rank, MemoryKind kind, Layout layout, long length) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            return rank.allAllocLongs(layout, length);
        }
    }

    static long value(long index) {
        return 0x9e3779b97f4a7c15L * (index + 1);
    }

    static long[] values(int length) {
        long[] values = new long[length];
        for (int i = 0; i < length; i++) {
            values[i] = value(i);
        }
        return values;
    }

    static void fill(Rank rank, SharedLongs array) {
        if (array.layout() instanceof Layout.Replicated || rank.rank() == 0) {
            array.put(0, values((int) array.length()));
        }
        rank.barrier();
    }

    static long[] contents(SharedLongs array) {
        long[] all = new long[(int) array.length()];
        array.get(0, all);
        return all;
    }

    private static long[] contents(Path path) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        long[] all = new long[bytes.length / 8];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(all);
        return all;
    }

    private static final List<Layout> LAYOUTS = List.of(Layout.cyclic(), Layout.blocked(3), Layout.blocked(9000), Layout.even(),
            Layout.onRank(0), Layout.replicated());

    static Stream<Arguments> cases() {
        List<Arguments> all = new ArrayList<>();
        for (MemoryKind kind : MemoryKind.values()) {
            for (Layout layout : LAYOUTS) {
                for (int ranks : new int[] {1, 3}) {
                    all.add(Arguments.of(kind, layout, ranks, 20_011));
                }
                all.add(Arguments.of(kind, layout, 4, 2));
                all.add(Arguments.of(kind, layout, 2, 0));
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldWriteInGlobalOrderAndReadBack(MemoryKind kind, Layout layout, int ranks, int length) throws IOException {
        Path path = folder.resolve("array");
        Pgas.run(config(ranks), rank -> {
            SharedLongs array = allocate(rank, kind, layout, length);
            fill(rank, array);
            SharedLongs other = allocate(rank, kind, Layout.blocked(7), length);
            try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE)) {
                file.write(16, array);
                file.sync();
                assertEquals(length == 0 ? 0 : 16 + 8L * length, file.size());
                file.read(16, other);
                assertArrayEquals(values(length), contents(other));
                rank.barrier();
                other.forAllLocal(i -> other.put(i, ~value(i)));
                file.write(16, other);
                file.read(16, array);
                long[] seen = contents(array);
                for (int i = 0; i < length; i++) {
                    assertEquals(~value(i), seen[i]);
                }
                rank.barrier();
            }
        });
        assertEquals(length == 0 ? 0 : length + 2, contents(path).length);
        if (length > 0) {
            assertEquals(~value(length - 1), contents(path)[length + 1]);
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldMoveSlicesAndSections(MemoryKind kind) {
        Path path = folder.resolve("parts");
        Pgas.run(config(3), rank -> {
            SharedLongs array = allocate(rank, kind, Layout.blocked(5), 1000);
            fill(rank, array);
            Distribution distribution = Distribution.of(Axis.cyclic(7, 3), Axis.whole(11));
            try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE_NEW);
                    GlobalArray matrix = GlobalArray.allocate(rank, ElementType.LONG, kind, distribution)) {
                file.write(0, array.slice(123, 77));
                matrix.fill(-1L);
                file.read(8, matrix.section(Range.of(2, 5), Range.of(1, 9)));
                long[] seen = new long[77];
                matrix.all().get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.LONG));
                for (int row = 0; row < 7; row++) {
                    for (int column = 0; column < 11; column++) {
                        boolean inside = row >= 2 && row < 5 && column >= 1 && column < 9;
                        assertEquals(inside ? value(124 + 8 * (row - 2) + column - 1) : -1, seen[11 * row + column]);
                    }
                }
                file.write(4000, matrix);
                SharedLongs back = allocate(rank, kind, Layout.cyclic(), 77);
                file.read(4000, back);
                assertArrayEquals(seen, contents(back));
                rank.barrier();
            }
        });
    }

    @Test
    void shouldKeepRecordsWhole() {
        Path path = folder.resolve("records");
        MemoryLayout record = MemoryLayout.structLayout(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
        Pgas.run(config(2), rank -> {
            SharedRecords records = rank.allAllocRecords(record, Layout.blocked(2), 9);
            if (rank.rank() == 1) {
                MemorySegment all = MemorySegment.ofArray(new byte[9 * 12]);
                for (int i = 0; i < all.byteSize(); i++) {
                    all.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
                }
                records.put(0, 9, all);
            }
            rank.barrier();
            try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                file.write(0, records);
                rank.barrier();
                assertEquals(9 * 12, file.size());
            }
            byte[] bytes = readAll(path);
            for (int i = 0; i < bytes.length; i++) {
                assertEquals(i + 1, bytes[i]);
            }
            rank.barrier();
        });
    }

    private static byte[] readAll(Path path) {
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldMoveBuffersOfOneRank() {
        Path path = folder.resolve("local");
        Pgas.run(config(3), rank -> {
            try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE, StandardOpenOption.DELETE_ON_CLOSE);
                    Buffer device = rank.device().alloc(ElementType.LONG, 10)) {
                long[] mine = new long[10];
                Arrays.fill(mine, rank.rank() + 5);
                rank.stream().copy(device, Buffer.ofHost(Arena.ofAuto().allocate(80), ElementType.LONG));
                file.writeLocal(80L * rank.rank(), Buffer.ofHost(MemorySegment.ofArray(mine), ElementType.LONG));
                rank.barrier();
                int next = (rank.rank() + 1) % 3;
                file.readLocal(80L * next, device);
                rank.barrier();
                file.writeLocal(80L * rank.rank(), device.slice(0, 5));
                rank.barrier();
                file.readLocal(80L * next, Buffer.ofHost(MemorySegment.ofArray(mine), ElementType.LONG));
                assertEquals((rank.rank() + 2) % 3 + 5, mine[4]);
                assertEquals(next + 5, mine[5]);
                file.setSize(100);
                assertEquals(100, file.size());
                rank.barrier();
                file.setSize(300);
                assertEquals(300, file.size());
                long large = 3L * Staging.PIECE_BYTES + 5;
                file.preallocate(large);
                assertEquals(large, file.size());
                file.preallocate(100);
                assertEquals(large, file.size(), "it gets no shorter");
                assertEquals(path, file.path());
            }
        });
        assertFalse(Files.exists(path));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldThrowOnAllRanksWhatFailsOnOne(int broken) throws IOException {
        Path path = folder.resolve("broken");
        Files.write(path, new byte[100]);
        Pgas.run(config(3), rank -> {
            SharedFileException failure = assertThrows(SharedFileException.class, () -> Agreement.after(rank, () -> {
                if (rank.rank() == broken) {
                    throw SharedFileException.of(broken, "test", path, 1L << 40, "no more paper: é", null);
                }
            }));
            assertEquals(broken, failure.rank());
            assertEquals(1L << 40, failure.offset());
            assertEquals(path.toString(), failure.path());
            assertEquals("test of file " + path + " by rank " + broken + " at offset 1099511627776: no more paper: é",
                    failure.getMessage());
            SharedLongs array = rank.allAllocLongs(Layout.blocked(4), 13); // 104 bytes: rank 2 reads past the end
            try (SharedFile file = SharedFile.open(rank, path)) {
                failure = assertThrows(SharedFileException.class, () -> file.read(0, array));
                assertEquals(2, failure.rank());
                assertTrue(failure.getMessage().contains("the file ends at 100"), failure.getMessage());
                failure = assertThrows(SharedFileException.class, () -> file.write(0, array));
                assertEquals(0, failure.rank());
                file.read(0, array.slice(0, 12));
            }
        });
    }

    private interface Use {
        void of(SharedFile file, SharedLongs array, Buffer local);
    }

    private static void assertNotOpenFor(Rank rank, Path path, StandardOpenOption mode, String text, Use use) {
        SharedLongs array = rank.allAllocLongs(Layout.blocked(4), 12);
        Buffer local = Buffer.ofHost(MemorySegment.ofArray(new long[4]), ElementType.LONG);
        try (SharedFile file = SharedFile.open(rank, path, mode)) {
            SharedFileException failure = assertThrows(SharedFileException.class, () -> use.of(file, array, local));
            assertEquals(path.toString(), failure.path());
            assertTrue(failure.getMessage().matches(text + " of file .*/modes by rank " + failure.rank() + " at offset \\d+: the file is"
                    + " open for " + mode + " alone; open it with (READ|WRITE)"), failure.getMessage());
        }
    }

    @Test
    void shouldNameTheFileThatIsNotOpenForReadingOrWriting() throws IOException {
        Path path = folder.resolve("modes");
        Files.write(path, new byte[100]);
        Pgas.run(config(3), rank -> {
            StandardOpenOption read = StandardOpenOption.READ;
            assertNotOpenFor(rank, path, read, "write of 32 bytes", (file, array, _) -> file.write(0, array));
            assertNotOpenFor(rank, path, read, "write of 32 bytes", (file, array, _) -> file.startWrite(0, Elements.of(array)).sync());
            assertNotOpenFor(rank, path, read, "write of 32 bytes", (file, _, local) -> file.writeLocal(8, local));
            assertNotOpenFor(rank, path, read, "write of 4 bytes", (file, _, _) ->
                    file.startWriteLocal(0, MemorySegment.ofArray(new byte[4])).sync());
            assertNotOpenFor(rank, path, read, "change of size", (file, _, _) -> file.setSize(10));
            assertNotOpenFor(rank, path, read, "change of size", (file, _, _) -> file.setSize(1000));
            assertNotOpenFor(rank, path, read, "write of 900 bytes", (file, _, _) -> file.preallocate(1000));
            assertNotOpenFor(rank, path, StandardOpenOption.WRITE, "read of 32 bytes", (file, array, _) -> file.read(0, array));
            assertNotOpenFor(rank, path, StandardOpenOption.WRITE, "read of 32 bytes", (file, _, local) -> file.readLocal(0, local));
        });
        assertEquals(100, Files.size(path));
    }

    /** Many pieces of each rank, from and to other layouts and memory; two arrays at once. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldWriteAndReadWithoutWaiting(MemoryKind kind) throws IOException {
        Path path = folder.resolve("started");
        int length = 200_000;
        Pgas.run(config(3), rank -> {
            SharedLongs array = allocate(rank, kind, Layout.blocked(8192), length);
            SharedLongs few = allocate(rank, kind, Layout.cyclic(), 100);
            fill(rank, array);
            fill(rank, few);
            try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE)) {
                Handle write = file.startWrite(List.of(FileElements.of(800, array), FileElements.of(0, few)));
                awaitInTurns(rank, write);
                assertTrue(write.trySync());
                if (rank.rank() == 1) {
                    assertEquals(8L * (100 + length), file.size()); // without a barrier: all ranks are done
                }
                SharedLongs back = allocate(rank, kind, Layout.blocked(100), length);
                Handle read = file.startRead(800, Elements.of(back));
                read.sync();
                assertArrayEquals(values(length), contents(back));
                assertArrayEquals(values(100), contents(few));
                file.startWrite(0, Elements.of(back.slice(0, 10))); // close waits for it
            }
        });
        assertEquals(8L * (100 + length), Files.size(path));
    }

    /** The first rank looks, the others wait. */
    private static void awaitInTurns(Rank rank, Handle handle) {
        if (rank.rank() > 0) {
            handle.sync();
            return;
        }
        long end = System.nanoTime() + rank.timeout().toNanos();
        while (!handle.trySync()) {
            assertTrue(System.nanoTime() - end < 0, "the write ends");
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldThrowOnAllRanksWhatFailsOfAStartedTransfer() throws IOException {
        Path path = folder.resolve("short");
        Files.write(path, new byte[100]);
        Pgas.run(config(3), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.blocked(4), 13); // 104 bytes: rank 2 reads past the end
            try (SharedFile file = SharedFile.open(rank, path)) {
                Handle read = file.startRead(0, Elements.of(array));
                SharedFileException failure = assertThrows(SharedFileException.class, read::sync);
                assertEquals("2 " + path, failure.rank() + " " + failure.path());
                assertTrue(failure.getMessage().contains("the file ends at 100"), failure.getMessage());
                assertThrows(SharedFileException.class, read::trySync);
                file.startRead(0, Elements.of(array.slice(0, 12))).sync(); // the file can be used further
                assertThrows(CollectiveMismatchException.class, () -> file.startRead(8L * rank.rank(), Elements.of(array)));
                assertThrows(IndexOutOfBoundsException.class, () -> file.startWrite(-1, Elements.of(array)));
                Handle last = file.startRead(0, Elements.of(array.slice(0, 12)));
                IllegalStateException refused = assertThrows(IllegalStateException.class, () -> file.startRead(0,
                        Elements.of(array)));
                assertTrue(refused.getMessage().contains("sync its handle first"), refused.getMessage());
                rank.barrier();
                last.sync();
            }
        });
    }

    /** Of a file that all of them are to close and delete, though transfers of it have failed that nobody has looked at. */
    @Test
    void shouldCloseTheFileBehindFailedTransfers() {
        Path path = folder.resolve("failed-transfers");
        Pgas.run(config(2), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.even(), 10);
            SharedFile local = openDeleted(rank, path);
            local.startReadLocal(8L * rank.rank(), MemorySegment.ofArray(new byte[8]));
            local.startReadLocal(100, MemorySegment.ofArray(new byte[8]));
            assertThrows(SharedFileException.class, local::close);
            rank.barrier();
            assertEquals(0, openTimes(path));
            rank.barrier();
            SharedFile shared = openDeleted(rank, path);
            shared.startRead(0, Elements.of(array));
            SharedFileException failure = assertThrows(SharedFileException.class, shared::close);
            assertTrue(failure.getMessage().contains("the file ends at 0"), failure.getMessage());
            rank.barrier();
            assertEquals(0, openTimes(path));
            assertFalse(Files.exists(path));
            shared.close();
        });
    }

    private static SharedFile openDeleted(Rank rank, Path path) {
        return SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** File descriptors of this process that are open on a file. */
    private static long openTimes(Path path) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(each -> isLinkTo(each, path)).count();
        }
    }

    private static boolean isLinkTo(Path link, Path path) {
        try {
            return Files.readSymbolicLink(link).toString().startsWith(path.toString());
        } catch (IOException e) {
            return false; // closed since
        }
    }

    @Test
    void shouldRefuseWhatIsWrong() {
        Pgas.run(config(2), rank -> {
            Path missing = folder.resolve("missing");
            SharedFileException failure = assertThrows(SharedFileException.class, () -> SharedFile.open(rank, missing));
            assertTrue(failure.getMessage().contains(missing.toString()), failure.getMessage());
            assertEquals(rank.rank() == 0, failure.getCause() != null);
            SharedLongs array = rank.allAllocLongs(Layout.even(), 10);
            SharedFile file = SharedFile.open(rank, missing, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
            assertThrows(CollectiveMismatchException.class, () -> file.write(8L * rank.rank(), array));
            assertThrows(CollectiveMismatchException.class, () -> file.write(1L << 32 * rank.rank(), array));
            assertThrows(IndexOutOfBoundsException.class, () -> file.write(-1, array));
            assertThrows(IndexOutOfBoundsException.class, () -> file.write(Long.MAX_VALUE - 79, array));
            assertNotNull(file.toString());
            file.close();
            file.close();
            assertThrows(IllegalStateException.class, () -> file.write(0, array));
        });
    }

    @Test
    void shouldMoveByMessages() {
        Path path = folder.resolve("messages");
        Pgas.run(config(3).set(PgasKey.ROUTE, "fastpath"), rank -> {
            SharedLongs array = allocate(rank, MemoryKind.HOST, Layout.cyclic(), 5000);
            fill(rank, array);
            SharedLongs other = allocate(rank, MemoryKind.DEVICE, Layout.blocked(100), 5000);
            try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE)) {
                file.write(0, array);
                file.read(0, other);
                assertArrayEquals(values(5000), contents(other));
                file.startWrite(8, Elements.of(other)).sync();
                file.startRead(8, Elements.of(array)).sync();
                assertArrayEquals(values(5000), contents(array));
            }
        });
    }
}
