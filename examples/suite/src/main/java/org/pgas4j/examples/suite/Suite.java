package org.pgas4j.examples.suite;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Example;
import org.pgas4j.examples.common.ProblemClass;
import org.pgas4j.examples.irregular.Histogram;
import org.pgas4j.examples.irregular.IndexGather;
import org.pgas4j.examples.irregular.Permutation;
import org.pgas4j.examples.irregular.RandomAccess;
import org.pgas4j.examples.irregular.Uts;
import org.pgas4j.examples.npb.Cg;
import org.pgas4j.examples.npb.Ep;
import org.pgas4j.examples.npb.Is;
import org.pgas4j.examples.prk.Nstream;
import org.pgas4j.examples.prk.StarStencil;
import org.pgas4j.examples.prk.SynchP2p;
import org.pgas4j.examples.prk.Transpose;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Runs every program in every job and prints a table of what came out. */
@Command(name = "suite", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        usageHelpWidth = 80,
        description = "Runs programs with known answers on several numbers of ranks and JVMs, and checks what they find.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all answers are right", "1:an answer is wrong, or a job has failed", "2:an option is wrong"})
public final class Suite implements Callable<Integer> {

    /** Main class and options of each program, by its name here. */
    private static final Map<String, List<String>> PROGRAMS = programs();

    private static Map<String, List<String>> programs() {
        Map<String, List<String>> programs = new LinkedHashMap<>();
        for (Class<? extends Example> program : List.of(SynchP2p.class, Transpose.class, Nstream.class, StarStencil.class,
                Is.class, Cg.class, Ep.class, IndexGather.class, Histogram.class, Permutation.class, RandomAccess.class,
                Uts.class)) {
            String name = program.getAnnotation(Command.class).name();
            programs.put(name, List.of(program.getName()));
            if (program == Transpose.class || program == Cg.class) {
                programs.put(name + "-device", List.of(program.getName(), "--device-memory"));
            }
        }
        return programs;
    }

    /** Ranks and JVMs of a job. */
    record Shape(int ranks, int processes) {

        static final class Converter implements ITypeConverter<Shape> {

            @Override
            public Shape convert(String text) {
                if (!text.matches("[1-9]\\d{0,3}:[1-9]\\d{0,3}")) {
                    throw new TypeConversionException(text + " (expected: RANKS:JVMS, such as 4:2)");
                }
                String[] numbers = text.split(":");
                Shape shape = new Shape(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
                if (shape.processes > shape.ranks) {
                    throw new TypeConversionException(text + " (expected: no more JVMs than ranks)");
                }
                return shape;
            }
        }
    }

    @Parameters(arity = "0..*", paramLabel = "PROGRAM",
            description = {"Some of:",
            "synch-p2p, transpose, nstream, prk-stencil: Parallel Research Kernels;",
            "is, cg, ep: NAS Parallel Benchmarks;",
            "index-gather, histogram, permutation: of bale;",
            "random-access: of HPCC;",
            "uts: Unbalanced Tree Search;",
            "transpose-device, cg-device: the same in device memory.",
            "Default: all."})
    private List<String> chosen = List.of();

    @Option(names = {"--class", "-c"}, paramLabel = "CLASS", defaultValue = "S",
            description = "S, W or A: size of the problems (default: S).")
    private ProblemClass size;

    @Option(names = "--jobs", split = ",", paramLabel = "RANKS:JVMS", converter = Shape.Converter.class,
            defaultValue = "1:1,2:1,4:1,2:2,4:4", description = "Jobs (default: ${DEFAULT-VALUE}).")
    private List<Shape> jobs;

    @Option(names = "--device", paramLabel = "KIND", defaultValue = "auto", description = "auto, host or cuda (default: auto).")
    private String device;

    @Option(names = "--runs", paramLabel = "K", defaultValue = "3",
            description = "Runs of a program in a job; the time is their median (default: 3).")
    private int runs;

    @Option(names = "--planted",
            description = "Spoils one value of each program: all checks must fail, and 0 is the exit code if they do.")
    private boolean planted;

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "10m",
            description = "Ends a job that takes longer (default: 10m).")
    private String launchTimeout;

    @Option(names = "--json", description = "One JSON object a line instead of a table.")
    private boolean json;

