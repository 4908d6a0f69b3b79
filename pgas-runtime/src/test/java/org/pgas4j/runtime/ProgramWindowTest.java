package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Team;
import org.pgas4j.Window;

/** Windows over memory that the program has. */
@Timeout(60)
class ProgramWindowTest {

    private static final int TAG = 3;
    private static final int COUNT = 200_000; // more than a piece of a copy by a device

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST);
    }

    private static MemorySegment bytes(long... values) {
        return MemorySegment.ofArray(values);
    }

    @Test
    void shouldPutIntoArraysOfNeighboursAndNotify() {
        Pgas.run(config(3), rank -> {
            long[] mine = new long[10 + rank.rank()];
            int right = (rank.rank() + 1) % 3;
            try (Window window = rank.createWindow(rank.world(), MemorySegment.ofArray(mine))) {
                assertEquals(8L * (10 + right), window.bytes(right));
                assertEquals(MemoryKind.HOST, window.kind(right));
                for (int round = 1; round <= 100; round++) {
                    window.putNotify(right, 16, bytes(rank.rank(), round), 16, TAG);
                    rank.notifications().await(TAG, 1);
                    assertEquals((rank.rank() + 2) % 3, mine[2]);
                    assertEquals(round, mine[3]);
                    rank.barrier(); // before the next put
                }
                window.putNotifySet(rank.rank(), 0, Buffer.ofHost(bytes(77), ElementType.LONG), TAG, 5);
                assertEquals(5, rank.notifications().reset(TAG));
                assertEquals(77, mine[0]);
            }
        });
    }

    @Test
    void shouldMoveBetweenDevicesAndMemoryOfEitherKind() {
        Pgas.run(config(2), rank -> {
            int other = 1 - rank.rank();
            long[] array = LongStream.range(0, COUNT).map(i -> i * 3 + rank.rank()).toArray();
            MemorySegment memory = rank.rank() == 0 ? MemorySegment.ofArray(array)
                    : Arena.ofAuto().allocateFrom(ElementType.LAYOUT_LONG, array);
            try (Window window = rank.createWindow(rank.world(), memory);
                    Buffer device = rank.device().alloc(ElementType.LONG, COUNT)) {
                window.get(device, other, 0);
                rank.barrier(); // both have read
                window.put(rank.rank(), 0, device);
                long[] seen = new long[COUNT];
                window.get(MemorySegment.ofArray(seen), rank.rank(), 0, 8L * COUNT);
                long[] expected = LongStream.range(0, COUNT).map(i -> i * 3 + other).toArray();
                assertEquals(-1, Arrays.mismatch(expected, seen));
                rank.barrier();
                window.getNotify(Buffer.ofHost(MemorySegment.ofArray(new long[2]), ElementType.LONG), other, 8, TAG);
                rank.notifications().await(TAG, 1);
            }
        });
    }

    private static long[] read(Rank rank, Buffer device) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment copy = arena.allocate(device.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(copy, ElementType.LONG), device);
            rank.stream().sync();
            return copy.toArray(ElementType.LAYOUT_LONG);
        }
    }

    /** Rank 0 shows memory of its device by an address in it, rank 1 an array. */
    @Test
    void shouldReachDeviceMemoryByItsAddress() {
        Pgas.run(config(2), rank -> {
            int count = COUNT - 10;
            int other = 1 - rank.rank();
            long[] array = new long[count];
            try (Buffer owner = rank.device().alloc(ElementType.LONG, COUNT); Buffer mine = rank.device().alloc(ElementType.LONG, count)) {
                rank.stream().fill(owner, 0);
                rank.stream().sync();
                Buffer foreign = PgasUnsafe.deviceBuffer(PgasUnsafe.address(owner.slice(5, count)), ElementType.LONG, count);
                Buffer shown = rank.rank() == 0 ? foreign : Buffer.ofHost(MemorySegment.ofArray(array), ElementType.LONG);
                try (Window window = rank.createWindow(rank.world(), shown)) {
                    assertEquals(MemoryKind.DEVICE, window.kind(0));
                    assertEquals(MemoryKind.HOST, window.kind(1));
                    assertEquals(8L * count, window.bytes(0));
                    long[] sent = LongStream.range(0, count).map(i -> 7 * i + rank.rank()).toArray();
                    window.putNotify(other, 0, bytes(sent), 8L * count, TAG);
                    rank.notifications().await(TAG, 1);
                    window.get(mine, rank.rank(), 0); // on rank 0 by its device alone
                    assertEquals(-1, Arrays.mismatch(LongStream.range(0, count).map(i -> 7 * i + other).toArray(),
                            read(rank, mine)));
                    rank.barrier();
                    window.put(0, 8L * (count - 2 + rank.rank()), mine.slice(1, 1));
                    rank.barrier();
                    long[] seen = new long[3];
                    window.get(bytes(seen), 0, 8L * (count - 3), 24);
                    assertArrayEquals(new long[] {7L * (count - 3) + 1, 8, 7}, seen);
                    rank.barrier();
                }
                long[] around = read(rank, owner);
                assertEquals(0, around[4] | around[COUNT - 5], "beside the window");
            }
        });
    }

    @Test
    void shouldRefuseDeviceMemoryThatIsNotThere() {
        Pgas.run(config(2), rank -> {
            Buffer memory = rank.device().alloc(ElementType.LONG, 8);
            MemorySegment array = MemorySegment.ofArray(new long[9]);
            try (Window window = rank.createWindow(rank.world(), memory)) {
                refused(IndexOutOfBoundsException.class, "target=1 offset=8 length=64 windowBytes=64",
                        () -> window.put(1, 8, array, 64));
                refused(IndexOutOfBoundsException.class, "offset=0 length=72", () -> window.get(array, 0, 0, 72));
                refused(UnsupportedOperationException.class, "rank.alloc", () -> window.pointer(0, 0));
                refused(UnsupportedOperationException.class, "host code alone", () -> rank.stream().put(window, 1, 0, memory));
                rank.barrier();
                memory.close();
                rank.barrier();
                refused(DeviceException.class, "closed", () -> window.put(1 - rank.rank(), 0, array, 8));
                refused(DeviceException.class, "closed", () -> window.get(array, 1 - rank.rank(), 0, 8));
            }
            boolean wrong = rank.rank() == 0;
            refused(wrong ? DeviceException.class : PgasException.class, wrong ? "closed" : "rank 0 gave a part",
                    () -> rank.createWindow(rank.world(), wrong ? memory : Buffer.ofHost(array, ElementType.LONG)));
        });
    }

    @Test
    void shouldBeOfATeam() {
        Pgas.run(config(4), rank -> {
            byte[] mine = new byte[2];
            try (Team team = rank.collectives().split(rank.rank() % 2);
                    Window window = rank.createWindow(team, MemorySegment.ofArray(mine))) {
                window.putNotify(1 - team.rank(), 0, MemorySegment.ofArray(new byte[] {(byte) rank.rank(), 9}), 2, TAG);
                rank.notifications().await(TAG, 1);
                assertArrayEquals(new byte[] {(byte) (rank.rank() ^ 2), 9}, mine);
            }
        });
    }

    private static void refused(Class<? extends Throwable> type, String text, Executable call) {
        String message = assertThrows(type, call).getMessage();
        assertTrue(message.contains(text), message);
    }

    @Test
    void shouldRefuseWhatHostCodeCannotDo() {
        Pgas.run(config(2), rank -> {
            try (Arena confined = Arena.ofConfined(); Buffer device = rank.device().alloc(ElementType.BYTE, 8)) {
                refused(IllegalArgumentException.class, "belongs to one thread",
                        () -> rank.createWindow(rank.world(), confined.allocate(8)));
                MemorySegment array = MemorySegment.ofArray(new byte[8]);
                boolean wrong = rank.rank() == 1;
                refused(wrong ? IllegalArgumentException.class : PgasException.class, wrong ? "read-only" : "rank 1 gave a part",
                        () -> rank.createWindow(rank.world(), wrong ? array.asReadOnly() : array));
                try (Window window = rank.createWindow(rank.world(), array)) {
                    refused(UnsupportedOperationException.class, "rank.alloc", () -> window.pointer(0, 0));
                    refused(UnsupportedOperationException.class, "host code alone",
                            () -> rank.stream().put(window, 1, 0, device));
                    refused(UnsupportedOperationException.class, "host code alone",
                            () -> window.preparePutNotify(1, 0, device, TAG));
                    refused(IndexOutOfBoundsException.class, "windowBytes=8", () -> window.put(1, 1, array, 8));
                    refused(IndexOutOfBoundsException.class, "target=2", () -> window.get(array, 2, 0, 1));
                    refused(IndexOutOfBoundsException.class, "local memory", () -> window.get(array.asSlice(1), 0, 0, 8));
                }
            }
        });
    }

    @Test
    void shouldThrowWhereTheMemoryIsClosed() {
        Pgas.run(config(1), rank -> {
            Arena arena = Arena.ofShared();
            try (Window window = rank.createWindow(rank.world(), arena.allocate(8))) {
                window.put(0, 0, bytes(1), 8);
                arena.close();
                assertThrows(IllegalStateException.class, () -> window.put(0, 0, bytes(1), 8));
            }
        });
    }
}
