package org.pgas4j.bootstrap.stats;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.RankCounters.Waits;

/**
 * Sentences about what makes a job slow, from its counters alone. Each rule is a method with its thresholds; what is below
 * them is not worth a sentence.
 */
final class Advice {

    /** Share of the ranks' time from which waits are worth a sentence. */
    private static final String OF_BLOCKS = "blocks"; // route
    private static final double NOTABLE = 0.05;
    private static final double MUCH = 0.25;
    private static final long NOTABLE_BYTES = 64 << 10;
    private static final long NOTABLE_CALLS = 1_000;
    private static final long SMALL_BYTES = 64;
    private static final double MOST = 0.9;
    private static final double MAX_SHARE_OF_ONE = 0.7; // of the use of a memory; above, it is that rank's doing
    private static final long SHORT_NS = 1_000_000_000;

    private final JobStats stats;
    private final List<String> lines = new ArrayList<>();

    private Advice(JobStats stats) {
        this.stats = stats;
    }

    /** The sentences, the most important first; one that says so if nothing stands out. */
    static List<String> of(JobStats stats) {
        Advice advice = new Advice(stats);
        if (!advice.nameLateRank()) {
            advice.nameBusyRank();
        }
        advice.nameTarget();
        advice.nameSource();
        advice.nameMessages();
        advice.nameSmall();
        advice.nameWaits();
        if (!stats.isEmpty() && stats.longestNs() < SHORT_NS) {
            advice.lines.add("the job was short: starting it may weigh more than what it is for");
        }
        if (advice.lines.isEmpty()) {
            advice.lines.add("nothing stands out: ranks wait "
                    + Units.share(advice.allWaitNs(), stats.timeNs()) + " of their time");
        }
        return List.copyOf(advice.lines);
    }

    private long allWaitNs() {
        return stats.all().stream().mapToLong(RankCounters::waitNs).sum();
    }

    /** One rank comes last to most barriers. */
    private boolean nameLateRank() {
        List<Late> late = stats.late();
        long waits = late.stream().mapToLong(Late::waits).sum();
        long waitNs = late.stream().mapToLong(Late::waitNs).sum();
        if (waitNs < NOTABLE * stats.timeNs() || waits == 0) {
            return false;
        }
        Late first = late.getFirst();
        if (2 * first.waitNs() < waitNs) {
            lines.add("barriers take " + Units.share(waitNs, stats.timeNs())
                    + " of the time, and different ranks come last: rank "
                    + first.rank() + " to " + Units.share(first.waits(), waits) + " of them. The work of a step varies: fewer "
                    + "barriers, or tasks that ranks take from each other, would help");
            return false;
        }
        lines.add("rank " + first.rank() + " comes last to " + Units.share(first.waits(), waits) + " of the barriers that others "
                + "wait in, " + Units.time((double) first.waitNs() / first.waits())
                + " later on average: it computes longer than "
                + "the others, or waits for something of its own before");
        return true;
    }

    /** One rank hardly waits in collective operations, the others do. */
    private void nameBusyRank() {
        List<RankCounters> all = stats.all();
        if (all.size() < 2) {
            return;
        }
        long sum = 0;
        long least = Long.MAX_VALUE;
        RankCounters busy = null;
        for (RankCounters each : all) {
            long waitNs = JobStats.waitNs(each, JobStats.TOGETHER);
            sum += waitNs;
            if (waitNs < least) {
                least = waitNs;
                busy = each;
            }
        }
        double others = (double) (sum - least) / (all.size() - 1);
        double timeNs = (double) (stats.timeNs() - busy.timeNs()) / (all.size() - 1);
        if (others >= NOTABLE * timeNs && 4 * least <= others) {
            lines.add("rank " + busy.rank() + " waits " + Units.share(least, busy.timeNs()) + " of its time for the others in "
                    + "collective operations, "
                    + "they wait " + Units.share(others, timeNs) + " of theirs: it has more to do than they");
        }
    }

    /** The memory of one rank is used by many. */
    private void nameTarget() {
        nameTarget("bytes", Traffic::bytes, NOTABLE_BYTES);
        if (lines.stream().noneMatch(line -> line.startsWith("the memory of rank "))) {
            nameTarget("transfers", Traffic::calls, NOTABLE_CALLS);
        }
    }

