package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.space.PlainPorts;
import org.pgas4j.space.PlainRanks;

/** Commands of blocks of rank 0 for those of rank 1, which is in another process, in one thread. */
@Timeout(20)
class BlockMessagesTest {

    private static final int TEAM = 3;
    private static final int LARGE = 4096;
    private static final int TARGET = 2; // the first of two blocks of rank 1
    private static final int AT = 8192;  // where large puts go

    private final PlainRanks all = new PlainRanks(2, 2, new LoopbackConduit());
    private final PlainPorts ports = new PlainPorts(all);
    private final Arena arena = Arena.ofConfined();
    private final HostPage commands = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final FakeDevice device = new FakeDevice();
    private final BlockLayout layout = new BlockLayout(2, 2);
    private final ProxyWriter writer = new ProxyWriter(device.as(Accelerator.class, "accelerator"),
            device.as(DeviceMemory.class, "memory"), 0, 0, layout, page, true);
    private final BlockDirectory directory = new BlockDirectory();
    private final List<Integer> hosts = new ArrayList<>();
    private final List<Integer> payloads = new ArrayList<>(); // bytes of each message
    private final BlockMessages messages = new BlockMessages(TEAM, layout, ports.engine(0), all.segments(0).acceleratorOf(0),
            memory(0), start(0), commands, arena, () -> { });

    private DeviceMemory memory(int rank) {
        return all.segments(rank).ownDeviceMemory(all.segments(rank).own(rank, MemoryKind.DEVICE).ordinal());
    }

    private long start(int rank) {
        return all.segments(rank).own(rank, MemoryKind.DEVICE).offset();
    }

    private MemorySegment bytes(int rank) {
        return HostDeviceMemory.segmentOf(memory(rank)).asSlice(start(rank));
    }

    @BeforeEach
    void open() {
        directory.add(TEAM, 1, writer);
        writer.launching();
        ports.of(1).blockSink(1, (_, _, _, _) -> true, (team, given) -> {
            if (given.left() > 0) {
                payloads.add(given.left());
            }
            directory.take(1, team, given, hosts::add);
        });
    }

    @AfterEach
    void close() {
        ports.close();
        all.close();
        arena.close();
    }

    private Command command(int op, int tag, int length, long offset, long value, long bytes) {
        Command.write(commands, 0, op, tag, length, 0, TARGET, offset, value, bytes);
        Command command = new Command();
        assertTrue(command.read(commands, 0));
        return command;
    }

    private Command notification(int tag) {
        return command(Command.NOTIFY, tag, 0, 0, 0, 0);
    }

    private Command small(long offset, long value) {
        return command(Command.PUT_INLINE, 0, Long.BYTES, offset, value, 0);
    }

    /** A notified put of the first bytes of rank 0. */
    private Command large(int tag) {
        return command(Command.PUT | Command.WITH_NOTIFY, tag, 0, AT, 0, LARGE);
    }

    private void put(Command command) {
        assertTrue(messages.put(command, 1));
    }

