package org.pgas4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    @Option(names = "--device", paramLabel = "NAME", description = "auto, host or cuda; default: as the plan says.")
    private String device;

    @Option(names = "--dry-run", description = "Lists the points that are left and their time, and measures none.")
    private boolean dryRun;

    @Option(names = "--report", description = "Makes pages and plots of the points that are finished, and measures none.")
    private boolean reportOnly;

    @Option(names = "--limit", paramLabel = "SECONDS", defaultValue = "86400", description = "Ends the run after this time, with what is"
            + " finished by then; default: a day.")
    private double limitS;

    @Option(names = "--point-timeout", paramLabel = "SECONDS", defaultValue = "30", description = "Leaves out a point that takes this"
            + " long beyond four times what it should; default: 30.")
    private double pointTimeoutS;

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "20m",
            description = "Ends a launch that takes longer; default: 20m.")
    private String launchTimeout;

    @Mixin
    private CommonOptions common;

    private ExperimentPlan plan;

    @Override
    public Integer call() throws IOException, InterruptedException {
        String text = ExperimentPlan.read(file, device, chosen());
        plan = ExperimentPlan.parse(text);
        Journal journal = dryRun && !Files.exists(dir) ? Journal.empty() : new Journal(dir, text);
        LauncherProcess process = new LauncherProcess(common.launcherOptions);
        LabRun run = new LabRun(plan, journal, (launch, rows, others, leftNs) -> process.run(words(launch), rows, others, leftNs), row -> {
            if (common.json) {
                System.out.println(row.json());
            }
        }, pointTimeoutS, limitS, System::nanoTime);
        if (dryRun) {
            run.launches().forEach(launch -> launch.points().forEach(System.out::println));
            System.err.println("bench: lab, " + run.estimate());
            return 0;
        }
        int status = 0;
        if (!reportOnly) {
            System.err.println("bench: lab, " + run.estimate());
            status = run.run();
        }
        if (status == 0 || !journal.rows().isEmpty()) {
            keep(journal);
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

    private List<String> words(LabRun.Launch of) {
        List<String> words = new ArrayList<>();
        Map<String, String> launch = of.points().getFirst().launch();
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
        words.addAll(List.of(LabProgram.class.getName(), "--seconds",
                of.points().stream().map(point -> Double.toString(plan.seconds(point))).collect(Collectors.joining(",")), "--samples",
                Integer.toString(plan.samples()), "--seed", Long.toString(plan.seed()), "--repeat", Integer.toString(of.repeat())));
        if (common.commit != null) {
            words.addAll(List.of("--commit", common.commit));
        }
        of.points().forEach(point -> words.add(point.toString()));
        return words;
    }

    private void keep(Journal journal) throws IOException {
        Map<LabPoint, List<Row>> byPoint = journal.rows().stream()
                .collect(Collectors.groupingBy(row -> LabPoint.parse(row.text(Row.POINT))));
        List<Row> rows = plan.points().stream().flatMap(point -> byPoint.getOrDefault(point, List.of()).stream()).toList();
        if (rows.isEmpty()) {
            throw new UsageException("no point of " + file + " in " + dir + journal.skipped().stream().findFirst()
                    .map(skip -> "; " + skip.point() + ": " + skip.reason()).orElse(""));
        }
        LabReport report = new LabReport(rows, journal.skipped());
        Files.writeString(dir.resolve("lab.md"), report.markdown());
        new Results(dir).keep(STUDY, rows, List.of(), "scripts/bench lab --plan " + file.getFileName()
                + chosen().entrySet().stream().map(axis -> " --" + axis.getKey() + " " + String.join(",", axis.getValue()))
                        .collect(Collectors.joining()) + " --out DIR");
        System.err.println("bench: lab, " + report.summary() + "; see " + dir.resolve("lab.md"));
    }
}
