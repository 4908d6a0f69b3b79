package org.pgas4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.bench.model.CollectiveModel;
import org.pgas4j.bench.model.CollectiveModel.Link;
import org.pgas4j.bench.model.LinkProbe;
import org.pgas4j.bench.result.Environment;
import org.pgas4j.bench.result.FlatJson;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.study.ScalingProgram;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares the model of the collectives with what the scaling study measured, and predicts beyond it. */
@Command(name = "simulate", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false, description = "Times of the runtime's wire-up"
        + " and collectives by LogGP along their own trees, beside those of scripts/bench scaling, and up to a million ranks.")
final class SimulateCommand implements Callable<Integer> {

    private static final int FIT_RANKS = 1024;

    @Option(names = "--in", paramLabel = "FILE", description = "scaling.jsonl of this machine")
    private Path in;

    @Option(names = "--processors", paramLabel = "N", description = "of the measured machine; default: of this one")
    private int processors = Runtime.getRuntime().availableProcessors();

    @Option(names = "--near", split = ",", arity = "1", paramLabel = "L,o,g,G", description = "within a node, us and us per byte;"
            + " default: measured now between two threads")
    private List<Double> near;

    @Option(names = "--turn", paramLabel = "US", description = "processor time of a turn where ranks share processors and yield;"
            + " default: measured now between threads")
    private Double turn;

    @Option(names = "--parameters-only", description = "measures and prints the parameters of this machine, and ends")
    private boolean parametersOnly;

    @Option(names = "--far", split = ",", arity = "1", defaultValue = "1.5,0.25,0.1,0.00002", paramLabel = "L,o,g,G",
            description = "between nodes; default ${DEFAULT-VALUE}, an assumed network of 400 Gbit/s, not measured")
    private List<Double> far;

    @Option(names = "--ranks-per-node", paramLabel = "N", defaultValue = "64", description = "of the predictions; default: 64,"
            + " one processor each")
    private int ranksPerNode;

    @Option(names = "--most", paramLabel = "N", defaultValue = "1000000", description = "ranks to predict for; default: 1000000")
    private int most;

    @Option(names = "--fan-out", paramLabel = "N", defaultValue = "16", description = "of a wire-up by a tree; default: 16")
    private int fanOut;

    @Option(names = "--entry-bytes", paramLabel = "N", defaultValue = "160",
            description = "of a rank's two addresses in the exchange; default: 160")
    private long entryBytes;

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() throws IOException {
        if (in == null && !parametersOnly) {
            throw new UsageException("--in FILE is missing: scripts/bench scaling --out DIR makes it; --parameters-only does"
                    + " without");
        }
        if (common.json && !parametersOnly) {
            throw new UsageException("--json without --parameters-only");
        }
        Link here = near == null ? LinkProbe.measure() : link(near, "--near");
        Link there = link(far, "--far");
        double turnUs = turn == null ? LinkProbe.turn(processors) : turn;
        if (common.json) {
            System.out.println(FlatJson.write(parameters(here, turnUs)));
            return 0;
        }
        print("near: L %.3f us, o %.3f us, g %.3f us, G %.6f us/byte (%s)", here, near == null ? "measured now" : "given");
        print("far:  L %.3f us, o %.3f us, g %.3f us, G %.6f us/byte (given, not measured)", there, "");
        System.out.printf(Locale.ROOT, "turn: %.3f us of a processor where ranks yield to each other (%s; %d processors)%n", turnUs,
                turn == null ? "measured now" : "given", processors);
        if (parametersOnly) {
            return 0;
        }
        List<Row> rows = Row.read(in);
        double work = fit(rows, here, there);
        System.out.printf(Locale.ROOT, "contention: %.2f us of a processor for each rank of a barrier (measured at %d ranks, "
                + "%d processors)%n%n", work, FIT_RANKS, processors);
        compare(rows, here, there, turnUs, work);
        predict(rows, here, there, turnUs, work);
        return 0;
    }

    private Map<String, Object> parameters(Link here, double turnUs) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("latency_us", here.latencyUs());
        fields.put("overhead_us", here.overheadUs());
        fields.put("gap_us", here.gapUs());
        fields.put("byte_us", here.byteUs());
        fields.put("turn_us", turnUs);
        fields.put("processors", processors);
        fields.put("machine", Environment.machine());
        fields.put("load", Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
        return fields;
    }

