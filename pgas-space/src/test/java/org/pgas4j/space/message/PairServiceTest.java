package org.pgas4j.space.message;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.space.PlainPorts;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.Peer;

/** Ranks 0 and 1 of one process, 2 and 3 of another. */
@Timeout(20)
class PairServiceTest {

    private final PlainRanks all = new PlainRanks(2, 4, new LoopbackConduit());
    private final PlainPorts ports = new PlainPorts(all);

    @AfterEach
    void close() {
        ports.close();
        all.close();
    }

    private void put(int from, int to, byte... content) {
        Port port = ports.engine(from).enter();
        try {
            MemorySegment source = Arena.ofAuto().allocate(content.length, 8).copyFrom(MemorySegment.ofArray(content));
            assertTrue(port.put(to, MemoryKind.HOST, 8L * from, source, null, 0, content.length, Long.MAX_VALUE)
                    .isComplete());
        } finally {
            ports.engine(from).exit();
        }
    }

    private void assertLanded(int from, int to, byte... content) {
        ports.pollAll();
        Peer self = all.peers(to).get(to);
        assertArrayEquals(content, self.endpoint().mapped().asSlice(self.heapStart() + 8L * from, content.length)
                .toArray(ValueLayout.JAVA_BYTE));
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0,1", "1,0", "0,2", "3,1"})
    void shouldMakeBothEndsOfAPair(int from, int to) {
        assertFalse(ports.engine(from).isActive());

        put(from, to, (byte) 5, (byte) 6);

        assertLanded(from, to, (byte) 5, (byte) 6);
        assertTrue(ports.engine(to).isActive());
        put(to, from, (byte) 7);
        assertLanded(to, from, (byte) 7);
        for (int rank = 0; rank < 4; rank++) {
            assertEquals(rank == from || rank == to ? 1 : 0, pairs(rank), "pairs of rank " + rank);
        }
    }

    private int pairs(int rank) {
        String text = ports.of(rank).describe(rank);
        return Integer.parseInt(text.substring(text.indexOf(": ") + 2, text.indexOf(" pairs")));
    }

    @Test
    void shouldMakeAPairOnce() {
        PairService service = ports.of(0).service();
        List<Integer> calls = new ArrayList<>();
        all.bootstrap(0).observe((from, to, number, request) -> {
            if (number == PairService.SERVICE) {
                calls.add(to);
            }
        });

        assertSame(service.connect(0, 2), service.connect(0, 2));
        assertSame(service.connect(0, 0), service.connect(0, 0));
        assertNotSame(service.connect(0, 2), service.connect(1, 2));
        assertSame(ports.of(2).service().connect(2, 0), ports.of(2).service().connect(2, 0));
        assertEquals(List.of(1, 1), calls);
    }

    /** While the request of rank 0 is on its way to the process of rank 2, rank 2 sends one to that of rank 0. */
    @Test
    void shouldMakeOnePairIfBothBegin() {
        List<Integer> senders = new ArrayList<>();
        all.bootstrap(0).observe((from, to, number, request) -> {
            if (number == PairService.SERVICE) {
                senders.add(from);
                if (senders.size() == 1) {
                    put(2, 0, (byte) 8);
                }
            }
        });

        put(0, 2, (byte) 9);

        assertEquals(List.of(0, 1), senders);
        assertLanded(0, 2, (byte) 9);
        assertLanded(2, 0, (byte) 8);
        assertEquals(1, pairs(0));
        assertEquals(1, pairs(2));
        put(2, 0, (byte) 10);
        assertLanded(2, 0, (byte) 10);
    }

    /** The request of rank 0 to rank 2 as it travels. */
    private byte[] request() {
        List<byte[]> seen = new ArrayList<>();
        all.bootstrap(0).observe((from, to, number, request) -> seen.add(request));
        ports.of(0).service().connect(0, 2);
        all.bootstrap(0).observe((from, to, number, request) -> { });
        return seen.getLast();
    }

    private void assertRefused(String why, byte[] request) {
        PgasException failure = assertThrows(PgasException.class, () -> ports.of(2).service().answer(request));
        assertTrue(failure.getMessage().contains(why), failure.getMessage());
    }

    private static byte[] with(byte[] request, int offset, int value) {
        byte[] changed = request.clone();
        ByteBuffer.wrap(changed).putInt(offset, value);
        return changed;
    }

    @Test
    void shouldRefuseRequestsThatMakeNoSense() {
        byte[] good = request();
        for (int length = 0; length < good.length; length++) {
            assertRefused("malformed", Arrays.copyOf(good, length));
        }
        assertRefused("malformed", Arrays.copyOf(good, good.length + 1));
        assertRefused("from rank 4", with(good, 0, 4));
        assertRefused("from rank -1", with(good, 0, -1));
        assertRefused("from rank 3", with(good, 0, 3));
        assertRefused("to rank 1", with(good, 4, 1));
        assertRefused("to rank 4", with(good, 4, 4));
        assertRefused("malformed", with(good, 24, -1));
        assertRefused("malformed", with(good, 28, Integer.MAX_VALUE));
        assertEquals(0, pairs(3));
        assertTrue(ports.of(2).service().answer(good).length > 0);
    }

    @Test
    void shouldNameTheSettingsOfRingsThatDiffer() {
        byte[] good = request();

        assertRefused("pgas.fastpath.chunk=1024 here, 2048 there", with(good, 8, 2048));
        assertRefused("pgas.fastpath.chunks=16 here, 8 there", with(good, 12, 8));
        assertRefused("different rings", with(good, 20, 64)); // bytes of the ring
    }

    // ---- notifications that come as messages

    @Test
    void shouldApplyNotificationsOfMessages() {
        put(0, 2, (byte) 1);
        Port port = ports.engine(0).enter();
        port.signal(2, NotificationSink.RANK, 7, NotificationSink.COUNTER, 3);
        port.signal(2, NotificationSink.RANK, 7, NotificationSink.VALUE, 44);
        ports.engine(0).exit();

        ports.pollAll();

        Peer self = all.peers(2).get(2);
        assertEquals(3, self.endpoint().getWordAcquire(all.area().notification(7)));
        assertEquals(44, self.endpoint().getWordAcquire(all.area().notificationValue(7)));
    }

    @Test
    void shouldLeadNotificationsOfBlocksToTheirSink() {
        List<String> seen = new ArrayList<>();
        ports.of(2).blockSink(2, (block, tag, kind, value) -> {
            seen.add(block + " " + tag + " " + kind + " " + value);
            return true;
        }, (_, _) -> seen.add("commands"));
        Port port = ports.engine(0).enter();
        port.signal(2, 11, 7, NotificationSink.COUNTER, 3);
        ports.engine(0).exit();

        ports.pollAll();

        assertEquals(List.of("11 7 0 3"), seen);
    }

    /** A message that a sink leaves stays at the head of the ring; later ones wait behind it. */
    @Test
    void shouldLeadCommandsOfBlocksToTheirSinkUntilAllAreDone() {
        List<String> seen = new ArrayList<>();
        int[] most = {1};
        ports.of(2).blockSink(2, (_, tag, _, _) -> seen.add("tag " + tag), (team, commands) -> {
            while (commands.left() > 0 && seen.size() < most[0]) {
                seen.add(team + ": " + commands.memory().get(ValueLayout.JAVA_LONG, commands.next()));
                commands.advance(8);
            }
        });
        Port port = ports.engine(0).enter();
        try (Arena arena = Arena.ofConfined()) {
            assertTrue(port.tryCommand(2, 5, arena.allocateFrom(ValueLayout.JAVA_LONG, 71, 72, 73), 24));
        }
        port.signal(2, 11, 7, NotificationSink.COUNTER, 3);
        ports.engine(0).exit();

        ports.pollAll();
        assertEquals(List.of("5: 71"), seen);
        most[0] = 3;
        ports.pollAll();

        assertEquals(List.of("5: 71", "5: 72", "5: 73", "tag 7"), seen);
    }
}
