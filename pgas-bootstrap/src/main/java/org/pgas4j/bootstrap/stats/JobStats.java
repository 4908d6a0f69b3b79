package org.pgas4j.bootstrap.stats;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.RankCounters.Waits;

/** Counters of the ranks of a job, of all its runs together. Not thread-safe. */
public final class JobStats {

    /** Kinds of operation in which a rank waits for others that have not come yet; allocations show how ranks start. */
    static final Predicate<Waits> TOGETHER = line -> switch (line.operation()) {
        case "program", "transfer", "notification", "lock", "remote call", "device", "allocation", "team",
                "collective allocation" -> false;
        default -> true;
    };

    private final int ranks;
    private final Map<Integer, RankCounters> counters = new TreeMap<>();

    /** @param ranks of the job; counters of some may be missing */
    public JobStats(int ranks) {
        this.ranks = ranks;
    }

    /** The bytes of some ranks' counters, for {@link #add(byte[])}. */
    public static byte[] encode(List<RankCounters> ranks) {
        return CountersCodec.encode(ranks);
    }

    /** Adds ranks, or another run of theirs. */
    public void add(List<RankCounters> more) {
        more.forEach(each -> counters.merge(each.rank(), each, RankCounters::plus));
    }

    /**
     * Adds ranks from their encoded counters.
     *
     * @throws IOException if {@code bytes} are none
     */
    public void add(byte[] bytes) throws IOException {
        add(CountersCodec.decode(bytes));
    }

    /** Number of ranks of the job. */
    int ranks() {
        return ranks;
    }

    /** The counters that are there, by rank. */
    List<RankCounters> all() {
        return List.copyOf(counters.values());
    }

    /** True if nothing is known of any rank. */
    boolean isEmpty() {
        return counters.isEmpty();
    }

    /** Ranks without counters. */
    List<Integer> missing() {
        List<Integer> missing = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            if (!counters.containsKey(rank)) {
                missing.add(rank);
            }
        }
        return missing;
    }

    /** Time of the ranks' programs, summed over the ranks. */
    long timeNs() {
        return counters.values().stream().mapToLong(RankCounters::timeNs).sum();
    }

    /** Longest time of a rank's program. */
    long longestNs() {
        return counters.values().stream().mapToLong(RankCounters::timeNs).max().orElse(0);
    }

    // ---- transfers

    /** A sum over lines of traffic. */
    record Flow(String route, String operation, long calls, long bytes) {
    }

    /** Calls and bytes of each route and operation, most bytes first. */
    List<Flow> flows() {
        Map<String, Flow> sums = new TreeMap<>();
        forEachTransfer((_, line) -> sums.merge(line.route() + " " + line.operation(),
                new Flow(line.route(), line.operation(), line.calls(), line.bytes()),
                (a, b) -> new Flow(a.route, a.operation, a.calls + b.calls, a.bytes + b.bytes)));
        return sums.values().stream().sorted(Comparator.comparingLong(Flow::bytes).reversed()).toList();
    }

    /** Receives a line of traffic and the rank that started it. */
    @FunctionalInterface
    interface Visitor {
        void line(int rank, Traffic line);
    }

    void forEachTransfer(Visitor visitor) {
        counters.values().forEach(each -> each.traffic().forEach(line -> visitor.line(each.rank(), line)));
    }

    /** Sum over the transfers of ranks to others that satisfy {@code which}. */
    long remote(Predicate<Traffic> which, ToLongFunction<Traffic> value) {
        long[] sum = new long[1];
        forEachTransfer((rank, line) -> sum[0] += line.peer() != rank && which.test(line) ? value.applyAsLong(line) : 0);
        return sum[0];
    }

    /** Sum over the transfers with others, for each rank that started them. */
    long[] byRank(ToLongFunction<Traffic> value) {
        long[] sums = new long[ranks];
        forEachTransfer((rank, line) -> sums[rank] += line.peer() != rank ? value.applyAsLong(line) : 0);
        return sums;
    }

    /** Sum over the transfers with others, for each rank whose memory they use. */
    long[] byPeer(ToLongFunction<Traffic> value) {
        long[] sums = new long[ranks];
        forEachTransfer((rank, line) -> sums[line.peer()] += line.peer() != rank ? value.applyAsLong(line) : 0);
        return sums;
    }

    /** Sums over the transfers with the memory of {@code peer}, for each other rank that has any. */
    long[] usersOf(int peer, ToLongFunction<Traffic> value) {
        return counters.values().stream().filter(each -> each.rank() != peer)
                .mapToLong(each -> each.traffic().stream().filter(line -> line.peer() == peer).mapToLong(value).sum())
                .filter(sum -> sum > 0).toArray();
    }

    /**
     * Bytes that went from the memory of one group of ranks to that of another: a put goes to the peer, a get comes from it.
     *
     * @param group consecutive ranks in one row and column
     */
    long[][] matrix(int group) {
        int groups = Math.ceilDiv(ranks, group);
        long[][] bytes = new long[groups][groups];
        forEachTransfer((rank, line) -> {
            boolean get = line.operation().equals("get");
            bytes[(get ? line.peer() : rank) / group][(get ? rank : line.peer()) / group] += line.bytes();
        });
        return bytes;
    }

    // ---- waits

    /** Sum of the long waits of all ranks, by kind of operation, most time first. */
    List<Waits> waits() {
        Map<String, Waits> sums = new TreeMap<>();
        counters.values().forEach(each -> each.waits().forEach(line -> sums.merge(line.operation(), line, (a, b) ->
                new Waits(a.operation(), a.calls() + b.calls(), a.waits() + b.waits(), a.waitNs() + b.waitNs()))));
        return sums.values().stream().sorted(Comparator.comparingLong(Waits::waitNs).reversed()).toList();
    }

    /** Time that a rank has waited in the kinds that satisfy {@code which}. */
    static long waitNs(RankCounters of, Predicate<Waits> which) {
        return of.waits().stream().filter(which).mapToLong(Waits::waitNs).sum();
    }

    /** Waits in barriers by the rank that came last, over all that waited for it; most time first. */
    List<Late> late() {
        Map<Integer, Late> sums = new TreeMap<>();
        counters.values().forEach(each -> each.late().forEach(line -> sums.merge(line.rank(), line, (a, b) ->
                new Late(a.rank(), a.waits() + b.waits(), a.waitNs() + b.waitNs()))));
        return sums.values().stream().sorted(Comparator.comparingLong(Late::waitNs).reversed()).toList();
    }
}
