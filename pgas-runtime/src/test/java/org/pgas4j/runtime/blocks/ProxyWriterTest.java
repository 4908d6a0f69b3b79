package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;

/** Small commands by the mailbox and by a stream, over a stream of the test's own. */
class ProxyWriterTest {

    private final Arena arena = Arena.ofConfined();
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final BlockLayout layout = new BlockLayout(2, 2);
    private final FakeDevice device = new FakeDevice();
    private final List<String> calls = device.calls;
    private final ProxyWriter writer = new ProxyWriter(accelerator(), memory(), 0, 0, layout, page, true);

    @AfterEach
    void close() {
        arena.close();
    }

    private Accelerator accelerator() {
        return device.as(Accelerator.class, "accelerator");
    }

    private DeviceMemory memory() {
        return device.as(DeviceMemory.class, "memory");
    }

    private ProxyWriter.Posting post() {
        return writer.tryPost(0, 0, 0, 1, 7, 1);
    }

    @Test
    void shouldHandOverWhatTheStreamHadNoRoomFor() {
        writer.notifyByStream(1, 7, 1);
        device.kept = 3; // as if the stream's queue were full

        assertTrue(writer.handOver());
        assertEquals(0, device.kept);
        assertFalse(writer.handOver(), "nothing is left");
    }

    @Test
    void shouldWaitForRoomWhileBlocksTakeMessages() {
        writer.launching();
        for (int i = 0; i < HostPage.MAILBOX_ENTRIES; i++) {
            assertEquals(ProxyWriter.Posting.POSTED, post());
        }

        assertEquals(ProxyWriter.Posting.LATER, post());
        page.set(HostPage.MAILBOX_TAKEN, 1);
        assertEquals(ProxyWriter.Posting.POSTED, post());
        assertEquals(List.of(), calls, "no stream was needed");
    }

    @Test
    void shouldKnowOfOneMessageWhateverComesLater() {
        writer.launching();
        post();
        long mine = writer.posted();
        post();
        assertFalse(writer.isTaken(mine));

        page.set(HostPage.MAILBOX_TAKEN, 1);

        assertTrue(writer.isTaken(mine));
        assertFalse(writer.isIdle(), "the later one is not taken");
    }

    @Test
    void shouldWaitForTheStreamThatDeliversWhatNoBlockTakesAnyMore() {
        writer.launching();
        post();
        page.set(HostPage.DONE, 1); // the launch has ended
        device.idle = false;
        assertFalse(writer.isTaken(1));
        assertFalse(writer.isIdle(), "and has the stream deliver it");

        assertFalse(writer.isTaken(1), "the stream has it, and is not done");
        device.idle = true;
        assertTrue(writer.isTaken(1));
    }

    @Test
    void shouldGiveUpAFullMailboxThatNoBlockReads() throws InterruptedException {
        writer.launching();
        for (int i = 0; i < HostPage.MAILBOX_ENTRIES; i++) {
            post();
        }

        assertEquals(ProxyWriter.Posting.LATER, post());
        Thread.sleep(5);
        assertEquals(ProxyWriter.Posting.BY_STREAM, post());
    }

    @Test
    void shouldNotRunAheadOfAStreamWithoutBound() {
        writer.launching();
        writer.notifyByStream(1, 7, 1);
        device.kept = 5000;

        assertEquals(ProxyWriter.Posting.LATER, post());
        writer.handOver();
        assertEquals(ProxyWriter.Posting.POSTED, post());
    }

    private ProxyWriter.Posting postStaged(String text, long offset) {
        return writer.tryPostStaged(offset, arena.allocateFrom(text), 0, text.length(), 1, 7, 1);
    }