    private void until(BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            ports.pollAll();
        }
    }

    private void sendAndServe() {
        until(messages::send);
        ports.pollAll();
    }

    private void taken(long messages) {
        page.set(HostPage.MAILBOX_TAKEN, messages);
        ports.pollAll();
    }

    private List<String> mailbox() {
        List<String> found = new ArrayList<>();
        Command message = new Command();
        for (long index = 0; message.readMessage(page, index); index++) {
            found.add(message.length() != 0 ? message.value() + " at " + message.offset() : "tag " + message.tag());
        }
        return found;
    }

    private boolean hasLarge() {
        return bytes(1).get(ValueLayout.JAVA_LONG, AT + LARGE - Long.BYTES) == 77;
    }

    private void prepareLarge() {
        bytes(0).set(ValueLayout.JAVA_LONG, LARGE - Long.BYTES, 77);
    }

    @Test
    void shouldSendSeveralCommandsInOneMessage() {
        put(notification(7));
        put(small(64, 5));
        put(notification(8));
        assertFalse(messages.isEmpty());

        sendAndServe();

        assertTrue(messages.isEmpty());
        assertEquals(List.of(8 + 24 + 8), payloads);
        assertEquals(List.of("tag 7", "5 at 64", "tag 8"), mailbox());
    }

    @Test
    void shouldCollectMoreWhileTheTargetHasNoRoom() {
        Port port = ports.engine(0).enter();
        while (port.trySignal(1, NotificationSink.RANK, 1, NotificationSink.COUNTER, 1)) {
            // until the ring is full
        }
        ports.engine(0).exit();
        put(notification(7));
        assertFalse(messages.send());
        put(notification(8));
        assertFalse(messages.send());

        sendAndServe();

        assertEquals(List.of(16), payloads);
        assertEquals(List.of("tag 7", "tag 8"), mailbox());
    }

    /** Neither is lost, and the rank's engine ends its rounds meanwhile. */
    @Test
    void shouldLeaveWhatTheMailboxHasNoRoomForUntilBlocksTakeSome() {
        for (int i = 0; i < HostPage.MAILBOX_ENTRIES; i++) {
            writer.tryPost(0, 0, 0, 0, 1, 1);
        }
        put(notification(7));
        put(notification(8));
        sendAndServe();
        assertEquals(HostPage.MAILBOX_ENTRIES, writer.posted());

        taken(1);
        assertEquals(HostPage.MAILBOX_ENTRIES + 1, writer.posted());
        taken(2);

        assertEquals(HostPage.MAILBOX_ENTRIES + 2, writer.posted());
    }

    @Test
    void shouldKeepTheOrderBehindALargePut() {
        prepareLarge();
        put(notification(6));
        ports.of(1).blockSink(1, (_, _, _, _) -> true, (team, given) -> {
            payloads.add(hasLarge() ? 1 : 0);
            directory.take(1, team, given, hosts::add);
        });

        until(() -> messages.put(large(7), 1));
        put(small(64, 5));
        sendAndServe();

        assertEquals(List.of("tag 6", "tag 7", "5 at 64"), mailbox());
        assertEquals(List.of(0, 1), payloads, "the large put is there before its notification");
    }

    @Test
    void shouldSendBytesThatLieBesideTheQueue() {
        long place = HostPage.STAGED_PLACES + 3;
        commands.memory().set(ValueLayout.JAVA_LONG, HostPage.staged(place, AT) + LARGE - Long.BYTES, 77);

        until(() -> messages.put(command(Command.PUT_STAGED | Command.WITH_NOTIFY, 7, 0, AT, place, LARGE), 1));
        sendAndServe();

        assertTrue(hasLarge());
        assertEquals(List.of("tag 7"), mailbox());
    }

    @Test
    void shouldHoldALargePutBehindASmallOneOfTheSameBytes() {
        prepareLarge();
        put(small(AT + LARGE - 4, 5));
        until(() -> messages.put(large(7), 1));
        sendAndServe();
        assertFalse(hasLarge(), "no block has taken the small put");

        taken(1);

        assertTrue(hasLarge());
        assertEquals(List.of("5 at " + (AT + LARGE - 4), "tag 7"), mailbox());
    }

    @Test
    void shouldNotHoldALargePutOfOtherBytes() {
        prepareLarge();
        put(small(AT - 8, 5));
        put(small(64, 6));
        until(() -> messages.put(large(7), 1));
        sendAndServe();

        assertTrue(hasLarge(), "though no block has taken anything");
        assertEquals(3, writer.posted());
    }

    /** A launch of the target may have to wait for what the sender's rank sends after it. */
    @Test
    void shouldHoldNothingButANotificationOfHostCodeForALaunch() {
        put(notification(7));
        assertTrue(messages.notifyHost(command(Command.HOST, 200, 0, 0, 0, 0), 1));
        until(messages::settleAll);
        Port port = ports.engine(0).enter();
        assertTrue(port.trySignal(1, NotificationSink.RANK, 9, NotificationSink.COUNTER, 1));
        ports.engine(0).exit();
        ports.pollAll();

        long counter = all.area().notification(9);
        assertEquals(1, all.peers(1).get(1).endpoint().mapped().get(ValueLayout.JAVA_LONG, counter));
        assertEquals(List.of(), hosts);
        taken(1);
        assertTrue(writer.runTaken());
        assertEquals(List.of(200), hosts);
    }
}
