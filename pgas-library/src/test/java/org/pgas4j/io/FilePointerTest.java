package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;

/** File pointers, list forms and started transfers. */
@Timeout(60)
class FilePointerTest {

    private static final long LENGTH = 30;

    @TempDir
    private Path folder;

    private SharedFile open(Rank rank) {
        return SharedFile.open(rank, folder.resolve("file"), StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.CREATE);
    }

    private static Buffer longs(long... values) {
        return Buffer.ofHost(MemorySegment.ofArray(values), ElementType.LONG);
    }

    private static SharedLongs array(Rank rank, Layout layout, long first) {
        SharedLongs array = rank.allAllocLongs(layout, LENGTH);
        array.forAllLocal(i -> array.put(i, first + i));
        rank.barrier();
        return array;
    }

    private static void check(Rank rank, SharedLongs array, long first) {
        for (long i = 0; i < array.length(); i++) {
            assertEquals(first + i, array.get(i));
        }
        rank.barrier();
    }

    @Test
    void shouldMoveTheCommonPointerBehindWhatAllRanksHaveMoved() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs a = array(rank, Layout.cyclic(), 100);
            SharedLongs b = array(rank, Layout.blocked(7), 200);
            SharedLongs c = array(rank, Layout.even(), 0);
            try (SharedFile file = open(rank)) {
                CommonFilePointer pointer = file.commonPointer();
                pointer.write(a);
                pointer.write(b);
                assertEquals(2 * 8 * LENGTH, pointer.position());
                pointer.seek(Origin.END, -8 * LENGTH);
                pointer.read(c);
                check(rank, c, 200);
                pointer.seek(Origin.CURRENT, -2 * 8 * LENGTH);
                pointer.read(c);
                check(rank, c, 100);
                pointer.seek(Origin.START, 8 * (LENGTH + 1));
                assertThrows(SharedFileException.class, () -> pointer.read(c));
                assertEquals(8 * (LENGTH + 1), pointer.position());
                assertThrows(CollectiveMismatchException.class, () -> pointer.seek(Origin.START, rank.rank()));
                assertThrows(IndexOutOfBoundsException.class, () -> pointer.seek(Origin.START, -1));
                assertThrows(IndexOutOfBoundsException.class, () -> pointer.seek(Origin.CURRENT, Long.MAX_VALUE));
                assertTrue(pointer.toString().startsWith("CommonFilePointer[248 of SharedFile"), pointer.toString());
            }
        });
    }

    @Test
    void shouldGiveEveryRankAPointerOfItsOwn() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            try (SharedFile file = open(rank)) {
                FilePointer pointer = file.pointer();
                pointer.seek(Origin.START, 16L * rank.rank());
                pointer.write(longs(10 + rank.rank()));
                pointer.write(longs(20 + rank.rank()));
                assertEquals(16L * rank.rank() + 16, pointer.position());
                rank.barrier();
                long[] seen = new long[6];
                pointer.seek(Origin.END, -48);
                pointer.read(longs(seen));
                assertArrayEquals(new long[] {10, 20, 11, 21, 12, 22}, seen);
                assertThrows(SharedFileException.class, () -> pointer.read(longs(0)));
                assertEquals(48, pointer.position());
            }
        });
    }

    @Test
    void shouldMoveLists() {
        Pgas.run(SharedFileTest.config(2), rank -> {
            SharedLongs a = array(rank, Layout.cyclic(), 100);
            SharedLongs b = array(rank, Layout.even(), 200);
            try (SharedFile file = open(rank)) {
                file.write(List.of(FileElements.of(80, a.slice(10, 20)), FileElements.of(0, b.slice(0, 10))));
                SharedLongs seen = array(rank, Layout.blocked(4), 0);
                file.read(List.of(FileElements.of(0, seen)));
                check(rank, seen.slice(0, 10), 200);
                check(rank, seen.slice(10, 20), 110);
                long[] first = new long[2];
                long[] second = new long[1];
                file.readLocal(List.of(new FilePart(72, longs(first)), new FilePart(8, longs(second))));
                assertArrayEquals(new long[] {209, 110, 201}, new long[] {first[0], first[1], second[0]});
                rank.barrier();
                if (rank.rank() == 0) {
                    file.writeLocal(List.of(new FilePart(0, longs(1)), new FilePart(16, longs(3))));
                }
                rank.barrier();
                file.read(List.of(FileElements.of(0, seen.slice(0, 3))));
                assertArrayEquals(new long[] {1, 201, 3}, new long[] {seen.get(0), seen.get(1), seen.get(2)});
                assertThrows(CollectiveMismatchException.class, () -> file.write(List.of(FileElements.of(rank.rank(), a))));
                assertThrows(IndexOutOfBoundsException.class, () -> file.read(List.of(FileElements.of(-1, a))));
            }
        });
    }

    @Test
    void shouldStartTransfersOfLocalMemory() {
        Pgas.run(SharedFileTest.config(2), rank -> {
            byte[] seen = new byte[8];
            try (SharedFile file = open(rank)) {
                MemorySegment native8 = Arena.ofAuto().allocate(8);
                native8.fill((byte) (rank.rank() + 1));
                Handle write = file.startWriteLocal(8L * rank.rank(), native8);
                write.sync();
                assertTrue(write.trySync());
                rank.barrier();
                file.startReadLocal(8L * (1 - rank.rank()), MemorySegment.ofArray(seen)).sync();
                assertEquals(2 - rank.rank(), seen[7]);
                Handle tooFar = file.startReadLocal(9, native8);
                SharedFileException failure = assertThrows(SharedFileException.class, tooFar::sync);
                assertTrue(failure.getMessage().contains("the file ends at 16"), failure.getMessage());
                assertThrows(SharedFileException.class, tooFar::trySync);
                assertThrows(IllegalArgumentException.class, () -> file.startReadLocal(0, MemorySegment.ofArray(new long[1])));
                try (Arena confined = Arena.ofConfined()) {
                    assertThrows(IllegalArgumentException.class, () -> file.startReadLocal(0, confined.allocate(8)));
                }
                assertThrows(IndexOutOfBoundsException.class, () -> file.startReadLocal(-1, native8));
                rank.barrier(); // the other rank has seen where the file ends
                MemorySegment late = Arena.ofAuto().allocate(1 << 20);
                file.startWriteLocal(16 + (long) rank.rank() * (1 << 20), late);
                rank.barrier();
                assertFalse(file.toString().isEmpty());
            }
            try (SharedFile file = open(rank)) {
                assertEquals(16 + 2L * (1 << 20), file.size(), "close() has waited");
                rank.barrier();
            }
        });
    }

    @Test
    void shouldMoveAPointerOfARankBehindWhatItHasStarted() {
        Pgas.run(SharedFileTest.config(2), rank -> {
            try (SharedFile file = open(rank)) {
                FilePointer pointer = file.pointer();
                pointer.seek(Origin.START, 16L * rank.rank());
                byte[] first = {1, 2, 3, 4, 5, 6, 7, (byte) rank.rank()};
                byte[] second = {11, 12, 13, 14, 15, 16, 17, (byte) (10 + rank.rank())};
                Handle one = pointer.startWrite(MemorySegment.ofArray(first));
                Handle two = pointer.startWrite(MemorySegment.ofArray(second));
                assertEquals(16L * rank.rank() + 16, pointer.position(), "before either is complete");
                two.sync();
                one.sync();
                rank.barrier();

                pointer.seek(Origin.START, 16L * (1 - rank.rank()) + 7);
                byte[] seen = new byte[9];
                pointer.startRead(MemorySegment.ofArray(seen)).sync();
                assertArrayEquals(new byte[] {(byte) (1 - rank.rank()), 11, 12, 13, 14, 15, 16, 17, (byte) (11 - rank.rank())},
                        seen);
                long place = pointer.position();
                assertThrows(IllegalArgumentException.class, () -> pointer.startRead(MemorySegment.ofArray(new long[1])));
                assertEquals(place, pointer.position(), "a start that fails does not move it");
            }
        });
    }

    @Test
    void shouldMoveTheCommonPointerBehindWhatAllRanksHaveStarted() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs a = array(rank, Layout.cyclic(), 100);
            SharedLongs b = array(rank, Layout.blocked(7), 200);
            SharedLongs c = array(rank, Layout.even(), 0);
            try (SharedFile file = open(rank)) {
                CommonFilePointer pointer = file.commonPointer();
                Handle first = pointer.startWrite(Elements.of(a));
                assertEquals(8 * LENGTH, pointer.position());
                first.sync();
                pointer.startWrite(Elements.of(b)).sync();
                assertEquals(2 * 8 * LENGTH, file.size());
                pointer.seek(Origin.START, 8 * LENGTH);
                pointer.startRead(Elements.of(c)).sync();
                check(rank, c, 200);
                assertThrows(SharedFileException.class, pointer.startRead(Elements.of(c))::sync);
                rank.barrier();
                assertEquals(3 * 8 * LENGTH, pointer.position(), "the start has moved it");
            }
        });
    }

    @Test
    void shouldBeginAtTheEndIfAppending() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs a = array(rank, Layout.cyclic(), 100);
            SharedLongs seen = rank.allAllocLongs(Layout.even(), 2 * LENGTH);
            try (SharedFile file = open(rank)) {
                file.write(0, a);
            }
            try (SharedFile file = SharedFile.open(rank, folder.resolve("file"), StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.APPEND)) {
                assertEquals(Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.APPEND), file.options());
                assertEquals(8 * LENGTH, file.pointer().position());
                CommonFilePointer pointer = file.commonPointer();
                assertEquals(8 * LENGTH, pointer.position());
                pointer.write(array(rank, Layout.even(), 100 + LENGTH));
                assertEquals(2 * 8 * LENGTH, file.size());
                file.read(0, seen);
                check(rank, seen, 100);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 30})
    void shouldReadUpToTheEnd(long before) {
        Pgas.run(SharedFileTest.config(3), rank -> {
            SharedLongs a = array(rank, Layout.blocked(4), 0);
            SharedLongs seen = array(rank, Layout.cyclic(), 1000);
            try (SharedFile file = open(rank)) {
                file.write(0, a);
                CommonFilePointer pointer = file.commonPointer();
                pointer.seek(Origin.END, -8 * before);
                file.setSize(8 * LENGTH + 5); // no whole element
                assertEquals(8 * before, pointer.readUpTo(Elements.of(seen)));
                assertEquals(8 * LENGTH, pointer.position());
                check(rank, seen.slice(0, before), LENGTH - before);
                check(rank, seen.slice(before, LENGTH - before), 1000 + before);
                assertEquals(0, file.readUpTo(1L << 40, Elements.of(seen)));
                assertEquals(0, file.readLocalUpTo(Long.MAX_VALUE - 8, longs(0)));

                FilePointer own = file.pointer();
                own.seek(Origin.START, 8 * (LENGTH - before));
                long[] memory = new long[(int) LENGTH];
                Arrays.fill(memory, -1);
                assertEquals(8 * before, own.readUpTo(longs(memory)));
                for (int i = 0; i < LENGTH; i++) {
                    assertEquals(i < before ? LENGTH - before + i : -1, memory[i]);
                }
                own.seek(Origin.START, 8 * (LENGTH - before));
                check(rank, array(rank, Layout.cyclic(), 2000), 2000);
                SharedLongs each = array(rank, Layout.onRank(1), 3000);
                if (rank.rank() == 2) {
                    assertEquals(8 * before, own.readUpTo(Elements.of(each)));
                    assertEquals(8 * LENGTH, own.position());
                }
                rank.barrier();
                check(rank, each.slice(0, before), LENGTH - before);
                check(rank, each.slice(before, LENGTH - before), 3000 + before);
            }
        });
    }

    @Test
    void shouldMoveSharedMemoryOfEachRankByItsOwnPointer() {
        Pgas.run(SharedFileTest.config(3), rank -> {
            List<SharedLongs> arrays = List.of(array(rank, Layout.cyclic(), 0), array(rank, Layout.blocked(7), 100),
                    array(rank, Layout.onRank(2), 200));
            try (SharedFile file = open(rank)) {
                FilePointer pointer = file.pointer();
                long mine = 8 * LENGTH * rank.rank();
                pointer.seek(Origin.START, mine);
                pointer.write(Elements.of(arrays.get(rank.rank())));
                assertEquals(mine + 8 * LENGTH, pointer.position());
                rank.barrier();
                pointer.seek(Origin.START, 8 * LENGTH * ((rank.rank() + 1) % 3));
                pointer.read(Elements.of(arrays.get(rank.rank())));
                rank.barrier();
                for (int i = 0; i < 3; i++) {
                    check(rank, arrays.get(i), 100 * ((i + 1) % 3));
                }
                pointer.seek(Origin.END, -8);
                assertThrows(SharedFileException.class, () -> pointer.read(Elements.of(arrays.get(0))));
                assertEquals(3 * 8 * LENGTH - 8, pointer.position());
                pointer.seek(Origin.START, Long.MAX_VALUE);
                assertThrows(IndexOutOfBoundsException.class, () -> pointer.write(Elements.of(arrays.get(0))));
            }
        });
    }

    /** Blocks below and above the size from which ranks move their own. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 5, 10_000})
    void shouldMoveElementsFromAPointerOn(long block) {
        Pgas.run(SharedFileTest.config(3), rank -> {
            long count = 3 * block + 50;
            long first = block + 3; // on rank 1, within a block
            SharedLongs array = rank.allAllocLongs(block == 0 ? Layout.onRank(1) : Layout.blocked(block), first + count + 20);
            SharedLongs seen = rank.allAllocLongs(Layout.even(), count);
            array.forAllLocal(i -> array.put(i, i));
            rank.barrier();
            Elements elements = Elements.of(rank, array.pointer(first), count);
            assertEquals(8 * count, elements.bytes());
            try (SharedFile file = open(rank)) {
                file.write(0, elements);
                file.read(0, seen);
                check(rank, seen, first);
                array.forAllLocal(i -> array.put(i, -1));
                rank.barrier();
                file.read(0, elements);
                check(rank, array.slice(first, count), first);
                assertEquals(-1, array.get(first - 1));
                assertEquals(-1, array.get(first + count));
                rank.barrier();
            }
            assertThrows(IllegalArgumentException.class, () -> Elements.of(rank, array.pointer(), -1));
        });
    }
}
