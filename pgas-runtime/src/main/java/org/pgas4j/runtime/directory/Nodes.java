package org.pgas4j.runtime.directory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.pgas4j.BootstrapException;
import org.pgas4j.runtime.bootstrap.Bootstrap;

/**
 * Which rank is on which node. Nodes have numbers from 0 in the order of their first ranks, the same on every JVM. JVMs of
 * a node open each other's memory files and import each other's device memory; what goes between nodes goes by the
 * network. Immutable.
 */
public final class Nodes {

    private final int[] nodeOf;
    private final int[] indexOf;
    private final int count;
    private final int here;
    private final int ranksHere;
    private final int processesHere;
    private final int processIndexHere;
    private final int process;
    private final List<Integer> nodeOfProcess;
    private final int ranksOnMachine;

    /**
     * @param firstRank  of each JVM, and the number of ranks at the end
     * @param process    this JVM
     * @param identities of the JVMs
     */
    Nodes(int[] firstRank, int process, List<NodeIdentity> identities) {
        int ranks = firstRank[identities.size()];
        List<NodeIdentity> known = new ArrayList<>();
        List<Integer> processNode = new ArrayList<>();
        nodeOf = new int[ranks];
        indexOf = new int[ranks];
        int[] ranksOf = new int[identities.size()];
        int sharing = 0;
        for (int other = 0; other < identities.size(); other++) {
            NodeIdentity identity = identities.get(other);
            if (!known.contains(identity)) {
                known.add(identity);
            }
            int node = known.indexOf(identity);
            processNode.add(node);
            for (int rank = firstRank[other]; rank < firstRank[other + 1]; rank++) {
                nodeOf[rank] = node;
                indexOf[rank] = ranksOf[node]++;
            }
            if (identity.machine().equals(identities.get(process).machine())) {
                sharing += firstRank[other + 1] - firstRank[other];
            }
        }
        this.process = process;
        nodeOfProcess = List.copyOf(processNode);
        int mine = processNode.get(process);
        count = known.size();
        here = mine;
        ranksHere = ranksOf[mine];
        ranksOnMachine = sharing;
        processesHere = (int) processNode.stream().filter(node -> node == mine).count();
        processIndexHere = (int) processNode.subList(0, process).stream().filter(node -> node == mine).count();
    }

    /**
     * Collective over the JVMs: everybody says where it is.
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
                throw new BootstrapException("process " + process + " does not say where it is: " + parts.length
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
        return nodeOf[rank] == here;
    }

    /** The node of a rank. */
    public int nodeOf(int rank) {
        return nodeOf[rank];
    }

    /** A rank's place among the ranks of its node, from 0. */
    public int indexOf(int rank) {
        return indexOf[rank];
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
        return !nodeOfProcess.subList(first, process).contains(here);
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