    private static void print(String format, Link link, String how) {
        System.out.printf(Locale.ROOT, format.contains("(%s)") ? format + "%n" : format + "%s%n", link.latencyUs(),
                link.overheadUs(), link.gapUs(), link.byteUs(), how);
    }

    private static Link link(List<Double> values, String option) {
        if (values.size() != 4 || values.stream().anyMatch(value -> !(value >= 0))) {
            throw new UsageException(option + " " + values + " (expected: four numbers L,o,g,G of 0 or more)");
        }
        return new Link(values.get(0), values.get(1), values.get(2), values.get(3));
    }

    private CollectiveModel measured(Row row, Link here, Link there, double turnUs, double work) {
        int ranks = (int) row.number(Row.N);
        return new CollectiveModel(here, there, ranks, ranks, processors, turnUs, work);
    }

    /** The one parameter that comes from the study: one barrier, of one JVM. All other figures are predictions. */
    private double fit(List<Row> rows, Link here, Link there) {
        for (Row row : rows) {
            if (row.op().equals(ScalingProgram.BARRIER) && row.processes() == 1 && row.number(Row.N) == FIT_RANKS) {
                return row.times().p50() * processors / FIT_RANKS;
            }
        }
        throw new UsageException(in + " has no barrier of " + FIT_RANKS + " ranks in one JVM, which the contention is taken from");
    }

    private void compare(List<Row> rows, Link here, Link there, double turnUs, double work) {
        System.out.println("| ranks | JVMs | collective | measured p50 [us] | model [us] | model / measured |");
        System.out.println("| --- | --- | --- | --- | --- | --- |");
        List<Double> errors = new ArrayList<>();
        for (Row row : rows) {
            CollectiveModel model = measured(row, here, there, turnUs, work);
            double time = switch (row.op()) {
                case ScalingProgram.BARRIER -> model.barrier();
                case ScalingProgram.ALLREDUCE -> model.exchange(1);
                case ScalingProgram.BROADCAST -> model.broadcast(ScalingProgram.BYTES);
                default -> Double.NaN;
            };
            if (Double.isNaN(time)) {
                continue;
            }
            double ratio = time / row.times().p50();
            errors.add(Math.abs(Math.log(ratio)));
            System.out.printf(Locale.ROOT, "| %d | %d | %s | %.1f | %.1f | %.2f |%n", (int) row.number(Row.N), row.processes(),
                    row.op(), row.times().p50(), time, ratio);
        }
        errors.sort(null);
        System.out.printf(Locale.ROOT, "%nmedian error: a factor of %.2f; worst: %.2f; %d figures%n%n",
                Math.exp(errors.get(errors.size() / 2)), Math.exp(errors.getLast()), errors.size());
    }

    private void predict(List<Row> rows, Link here, Link there, double turnUs, double work) {
        double rankUs = 0;
        double largest = 0;
        for (Row row : rows) {
            if (row.op().equals(ScalingProgram.WIRE_UP) && row.processes() == 1 && row.number(Row.N) > largest) {
                largest = row.number(Row.N);
                rankUs = row.times().p50() / largest;
            }
        }
        System.out.printf(Locale.ROOT, "Predicted: nodes of %d ranks with a processor each, a JVM for each node; wire-up takes %.0f us for"
                + " each rank of a JVM (measured with %d)%n%n", ranksPerNode, rankUs, (int) largest);
        System.out.printf(Locale.ROOT, "| ranks | barrier [us] | allreduce [us] | broadcast of %d bytes [us] | wire-up, star as now [ms] |"
                + " wire-up, tree of %d [ms] |%n| --- | --- | --- | --- | --- | --- |%n", ScalingProgram.BYTES, fanOut);
        for (long ranks = ranksPerNode; ; ranks = Math.min(most, ranks * 4)) {
            CollectiveModel model = new CollectiveModel(here, there, (int) ranks, ranksPerNode, ranksPerNode, turnUs, work);
            System.out.printf(Locale.ROOT, "| %d | %.1f | %.1f | %.1f | %.1f | %.1f |%n", ranks, model.barrier(), model.exchange(1),
                    model.broadcast(ScalingProgram.BYTES), model.wireUpByStar(entryBytes, rankUs) / 1e3,
                    model.wireUpByTree(entryBytes, rankUs, fanOut) / 1e3);
            if (ranks >= most) {
                break;
            }
        }
    }
}
