package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
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
        return new HostBlock(world(throughHost), 0, true);
    }

    private HostBlock.World world(boolean throughHost) {
        return new HostBlock.World(0, layout, Partners.all(0), 0, new MemorySegment[] {own, null}, own, page, false,
                throughHost, false, 0, Dims.of(1), TimeUnit.SECONDS.toNanos(20), false, new AtomicReference<>());
    }

    private Command next() {
        while (!command.read(page, taken)) {
            Thread.onSpinWait();
        }
        taken++;
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
        barrier.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldExchangeFlagsOnceWhereDevicesReachAll() throws Exception {
        flagOfTheOther(2);

        block(false).barrier(Comm.WORLD);

        assertEquals(2, next().value());
        assertFalse(command.read(page, taken));
    }

    /** A window, of which the other block's part is of 64 bytes at 512. */
    private int window(HostBlock block) throws Exception {
        CompletableFuture<Integer> made = CompletableFuture.supplyAsync(
                () -> block.createWindow(Comm.WORLD, own.asSlice(layout.bytes(), 64)));
        for (int word = 0; word < 3; word++) {
            assertEquals(Command.WORD, next().op()); // offset, size and flag
        }
        long entry = layout.windowEntry(0, 1, 0);
        own.set(ValueLayout.JAVA_LONG, entry, 512);
        own.set(ValueLayout.JAVA_LONG, entry + BlockLayout.ENTRY_SIZE, 64);
        flagOfTheOther(2);
        return made.get(30, TimeUnit.SECONDS);
    }

    private String staged() {
        byte[] bytes = new byte[(int) command.bytes()];
        MemorySegment.copy(page.memory(), ValueLayout.JAVA_BYTE, HostPage.staged(command.value(), command.offset()), bytes, 0,
                bytes.length);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void shouldLeaveBytesOfNotifiedPutsBesideTheQueue() throws Exception {
        HostBlock block = block(false);
        int window = window(block);
        MemorySegment src = arena.allocateFrom("bytes that no device reaches"); // private memory

        for (int put = 0; put < HostPage.STAGED_PLACES; put++) {
            block.putNotify(window, 1, 3, src, 28, 7);
            assertEquals(Command.PUT_STAGED, next().op());
            assertEquals(512 + 3, command.offset());
            assertEquals(put, command.value());
            assertEquals("bytes that no device reaches", staged());
        }
        block.putNotify(window, 1, 3, src, 28, 7);
        assertEquals(Command.PUT_INLINE, next().op(), "no place is free: the bytes go with commands");
        while (!command.notifies()) {
            next();
        }

        page.set(HostPage.STAGED_FREED, 1);
        block.putNotify(window, 1, 3, src, 28, 7);
        assertEquals(Command.PUT_STAGED, next().op());
        assertEquals(HostPage.STAGED_PLACES, command.value());
        assertEquals(7, command.tag());
    }

    @Test
    void shouldTakeBytesBesideTheMailbox() {
        HostBlock.World world = world(false);
        long place = 5;
        long to = layout.bytes() + 3;
        page.memory().setString(HostPage.stagedForMailbox(place, to), "bytes beside the mailbox");
        Command.writeMessage(page, 0, 24, to, place, 0, 7, 2);

        new MailboxReader(world, 0).look();

        assertEquals("bytes beside the mailbox", own.getString(to));
        assertEquals(2, own.get(ValueLayout.JAVA_LONG, layout.record(0) + BlockLayout.DIRECT + 7 * Long.BYTES));
        assertEquals(1, page.get(HostPage.MAILBOX_TAKEN));
    }

    /** Through the host, a destination that it does not reach is filled by way of the block's landing word. */
    @Test
    void shouldGetPrivateBytesInPieces() throws Exception {
        HostBlock block = block(false);
        int window = window(block);
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
        get.get(30, TimeUnit.SECONDS);

        assertEquals(7, command.tag());
        assertEquals(0x0807060504030201L, dst.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
        assertEquals(3, dst.get(ValueLayout.JAVA_BYTE, 10));
    }
}
