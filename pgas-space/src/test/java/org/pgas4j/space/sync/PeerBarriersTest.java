package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.ControlArea;

@Timeout(10)
class PeerBarriersTest {

    private static void enter(PlainRanks all, int rank, long barrier) {
        all.peers(rank).get(rank).endpoint().putWordRelease(ControlArea.ENTERED, barrier);
    }

    @Test
    void shouldReadMappedMemoryAtOnce() {
        try (PlainRanks all = new PlainRanks(2)) {
            PeerBarriers barriers = new PeerBarriers(0, all.peers(0));
            assertEquals(0, barriers.entered(1));

            enter(all, 1, 5);

            assertEquals(5, barriers.entered(1));
        }
    }

    @Test
    void shouldNotWaitForAnotherNode() {
        SlowConduit conduit = new SlowConduit();
        try (PlainRanks all = new PlainRanks(3, 3, conduit)) {
            PeerBarriers barriers = new PeerBarriers(0, all.peers(0));
            enter(all, 1, 5);
            enter(all, 2, 9);

            assertEquals(0, barriers.entered(1));
            assertEquals(0, barriers.entered(1), "no answer yet");
            assertEquals(1, conduit.started, "one look-up at a time");
            conduit.complete();
            assertEquals(5, barriers.entered(1));
            conduit.complete();
            assertEquals(0, barriers.entered(2), "what is known is another rank's");
            conduit.complete();
            assertEquals(9, barriers.entered(2));
        }
    }
}
