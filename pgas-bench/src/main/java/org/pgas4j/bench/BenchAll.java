package org.pgas4j.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Figures;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.result.Output;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Runs studies, each as the launches it is made of, in JVMs of the same Java and class path as this one, and keeps what they
 * find: JSON lines, CSV, plots and a page that shows them. {@code scripts/bench} is this.
 */
@Command(name = "bench", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        subcommands = {PlotCommand.class, PageCommand.class, CompareCommand.class, LabCommand.class, ScalingCommand.class,
            SimulateCommand.class, ChecksCommand.class, PeersCommand.class, TuneCommand.class},
        description = "Measures this system beside what it is compared with, two ranks each time if not told otherwise.",
        footer = {"", "Columns are those of the OSU micro-benchmarks (size, mean latency), then percentiles, samples, operations of"
                + " a sample (batch), GB/s, the median of what it is compared with, their ratio and what arrived wrong. p50 is the"
                + " median of samples; p99, p99.9 and max are of single operations, and - where a sample is the mean of a batch"
                + " or fewer than 10/(1-q) samples are there. Exit status 1 if anything arrived wrong or cannot be written."})
public final class BenchAll implements Callable<Integer> {

    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int MAX_REPEATS = 1_000;
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long REPORT_NS = 10 * NS_PER_S;
    private static final Path DEFAULT_OUT = Path.of("docs", "studies");

    @Parameters(arity = "0..*", paramLabel = "STUDY", description = {"all, or some of:",
            "rma: put, get and barrier between two ranks, beside the raw version of each;",
            "memput, memget: between two devices, against the user-level version, by every route;",
            "helper: gets from a rank that runs kernels;",
            "matmul: a product brought together on one rank;",
            "ablation: what the settings of the message routes do;",
            "notify: notified puts and notifications between blocks; notifications between hosts, streams and kernels;",
            "barrier: barriers of blocks;",
            "atomics: atomic operations, beside the processor's and CUDA's own;",
            "locks: locks and semaphores, beside the processor's atomic operations, alone and between ranks;",
            "stream: notified puts by streams, beside the hosts', and what it takes to queue them;",
            "collectives: reductions and moves of vectors, beside gets of as many bytes;",
            "halo, matvec, himeno, stencil: the examples, driven by blocks, beside the host;",
            "arrays: strided puts, and matrices copied between distributions;",
            "kernels: kernels written in Java, beside CUDA C++ written by hand, and what compiling them takes;",
            "resident: small transfers of host code to device memory by a resident block, the copy engine, a helper thread and"
                    + " the owner's own, and a matrix product beside them."})
    private List<String> studies = List.of();

    @Option(names = "--quick", description = "A few sizes, short times: on two cores without a GPU"
            + " ablation and resident take up to 2 minutes, others up to 50 s, all within 10. Without it a study takes minutes.")
    private boolean quick;

    @Option(names = "--json", description = "One JSON object per line instead of tables.")
    private boolean json;

    @Option(names = "--csv", arity = "0..1", fallbackValue = "", paramLabel = "FILE",
            description = "CSV instead of tables, or as well in a file.")
    private String csv;

    @Option(names = "--out", paramLabel = "DIR",
            description = "Keeps JSON lines, CSV, plots and index.md there; with all, docs/studies if there is one.")
    private Path out;

    @Option(names = "--device", paramLabel = "NAME", defaultValue = "auto",
            description = "What to compute on: auto (default), host or cuda.")
    private String device = "auto";

    @Option(names = {"--routes", "--route"}, split = ",", paramLabel = "NAME",
            description = "Routes to force, a launch each; default: those of the study.")
    private List<String> routes;

    @Option(names = "--helper", split = ",", paramLabel = "MODE",
            description = "Helper threads: off, on, auto, a launch each; default: those of the study.")
    private List<String> helpers;

    @Option(names = "--processes", split = ",", paramLabel = "N",
            description = "JVMs for the ranks, a launch each; default: 2, of rma and locks 1 and 2, of others from notify on 1.")
    private List<Integer> processes;

