package org.pgas4j.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.lab.ExperimentPlan;
import org.pgas4j.bench.lab.Journal;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a written experiment on helper threads, and goes on with one that was interrupted. */
@Command(name = "lab", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        description = "Runs a written experiment on helper threads: all combinations of operation, size, what the owner does, arrivals,"
        + " helper and settings that a plan names. A helper is off, on or auto as pgasrun has them; own, a thread of the program that"
        + " copies; or resident, a block of the GPU that serves small transfers between its memory and host memory. Points that are"
        + " finished are kept at once; the same command goes on after an interruption.",
        footer = {"", "DIR gets journal.jsonl, and in the end lab.jsonl and lab.csv (a row for each point and repeat), lab.hlog (all"
                + " samples), plots, and lab.md with each point's median beside what the model predicts."})
final class LabCommand implements Callable<Integer> {

    private static final String STUDY = "lab";
    private static final List<String> HELPERS = List.of("off", "on", "auto"); // of pgas.helper; others do without helper threads
    private static final long NS_PER_S = 1_000_000_000L;
    private static final double OVERHEAD = 2; // of a point's time, for warm-up and the owner's turns alone

    @Option(names = "--plan", required = true, paramLabel = "FILE", description = "The experiment, JSON.")
    private Path file;

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where results are kept, and looked for.")
    private Path dir;

    @Option(names = "--requesters", split = ",", paramLabel = "N", description = "Ranks that request at once from the owner, a launch"
            + " each, in all experiments of the plan; default: as the plan says, else 1.")
    private List<String> requesters;

    @Option(names = "--processes", split = ",", paramLabel = "N", description = "JVMs of the ranks in all experiments of the plan: 1, or"
            + " 2 for one each; default: as the plan says, else 2. Ranks that share a GPU belong in one JVM: a GPU serves one process at a"
            + " time.")
    private List<String> processes;

