package org.pgas4j.bootstrap.stats;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Waits;

/** The summary of a job for people: advice first, then tables, in lines of at most {@value #WIDTH} columns. */
public final class StatsReport {

    static final int WIDTH = 80;

    private static final int MAX_GROUPS = 8;
    private static final int MAX_LINES = 12;
    private static final int MAX_LISTED = 8;

    private final JobStats stats;
    private final StringBuilder text = new StringBuilder();

    private StatsReport(JobStats stats) {
        this.stats = stats;
    }

    /** The summary, with a line separator at its end. */
    public static String of(JobStats stats) {
        StatsReport report = new StatsReport(stats);
        report.write();
        return report.text.toString();
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append(System.lineSeparator());
    }

    private void write() {
        if (stats.isEmpty()) {
            line("pgas4j: no counters of %d ranks: none of their JVMs came to the end of Pgas.run", stats.ranks());
            return;
        }
        line("pgas4j: counters of %d ranks, %s of their programs", stats.all().size(), Units.time(stats.longestNs()));
        if (!stats.missing().isEmpty()) {
            List<Integer> missing = stats.missing();
            line("  no counters of ranks %s%s: their JVMs ended too early",
                    list(missing.subList(0, Math.min(MAX_LISTED, missing.size()))),
                    missing.size() > MAX_LISTED ? " and " + (missing.size() - MAX_LISTED) + " more" : "");
        }
        Advice.of(stats).forEach(this::advice);
        transfers();
        waits();
        late();
        matrix();
    }

    private static String list(List<Integer> ranks) {
        return ranks.toString().replaceAll("[\\[\\]]", "");
    }

    /** A sentence over several lines. */
    private void advice(String sentence) {
        String indent = "  * ";
        StringBuilder row = new StringBuilder(indent);
        for (String word : sentence.split(" ")) {
            if (row.length() + word.length() > WIDTH && row.length() > indent.length()) {
                line("%s", row);
                row.setLength(0);
                row.append("    ");
            }
            row.append(word).append(' ');
        }
        line("%s", row);
    }

    private void transfers() {
        List<JobStats.Flow> flows = stats.flows();
        if (flows.isEmpty()) {
            return;
        }
        line("");
        line("%-16s %-10s %12s %12s %12s", "route", "operation", "calls", "bytes", "mean");
        for (JobStats.Flow flow : flows.subList(0, Math.min(MAX_LINES, flows.size()))) {
            line("%-16s %-10s %12s %12s %12s", flow.route(), flow.operation(), Units.count(flow.calls()),
                    Units.bytes(flow.bytes()),
                    Units.bytes((double) flow.bytes() / flow.calls()));
        }
        rest(flows.size());
    }

    private void rest(int lines) {
        if (lines > MAX_LINES) {
            line("... and %d more", lines - MAX_LINES);
        }
    }

    private void waits() {
        List<Waits> waits = stats.waits();
        if (waits.isEmpty()) {
            return;
        }
        line("");
        line("%-22s %9s %9s %9s  %-12s %-12s", "operation", "calls", "waits", "of time", "least", "most");
        for (Waits each : waits.subList(0, Math.min(MAX_LINES, waits.size()))) {
            RankCounters least = null;
            RankCounters most = null;
            for (RankCounters rank : stats.all()) {
                least = least == null || shareOf(rank, each) < shareOf(least, each) ? rank : least;
                most = most == null || shareOf(rank, each) > shareOf(most, each) ? rank : most;
            }
            line("%-22s %9s %9s %9s  %-12s %-12s", each.operation(), Units.count(each.calls()), Units.count(each.waits()),
                    Units.share(each.waitNs(), stats.timeNs()), ofRank(least, each), ofRank(most, each));
        }
        rest(waits.size());
    }

    private static long waitNs(RankCounters rank, Waits kind) {
        return JobStats.waitNs(rank, line -> line.operation().equals(kind.operation()));
    }

    private static double shareOf(RankCounters rank, Waits kind) {
        return (double) waitNs(rank, kind) / Math.max(1, rank.timeNs());
    }

    /** Share of one rank, with its number. */
    private static String ofRank(RankCounters rank, Waits kind) {
        return Units.share(waitNs(rank, kind), rank.timeNs()) + " (" + rank.rank() + ")";
    }

    private void late() {
        List<Late> late = stats.late();
        if (late.isEmpty()) {
            return;
        }
        long all = late.stream().mapToLong(Late::waits).sum();
        line("");
        line("%-22s %9s %9s %9s", "last to a barrier", "share", "later", "in all");
        for (Late each : late.subList(0, Math.min(MAX_GROUPS, late.size()))) {
            line("rank %-17d %9s %9s %9s", each.rank(), Units.share(each.waits(), all),
                    Units.time((double) each.waitNs() / each.waits()), Units.time(each.waitNs()));
        }
        if (late.size() > MAX_GROUPS) {
            line("... and %d more", late.size() - MAX_GROUPS);
        }
    }

    private void matrix() {
        int group = Math.ceilDiv(stats.ranks(), MAX_GROUPS);
        long[][] bytes = stats.matrix(group);
        if (Arrays.stream(bytes).flatMapToLong(Arrays::stream).sum() == 0) {
            return;
        }
        line("");
        line("bytes from the memory of the ranks of a row to that of a column");
        StringBuilder row = new StringBuilder(String.format("%-8s", "rank"));
        for (int to = 0; to < bytes.length; to++) {
            row.append(String.format("%9s", name(to, group)));
        }
        line("%s", row);
        for (int from = 0; from < bytes.length; from++) {
            row = new StringBuilder(String.format("%-8s", name(from, group)));
            for (long each : bytes[from]) {
                row.append(String.format("%9s", each == 0 ? "-" : Units.bytes(each)));
            }
            line("%s", row);
        }
    }

    private String name(int index, int group) {
        int first = index * group;
        int last = Math.min(first + group, stats.ranks()) - 1;
        return first == last ? String.valueOf(first) : first + "-" + last;
    }
}
