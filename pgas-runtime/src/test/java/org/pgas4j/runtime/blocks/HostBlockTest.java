package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.GridRank.Comm;

/** A block of rank 0 of two ranks that reach each other through their hosts; the test is the host. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class HostBlockTest {

    private final Arena arena = Arena.ofShared();
    private final BlockLayout layout = new BlockLayout(2, 1);
    private final MemorySegment own = arena.allocate(layout.bytes() + 4096, 256);
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final Command command = new Command();
    private long taken;

    @AfterEach
    void close() {
        arena.close();
    }

    private HostBlock block(boolean throughHost) {
        return new HostBlock(world(throughHost, 8192), 0, true);
    }

    private HostBlock.World world(boolean throughHost, int stagedBytes) {
        return new HostBlock.World(0, layout, 0, new MemorySegment[] {own, null}, own, page, false, throughHost,
                stagedBytes, 0, Dims.of(1), TimeUnit.SECONDS.toNanos(20), false, new AtomicReference<>());
    }

    private Command next() {
        while (!command.read(page, taken)) {
            Thread.onSpinWait();
        }
        if (command.op() == Command.PUT_WORDS || command.op() == Command.PUT_STAGED) {
            assertTrue(command.fetch(page, taken));
        }
        taken += command.op() == Command.PUT_STAGED ? HostPage.stagedEntries(command.length()) : 1;
        return command;
    }

    private void flagOfTheOther(long value) {
        HostPage.LONG.setRelease(own, layout.checkedIn(1), value);
    }

    /** A get after a barrier is to find what third ranks put before it: that all have come does not say that it has arrived. */
    @Test
    void shouldExchangeFlagsTwiceWhereHostsCarryPuts() throws Exception {
        HostBlock block = block(true);
        CompletableFuture<Void> barrier = CompletableFuture.runAsync(() -> block.barrier(Comm.WORLD));

        assertEquals(Command.WORD, next().op());
        assertEquals(1, command.value());
        assertFalse(command.read(page, taken), "the second flag comes after the other's first");
        flagOfTheOther(1);
        assertEquals(2, next().value());
        assertFalse(barrier.isDone());
        flagOfTheOther(2);
        barrier.get(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldExchangeFlagsOnceWhereDevicesReachAll() throws Exception {
        flagOfTheOther(2);

        block(false).barrier(Comm.WORLD);

        assertEquals(2, next().value());
        assertFalse(command.read(page, taken));
    }

    /** Through the host, a destination that it does not reach is filled by way of the block's landing word. */
    @Test
    void shouldGetPrivateBytesInPieces() throws Exception {
        long base = layout.bytes();
        HostBlock block = block(false);
        CompletableFuture<Integer> made = CompletableFuture.supplyAsync(() -> block.createWindow(Comm.WORLD, own.asSlice(base, 64)));
        for (int word = 0; word < 3; word++) {
            assertEquals(Command.WORD, next().op()); // offset, size and flag
        }
        long entry = layout.windowEntry(0, 1);
        own.set(ValueLayout.JAVA_LONG, entry, 512);
        own.set(ValueLayout.JAVA_LONG, entry + BlockLayout.ENTRY_SIZE, 64);
        flagOfTheOther(2);
        int window = made.get(10, TimeUnit.SECONDS);
        MemorySegment dst = arena.allocate(11);
        CompletableFuture<Void> get = CompletableFuture.runAsync(() -> block.getNotify(window, 1, 3, dst, 11, 7));

        for (int piece = 0; piece < 2; piece++) {
            assertEquals(Command.GET, next().op());
            assertEquals(512 + 3 + 8 * piece, command.offset());
            assertEquals(piece == 0 ? 8 : 3, command.bytes());
            assertEquals(piece == 1, command.notifies());
            own.set(ValueLayout.JAVA_LONG, command.value(), 0x0807060504030201L);
            assertFalse(get.isDone());
            HostPage.LONG.setRelease(own, layout.record(0) + BlockLayout.GOT, piece + 1L);
        }
        get.get(10, TimeUnit.SECONDS);

        assertEquals(7, command.tag());
        assertEquals(0x0807060504030201L, dst.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
        assertEquals(3, dst.get(ValueLayout.JAVA_BYTE, 10));
    }

    /** Makes a window of {@code bytes} bytes behind the area, of both ranks at the same place. */
    private int window(HostBlock block, long bytes) throws Exception {
        CompletableFuture<Integer> made = CompletableFuture.supplyAsync(
                () -> block.createWindow(Comm.WORLD, own.asSlice(layout.bytes(), bytes)));
        for (int word = 0; word < 3; word++) {
            next();
        }
        own.set(ValueLayout.JAVA_LONG, layout.windowEntry(0, 1), layout.bytes());
        own.set(ValueLayout.JAVA_LONG, layout.windowEntry(0, 1) + BlockLayout.ENTRY_SIZE, bytes);
        flagOfTheOther(2);
        return made.get(10, TimeUnit.SECONDS);
    }

    private static MemorySegment pattern(int bytes) {
        MemorySegment pattern = MemorySegment.ofArray(new byte[bytes]);
        for (int i = 0; i < bytes; i++) {
            pattern.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + i / 256));
        }
        return pattern;
    }

    /** From memory that the host does not reach, too: what is not in this segment goes in parts of those that are staged. */
    @Test
    void shouldBringBytesWithTheCommand() throws Exception {
        HostBlock block = block(false);
        int window = window(block, 4096);
        for (int bytes : new int[] {1, 8, 9, 64, 256, 257, 4096}) {
            block.putNotify(window, 1, 0, pattern(bytes), bytes, 7);

            assertEquals(bytes <= 8 ? Command.PUT_INLINE : bytes <= 256 ? Command.PUT_WORDS : Command.PUT_STAGED, next().op());
            assertEquals(bytes, command.length());
            assertTrue(command.notifies());
            if (bytes > 8) {
                assertEquals(-1, command.source().asSlice(command.sourceAt(), bytes).mismatch(pattern(bytes)), bytes + " bytes");
            }
        }
    }

    @Test
    void shouldPutMoreThanIsStagedInParts() throws Exception {
        HostBlock block = new HostBlock(world(false, 0), 0, true);
        int window = window(block, 4096);

        block.putNotify(window, 1, 5, pattern(600), 600, 7);

        for (int part = 0; part < 3; part++) {
            assertEquals(Command.PUT_WORDS, next().op());
            assertEquals(layout.bytes() + 5 + 256 * part, command.offset());
            assertEquals(part == 2 ? 88 : 256, command.length());
            assertEquals(part == 2, command.notifies());
            assertEquals(-1, command.source().asSlice(0, command.length())
                    .mismatch(pattern(600).asSlice(256L * part, command.length())));
        }
    }

    /** The queue wraps around within a command, and its end waits for the host. */
    @Test
    void shouldWaitForEntriesThatTheHostHasNotTaken() throws Exception {
        HostBlock block = block(false);
        int window = window(block, 4096);
        CompletableFuture<Void> puts = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 1000; i++) {
                block.putNotify(window, 1, 0, pattern(size(i)), size(i), 7);
            }
        });
        for (int i = 0; i < 1000; i++) {
            assertEquals(size(i), next().length());
            if (size(i) > 8) {
                assertEquals(-1, command.source().asSlice(command.sourceAt(), size(i)).mismatch(pattern(size(i))));
            }
            if (i == 700) {
                assertFalse(puts.isDone(), "more than the queue has entries");
            }
            if (i % 10 == 0) {
                page.set(HostPage.QUEUE_HEAD, taken);
            }
        }
        puts.get(10, TimeUnit.SECONDS);
    }

    private static int size(int i) {
        return i % 3 == 0 ? 4 : i % 3 == 1 ? 100 + i % 3 : 3000 + i;
    }
}
