package org.pgas4j.runtime.notify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.space.PlainPorts;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.transfer.RouteTable;

/** Rank 0 performs descriptors for rank 1; both are driven by one thread. */
@Timeout(20)
class DescriptorEngineTest {

    private static final int TAG = 9;
    private static final byte[] CONTENT = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

    private final PlainRanks all = new PlainRanks(2);
    private final PlainPorts ports = new PlainPorts(all);
    private final Peers peers = all.peers(0);
    private final Peer target = peers.get(1);
    private final Counters arrived = new Counters(1, target.endpoint(), all.area());
    private final List<String> notified = new ArrayList<>();
    private final MemorySegment source =
            Arena.ofAuto().allocate(CONTENT.length, 8).copyFrom(MemorySegment.ofArray(CONTENT));
    private boolean blocksReady;
    private final DescriptorEngine engine =
            new DescriptorEngine(ports.engine(0), new Notifier(0, peers, null, ports.engine(0),
            all.area(), new HappensBefore() {
                @Override
                public void notifiesLater(int to, int tag, boolean value) {
                    notified.add(to + " " + tag + " " + value);
                }
            }, null, this::trySignalBlock), all.devices().open(0));

    @AfterEach
    void close() {
        ports.close();
        all.close();
    }

    private boolean trySignalBlock(int rank, int block, int tag) {
        if (blocksReady) {
            notified.add(rank + " block " + block + " " + tag + " " + Arrays.equals(CONTENT, landed()));
        }
        return blocksReady;
    }

    private RouteTable routes(String forced) {
        return new RouteTable(0, 2, peers, forced, false, null, all.devices().open(0), ports.engine(0), null, null);
    }

    /** @param forced routes as {@code pgas.route} forces them */
    private Descriptor put(String forced, MemorySegment from) {
        Descriptor what = notification();
        what.rma.remote(1, MemoryKind.HOST, 64, null, from.byteSize()).local(from, 0);
        what.route = routes(forced).connected(what.rma);
        return what;
    }

    private Descriptor notification() {
        Descriptor what = new Descriptor();
        what.target = 1;
        what.endpoint = target.endpoint();
        return what;
    }

    private byte[] landed() {
        return target.endpoint().mapped().asSlice(target.heapStart() + 64, CONTENT.length)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldPutByTheConduitAndCountANotification() {
        Descriptor what = put("auto", source);
        what.counted(TAG);

        assertTrue(engine.perform(what));

        assertArrayEquals(CONTENT, landed());
        assertEquals(1, arrived.available(TAG));
        assertEquals(List.of("1 9 false"), notified);
    }

    @Test
    void shouldSetAValue() {
        Descriptor what = notification();
        what.valued(TAG, 77);

        assertTrue(engine.perform(what));

        assertEquals(77, arrived.value(TAG));
        assertEquals(0, arrived.available(TAG));
        assertEquals(List.of("1 9 true"), notified);
        assertArrayEquals(new byte[CONTENT.length], landed());
    }

    /** The checks know nothing of blocks. */
    @Test
    void shouldNotifyABlockBehindTheBytes() {
        Descriptor what = put("auto", source);
        what.ofBlock(5, TAG);
        assertFalse(engine.perform(what));
        assertArrayEquals(CONTENT, landed());

        blocksReady = true;

        assertTrue(engine.perform(what));
        assertEquals(List.of("1 block 5 9 " + Arrays.equals(CONTENT, landed())), notified);
        assertEquals(0, arrived.available(TAG));
    }

    @Test
    void shouldNotNotifyWithoutATag() {
        Descriptor what = put("auto", source);
        what.counted(TAG);
        what.noTag();

        assertTrue(engine.perform(what));

        assertEquals(List.of(), notified);
        assertArrayEquals(CONTENT, landed());
    }

    @Test
    void shouldNotWaitForThePort() {
        Descriptor what = put("fastpath", source);
        what.counted(TAG);
        ports.engine(0).enter();
        assertFalse(engine.perform(what));
        assertFalse(engine.perform(what));

        ports.engine(0).exit();

        assertTrue(engine.perform(what));
        ports.pollAll();
        assertArrayEquals(CONTENT, landed());
        assertEquals(1, arrived.available(TAG));
    }

    /** A notification is a message itself as long as one before it may not have taken effect. */
    @Test
    void shouldNotifyBehindItsMessages() {
        Descriptor what = put("fastpath", source);
        what.counted(TAG);

        assertTrue(engine.perform(what));
        assertEquals(0, arrived.available(TAG));
        assertArrayEquals(new byte[CONTENT.length], landed());

        ports.pollAll();
        assertEquals(1, arrived.available(TAG));
        assertArrayEquals(CONTENT, landed());
    }

    /** The source of a rendezvous may not be used again before the target has fetched it. */
    @Test
    void shouldKeepTheSourceUntilARendezvousHasFetchedIt() {
        MemorySegment large = Arena.ofAuto().allocate(16 << 10, 8).fill((byte) 3);
        Descriptor what = put("rendezvous", large);
        assertFalse(engine.perform(what));
        assertFalse(engine.perform(what));

        boolean performed = false;
        for (int i = 0; !performed; i++) {
            ports.pollAll();
            performed = engine.perform(what);
            assertTrue(i < 1000, "the rendezvous does not end");
        }

        assertEquals(-1, large.mismatch(target.endpoint().mapped().asSlice(target.heapStart() + 64, large.byteSize())));
    }

    @Test
    void shouldNotifyWhenTheDevicesCopyHasLanded() {
        try (AcceleratorStream stream = all.devices().open(0).newStream();
                PinnedMemory word = all.devices().open(0).allocatePinned(8);
                DeviceMemory device = all.devices().open(0).allocate(64, false)) {
            stream.copyIn(device, 0, source, 0, CONTENT.length);
            stream.waitValue(word.segment(), 0, 1);
            engine.stream(stream);
            Descriptor what = notification();
            what.rma.remote(1, MemoryKind.HOST, 64, null, CONTENT.length).local(device, 0);
            what.route = routes("auto").route(1, MemoryKind.DEVICE, MemoryKind.HOST);
            what.counted(TAG);

            assertFalse(engine.perform(what));
            assertEquals(0, arrived.available(TAG));
            word.segment().set(ValueLayout.JAVA_LONG, 0, 1);
            while (!engine.perform(what)) {
                Thread.onSpinWait();
            }

            assertEquals(1, arrived.available(TAG));
            assertArrayEquals(CONTENT, landed());
        }
    }

    @Test
    void shouldRefuseASourceWhoseArenaIsClosed() {
        Arena arena = Arena.ofShared();
        Descriptor what = put("auto", arena.allocate(CONTENT.length));
        what.counted(TAG);
        arena.close();

        String why = assertThrows(IllegalStateException.class, () -> engine.perform(what)).getMessage();

        assertTrue(why.startsWith("put to rank 1: "), why);
        assertEquals(0, arrived.available(TAG));
    }

    @Test
    void shouldCopyADescriptorWhole() {
        Descriptor what = put("auto", source);
        what.valued(TAG, 5);
        Descriptor copy = new Descriptor();
        copy.copyFrom(what);

        assertTrue(engine.perform(copy));

        assertArrayEquals(CONTENT, landed());
        assertEquals(5, arrived.value(TAG));
    }
}