    @Option(names = {"-n", "--ranks"}, split = ",", paramLabel = "N", description = "Ranks, a launch each, which share the GPUs there"
            + " are; default 2. More: any number of matmul, notify, barrier, collectives, halo, matvec, himeno, stencil, arrays;"
            + " even ones of memput, memget, stream; the others time pairs.")
    private List<Integer> ranks = List.of(2);

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", converter = SizeConverter.class,
            description = "Bytes per transfer, such as 8,64k,1m, or orders of matrices; sides, vectors, planes and"
                    + " rows of a rank of the examples.")
    private List<Long> sizes;

    @Option(names = "--memory", paramLabel = "KIND", description = "Of rma, arrays: host, device or both (default).")
    private String memory;

    @Option(names = "--kernels", split = ",", paramLabel = "MS", description = "Of helper: lengths of the kernels.")
    private List<Double> kernels;

    @Option(names = "--hosts", split = ",", paramLabel = "HOST",
            description = "Two hosts, a JVM on each; default: this one.")
    private List<String> hosts;

    @Option(names = "--rsh", paramLabel = "CMD", description = "What starts a shell on them; default as of pgasrun: ssh.")
    private String rsh;

    @Option(names = {"--java-opts", "--java-opt"}, paramLabel = "OPTS", description = "Options of the ranks' JVMs.")
    private List<String> javaOptions = List.of();

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "10m",
            description = "Ends a launch that takes longer; default 10m.")
    private String launchTimeout = "10m";

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1", description = "Launches of each kind, in random order; plots and"
            + " tables then have medians with the least and the most, and compare has intervals from 5 on.")
    private int repeat = 1;

    @Option(names = "--warmup", paramLabel = "TIME", description = "Before the first sample of a line: a time such as 500ms, or auto:"
            + " until times have settled; default: the study's own.")
    private String warmUp;

    @Option(names = "--samples", paramLabel = "N", description = "Samples of each line of studies that time operations one by"
            + " one; default: as many as fit the study's time.")
    private Integer samples;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Of the order of launches and of what a study does at"
            + " random moments; default 1.")
    private long seed = 1;

    @Option(names = "--cpus", paramLabel = "LIST", description = "Processors that everything runs on, such as 0-7,16; by taskset.")
    private String cpus;

    @Option(names = "--commit", paramLabel = "ID", description = "Version of the program, for what is kept.")
    private String commit;

    @Option(names = "--launcher-opt", hidden = true, description = "option of the launcher's JVM")
    private List<String> launcherOptions = List.of();

    @Option(names = "--progress", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "Says on standard error which launch runs and what it has found so far; default: on.")
    private boolean progress = true;

    private int status;
    private long startNs;
    private long reportedNs;

    public static void main(String[] args) {
        int code = command().execute(args);
        if (code == 0 && System.out.checkError()) {
            code = say("standard output: not all of it could be written", FAILED);
        }
        System.exit(code);
    }

    /** The command: reports an error in one line and exits with 2, or with 1 if it is about files. */
    static CommandLine command() {
        CommandLine command = new CommandLine(new BenchAll());
        command.setParameterExceptionHandler((e, _) -> {
            int code = say(e.getMessage() + "; see scripts/bench --help", USAGE);
            UnmatchedArgumentException.printSuggestions(e, new PrintWriter(System.err, true));
            return code;
        });
        command.setExecutionExceptionHandler((e, _, _) -> switch (e) {
            case UsageException _ -> say(e.getMessage() + "; see scripts/bench --help", USAGE);
            case UncheckedIOException _ -> say(e.getMessage() + ": " + reason(e.getCause()), FAILED);
            case IOException _ -> say(reason(e), FAILED);
            default -> throw e;
        });
        return command;
    }

    private void checkRanks() {
        for (int count : ranks) {
            studies.stream().filter(Bench.STUDIES::contains).forEach(study -> Bench.checkRanks(study, count));
            for (int jvms : processes == null || hosts != null ? List.<Integer>of() : processes) {
                if (jvms < 1 || jvms > count) {
                    throw new UsageException("--processes " + jvms + " with " + count + " ranks (expected: 1.." + count + ")");
                }
            }
        }
        if (studies.equals(List.of("all")) && !ranks.equals(List.of(2))) {
            throw new UsageException("--ranks " + joined(ranks) + " with all (expected: studies of more than 2 ranks by name)");
        }
    }

    /** Those of files have the name alone as their message, or none. */
    private static String reason(Throwable e) {
        return e.getClass() == IOException.class ? e.getMessage() : e.toString();
    }

    private static int say(String what, int code) {
        System.err.println("bench: " + what);
        return code;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> chosen = studies();
        LauncherProcess launcher = new LauncherProcess(launcherOptions, cpus);
        Launch.Wishes wishes = new Launch.Wishes(quick, routes, helpers, hosts == null ? processes : List.of(2), ranks);
        List<Launch> launches = chosen.stream().flatMap(study -> Launch.of(study, wishes).stream()).toList();
        Output output = new Output(json ? Output.Format.JSON : "".equals(csv) ? Output.Format.CSV : Output.Format.TABLE,
                !chosen.equals(List.of("rma")), csv == null || csv.isEmpty() ? null : Path.of(csv), System.out);
        List<String> environment = new ArrayList<>();
        startNs = System.nanoTime();
        int done = 0;
        for (String study : chosen) {
            TreeMap<Integer, List<Row>> found = new TreeMap<>();
            List<Launch> ofStudy = launches.stream().filter(each -> each.study().equals(study)).toList();
            for (int turn : order(ofStudy.size() * repeat)) {
                Launch launch = ofStudy.get(turn % ofStudy.size());
                Integer number = repeat == 1 ? null : (Integer) (turn / ofStudy.size());
                int before = output.rows().size();
                report(launch.describe() + (number == null ? "" : ", repeat " + number) + " (" + ++done + " of "
                        + launches.size() * repeat + ")" + left(done - 1, launches.size() * repeat));
                run(launcher, launch, number, output, environment);
                output.flushTables();
                found.put(turn, List.copyOf(output.rows().subList(before, output.rows().size())));
            }
            if (out != null) {
                new Results(out).keep(study, found.values().stream().flatMap(List::stream).toList(), environment, command(study));
            }
        }
        output.finish();
        if (out != null) {
            new Results(out).index(command("all"), Bench.STUDIES);
        }
        return output.wrong() > 0 ? 1 : status;
    }

    private List<String> studies() {
        if (studies.isEmpty()) {
            throw new UsageException("no study given");
        }
        if (hosts == null && rsh != null) {
            throw new UsageException("--rsh is of use with --hosts only");
        }
        if (hosts != null && (hosts.size() != 2 || hosts.getFirst().equals(hosts.getLast()))) {
            throw new UsageException("--hosts " + String.join(",", hosts) + " (expected: two different ones)");
        }
        if (hosts != null && processes != null) {
            throw new UsageException("--processes and --hosts exclude each other: each host has one JVM");
        }
        if (repeat < 1 || repeat > MAX_REPEATS || samples != null && samples < 1) {
            throw new UsageException("--repeat " + repeat + ", --samples " + samples + " (expected: 1.." + MAX_REPEATS
                    + " and 1 or more)");
        }
        checkRanks();
        if (memory != null) {
            Bench.checkMemory(memory);
        }
        if (warmUp != null) {
            try {
                new WarmUpConverter().convert(warmUp);
            } catch (CommandLine.TypeConversionException e) {
                throw new UsageException("--warmup " + e.getMessage());
            }
        }
        if (cpus != null && !cpus.matches("[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*")) {
            throw new UsageException("--cpus " + cpus + " (expected: numbers and ranges, such as 0-7,16)");
        }
        boolean all = studies.equals(List.of("all"));
        for (String study : all ? List.<String>of() : studies) {
            if (!Bench.STUDIES.contains(study)) {
                throw new UsageException("unknown study '" + study + "' (expected: " + String.join(", ", Bench.STUDIES)
                        + ", all or plot)");
            }
        }
        if (all && out == null && csv == null && !json) {
            if (!Files.isDirectory(DEFAULT_OUT)) {
                throw new UsageException("--out DIR is needed where there is no " + DEFAULT_OUT);
            }
            out = DEFAULT_OUT;
        }
        return all ? Bench.STUDIES : studies.stream().distinct().toList();
    }

    /** Launches by number, repeats of one apart by as many as there are; in random order if there are repeats. */
    private List<Integer> order(int turns) {
        List<Integer> order = new ArrayList<>(IntStream.range(0, turns).boxed().toList());
        if (repeat > 1) {
            Collections.shuffle(order, new Random(seed));
        }
        return order;
    }

    /** About how long the launches take that are left, if those that are done took as long. */
    private String left(int done, int all) {
        long passedS = (System.nanoTime() - startNs) / NS_PER_S;
        return done == 0 ? "" : String.format(Locale.ROOT, ", about %d s left", passedS * (all - done) / done);
    }

    private void report(String what) {
        reportedNs = System.nanoTime();
        if (progress) {
            System.err.printf(Locale.ROOT, "bench: %s, %d s so far%n", what, (reportedNs - startNs) / NS_PER_S);
        }
    }

    private void add(Output output, Row row) {
        output.add(row);
        if (System.nanoTime() - reportedNs > REPORT_NS) {
            report("the last of " + output.rows().size() + " results: " + row.study() + " " + row.op());
        }
    }

    private void run(LauncherProcess launcher, Launch launch, Integer number, Output output, List<String> environment)
            throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        int code = launcher.run(words(launch, number, environment.isEmpty()), row -> add(output, row), line -> {
            if (!line.startsWith("# ")) {
                System.err.println(line);
                return;
            }
            lines.add(line.substring(2));
            if (!json && !"".equals(csv)) {
                System.out.println(line);
            }
        });
        environment.addAll(lines);
        if (code != 0) {
            System.err.println("bench: " + launch.describe() + " ended with status " + code);
            status = status == 0 ? code : status;
        }
    }

    private List<String> words(Launch launch, Integer number, boolean heading) {
        List<String> command = new ArrayList<>();
        if (hosts == null) {
            command.addAll(List.of("--processes", Integer.toString(launch.processes())));
        } else {
            command.addAll(List.of("-H", String.join(",", hosts)));
            add(command, "--rsh", rsh);
        }
        command.addAll(List.of("-n", Integer.toString(launch.ranks()), "--device", device, "--timeout", launchTimeout,
                "--no-tag-output"));
        if (device.equals("cuda")) {
            // A helper that spins and a rank that yields must not meet on one processor. On the host device streams are
            // threads, which would inherit the processor of the rank that made them.
            command.addAll(List.of("--bind", "core"));
        }
        command.addAll(launch.launcher());
        for (String options : javaOptions) {
            for (String option : options.strip().split("\\s+")) {
                command.add("--java-opt=" + option);
            }
        }
        command.addAll(List.of(Bench.class.getName(), launch.study(), "--json", "--hdr", "--comments",
                heading ? "--heading" : "--no-heading"));
        command.addAll(launch.program());
        add(command, "--setting", launch.setting());
        add(command, "--commit", commit);
        add(command, "--repeat", number == null ? null : number.toString());
        addMeasuring(command);
        addStudyOptions(command);
        if (quick) {
            command.add("--quick");
        }
        return command;
    }

    private static void add(List<String> command, String option, String value) {
        if (value != null) {
            command.addAll(List.of(option, value));
        }
    }

    private void addStudyOptions(List<String> command) {
        add(command, "--memory", memory);
        add(command, "--sizes", joined(sizes));
        add(command, "--kernels", kernels == null ? null : joined(kernels.stream().map(Figures::plain).toList()));
    }

    private void addMeasuring(List<String> command) {
        add(command, "--warmup", warmUp);
        add(command, "--samples", samples == null ? null : samples.toString());
        add(command, "--seed", seed == 1 ? null : Long.toString(seed));
    }

    private static String joined(List<?> values) {
        return values == null ? null : String.join(",", values.stream().map(String::valueOf).toList());
    }

    /** Command that makes the same again. */
    private String command(String study) {
        List<String> command = new ArrayList<>(List.of("scripts/bench", study));
        if (quick) {
            command.add("--quick");
        }
        add(command, "--device", device.equals("auto") ? null : device);
        add(command, "--routes", joined(routes));
        add(command, "--helper", joined(helpers));
        add(command, "--ranks", ranks.equals(List.of(2)) ? null : joined(ranks));
        add(command, "--processes", joined(processes));
        add(command, "--hosts", joined(hosts));
        add(command, "--rsh", rsh == null ? null : "'" + rsh + "'");
        add(command, "--repeat", repeat == 1 ? null : Integer.toString(repeat));
        add(command, "--cpus", cpus);
        addMeasuring(command);
        addStudyOptions(command);
        add(command, "--java-opts", javaOptions.isEmpty() ? null : "'" + String.join(" ", javaOptions) + "'");
        command.addAll(List.of("--out", "DIR"));
        return String.join(" ", command);
    }
}