    @Option(names = "--launcher-opt", hidden = true, description = "option of the launcher's JVM")
    private List<String> launcherOptions = List.of();

    private final SuiteJobs given;
    private final PrintStream out;
    private final PrintStream err;

    /** Jobs of {@code given}, or of the launcher if that is null. */
    Suite(SuiteJobs given, PrintStream out, PrintStream err) {
        this.given = given;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        int code = execute(new Suite(null, System.out, System.err), args);
        if (System.out.checkError()) {
            System.err.println("suite: standard output: not all results could be written");
            code = code == Example.OK ? Example.WRONG : code;
        }
        System.exit(code);
    }

    /** Runs the command; returns its exit code. */
    static int execute(Suite suite, String... args) {
        CommandLine line = new CommandLine(suite).setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(new PrintWriter(suite.out, true));
        line.setParameterExceptionHandler((e, _) -> suite.refuse(e.getMessage()));
        line.setExecutionExceptionHandler((e, _, _) -> {
            if (e instanceof UsageException) {
                return suite.refuse(e.getMessage());
            }
            if (e instanceof IOException) {
                suite.err.println("suite: " + e.getMessage());
                return Example.WRONG;
            }
            throw e;
        });
        return line.execute(args);
    }

    private int refuse(String message) {
        err.println("suite: " + message);
        err.println("Try 'suite --help'.");
        return Example.USAGE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<String> programs = checked();
        SuiteJobs launcher = given == null ? new SuiteLauncher(launcherOptions) : given;
        List<SuiteRow> rows = new ArrayList<>();
        for (String program : programs) {
            double oneRankMs = Double.NaN;
            for (Shape job : jobs) {
                err.println("suite: " + program + ", ranks " + job.ranks() + ", JVMs " + job.processes() + " ("
                        + (rows.size() + 1) + " of " + programs.size() * jobs.size() + ")");
                SuiteJobs.Ended ended = launcher.run(words(program, job));
                SuiteRow row = SuiteRow.of(program, size, job.ranks(), job.processes(), ended, oneRankMs);
                oneRankMs = row.oneRankMs();
                show(row, rows.isEmpty());
                rows.add(row);
            }
        }
        List<SuiteRow> unexpected = rows.stream().filter(row -> planted ? !row.check().equals("wrong") : !row.ok()).toList();
        unexpected.forEach(row -> err.println("suite: " + row.cells()));
        err.println("suite: " + (rows.size() - unexpected.size()) + " of " + rows.size()
                + (planted ? " spoiled runs were noticed" : " runs have the right answer"));
        return unexpected.isEmpty() ? Example.OK : Example.WRONG;
    }

    /** The programs to run; jobs are put in order, so that the one of one rank is the first. */
    private List<String> checked() {
        for (String program : chosen) {
            if (!PROGRAMS.containsKey(program)) {
                throw new UsageException("unknown program '" + program + "' (expected: "
                        + String.join(", ", PROGRAMS.keySet()) + ")");
            }
        }
        if (!List.of("auto", "host", "cuda").contains(device)) {
            throw new UsageException("--device " + device + " (expected: auto, host or cuda)");
        }
        if (runs < 1) {
            throw new UsageException("--runs " + runs + " (expected: >= 1)");
        }
        jobs = jobs.stream().distinct().sorted(Comparator.comparingInt(Shape::processes).thenComparingInt(Shape::ranks)).toList();
        return chosen.isEmpty() ? List.copyOf(PROGRAMS.keySet()) : chosen.stream().distinct().toList();
    }

    private List<String> words(String program, Shape job) {
        List<String> words = new ArrayList<>(List.of("-n", "" + job.ranks(), "--processes", "" + job.processes(), "--device",
                device, "--timeout", launchTimeout, "--no-tag-output"));
        words.addAll(PROGRAMS.get(program));
        words.addAll(List.of("--class", size.toString(), "--runs", "" + runs, "--json"));
        if (planted) {
            words.add("--planted");
        }
        return words;
    }

    private void show(SuiteRow row, boolean first) {
        if (first && !json) {
            out.println(SuiteRow.heading());
        }
        out.println(json ? row.json().toString() : row.cells());
        out.flush();
    }
}