    private String bytes(Command staged) {
        byte[] bytes = new byte[staged.length()];
        MemorySegment.copy(page.memory(), ValueLayout.JAVA_BYTE, HostPage.stagedForMailbox(staged.value(), staged.offset()), bytes, 0,
                bytes.length);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void shouldPostMoreBytesBesideTheMailbox() {
        writer.launching();
        assertEquals(ProxyWriter.Posting.POSTED, postStaged("of the first put", 4097));
        assertEquals(ProxyWriter.Posting.POSTED, post());
        assertEquals(ProxyWriter.Posting.POSTED, postStaged("of the second one", 3));

        Command message = new Command();
        assertTrue(message.readMessage(page, 0) && message.isStaged() && message.notifies());
        assertEquals(4097, message.offset());
        assertEquals("of the first put", bytes(message));
        assertTrue(message.readMessage(page, 1) && !message.isStaged());
        assertTrue(message.readMessage(page, 2));
        assertEquals("of the second one", bytes(message));
        assertEquals(List.of(), calls, "no stream was needed");
    }

    @Test
    void shouldKeepBytesBesideTheMailboxUntilTheirMessageIsTaken() {
        writer.launching();
        post();
        for (int i = 0; i < HostPage.STAGED_PLACES; i++) {
            assertEquals(ProxyWriter.Posting.POSTED, postStaged("of more than 8", 0));
        }
        assertEquals(ProxyWriter.Posting.LATER, postStaged("of more than 8", 0));
        page.set(HostPage.MAILBOX_TAKEN, 1);
        assertEquals(ProxyWriter.Posting.LATER, postStaged("of more than 8", 0));
        assertEquals(ProxyWriter.Posting.POSTED, post(), "the mailbox itself has room");

        page.set(HostPage.MAILBOX_TAKEN, 2);
        assertEquals(ProxyWriter.Posting.POSTED, postStaged("of more than 8", 0));
        assertEquals(ProxyWriter.Posting.LATER, postStaged("of more than 8", 0));
    }

    @Test
    void shouldDeliverBytesBesideTheMailboxThatNoBlockTakes() {
        writer.launching();
        postStaged("of more than 8", 0);
        page.set(HostPage.DONE, 1); // the launch has ended

        assertTrue(writer.isIdle());

        assertTrue(calls.indexOf("stream.copyIn") >= 0 && calls.indexOf("stream.copyIn") < calls.indexOf("stream.writeValue"),
                "first the bytes, then the counter: " + calls);
        assertEquals(ProxyWriter.Posting.BY_STREAM, postStaged("of more than 8", 0));
        writer.copyIn(0, page.memory(), HostPage.STAGED, 14);
        assertEquals(2, calls.stream().filter("stream.copyIn"::equals).count());
    }

    @Test
    void shouldDropLateNotificationsOfClosedBlocks() {
        BlockDirectory directory = new BlockDirectory();
        directory.add(3, 1, writer);
        directory.signal(1, BlockDirectory.name(3, 0), 7, 1);
        int before = calls.size();
        assertTrue(before > 0, "an open block is notified");

        directory.remove(3, 1);
        writer.close();
        directory.signal(1, BlockDirectory.name(3, 0), 7, 1);

        assertEquals(before + 1, calls.size(), "nothing but the stream's close: " + calls);
        assertThrows(IllegalStateException.class, () -> directory.signal(1, BlockDirectory.name(4, 0), 7, 1),
                "blocks there never were");
    }

    @Test
    void shouldDropLateCommandsOfClosedBlocks() {
        Arena own = Arena.ofConfined();
        HostPage ending = HostPage.of(own.allocate(HostPage.BYTES, 64));
        ProxyWriter closed = new ProxyWriter(accelerator(), memory(), 0, 0, layout, ending, true);
        closed.launching();
        assertEquals(ProxyWriter.Posting.POSTED, closed.tryPost(0, 0, 0, 1, 7, 1));
        closed.close();
        own.close(); // nothing reads the page any more
        int before = calls.size();

        assertEquals(ProxyWriter.Posting.DROPPED, closed.tryPost(0, 1, 8, 1, 7, 1));
        closed.signal(1, 7, 1);
        closed.notifyByStream(1, 7, 1);
        closed.putByStream(0, 1, 8);
        closed.area(0, 1);
        closed.areaAfter(null, 0, 1);
        assertNull(closed.copy(0, memory(), 0, 64));
        assertNull(closed.copyIn(0, page.memory(), 0, 64));
        assertEquals(ProxyWriter.Posting.DROPPED, closed.tryPostStaged(0, page.memory(), 0, 64, 1, 7, 1));
        assertTrue(closed.isIdle());
        assertFalse(closed.handOver());

        assertEquals(List.of(), calls.subList(before, calls.size()));
        assertThrows(IndexOutOfBoundsException.class, () -> closed.putByStream(FakeDevice.BYTES, 1, 8), "wrong at any time");
    }
}
