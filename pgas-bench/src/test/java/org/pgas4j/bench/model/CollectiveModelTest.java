package org.pgas4j.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.pgas4j.bench.model.CollectiveModel.Link;

class CollectiveModelTest {

    private static final Link NEAR = new Link(1, 0.5, 0.25, 0.001);
    private static final Link FAR = new Link(10, 2, 1, 0.01);

    private static CollectiveModel model(int ranks, int perNode) {
        return new CollectiveModel(NEAR, FAR, ranks, perNode, perNode, 2, 5);
    }

    @Test
    void shouldSendOneMessageUpAndOneDownBetweenTwoRanks() {
        // One word and its sequence number, 16 bytes: 2 * (o + L + 16 * G).
        assertEquals(2 * (0.5 + 1 + 0.016), model(2, 2).exchange(1), 1e-9);
        assertEquals(2 * (2 + 10 + 0.16), model(2, 1).exchange(1), 1e-9);
    }

    @Test
    void shouldWriteAFlagToEachOfAFewRanks() {
        assertEquals(0.5 + 1, model(2, 2).barrier(), 1e-9);
        assertEquals(7 * 0.5 + 1, model(8, 8).barrier(), 1e-9);
    }

    @Test
    void shouldClimbOneLevelForEachFactorOfEight() {
        // Two levels of eight within a node, then 64 reads of the release word.
        assertEquals(2 * (0.5 + 1 + 7 * 0.25) + 1 + 64 * 0.25, model(64, 64).barrier(), 1e-9);
    }

    @Test
    void shouldReleaseDownATreeOfNodes() {
        double up = 0.5 + 1 + 7 * 0.25 + 3 * (2 + 10 + 7 * 1.0) + 2 + 10 + 1; // 8 ranks of a node, and 585 nodes
        double down = 3 * (2 + 10 + 7 * 1.0);
        assertEquals(up + down + 1 + 8 * 0.25, model(585 * 8, 8).barrier(), 1e-9);
        assertTrue(model(1 << 20, 64).barrier() < 2 * model(1 << 13, 64).barrier());
    }

    @Test
    void shouldTakeTurnsWhereRanksShareProcessors() {
        CollectiveModel crowded = new CollectiveModel(NEAR, FAR, 1024, 1024, 2, 2, 5);
        assertEquals(1024 * 5 / 2.0, crowded.barrier(), 1e-9);
        assertEquals(2 * 1024 * 5 / 2.0, crowded.exchange(1), 1e-9);
        CollectiveModel shared = new CollectiveModel(NEAR, FAR, 64, 64, 2, 10, 500);
        assertEquals(64 * 10 / 2.0, shared.barrier(), 1e-9); // they yield: no rank has to be woken
    }

    @Test
    void shouldBroadcastLittleWithTheWordsAndMuchAfterThem() {
        // 9 words and the bytes, up and down.
        assertEquals(2 * (0.5 + 1 + (72 + 1024) * 0.001), model(2, 2).broadcast(1024), 1e-9);
        double words = 2 * (0.5 + 1 + 72 * 0.001) + 2 * (0.5 + 1 + 8 * 0.001);
        assertEquals(words + 0.5 + 1 + 8192 * 0.001, model(2, 2).broadcast(8192), 1e-9);
        // To three other nodes: one after another, then dealt out.
        double far = model(4, 1).exchange(8) + model(4, 1).exchange(0) + 10 + 3 * 2;
        assertEquals(far + 3 * 8192 * 0.01, model(4, 1).broadcast(8192), 1e-9);
        assertEquals(far + 2 * (1 << 20) * 0.01, model(4, 1).broadcast(1 << 20), 1e-9);
    }

    @Test
    void shouldGrowWithRanksAndReachAMillion() {
        double before = 0;
        for (int ranks = 64; ranks <= 1 << 20; ranks *= 4) {
            CollectiveModel model = model(ranks, 64);
            assertTrue(model.exchange(1) > before, "ranks=" + ranks);
            assertTrue(model.broadcast(1024) > model.exchange(8), "ranks=" + ranks);
            assertTrue(model.broadcast(1 << 20) > model.broadcast(1024), "ranks=" + ranks);
            before = model.exchange(1);
        }
        assertTrue(model(1 << 20, 64).wireUpByTree(160, 100, 16) < model(1 << 20, 64).wireUpByStar(160, 100));
    }
}
