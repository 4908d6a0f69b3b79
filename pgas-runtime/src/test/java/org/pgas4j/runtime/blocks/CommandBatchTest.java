package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
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
    private final List<Integer> hosts = new ArrayList<>();

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
        for (long index = 0; message.readMessage(page, index); index++) {
            boolean puts = message.length() != 0;
            found.add((puts ? Long.toHexString(message.value()) + " at " + message.offset() + ", " : "") + message.messageCount()
                    + " of tag " + message.tag() + " to " + message.messageBlock());
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

        CommandBatch.carryOut(commands(), writer, hosts::add);

        assertEquals(List.of("3 of tag 7 to 1", "1 of tag 8 to 1", "1 of tag 7 to 1", "102030405060708 at 64, 1 of tag 7 to 1",
                "1 of tag 7 to 1"), messages());
    }

    @Test
    void shouldPutWithoutANotification() {
        batch.addPut(0, 0, 0, 1L << 40, 0x0201, 2);
        writer.launching();

        assertThrows(IndexOutOfBoundsException.class, () -> CommandBatch.carryOut(commands(), writer, hosts::add),
                "beyond the memory");
        batch.clear();
        batch.addPut(0, 0, 0, 77, 0x0201, 2);
        CommandBatch.carryOut(commands(), writer, hosts::add);

        assertEquals(List.of("201 at 77, 0 of tag 0 to 0"), messages());
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

        CommandBatch.carryOut(commands, writer, hosts::add);
        assertEquals(16, commands.left());
        page.set(HostPage.MAILBOX_TAKEN, 1);
        CommandBatch.carryOut(commands, writer, hosts::add);
        assertEquals(8, commands.left());
        page.set(HostPage.MAILBOX_TAKEN, 2);
        CommandBatch.carryOut(commands, writer, hosts::add);

        assertEquals(0, commands.left());
        assertEquals(HostPage.MAILBOX_ENTRIES + 2, writer.posted());
    }

    /** Messages that others post later do not matter for the order. */
    @Test
    void shouldHoldWhatComesBehindAnOrderUntilBlocksHaveTheRest() {
        writer.launching();
        batch.addNotification(0, 1);
        batch.addOrder();
        batch.addNotification(0, 2);
        BlockSink.Commands commands = commands();

        CommandBatch.carryOut(commands, writer, hosts::add);
        writer.tryPost(0, 0, 0, 1, 9, 1);
        assertEquals(16, commands.left(), "the first notification is not taken");
        page.set(HostPage.MAILBOX_TAKEN, 1);
        CommandBatch.carryOut(commands, writer, hosts::add);

        assertEquals(0, commands.left());
        assertEquals(List.of("1 of tag 1 to 0", "1 of tag 9 to 1", "1 of tag 2 to 0"), messages());
        assertEquals(BlockSink.Commands.NOTHING, commands.awaited());
    }

    @Test
    void shouldNotifyHostCodeWhenBlocksHaveTheRestAndHoldNothingUp() {
        writer.launching();
        batch.addNotification(0, 1);
        batch.addHostNotification(255);
        batch.addNotification(0, 2);
        batch.addHostNotification(6);
        BlockSink.Commands commands = commands();

        CommandBatch.carryOut(commands, writer, hosts::add);
        assertEquals(0, commands.left());
        assertFalse(writer.runTaken());
        page.set(HostPage.MAILBOX_TAKEN, 1);
        assertTrue(writer.runTaken());
        assertEquals(List.of(255), hosts);
        writer.close();

        assertEquals(List.of(255, 6), hosts, "what no block has taken when they are closed is dropped");
    }

    @Test
    void shouldSettleWhatNoLaunchHasToTake() {
        device.idle = false;
        batch.addNotification(0, 1);
        batch.addSettle();
        BlockSink.Commands commands = commands();

        CommandBatch.carryOut(commands, writer, hosts::add);
        assertEquals(8, commands.left(), "the stream writes");
        device.idle = true;
        CommandBatch.carryOut(commands, writer, hosts::add);
        assertEquals(0, commands.left());
    }

    /** The launch may begin only after what comes behind these commands. */
    @Test
    void shouldSettleWithoutALaunchThatHasNotBegun() {
        writer.launching();
        batch.addNotification(0, 1);
        batch.addSettle();
        BlockSink.Commands commands = commands();

        CommandBatch.carryOut(commands, writer, hosts::add);

        assertEquals(0, commands.left());
        assertEquals(List.of("1 of tag 1 to 0"), messages());
    }

    @Test
    void shouldWriteByTheStreamWhileNoBlocksRun() {
        batch.addPut(1, 7, 1, 64, 5, 8);

        CommandBatch.carryOut(commands(), writer, hosts::add);

        assertEquals(List.of("stream.writeValue", "stream.writeValue"), device.calls);
        assertEquals(List.of(), messages());
    }

    @Test
    void shouldDropCommandsOfClosedBlocks() {
        BlockDirectory directory = new BlockDirectory();
        directory.add(3, 1, writer);
        directory.remove(3, 1);
        batch.addPut(1, 7, 1, 64, 5, 8);
        batch.addOrder();
        batch.addHostNotification(200);
        BlockSink.Commands commands = commands();

        directory.take(1, 3, commands, hosts::add);

        assertEquals(0, commands.left());
        assertEquals(List.of(), device.calls);
        assertEquals(List.of(200), hosts, "host code is not closed");
        assertThrows(IllegalStateException.class, () -> directory.take(1, 4, commands(), hosts::add), "blocks there never were");
    }

    @Test
    void shouldRefuseWhatIsNotWhole() {
        batch.addPut(1, 7, 1, 64, 5, 8);

        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(16), writer, hosts::add));
        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(4), writer, hosts::add));
        batch.clear();
        batch.addPut(1, 7, 1, 64, 5, 9);
        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(), writer, hosts::add), "9 bytes");
        batch.clear();
        batch.addPut(2, 7, 1, 64, 5, 8);
        assertThrows(IllegalStateException.class, () -> CommandBatch.carryOut(commands(), writer, hosts::add), "block 2 of two");
    }

    @Test
    void shouldKnowItsRoom() {
        for (int i = 0; i < CAPACITY / 24; i++) {
            assertTrue(batch.hasRoom(), "put " + i);
            batch.addPut(0, 0, 0, 0, i, 8);
        }
        assertFalse(batch.hasRoom());
    }
}
