package org.pgas4j.bench.model;

/**
 * Times of the runtime's collectives by LogGP (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995), worked out rank by rank
 * along the very trees of the runtime. Ranks are dealt to nodes in runs. Times are microseconds.
 *
 * <p>Ranks that share processors take turns: a collective has every rank run at least once, so it takes no less than
 * the work of all ranks of a node over its processors. A turn has two prices, as waiting ranks have two manners: up to 64
 * ranks for a processor they yield to each other, beyond they park and are woken.
 *
 * @param near         between ranks of a node
 * @param far          between ranks of different nodes
 * @param ranks        of the job
 * @param ranksPerNode of each node, of the last perhaps fewer
 * @param processors   of a node
 * @param yieldUs      processor time of a turn where ranks yield to each other
 * @param workUs       of a turn where they are packed: for being woken once, looking and waiting again
 */
public record CollectiveModel(Link near, Link far, int ranks, int ranksPerNode, int processors, double yieldUs,
                       double workUs) {

    private static final int FLAT_MAX = 8;
    private static final int FAN_IN = 8;
    private static final int PACKED = 64;
    private static final int COMPARED_WORDS = 8;
    private static final long SMALL_BYTES = 4 << 10;
    private static final long DEALT_BYTES = 256 << 10;

    /**
     * @param latencyUs  L: from one end to the other
     * @param overheadUs o: of the sender's processor for a message
     * @param gapUs      g: between operations on one word or through one network interface
     * @param byteUs     G: for each byte of a long message
     */
    public record Link(double latencyUs, double overheadUs, double gapUs, double byteUs) {

        double message(long bytes) {
            return overheadUs + latencyUs + bytes * byteUs;
        }
    }

    private Link link(int from, int to) {
        return from / ranksPerNode == to / ranksPerNode ? near : far;
    }

    /** Work of the processors of the fullest node if every rank is woken {@code times} times. */
    private double turns(double times) {
        int here = Math.min(ranks, ranksPerNode);
        double turnUs = here / processors > PACKED ? workUs : yieldUs;
        return here <= processors ? 0 : times * turnUs * here / processors;
    }

    /** Flags up to 8 ranks; beyond, a tree of counters with fan-in 8, and a release that goes down a tree of nodes. */
    public double barrier() {
        if (ranks <= FLAT_MAX) {
            Link worst = link(0, ranks - 1);
            return Math.max((ranks - 1) * worst.overheadUs() + worst.latencyUs(), turns(1));
        }
        double time = 0;
        for (long span = FAN_IN, group = 1; ; span *= FAN_IN, group = span / FAN_IN) {
            Link link = span > ranksPerNode ? far : near;
            long children = Math.min(FAN_IN, (ranks + group - 1) / group);
            time += link.overheadUs() + link.latencyUs() + (children - 1) * link.gapUs();
            if (span >= ranks) {
                break;
            }
        }
        int here = Math.min(ranks, ranksPerNode);
        double release = near.latencyUs() + (here <= processors ? here * near.gapUs() : 0);
        return Math.max(time + downNodes(ranks <= ranksPerNode ? 1 : Math.ceilDiv(ranks, ranksPerNode)) + release, turns(1));
    }

    /** A word goes down a tree of nodes; a rank writes those of its node's children one after another. */
    private double downNodes(long nodes) {
        double time = 0;
        for (long first = 0, level = 1; first + level < nodes; first += level, level *= FAN_IN) {
            long children = Math.min(FAN_IN, nodes - first - level);
            time += far.overheadUs() + far.latencyUs() + (children - 1) * far.gapUs();
        }
        return time;
    }

    /** A few words up a binomial tree to rank 0 and down again: what an allreduce of one value is. */
    public double exchange(int words) {
        return exchangeOf((words + 1L) * Long.BYTES);
    }

    private double exchangeOf(long bytes) {
        double[] ready = new double[ranks];
        for (int bit = 1; bit < ranks; bit <<= 1) {
            for (int parent = 0; parent + bit < ranks; parent += 2 * bit) {
                ready[parent] = Math.max(ready[parent], ready[parent + bit] + link(parent, parent + bit).message(bytes));
            }
        }
        double[] down = new double[ranks];
        down[0] = ready[0];
        double last = down[0];
        for (int rank = 0; rank < ranks; rank++) {
            double at = down[rank];
            int bit = rank == 0 ? Integer.highestOneBit(Math.max(1, ranks - 1)) : Integer.lowestOneBit(rank) >> 1;
            for (; bit > 0; bit >>= 1) {
                if (rank + bit < ranks) {
                    Link link = link(rank, rank + bit);
                    at += link.overheadUs();
                    down[rank + bit] = at + link.latencyUs() + bytes * link.byteUs();
                    last = Math.max(last, down[rank + bit]);
                }
            }
        }
        // Half of the ranks are leaves, woken once; the others wait for children as well.
        return Math.max(last, turns(2));
    }

    /**
     * Up to {@value #SMALL_BYTES} bytes travel with the words by which all compare their calls. Longer ones every rank copies
     * from the root after that exchange, and one more ends it: within a node at once, as far as there are processors; to other
     * nodes the root sends them one after another, or, from {@value #DEALT_BYTES} bytes on, a part to each, and these give
     * theirs to all.
     */
    public double broadcast(long bytes) {
        if (bytes <= SMALL_BYTES) {
            return exchangeOf((COMPARED_WORDS + 1L) * Long.BYTES + bytes);
        }
        int here = Math.min(ranks, ranksPerNode);
        double copies = near.message(bytes) * Math.ceilDiv(here, processors);
        int elsewhere = ranks - here;
        double sent = elsewhere == 0 ? 0 : far.latencyUs() + elsewhere * far.overheadUs();
        double network = elsewhere == 0 ? 0 : bytes * far.byteUs() * (bytes < DEALT_BYTES ? elsewhere : 2);
        return exchange(COMPARED_WORDS) + Math.max(copies, sent + network) + exchange(0);
    }

    /**
     * All ranks receive all addresses from one process, as in the bootstrap: one JVM for each node.
     *
     * @param entryBytes of one rank
     * @param rankUs     what a JVM does for each of its own ranks: memory, thread
     */
    public double wireUpByStar(long entryBytes, double rankUs) {
        int nodes = Math.ceilDiv(ranks, ranksPerNode);
        double all = (double) ranks * entryBytes;
        double own = Math.min(ranks, ranksPerNode) * rankUs;
        return nodes == 1 ? own : own + far.message((long) all) + (nodes - 1) * (far.overheadUs() + all * far.byteUs());
    }

    /** The same if JVMs gave the addresses on along a tree in which each has {@code fanOut} children. */
    public double wireUpByTree(long entryBytes, double rankUs, int fanOut) {
        int nodes = Math.ceilDiv(ranks, ranksPerNode);
        double own = Math.min(ranks, ranksPerNode) * rankUs;
        double all = (double) ranks * entryBytes;
        double time = own;
        for (long reached = 1, level = fanOut; reached < nodes; reached += level, level *= fanOut) {
            // Up with the part of a subtree, which the last level's sum bounds, and down with everything.
            time += far.message(0) + all / Math.max(1, nodes / (double) (reached + level)) * far.byteUs();
            time += far.latencyUs() + Math.min(fanOut, nodes - 1) * (far.overheadUs() + all * far.byteUs());
        }
        return time;
    }
}
