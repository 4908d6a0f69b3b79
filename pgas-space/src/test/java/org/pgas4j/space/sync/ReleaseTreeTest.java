package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.memory.ControlArea;

/** Ten nodes of one rank, whose memory others do not map: the last has node 1 above it, and that rank 0. */
@Timeout(20)
class ReleaseTreeTest {

    private static final int RANKS = 10;
    private static final int SHIFT = 35;
    private static final long RELEASE = 5L << SHIFT | 7;

    private final SlowConduit conduit = new SlowConduit();
    private final PlainRanks all = new PlainRanks(RANKS, RANKS, conduit);

    @AfterEach
    void close() {
        all.close();
    }

    private ReleaseTree tree(int rank) {
        return new ReleaseTree(rank, all.peers(rank), IntStream.range(0, RANKS).toArray(), rank);
    }

    private long word(int rank) {
        return all.peers(rank).get(rank).endpoint().getWordAcquire(ControlArea.RELEASE);
    }

    private void awaitLookUp(ReleaseTree tree) {
        while (conduit.waiting() == 0) {
            assertFalse(tree.poll(SHIFT, 5));
        }
    }

    @Test
    void shouldHandOnWhatTheRootHas() {
        tree(3).write(RELEASE, 3);
        assertEquals(RELEASE, word(0));
        assertEquals(RELEASE, word(3));
        assertEquals(0, word(1));
        ReleaseTree root = tree(0);
        root.begin();

        assertFalse(root.poll(SHIFT, 6), "another epoch");
        assertTrue(root.poll(SHIFT, 5));

        assertEquals(RELEASE, root.word());
        assertTrue(IntStream.rangeClosed(1, ReleaseTree.FAN_OUT).allMatch(child -> word(child) == RELEASE));
        assertEquals(0, word(9));
        assertEquals(0, conduit.started, "the root looks at nobody");
    }

    @Test
    void shouldLookAboveWhereNobodyHandsOn() {
        ReleaseTree last = tree(9);
        last.begin();
        tree(0).write(RELEASE, 0);

        awaitLookUp(last);
        conduit.complete(); // of node 1, whose rank computes
        awaitLookUp(last);
        conduit.complete(); // of rank 0
        assertTrue(last.poll(SHIFT, 5));

        assertEquals(RELEASE, last.word());
        assertEquals(RELEASE, word(9), "for the other ranks of the node");
        assertEquals(0, word(1));
    }

    @Test
    void shouldWaitForNoLookAbove() {
        ReleaseTree last = tree(9);
        last.begin();
        awaitLookUp(last);
        all.peers(9).get(9).endpoint().putWordRelease(ControlArea.RELEASE, RELEASE); // node 1 hands it on after all

        assertTrue(last.poll(SHIFT, 5));
        last.begin();
        assertFalse(last.poll(SHIFT, 6));
        conduit.complete();
        assertFalse(last.poll(SHIFT, 6), "an old answer");
    }
}
