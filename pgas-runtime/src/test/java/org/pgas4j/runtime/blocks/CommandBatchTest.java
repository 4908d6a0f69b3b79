package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.fastpath.protocol.BlockSink;

/** Commands in a message, and a writer that carries them out. */
class CommandBatchTest {

    private static final int CAPACITY = 256;

    private final Arena arena = Arena.ofConfined();
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final CommandBatch batch = new CommandBatch(arena, CAPACITY);
    private final FakeDevice device = new FakeDevice();
    private final ProxyWriter writer = new ProxyWriter(device.as(Accelerator.class, "accelerator"),
            device.as(DeviceMemory.class, "memory"), 0, 0, new BlockLayout(2, 2), page, true);
    private final Command message = new Command();

    @AfterEach
    void close() {
        arena.close();
    }

    private BlockSink.Commands commands() {
        return commands(batch.length());
    }

    private BlockSink.Commands commands(int length) {
        return BlockSink.Commands.of(batch.memory(), 0, length);
    }

    private List<String> messages() {
        List<String> found = new ArrayList<>();
        for (long index = 0; message.readMessage(page, index); index += message.messageEntries()) {
            long offset = message.length() == 0 ? 0 : message.offset();
            found.add(message.length() + " bytes at " + offset + ", " + message.messageCount() + " of tag " + message.tag()
                    + " to " + message.messageBlock());
        }
        return found;
    }

    @Test
    void shouldCountNotificationsOfOneTagTogether() {
        for (int i = 0; i < 3; i++) {
            batch.addNotification(1, 7);
        }
        batch.addNotification(1, 8);
        batch.addNotification(1, 7);
        batch.addPut(1, 7, 1, 64, 0x0102030405060708L, 8);
        batch.addNotification(1, 7);
        writer.launching();

        CommandBatch.carryOut(commands(), writer);

        assertEquals(List.of("0 bytes at 0, 3 of tag 7 to 1", "0 bytes at 0, 1 of tag 8 to 1", "0 bytes at 0, 1 of tag 7 to 1",
                "8 bytes at 64, 1 of tag 7 to 1", "0 bytes at 0, 1 of tag 7 to 1"), messages());
    }

    @Test
    void shouldMoveBytesOfAllSizes() {
        MemorySegment source = MemorySegment.ofArray(new byte[] {9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        batch.addPut(0, 0, 0, 40, 0x030201, 3);
        batch.addPut(1, 5, 1, 77, source, 1, 12);
        assertEquals(CommandBatch.size(3) + CommandBatch.size(12), batch.length());
        assertEquals(24 + 32, batch.length());
        writer.launching();

        CommandBatch.carryOut(commands(), writer);

        assertEquals(List.of("3 bytes at 40, 0 of tag 0 to 0", "12 bytes at 77, 1 of tag 5 to 1"), messages());
        assertTrue(message.readMessage(page, 1));
        assertEquals(12, page.memory().get(ValueLayout.JAVA_BYTE, message.value() + 11));
        assertEquals(1, page.memory().get(ValueLayout.JAVA_BYTE, message.value()));
    }

    @Test
    void shouldGoOnWhereTheMailboxWasFull() {
        writer.launching();
        for (int i = 0; i < HostPage.MAILBOX_ENTRIES; i++) {
            assertEquals(ProxyWriter.Posting.POSTED, writer.tryPost(0, 0, 0, 0, 3, 1));
        }
        batch.addNotification(0, 1);
        batch.addNotification(0, 2);
        BlockSink.Commands commands = commands();

        CommandBatch.carryOut(commands, writer);
        assertEquals(16, commands.left());
        page.set(HostPage.MAILBOX_TAKEN, 1);
        CommandBatch.carryOut(commands, writer);
        assertEquals(8, commands.left());
        page.set(HostPage.MAILBOX_TAKEN, 2);
        CommandBatch.carryOut(commands, writer);

        assertEquals(0, commands.left());
        assertEquals(HostPage.MAILBOX_ENTRIES + 2, writer.posted());
    }

    /** What another pair posts later does not matter for the order. */
    @Test
    void shouldHoldWhatComesBehindAnOrderUntilBlocksHaveTheRest() {
        writer.launching();
        batch.addNotification(0, 1);
        batch.addOrder();
        BlockSink.Commands commands = commands();

        CommandBatch.carryOut(commands, writer);
        writer.tryPost(0, 0, 0, 1, 9, 1);
        assertEquals(8, commands.left(), "the notification is not taken");
        page.set(HostPage.MAILBOX_TAKEN, 1);
        CommandBatch.carryOut(commands, writer);

        assertEquals(0, commands.left());
    }

    @Test
    void shouldWriteByTheStreamWhileNoBlocksRun() {
        batch.addPut(1, 7, 1, 64, 5, 8);

        CommandBatch.carryOut(commands(), writer);

        assertEquals(List.of("stream.writeValue", "stream.writeValue"), device.calls);
        assertEquals(List.of(), messages());
    }

    @Test
    void shouldRefuseWhatIsNotWhole() {
        batch.addPut(1, 7, 1, 64, 5, 8);

        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(16), writer));
        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(4), writer));
        batch.clear();
        batch.addPut(2, 7, 1, 64, 5, 8);
        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(), writer), "block 2 of two");
        batch.clear();
        batch.addPut(1, 7, 1, FakeDevice.BYTES - 4, 5, 8);
        assertThrows(IndexOutOfBoundsException.class, () -> CommandBatch.carryOut(commands(), writer));
    }

    @Test
    void shouldKnowItsRoom() {
        assertTrue(batch.hasRoom(CAPACITY - 16));
        assertFalse(batch.hasRoom(CAPACITY - 15));
        batch.addNotification(0, 0);
        assertFalse(batch.hasRoom(CAPACITY - 16));
    }
}
