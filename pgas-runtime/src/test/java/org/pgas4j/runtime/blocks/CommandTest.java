package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of the command queue and of the mailbox: golden places, and what is not complete yet. */
class CommandTest {

    private final Arena arena = Arena.ofConfined();
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final Command command = new Command();

    @AfterEach
    void close() {
        arena.close();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private byte[] payload() {
        return command.source().asSlice(command.sourceAt(), command.length()).toArray(ValueLayout.JAVA_BYTE);
    }

    private void writePut(long index, byte[] bytes) {
        Command.writePayload(page, index, MemorySegment.ofArray(bytes), 0, bytes.length);
        Command.write(page, index, Command.PUT_INLINE | Command.WITH_NOTIFY, 7, bytes.length, 3, 5, 1L << 35 | 9, 0, 0);
    }

    /** Entries wrap around at the end of the queue: index 4094 has its first two there, the others at the start. */
    @ParameterizedTest
    @ValueSource(ints = {9, 31, 32, 33, 63, 64, 65, 100, 255, 256})
    void shouldCarryBytesBehindTheFirstEntry(int length) {
        for (long index : new long[] {0, 1000, HostPage.QUEUE_ENTRIES - 2, 5L * HostPage.QUEUE_ENTRIES - 1}) {
            byte[] bytes = bytes(length);
            writePut(index, bytes);

            assertTrue(command.read(page, index), "index " + index);
            assertEquals(1 + (length + 31) / 32, command.entries());
            assertEquals(Command.PUT_INLINE, command.op());
            assertTrue(command.notifies());
            assertEquals(7, command.tag());
            assertEquals(1L << 35 | 9, command.offset());
            assertArrayEquals(bytes, payload());
        }
    }

    @Test
    void shouldHaveEachWordsNumberInItsHighHalf() {
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        writePut(41, bytes);

        long second = HostPage.QUEUE + 42L * HostPage.COMMAND_BYTES;
        assertEquals(43L << 32 | 0x04030201, page.get(second));
        assertEquals(43L << 32 | 0x08070605, page.get(second + 8));
        assertEquals(43L << 32 | 0x09, page.get(second + 16));
        assertEquals(42L << 32 | Command.PUT_INLINE | Command.WITH_NOTIFY | 7 << 8 | 9 << 16,
                page.get(HostPage.QUEUE + 41L * 64));
    }

    /** Words may arrive in any order: without any single one of them there is no command. */
    @Test
    void shouldNotTakeWhatHasNotArrivedInFull() {
        long index = HostPage.QUEUE_ENTRIES - 3;
        writePut(index - HostPage.QUEUE_ENTRIES, bytes(100)); // a lap ago
        writePut(index, bytes(100));
        int words = 8 + 100 / 4;
        for (int word = 0; word < words; word++) {
            long at = HostPage.QUEUE + (index + word / 8) % HostPage.QUEUE_ENTRIES * HostPage.COMMAND_BYTES + word % 8 * 8L;
            long there = page.get(at);
            page.set(at, there - ((long) HostPage.QUEUE_ENTRIES << 32));
            assertFalse(command.read(page, index), "word " + word);
            page.set(at, there);
        }
        assertTrue(command.read(page, index));
    }

    @Test
    void shouldFindStagedBytesInThePage() {
        byte[] bytes = bytes(1000);
        long at = HostPage.staging(70, 64);
        assertEquals(HostPage.STAGING + 6 * (HostPage.STAGING_BYTES / 64), at);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, page.memory(), at + 5, 1000);
        Command.write(page, 3, Command.PUT_STAGED, 0, 1000, 0, 1, 64, at + 5, 0);

        assertTrue(command.read(page, 3));
        assertEquals(1, command.entries());
        assertArrayEquals(bytes, payload());
    }

    @Test
    void shouldWrapAroundInTheMailbox() {
        byte[] bytes = bytes(256);
        long index = 3L * HostPage.MAILBOX_ENTRIES - 4;
        Command.writeMessagePayload(page, index, MemorySegment.ofArray(bytes), 0, 256);
        Command.writeMessage(page, index, 256, 640, 0, false, 1, 9, 3);

        assertTrue(command.readMessage(page, index));
        assertEquals(9, command.entries());
        assertEquals(1, command.messageBlock());
        assertEquals(3, command.messageCount());
        assertArrayEquals(bytes, payload());
        assertFalse(command.readMessage(page, index + 9));
    }

    /** Both ends of a slot have room for the longest put wherever it lies in a vector. */
    @ParameterizedTest
    @ValueSource(ints = {0, 257, 1000, 4096, 8192, 32768})
    void shouldHaveSlotsForTheLongestPut(int staged) {
        int slots = HostPage.stagingSlots(staged);

        assertEquals(1, Integer.bitCount(slots), "a power of two");
        assertTrue(slots >= 4 && HostPage.STAGING_BYTES / slots >= staged + HostPage.VECTOR - 1, slots + " slots");
    }
}
