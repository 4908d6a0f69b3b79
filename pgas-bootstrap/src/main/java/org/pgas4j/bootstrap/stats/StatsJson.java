package org.pgas4j.bootstrap.stats;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.pgas4j.RankCounters;

/**
 * The counters of a job as JSON: {@code ranks} (of the job), {@code advice} (sentences) and {@code counters}, an object for each
 * rank with the fields of {@link RankCounters} and its lists. Times are in nanoseconds.
 */
public final class StatsJson {

    private StatsJson() {
    }

    /** The JSON text, a line for each line of counters. */
    public static String of(JobStats stats) {
        return "{\"ranks\": " + stats.ranks() + ",\n \"advice\": [" + Advice.of(stats).stream().map(JsonText::quoted)
                .collect(Collectors.joining(",\n  ")) + "],\n \"counters\": [\n" + stats.all().stream().map(StatsJson::rank)
                .collect(Collectors.joining(",\n")) + "]}\n";
    }

    private static String rank(RankCounters counters) {
        return "  {\"rank\": " + counters.rank() + ", \"timeNs\": " + counters.timeNs()
                + list("traffic", counters.traffic(), line -> "\"peer\": " + line.peer() + ", \"route\": "
                        + JsonText.quoted(line.route()) + ", \"operation\": " + JsonText.quoted(line.operation())
                        + ", \"minBytes\": " + line.minBytes() + ", \"calls\": " + line.calls() + ", \"bytes\": " + line.bytes()
                        + ", \"reason\": " + JsonText.quoted(line.reason()))
                + list("waits", counters.waits(), line -> "\"operation\": " + JsonText.quoted(line.operation())
                        + ", \"calls\": " + line.calls() + ", \"waits\": " + line.waits() + ", \"waitNs\": " + line.waitNs())
                + list("late", counters.late(), line -> "\"rank\": " + line.rank() + ", \"waits\": " + line.waits()
                        + ", \"waitNs\": " + line.waitNs()) + "}";
    }

    private static <T> String list(String name, List<T> lines, Function<T, String> fields) {
        return ",\n   \"" + name + "\": [" + lines.stream().map(line -> "{" + fields.apply(line) + "}")
                .collect(Collectors.joining(",\n    ")) + "]";
    }
}
