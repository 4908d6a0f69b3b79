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
        Command.writeWords(page, index, MemorySegment.ofArray(bytes), 0, bytes.length);
        Command.write(page, index, Command.PUT_WORDS | Command.WITH_NOTIFY, 7, bytes.length, 3, 5, 1L << 35 | 9, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 31, 32, 33, 63, 64, 65, 100, 255, 256})
    void shouldCarryBytesInTheWordsOfTheEntry(int length) {
        for (long index : new long[] {0, 1000, HostPage.QUEUE_ENTRIES - 1, 5L * HostPage.QUEUE_ENTRIES - 1}) {
            byte[] bytes = bytes(length);
            writePut(index, bytes);

            assertTrue(command.read(page, index), "index " + index);
            assertTrue(command.fetch(page, index), "index " + index);
            assertEquals(Command.PUT_WORDS, command.op());
            assertTrue(command.notifies());
            assertEquals(7, command.tag());
            assertEquals(1L << 35 | 9, command.offset());
            assertArrayEquals(bytes, payload());
        }
    }

    @Test
    void shouldHaveTheCommandsNumberInTheHighHalfOfEachWord() {
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        writePut(41, bytes);

        long words = HostPage.WORDS + 41L * HostPage.WORDS_BYTES;
        assertEquals(42L << 32 | 0x04030201, page.get(words));
        assertEquals(42L << 32 | 0x08070605, page.get(words + 8));
        assertEquals(42L << 32 | 0x09, page.get(words + 16));
        assertEquals(42L << 32 | Command.PUT_WORDS | Command.WITH_NOTIFY | 7 << 8 | 9 << 16,
                page.get(HostPage.QUEUE + 41L * 64));
    }

    /** Words may arrive in any order: without any single one of them the bytes are not there. */
    @Test
    void shouldNotTakeWhatHasNotArrivedInFull() {
        long index = HostPage.QUEUE_ENTRIES - 1;
        writePut(index - HostPage.QUEUE_ENTRIES, bytes(100)); // a lap ago
        writePut(index, bytes(100));
        assertTrue(command.read(page, index));
        for (int word = 0; word < 100 / 4; word++) {
            long at = HostPage.WORDS + index % HostPage.QUEUE_ENTRIES * HostPage.WORDS_BYTES + word * 8L;
            long there = page.get(at);
            page.set(at, there - ((long) HostPage.QUEUE_ENTRIES << 32));
            assertFalse(command.fetch(page, index), "word " + word);
            page.set(at, there);
        }
        assertTrue(command.fetch(page, index));
    }

    @Test
    void shouldFindStagedBytesInThePage() {
        byte[] bytes = bytes(1000);
        long at = Command.staging(HostPage.QUEUE_ENTRIES + 6);
        assertEquals(HostPage.STAGING + 6 * HostPage.STAGING_BYTES, at);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, page.memory(), at + 5, 1000);
        Command.write(page, 3, Command.PUT_STAGED, 0, 1000, 0, 1, 64, at + 5, 0);

        assertTrue(command.read(page, 3));
        assertTrue(command.fetch(page, 3));
        assertArrayEquals(bytes, payload());
    }

    @Test
    void shouldNameThePlaceOfAMessagesBytes() {
        long index = 3L * HostPage.MAILBOX_ENTRIES - 1;
        Command.writeStaged(page, index, 1024, 640, Command.payload(index), 1, 9, 3);

        assertTrue(command.readMessage(page, index));
        assertTrue(command.isStaged());
        assertTrue(command.notifies());
        assertEquals(3, command.messageEntries());
        assertEquals(1, command.messageBlock());
        assertEquals(3, command.messageCount());
        assertEquals(1024, command.length());
        assertEquals(HostPage.PAYLOADS + (HostPage.MAILBOX_ENTRIES - 1) * HostPage.PAYLOAD_BYTES, command.value());
    }

    /** A small message is what it was before there were others: a block tests a bit of it that no other operation has. */
    @Test
    void shouldHaveABitForStagedMessagesAlone() {
        assertEquals(0, (Command.NOTIFY | Command.PUT_INLINE | Command.WITH_NOTIFY) & Command.STAGED_BIT);
        assertEquals(Command.STAGED_BIT, Command.PUT_STAGED & Command.STAGED_BIT);
        Command.writeMessage(page, 0, 8, 640, 5, 1, 9, 3);

        assertTrue(command.readMessage(page, 0));
        assertFalse(command.isStaged());
        assertEquals(1, command.messageEntries());
    }

    /** Regions do not overlap, also where the longest put begins at the last place of its ring, at the end of a vector. */
    @ParameterizedTest
    @ValueSource(ints = {257, 1000, 4096, 8192, HostPage.MAX_STAGED_BYTES})
    void shouldHaveRoomForTheLongestPut(int bytes) {
        int end = bytes + HostPage.VECTOR - 1;

        assertTrue(HostPage.stagedEntries(bytes) * HostPage.STAGING_BYTES >= end);
        assertTrue(HostPage.payloadEntries(bytes) * HostPage.PAYLOAD_BYTES >= end);
        assertTrue(HostPage.stagedEntries(bytes) <= HostPage.QUEUE_ENTRIES / 8);
        assertTrue(HostPage.payloadEntries(bytes) <= HostPage.MAILBOX_ENTRIES / 8);
        assertTrue(Command.staging(HostPage.QUEUE_ENTRIES - 1) + end <= HostPage.PAYLOADS);
        assertTrue(Command.payload(HostPage.MAILBOX_ENTRIES - 1) + end <= HostPage.STREAMED);
    }
}
