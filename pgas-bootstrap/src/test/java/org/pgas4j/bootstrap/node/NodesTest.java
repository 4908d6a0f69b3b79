package org.pgas4j.bootstrap.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.bootstrap.SingleProcessBootstrap;

/** Numbers of nodes and places on them. */
@Timeout(60)
class NodesTest {

    private static final NodeIdentity A = new NodeIdentity("machine 1", "a");
    private static final NodeIdentity B = new NodeIdentity("machine 1", "b");
    private static final NodeIdentity C = new NodeIdentity("machine 2", "a");

    @Test
    void shouldNumberNodesInTheOrderOfTheirFirstRanks() {
        // JVMs of 2, 1, 2, 1 and 1 ranks
        Nodes nodes = new Nodes(new int[] {0, 2, 3, 5, 6, 7}, 3, List.of(C, A, C, B, A));

        assertEquals(3, nodes.count());
        assertEquals(List.of(0, 0, 1, 0, 0, 2, 1), IntStream.range(0, 7).mapToObj(nodes::nodeOf).toList());
        assertEquals(List.of(0, 1, 0, 2, 3, 0, 1), IntStream.range(0, 7).mapToObj(nodes::indexOf).toList());
    }

    @Test
    void shouldCountWhatIsHere() {
        Nodes nodes = new Nodes(new int[] {0, 2, 3, 5, 6, 7}, 4, List.of(C, A, C, B, A));

        assertEquals(1, nodes.here());
        assertEquals(2, nodes.ranksHere());
        assertEquals(2, nodes.processesHere());
        assertEquals(1, nodes.processIndexHere());
        assertEquals(3, nodes.ranksOnMachine());
        assertTrue(nodes.isHere(2) && nodes.isHere(6));
        assertFalse(nodes.isHere(5));
        assertFalse(nodes.isFirstProcessHere(0));
        assertTrue(nodes.isFirstProcessHere(2));
    }

    @Test
    void shouldTellNodesOfOneNameOnTwoMachinesApart() {
        assertEquals(2, new Nodes(new int[] {0, 1, 2}, 0, List.of(A, C)).count());
    }

    @Test
    void shouldAgreeWithoutOthers() {
        Nodes nodes = Nodes.agree(new SingleProcessBootstrap(3), "nodes", NodeIdentity.current(null, null), 0);

        assertEquals(1, nodes.count());
        assertEquals(3, nodes.ranksHere());
    }

    @Test
    void shouldDivideByNameAndGroup() {
        NodeIdentity plain = NodeIdentity.current(null, null);

        assertEquals(plain, NodeIdentity.current(null, null));
        assertNotEquals(plain, NodeIdentity.current("left", null));
        assertNotEquals(NodeIdentity.current("left", null), NodeIdentity.current("right", null));
        assertNotEquals(NodeIdentity.current(null, "0"), NodeIdentity.current(null, "1"));
        assertEquals(plain.machine(), NodeIdentity.current("left", "1").machine());
    }
}