    @Option(names = "--dry-run", description = "Lists the points that are left, and measures none.")
    private boolean dryRun;

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "20m",
            description = "Ends a launch that takes longer; default: 20m.")
    private String launchTimeout;

    @Mixin
    private CommonOptions common;

    private ExperimentPlan plan;
    private Journal journal;
    private long startNs;
    private int done;
    private int left;

    @Override
    public Integer call() throws IOException, InterruptedException {
        String text = ExperimentPlan.read(file, chosen());
        plan = ExperimentPlan.parse(text);
        if (dryRun && !Files.exists(dir)) {
            plan.points().forEach(System.out::println);
            return 0;
        }
        journal = new Journal(dir, text);
        List<List<LabPoint>> launches = new ArrayList<>();
        List<Integer> repeats = new ArrayList<>();
        for (int repeat = 0; repeat < plan.repeat(); repeat++) {
            for (List<LabPoint> launch : launches(repeat)) {
                launches.add(launch);
                repeats.add(repeat);
                left += launch.size();
            }
        }
        if (dryRun) {
            launches.forEach(launch -> launch.forEach(System.out::println));
            return 0;
        }
        int status = run(launches, repeats);
        if (!journal.rows().isEmpty()) {
            keep();
        }
        return status;
    }

    /** Axes whose values are not those of the plan. */
    private Map<String, List<String>> chosen() {
        Map<String, List<String>> chosen = new LinkedHashMap<>();
        if (requesters != null) {
            chosen.put(LabPoint.REQUESTERS, requesters);
        }
        if (processes != null) {
            chosen.put(LabPoint.PROCESSES, processes);
        }
        return chosen;
    }

    /** Points that are not finished, those of a launch together, in random order. */
    private List<List<LabPoint>> launches(int repeat) {
        Map<Map<String, String>, List<LabPoint>> byLaunch = new LinkedHashMap<>();
        List<LabPoint> points = new ArrayList<>(plan.points());
        Collections.shuffle(points, new Random(plan.seed() + repeat));
        for (LabPoint point : points) {
            if (!journal.has(point, repeat)) {
                byLaunch.computeIfAbsent(point.launch(), _ -> new ArrayList<>()).add(point);
            }
        }
        return List.copyOf(byLaunch.values());
    }

    private int run(List<List<LabPoint>> launches, List<Integer> repeats) throws IOException, InterruptedException {
        LauncherProcess launcher = new LauncherProcess(common.launcherOptions);
        startNs = System.nanoTime();
        System.err.printf(Locale.ROOT, "bench: lab, %d points left of %d, in %d launches, about %.0f s%n", left,
                plan.points().size() * plan.repeat(), launches.size(), (left * plan.seconds() + launches.size()) * OVERHEAD);
        int status = 0;
        for (int i = 0; i < launches.size(); i++) {
            int code = launcher.run(words(launches.get(i), repeats.get(i)), this::finished, System.err::println);
            if (code != 0) {
                System.err.println("bench: lab, launch " + launches.get(i).getFirst().launch() + " ended with status " + code);
                status = status == 0 ? code : status;
            }
        }
        return status;
    }

    private void finished(Row row) {
        try {
            journal.add(row);
        } catch (IOException e) {
            throw new UncheckedIOException("journal in " + dir, e);
        }
        if (common.json) {
            System.out.println(row.json());
        }
        done++;
        double passed = (double) (System.nanoTime() - startNs) / NS_PER_S;
        System.err.printf(Locale.ROOT, "bench: lab, %d of %d points, %.0f s so far, about %.0f s left; p50 %.3f us: %s%n", done, left,
                passed, passed / done * (left - done), row.times().p50(), row.text(Row.POINT));
    }

    private List<String> words(List<LabPoint> points, int repeat) {
        List<String> words = new ArrayList<>();
        Map<String, String> launch = points.getFirst().launch();
        words.addAll(List.of("--processes", launch.get(LabPoint.PROCESSES), "-n",
                Integer.toString(1 + Integer.parseInt(launch.get(LabPoint.REQUESTERS))), "--device", plan.device(), "--timeout",
                launchTimeout, "--no-tag-output", "--route", launch.get(LabPoint.ROUTE), "--helper",
                HELPERS.contains(launch.get(LabPoint.HELPER)) ? launch.get(LabPoint.HELPER) : "off"));
        launch.forEach((axis, value) -> {
            if (axis.startsWith("pgas.")) {
                words.addAll(List.of("--set", axis + "=" + value));
            }
        });
        if (plan.device().equals("cuda")) {
            words.addAll(List.of("--bind", "core")); // a helper that spins and a rank must not meet on one processor
        }
        words.addAll(List.of(LabProgram.class.getName(), "--seconds", Double.toString(plan.seconds()), "--samples",
                Integer.toString(plan.samples()), "--seed", Long.toString(plan.seed()), "--repeat", Integer.toString(repeat)));
        if (common.commit != null) {
            words.addAll(List.of("--commit", common.commit));
        }
        points.forEach(point -> words.add(point.toString()));
        return words;
    }

    private void keep() throws IOException {
        Map<LabPoint, List<Row>> byPoint = journal.rows().stream()
                .collect(Collectors.groupingBy(row -> LabPoint.parse(row.text(Row.POINT))));
        List<Row> rows = plan.points().stream().flatMap(point -> byPoint.getOrDefault(point, List.of()).stream()).toList();
        if (rows.isEmpty()) {
            throw new UsageException("no point of " + file + " in " + dir);
        }
        LabReport report = new LabReport(rows);
        Files.writeString(dir.resolve("lab.md"), report.markdown());
        new Results(dir).keep(STUDY, rows, List.of(), "scripts/bench lab --plan " + file.getFileName()
                + chosen().entrySet().stream().map(axis -> " --" + axis.getKey() + " " + String.join(",", axis.getValue()))
                        .collect(Collectors.joining()) + " --out DIR");
        System.err.println("bench: lab, " + report.summary() + "; see " + dir.resolve("lab.md"));
    }
}
