package org.pgas4j.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.bench.checks.PutRun;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.result.Environment;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cost of the checks of a put of 8 bytes, with and without in one run, by JMH. */
@Command(name = "checks", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false, description = "Puts of 8 bytes between two ranks"
        + " of a JVM, without checks, with them, and with pgas.check=full; by JMH, each line in JVMs of its own.",
        footer = {"", "Nanoseconds; samples are means of JMH's iterations. The last column is what a line takes more than the"
                + " conduit's put without checks."})
final class ChecksCommand implements Callable<Integer> {

    private static final String STUDY = "checks";
    private static final String JMH = "org.openjdk.jmh.runner.Runner";
    private static final String UNCHECKED = "unchecked";
    private static final String CHECKED = "checked";
    private static final double NS_PER_US = 1e3;
    private static final long PUT_BYTES = 8;

    /** Benchmarks and what their lines are called. */
    private static final Map<String, String> LINES = new LinkedHashMap<>();

    static {
        LINES.put("store", "store to the mapping");
        LINES.put(UNCHECKED, "conduit put");
        LINES.put(CHECKED, "conduit put behind checks");
        LINES.put("memputSegmentBounds", "memput, no generation");
        LINES.put("memput", "memput");
        LINES.put("memputFull", "memput, check=full");
    }

    @Option(names = "--quick", description = "One JVM for each line and short times: within a minute.")
    private boolean quick;

    @Option(names = "--only", split = ",", paramLabel = "LINE", description = "store, unchecked, checked, memputSegmentBounds,"
            + " memput, memputFull; default: all.")
    private List<String> only;

    @Option(names = "--out", paramLabel = "DIR", description = "Keeps JSON lines and CSV there.")
    private Path out;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws IOException {
        try {
            Class.forName(JMH);
        } catch (ClassNotFoundException e) {
            throw new UsageException("checks needs JMH, which distributions do not have; run it in a checkout", e);
        }
        if (only != null && !LINES.keySet().containsAll(only)) {
            throw new UsageException("--only " + only + " (expected: some of " + LINES.keySet() + ")");
        }
        List<String> about = Environment.withLoad("began", common.commit);
        Map<String, double[]> found = PutRun.run(only == null ? LINES.keySet() : only, quick, common.progress);
        List<Row> rows = new ArrayList<>();
        Provenance provenance = Provenance.ofProgram(common.commit);
        LINES.keySet().stream().filter(found::containsKey).forEach(line -> rows.add(provenance.stamp(row(line, found.get(line),
                found.get(UNCHECKED)))));
        if (common.json) {
            rows.forEach(row -> System.out.println(row.json()));
        } else {
            print(about, rows, found);
        }
        if (out != null) {
            new Results(out).keep(STUDY, rows, about, "scripts/bench checks" + (quick ? " --quick" : "") + " --out DIR");
        }
        return rows.isEmpty() ? 1 : 0;
    }

    private static double at(double[] sorted, double quantile) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(quantile * (sorted.length - 1)))];
    }

    private static Row row(String line, double[] ns, double[] unchecked) {
        SampleTimes times = new SampleTimes(at(ns, 0.5) / NS_PER_US, Double.NaN, Double.NaN, Double.NaN,
                Arrays.stream(ns).average().orElseThrow() / NS_PER_US, ns.length, SampleTimes.UNKNOWN);
        Row row = new Row(STUDY, "put", "host", "host", "direct-host", 1, PUT_BYTES, times,
                unchecked == null ? Double.NaN : at(unchecked, 0.5) / NS_PER_US, 0, Map.of());
        return row.with(Row.STYLE, LINES.get(line));
    }

    private static void print(List<String> about, List<Row> rows, Map<String, double[]> found) {
        about.forEach(line -> System.out.println("# " + line));
        System.out.printf(Locale.ROOT, "%-28s%10s%10s%10s%12s%n", "# put of 8 bytes, ns", "mean", "p50", "samples", "over put");
        for (Row row : rows) {
            System.out.printf(Locale.ROOT, "%-28s%10.2f%10.2f%10d%12s%n", row.text(Row.STYLE),
                    row.times().mean() * NS_PER_US, row.times().p50() * NS_PER_US, row.times().samples(), Double.isNaN(row.baselineUs()) ? "-"
                            : String.format(Locale.ROOT, "%+.2f", (row.times().p50() - row.baselineUs()) * NS_PER_US));
        }
        if (found.containsKey(CHECKED) && found.containsKey(UNCHECKED)) {
            System.out.printf(Locale.ROOT, "# bounds and generation cost %.2f ns of a put of 8 bytes (bar: 5 ns), medians%n",
                    at(found.get(CHECKED), 0.5) - at(found.get(UNCHECKED), 0.5));
        }
    }
}
