package org.pgas4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Sheet;
import org.pgas4j.bench.result.Effect;
import org.pgas4j.bench.result.FlatJson;
import org.pgas4j.bench.result.Repeats;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares the medians of two runs, line by line, and fails if the second is slower. */
@Command(name = "compare", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        description = "Compares two runs line by line: how much longer the second takes, with an interval.",
        footer = {"", "Each launch of a line gives one median; a line's ratio is that of the medians of those, its interval of 95 %% is"
                + " bootstrapped over launches, of which each run needs 5 or more (--repeat 5). Delta is Cliff's: 1 if every"
                + " launch of the second run takes longer than every one of the first, -1 the other way round. Exit"
                + " status 3 if the interval of a line lies above the gate."})
final class CompareCommand implements Callable<Integer> {

    private static final int SLOWER = 3;

    @Parameters(index = "0", paramLabel = "A", description = "results in JSON lines, or a directory of them")
    private Path before;

    @Parameters(index = "1", paramLabel = "B", description = "what is compared with them")
    private Path after;

    @Option(names = "--gate", paramLabel = "PERCENT", description = "Fails where B surely takes longer than A by more than this.")
    private Double gate;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Of the bootstrap; default 1.")
    private long seed = 1;

    @Option(names = "--json", description = "Prints JSON lines instead of a table.")
    private boolean json;

    @Override
    public Integer call() {
        Map<String, List<Row>> first = read(before);
        Map<String, List<Row>> second = read(after);
        Sheet sheet = new Sheet("line", "A us", "B us", "launches", "B / A", "interval", "delta", "verdict");
        int slower = 0;
        int judged = 0;
        List<String> common = first.keySet().stream().filter(second::containsKey).toList();
        for (String line : common) {
            Effect effect = Effect.of(medians(first.get(line)), medians(second.get(line)), seed);
            judged += effect.hasInterval() ? 1 : 0;
            slower += gate != null && effect.isAbove(1 + gate / 100) ? 1 : 0;
            print(sheet, line, effect);
        }
        System.out.print(json ? "" : sheet.markdown());
        System.err.printf(Locale.ROOT, "bench: %d lines compared, %d only in %s, %d only in %s, %d without an interval, %d beyond the"
                + " gate%n", common.size(), first.size() - common.size(), before, second.size() - common.size(), after,
                common.size() - judged, slower);
        if (common.isEmpty()) {
            throw new UsageException("no line of " + before + " is in " + after);
        }
        if (gate != null && judged == 0) {
            throw new UsageException("--gate " + gate + " needs " + Effect.MIN_VALUES + " launches of each run (--repeat "
                    + Effect.MIN_VALUES + ")");
        }
        return slower > 0 ? SLOWER : 0;
    }

    private void print(Sheet sheet, String line, Effect effect) {
        if (json) {
            System.out.println(FlatJson.write(effect.fields(line)));
            return;
        }
        String verdict = !effect.hasInterval() ? "not known" : effect.isAbove(1) ? "slower" : effect.isBelow(1) ? "faster" : "alike";
        sheet.row(line, text(effect.before()), text(effect.after()), effect.valuesBefore() + ", " + effect.valuesAfter(),
                text(effect.ratio()), effect.hasInterval() ? text(effect.low()) + " to " + text(effect.high()) : "-",
                text(effect.delta()), verdict);
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static double[] medians(List<Row> rows) {
        return rows.stream().mapToDouble(row -> row.times().p50()).toArray();
    }

    private static Map<String, List<Row>> read(Path from) {
        if (!Files.isDirectory(from)) {
            return lines(from, Row.read(from));
        }
        List<Row> rows = new ArrayList<>();
        try (Stream<Path> files = Files.list(from)) {
            files.filter(file -> file.toString().endsWith(".jsonl")).sorted().forEach(file -> rows.addAll(Row.read(file)));
        } catch (IOException e) {
            throw new UncheckedIOException("results in " + from, e);
        }
        return lines(from, rows);
    }

    private static Map<String, List<Row>> lines(Path from, List<Row> rows) {
        try {
            return Repeats.lines(rows);
        } catch (IllegalArgumentException e) {
            throw new UsageException(from + ": " + e.getMessage(), e);
        }
    }
}