    private void nameTarget(String what, ToLongFunction<Traffic> value, long notable) {
        long[] sums = stats.byPeer(value);
        int target = largest(sums);
        long all = LongStream.of(sums).sum();
        long[] users = stats.usersOf(target, value);
        boolean many = users.length >= 2 && users.length >= stats.ranks() / 2
                && LongStream.of(users).max().getAsLong() <= MAX_SHARE_OF_ONE * sums[target];
        if (all >= notable && sums[target] >= all / 2 && many) {
            lines.add("the memory of rank " + target + " is one end of " + Units.share(sums[target], all) + " of the " + what
                    + " between ranks, for " + users.length + " other ranks (all to one): spread what lies there over the ranks, "
                    + "or combine by a collective operation");
        }
    }

    /** One rank starts most transfers. */
    private void nameSource() {
        long[] sums = stats.byRank(Traffic::bytes);
        int source = largest(sums);
        long all = LongStream.of(sums).sum();
        int ranks = stats.ranks();
        double mean = (double) all / ranks;
        if (all >= NOTABLE_BYTES && (ranks > 2 ? sums[source] >= 2 * mean : ranks == 2 && sums[source] >= MOST * all)) {
            lines.add("rank " + source + " moves " + Units.share(sums[source], all) + " of the bytes between ranks, "
                    + Units.bytes(sums[source]) + ", and the mean of the ranks is " + Units.bytes(mean)
                    + " (imbalance): let each rank move its own part");
        }
    }

    private static int largest(long[] values) {
        int at = 0;
        for (int i = 1; i < values.length; i++) {
            at = values[i] > values[at] ? i : at;
        }
        return at;
    }

    private static boolean isMessage(Traffic line) {
        return line.route().equals("fastpath") || line.route().equals("rendezvous");
    }

    /** Much goes by messages, which need the owner of the memory or a helper. */
    private void nameMessages() {
        long bytes = stats.remote(_ -> true, Traffic::bytes);
        long byMessages = stats.remote(Advice::isMessage, Traffic::bytes);
        if (byMessages < NOTABLE_BYTES || byMessages < NOTABLE * bytes) {
            return;
        }
        Map<String, Long> reasons = new TreeMap<>();
        stats.forEachTransfer((_, line) -> {
            if (isMessage(line)) {
                reasons.merge(line.reason(), line.bytes(), Long::sum);
            }
        });
        String reason = reasons.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
        lines.add(Units.share(byMessages, bytes)
                + " of the bytes between ranks went by messages, which the owner of the memory or "
                + "a helper has to serve, because " + reason + " (--explain prints the routes)");
    }

    /** Most puts or gets of hosts are small; those that blocks store and load by themselves are made for that. */
    private void nameSmall() {
        for (String operation : List.of("put", "get")) {
            long calls = stats.remote(line -> line.operation().equals(operation) && !line.route().equals(OF_BLOCKS),
                    Traffic::calls);
            long small = stats.remote(line -> line.operation().equals(operation) && !line.route().equals(OF_BLOCKS)
                    && line.minBytes() < SMALL_BYTES, Traffic::calls);
            if (calls >= NOTABLE_CALLS && small >= MOST * calls) {
                lines.add(Units.share(small, calls) + " of the " + Units.count(calls) + " " + operation + "s between ranks have "
                        + "fewer than " + SMALL_BYTES + " bytes: collect them, or move pieces in one operation");
            }
        }
    }

    /** Ranks wait long for something but each other's arrival. */
    private void nameWaits() {
        for (Waits line : stats.waits()) {
            if (!JobStats.TOGETHER.test(line) && line.waitNs() >= MUCH * stats.timeNs()) {
                lines.add("ranks wait " + Units.share(line.waitNs(), stats.timeNs()) + " of their time in operations of kind '"
                        + line.operation() + "', " + Units.time((double) line.waitNs() / line.waits()) + " each on average: "
                        + remedy(line.operation()));
            }
        }
    }

    private static String remedy(String operation) {
        return switch (operation) {
            case "device" -> "queue more work before the rank waits for its device";
            case "transfer" -> "start transfers earlier and wait later; helper threads (--helper on) serve ranks that compute";
            case "notification" -> "the sender comes late: send earlier, or give the receiver other work meanwhile";
            case "lock" -> "hold locks for a shorter time, or use one for each part of the data";
            default -> "see docs/seeing.md";
        };
    }
}
