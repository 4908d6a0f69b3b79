package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

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
        return new HostBlock(new HostBlock.World(0, layout, Partners.all(0), 0, new MemorySegment[] {own, null}, own, page, false,
                throughHost, false, 0, Dims.of(1), TimeUnit.SECONDS.toNanos(20), false, new AtomicReference<>()), 0, true);
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

    /** Through the host, a destination that it does not reach is filled by way of the block's landing word. */
    @Test
    void shouldGetPrivateBytesInPieces() throws Exception {
        long base = layout.bytes();
        HostBlock block = block(false);
        CompletableFuture<Integer> made = CompletableFuture.supplyAsync(() -> block.createWindow(Comm.WORLD, own.asSlice(base, 64)));
        for (int word = 0; word < 3; word++) {
            assertEquals(Command.WORD, next().op()); // offset, size and flag
        }
        long entry = layout.windowEntry(0, 1, 0);
        own.set(ValueLayout.JAVA_LONG, entry, 512);
        own.set(ValueLayout.JAVA_LONG, entry + BlockLayout.ENTRY_SIZE, 64);
        flagOfTheOther(2);
        int window = made.get(30, TimeUnit.SECONDS);
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
