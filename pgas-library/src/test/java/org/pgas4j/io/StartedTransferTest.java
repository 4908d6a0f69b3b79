package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;

/** Started transfers of device memory, and started reads that the file's end cuts short. */
@Timeout(60)
class StartedTransferTest {

    private static final int LONGS = 12; // of a file of 100 bytes

    @TempDir
    private Path folder;
    private Path path;

    @BeforeEach
    void makeFile() throws IOException {
        path = folder.resolve("file");
        ByteBuffer bytes = ByteBuffer.allocate(8 * LONGS + 4).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < LONGS; i++) {
            bytes.putLong(SharedFileTest.value(i));
        }
        Files.write(path, bytes.array());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldMoveDeviceMemoryWithoutWaiting(int ranks) {
        Pgas.run(SharedFileTest.config(ranks), rank -> DeviceFiles.run(rank, path));
    }

    static Stream<Arguments> sharedCases() {
        return Stream.of(MemoryKind.values()).flatMap(kind -> Stream.of(Layout.cyclic(), Layout.blocked(5), Layout.even(),
                Layout.onRank(2), Layout.replicated(), Layout.blocked(9000)).map(layout -> Arguments.of(kind, layout)));
    }

    /** 12 of 20 elements; the others keep their values. */
    @ParameterizedTest
    @MethodSource("sharedCases")
    void shouldCountWhatAStartedReadOfAllRanksReads(MemoryKind kind, Layout layout) {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs array = SharedFileTest.allocate(rank, kind, layout, 20);
            array.forAllLocal(i -> array.put(i, -1));
            rank.barrier();
            try (SharedFile file = SharedFile.open(rank, path)) {
                FileHandle read = file.startReadUpTo(0, Elements.of(array));
                assertEquals(8 * LONGS, read.bytes());
                read.sync();
                assertArrayEquals(cut(0, LONGS, 20), SharedFileTest.contents(array));
                rank.barrier();
                FileHandle all = file.startReadUpTo(0, Elements.of(array.slice(3, 5)));
                assertEquals(40, all.bytes());
                all.sync();
                FileHandle none = file.startReadUpTo(1000, Elements.of(array));
                assertEquals(0, none.bytes());
                none.sync();
                assertEquals(120, file.startRead(List.of(FileElements.of(0, array.slice(0, 5)),
                        FileElements.of(8, array.slice(5, 10)))).bytes());
            }
        });
    }

    private static long[] cut(int from, int count, int length) {
        long[] values = new long[length];
        for (int i = 0; i < length; i++) {
            values[i] = i < count ? SharedFileTest.value(from + i) : -1;
        }
        return values;
    }

    @Test
    void shouldMoveTheCommonPointerBehindWhatIsBeforeTheEnd() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.cyclic(), 20);
            array.forAllLocal(i -> array.put(i, -1));
            rank.barrier();
            try (SharedFile file = SharedFile.open(rank, path)) {
                CommonFilePointer pointer = file.commonPointer();
                pointer.seek(Origin.START, 8);
                FileHandle read = pointer.startReadUpTo(Elements.of(array));
                assertEquals(8 * (LONGS - 1), read.bytes());
                assertEquals(8 * LONGS, pointer.position());
                read.sync();
                assertArrayEquals(cut(1, LONGS - 1, 20), SharedFileTest.contents(array));
                FileHandle none = pointer.startReadUpTo(Elements.of(array));
                assertEquals(0, none.bytes());
                none.sync();
                assertEquals(8 * LONGS, pointer.position());
                rank.barrier();
            }
        });
    }

    /** Whole elements of the buffer's type, which keeps the others. */
    @Test
    void shouldCountWhatAStartedReadOfOneRankReads() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            try (SharedFile file = SharedFile.open(rank, path);
                    Buffer device = rank.device().alloc(ElementType.LONG, 5)) {
                rank.stream().fill(device, -1);
                FileHandle read = file.startReadLocalUpTo(8L * (LONGS - 2), device);
                assertEquals(16, read.bytes());
                read.sync();
                assertArrayEquals(cut(LONGS - 2, 2, 5), contents(rank, device));
                FileHandle none = file.startReadLocalUpTo(1000, device);
                assertEquals(0, none.bytes());
                assertTrue(none.trySync());

                byte[] bytes = new byte[32];
                FilePointer pointer = file.pointer();
                pointer.seek(Origin.END, -20);
                FileHandle host = pointer.startReadUpTo(Buffer.ofHost(MemorySegment.ofArray(bytes), ElementType.BYTE));
                assertEquals(20, host.bytes());
                assertEquals(100, pointer.position());
                host.sync();
                assertEquals(SharedFileTest.value(LONGS - 2), ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(0));
                pointer.seek(Origin.START, 0);
                FileHandle whole = pointer.startRead(MemorySegment.ofArray(bytes));
                assertEquals(32, whole.bytes());
                whole.sync();
            }
        });
    }

    private static long[] contents(Rank rank, Buffer device) {
        MemorySegment all = Arena.ofAuto().allocate(device.bytes(), 8);
        rank.stream().copy(Buffer.ofHost(all, device.type()), device);
        rank.stream().sync();
        return all.toArray(ElementType.LAYOUT_LONG);
    }

    @Test
    void shouldThrowWhatFailsOfATransferOfDeviceMemory() {
        Pgas.run(SharedFileTest.config(2), rank -> {
            SharedFile file = SharedFile.open(rank, path);
            Buffer device = rank.device().alloc(ElementType.LONG, LONGS + 1);
            FileHandle read = file.startReadLocal(0, device);
            SharedFileException failure = assertThrows(SharedFileException.class, read::sync);
            assertEquals(rank.rank() + " " + path, failure.rank() + " " + failure.path());
            assertTrue(failure.getMessage().contains("the file ends at 100"), failure.getMessage());
            assertThrows(SharedFileException.class, read::trySync);
            SharedFileException readOnly = assertThrows(SharedFileException.class, file.startWriteLocal(0, device)::sync);
            assertTrue(readOnly.getMessage().contains("open it with WRITE"), readOnly.getMessage());
            assertThrows(IndexOutOfBoundsException.class, () -> file.startReadLocal(-1, device));
            file.startReadLocal(0, device.slice(0, LONGS)).sync(); // the file can be used further
            file.startReadLocal(8, device); // close finds that it fails
            SharedFileException atClose = assertThrows(SharedFileException.class, file::close);
            assertTrue(atClose.getMessage().contains("the file ends at 100"), atClose.getMessage());
            device.close();
        });
    }

    @Test
    void shouldCloseTheFileBehindTransfersOfDeviceMemory() throws IOException {
        int longs = 1 << 20; // two pieces
        Pgas.run(SharedFileTest.config(2), rank -> {
            try (Buffer device = rank.device().alloc(ElementType.LONG, longs)) {
                rank.stream().fill(device, 1 + rank.rank());
                try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.WRITE)) {
                    file.startWriteLocal(8L * longs * rank.rank(), device);
                }
            }
        });
        byte[] bytes = Files.readAllBytes(path);
        assertEquals(16 * longs, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            assertEquals(1 + i / (8 * longs), bytes[i]);
        }
    }
}
