package org.pgas4j.bootstrap.node;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.pgas4j.BootstrapException;
import org.pgas4j.bootstrap.Bootstrap;

/**
 * Map of ranks to nodes. Nodes have numbers from 0 in the order of their first ranks, the same on every JVM. JVMs of
 * a node open each other's memory files and import each other's device memory; bytes between nodes go by the
 * network. Immutable.
 */
public final class Nodes {

    private final int[] firstRank;
    private final int[] nodeOf; // of each JVM: ranks of one are on one node
    private final int[] indexOf; // of each JVM's first rank
    private final int count;
    private final int here;
    private final int ranksHere;
    private final int processesHere;
    private final int processIndexHere;
    private final int process;
    private final int ranksOnMachine;

    /**
     * @param firstRank  of each JVM, and the number of ranks at the end
     * @param process    this JVM
     * @param identities of the JVMs
     */
    Nodes(int[] firstRank, int process, List<NodeIdentity> identities) {
        Map<NodeIdentity, Integer> known = new HashMap<>();
        this.firstRank = firstRank;
        nodeOf = new int[identities.size()];
        indexOf = new int[identities.size()];
        int[] ranksOf = new int[identities.size()];
        int sharing = 0;
        for (int other = 0; other < identities.size(); other++) {
            NodeIdentity identity = identities.get(other);
            int ranks = firstRank[other + 1] - firstRank[other];
            int node = known.computeIfAbsent(identity, _ -> known.size());
            nodeOf[other] = node;
            indexOf[other] = ranksOf[node];
            ranksOf[node] += ranks;
            if (identity.machine().equals(identities.get(process).machine())) {
                sharing += ranks;
            }
        }
        this.process = process;
        count = known.size();
        here = nodeOf[process];
        ranksHere = ranksOf[here];
        ranksOnMachine = sharing;
        processesHere = (int) Arrays.stream(nodeOf).filter(node -> node == here).count();
        processIndexHere = (int) Arrays.stream(nodeOf, 0, process).filter(node -> node == here).count();
    }

    /**
     * Collective over the JVMs: exchanges their identities.
     *
     * @param key names the exchange
     */
    public static Nodes agree(Bootstrap bootstrap, String key, NodeIdentity mine, long deadlineNs) {
        int[] firstRank = IntStream.rangeClosed(0, bootstrap.processes()).map(bootstrap::firstRank).toArray();
        if (bootstrap.processes() == 1) {
            return new Nodes(firstRank, 0, List.of(mine));
        }
        byte[] text = (mine.machine() + "\n" + mine.node()).getBytes(StandardCharsets.UTF_8);
        byte[][] all = bootstrap.allGather(key, text, deadlineNs);
        List<NodeIdentity> identities = new ArrayList<>();
        for (int process = 0; process < all.length; process++) {
            String[] parts = new String(all[process], StandardCharsets.UTF_8).split("\n", -1);
            if (parts.length != 2) {
                throw new BootstrapException("process " + process + " sent no node identity: " + parts.length
                        + " lines (expected: machine and node)");
            }
            identities.add(new NodeIdentity(parts[0], parts[1]));
        }
        return new Nodes(firstRank, bootstrap.process(), identities);
    }

    /** Nodes of the job. */
    public int count() {
        return count;
    }

    /** The node of this JVM. */
    public int here() {
        return here;
    }

    /** True if the rank is on the node of this JVM. */
    public boolean isHere(int rank) {
        return nodeOf(rank) == here;
    }

    /** The node of a rank. */
    public int nodeOf(int rank) {
        return nodeOf[processOf(rank)];
    }

    /** The first rank of each node, by node; that of the first is rank 0. */
    public int[] firstRanks() {
        int[] first = new int[count];
        for (int other = nodeOf.length - 1; other >= 0; other--) {
            first[nodeOf[other]] = firstRank[other];
        }
        return first;
    }

    /** A rank's place among the ranks of its node, from 0. */
    public int indexOf(int rank) {
        int of = processOf(rank);
        return indexOf[of] + rank - firstRank[of];
    }

    private int processOf(int rank) {
        Objects.checkIndex(rank, firstRank[nodeOf.length]);
        int at = Arrays.binarySearch(firstRank, rank);
        return at >= 0 ? at : -at - 2;
    }

    /** Ranks of this node. */
    public int ranksHere() {
        return ranksHere;
    }

    /** JVMs of this node. */
    public int processesHere() {
        return processesHere;
    }

    /** This JVM's place among those of its node, from 0. */
    public int processIndexHere() {
        return processIndexHere;
    }

    /** True if no JVM from {@code first} on that is on this node has a lower number than this one. */
    public boolean isFirstProcessHere(int first) {
        return Arrays.stream(nodeOf, first, process).noneMatch(node -> node == here);
    }

    /** Ranks that share this node's processors and memory: those of all nodes of the machine. */
    public int ranksOnMachine() {
        return ranksOnMachine;
    }

    @Override
    public String toString() {
        return "Nodes[count=" + count + ", here=" + here + ", nodeOf=" + Arrays.toString(nodeOf) + "]";
    }
}
