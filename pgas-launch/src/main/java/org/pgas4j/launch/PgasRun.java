package org.pgas4j.launch;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.launch.command.Version;
import org.pgas4j.launch.doctor.Doctor;
import org.pgas4j.launch.files.JobDirectory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The launcher: starts a program's ranks, on this host or on others, and watches over them. */
@Command(name = "pgasrun", mixinStandardHelpOptions = true, versionProvider = Version.class,
        sortOptions = false, usageHelpWidth = 80,
        description = "Starts the ranks of a program, passes on their output and ends them together.",
        footer = {"", "SIZE is a number with a unit k, m, g; DURATION one with ms, s, m, h.",
                "Exit status: 0, or that of the process whose failure ended the job; see docs/errors.md."})
public final class PgasRun implements Callable<Integer> {

    @Mixin
    private HostOptions hosts;

    @Option(names = "--device", paramLabel = "auto|host|cuda", description = "Device the ranks compute on.")
    private String device;

    @Option(names = "--require-gpu", description = "Fail where --device=auto finds no GPU.")
    private boolean requireGpu;

    @Option(names = "--heap-host", paramLabel = "SIZE", description = "Shared heap of each rank in host memory.")
    private String heapHost;

    @Option(names = "--heap-device", paramLabel = "SIZE", description = "Shared heap of each rank in device memory.")
    private String heapDevice;

    @Option(names = "--route", paramLabel = "NAME", description = "Forces a route between ranks.")
    private String route;

    @Option(names = "--conduit", paramLabel = "NAME", description = "What carries bytes between ranks.")
    private String conduit;

    @Option(names = "--helper", paramLabel = "off|on|auto",
            description = "Helper threads that serve the memory of busy ranks.")
    private String helper;

    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "Any setting, e.g. --set pgas.fastpath.chunk=8k; docs/configuration.md lists them.")
    private Map<String, String> others = Map.of();

    @Option(names = {"--bind", "--bind-to"}, paramLabel = "none|core", description = "Binds rank threads to cores.")
    private String bind;

    @Option(names = "--report-bindings", description = "Each rank prints the processors it runs on.")
    private boolean reportBindings;

    @Option(names = "--timeout", paramLabel = "DURATION",
            description = "Ends the job with status 124 if it takes longer.")
    private String timeout;

    @Option(names = "--wait-timeout", paramLabel = "DURATION", description = "Deadline of one wait; default 30s.")
    private String waitTimeout;

    @Option(names = "--grace", paramLabel = "DURATION", defaultValue = "1s",
            description = "Time the ranks have to end in order after a failure; default 1s.")
    private String grace;

    @Option(names = "--explain", description = "Rank 0 prints the effective settings and routes.")
    private boolean explain;

    @Option(names = "--explain-kernel", paramLabel = "NAME",
            description = "Rank 0 prints CUDA C++ and first launch of kernels in Java whose name has NAME in it, or of all.")
    private String explainKernel;

    @Option(names = "--stats", description = "Prints a summary at the end: transfers, waits, late ranks, advice.")
    private boolean stats;

    @Option(names = "--stats-json", paramLabel = "FILE", description = "Writes the counters of all ranks as JSON.")
    private Path statsJson;

    @Option(names = "--stats-picture", paramLabel = "FILE",
            description = "Draws the bytes between ranks as SVG.")
    private Path statsPicture;

    @Option(names = "--trace", paramLabel = "FILE",
            description = "Writes a timeline of all ranks, helpers and streams, which Perfetto opens (ui.perfetto.dev).")
    private Path trace;

    @Option(names = "--tag-output", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "Puts [rank] in front of each line of output; on by default.")
    private boolean tagOutput = true;

    @Option(names = "--output", paramLabel = "DIR",
            description = "Writes the output of each rank to files there as well: rank-0.out, rank-0.err.")
    private Path output;

    @Option(names = "--wdir", paramLabel = "DIR", description = "Directory the ranks work in; default this one.")
    private Path directory;

    @Option(names = "-x", paramLabel = "VAR[=VALUE]",
            description = "Environment variable of the ranks; without value, the launcher's.")
    private List<String> variables = List.of();

    @Option(names = "--java-opt", paramLabel = "OPT",
            description = "Option of the ranks' JVMs, e.g. --java-opt=-Xmx4g.")
    private List<String> javaOptions = List.of();

    @Option(names = {"-cp", "--class-path"}, paramLabel = "PATH",
            description = "Where the program's classes are, if not among pgas4j's own jars; before those.")
    private String classPath;

    @Option(names = "-v", description = "Says what is done.")
    private boolean verbose;

    @Option(names = "--dry-run", description = "Prints the commands for each host and starts none.")
    private boolean dryRun;

    @Option(names = "--clean", description = "Removes what killed launchers of this user have left, here or on the hosts given,"
            + " and ends.")
    private boolean clean;

    @Parameters(index = "0", arity = "0..1", paramLabel = "MainClass", description = "The program.")
    private String mainClass;

    @Parameters(index = "1..*", paramLabel = "args", description = "Its arguments.")
    private List<String> arguments = List.of();

    @Spec
    private CommandSpec spec;

    /** Ends the JVM with the job's status. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        try {
            // before the options are read, which opens more jars: the number of JVMs is not known yet
            Limits.checkOpenFiles(1);
            CommandWords.check();
        } catch (UsageException e) {
            System.err.println("pgas4j: " + e.getMessage());
            return ExitCode.USAGE.number();
        }
        CommandLine command = new CommandLine(new PgasRun());
        command.setStopAtPositional(true);
        command.registerConverter(Integer.class, PgasRun::number);
        command.setParameterExceptionHandler((failure, _) -> refuse(failure));
        command.setExecutionExceptionHandler((failure, _, _) -> {
            String limit = failure instanceof IOException || failure instanceof UsageException
                    ? Limits.explain(failure) : null;
            int code = limit == null ? Failures.exitCode(failure) : ExitCode.USAGE.number();
            Doctor.explainStart(code, Phase.LAUNCHING, System.err);
            if (failure instanceof PgasException || limit != null) {
                command.getErr().println("pgas4j: " + (limit == null ? failure.getMessage() : limit));
            } else {
                failure.printStackTrace(command.getErr());
            }
            command.getErr().flush();
            return code;
        });
        try {
            return command.execute(args);
        } catch (Error e) { // of Java itself, when it cannot load one of its parts
            String limit = Limits.explain(e);
            if (limit == null) {
                throw e;
            }
            System.err.println("pgas4j: " + limit);
            return ExitCode.USAGE.number();
        }
    }

    /** Prints one line, and likely options for an unknown one: the whole usage would hide it. */
    private static int refuse(ParameterException failure) {
        PrintWriter err = failure.getCommandLine().getErr();
        err.println("pgas4j: " + failure.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(failure, err);
        err.println("Try 'pgasrun --help'.");
        return ExitCode.USAGE.number();
    }

    /** Java takes the digits of all scripts. */
    private static Integer number(String text) {
        if (!text.matches("[+-]?[0-9]+")) {
            throw new CommandLine.TypeConversionException("'" + text + "' is no number of digits 0-9");
        }
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException _) {
            throw new CommandLine.TypeConversionException(text + " (expected: " + Integer.MIN_VALUE + ".." + Integer.MAX_VALUE
                    + ")");
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (clean) {
            return hosts.shares().isEmpty() ? clean() : HostsClean.run(hosts, own());
        }
        if (mainClass == null) {
            throw new ParameterException(spec.commandLine(), "pgasrun: no main class given");
        }
        JobOptions options = options();
        List<NodeShare> shares = hosts.shares();
        if (dryRun) {
            DryRun.print(options, shares, hosts, spec.commandLine().getOut());
            return 0;
        }
        ClassPath.check(classPath, shares.isEmpty() ? directory : null); // else it is copied from here
        if (shares.isEmpty()) {
            Limits.check(NodeShare.all(options.layout()), options.config());
        } else {
            Limits.checkOpenFiles(shares.size());
        }
        try (Terminal terminal = new Terminal(tagOutput, output)) {
            JobRun.Part part = shares.isEmpty() ? new NodeRun(options, NodeShare.all(options.layout()), terminal, null)
                    : new HostsRun(options, shares, hosts, ClassPath.of(ownForProgram(), classPath), terminal);
            return new JobRun(options, part, terminal, statsOutput(), new TraceOutput(trace)).run();
        }
    }

    private JobOptions options() {
        if (directory != null && hosts.shares().isEmpty() && !Files.isDirectory(directory)) {
            throw new UsageException("--wdir " + directory + ": no such directory");
        }
        return new JobOptions(hosts.layout(), settings(), environment(), javaOptions,
                (classPath == null ? "" : classPath + File.pathSeparator) + ownForProgram(), mainClass, arguments, directory,
                tagOutput, output, timeout == null ? null : duration("--timeout", timeout), duration("--grace", grace), verbose);
    }

    private StatsOutput statsOutput() {
        return new StatsOutput(stats, statsJson, statsPicture);
    }

    private String ownForProgram() {
        return ClassPath.ownFor(own(), mainClass, classPath);
    }

    private static String own() {
        return System.getProperty("java.class.path");
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        put(settings, PgasKey.DEVICE, device, "--device");
        put(settings, PgasKey.REQUIRE_GPU, requireGpu ? "true" : null, "--require-gpu");
        put(settings, PgasKey.HEAP_HOST, heapHost, "--heap-host");
        put(settings, PgasKey.HEAP_DEVICE, heapDevice, "--heap-device");
        put(settings, PgasKey.ROUTE, route, "--route");
        put(settings, PgasKey.CONDUIT, conduit, "--conduit");
        put(settings, PgasKey.BIND, bind, "--bind");
        put(settings, PgasKey.TIMEOUT, waitTimeout, "--wait-timeout");
        put(settings, PgasKey.EXPLAIN, explain ? "true" : null, "--explain");
        put(settings, PgasKey.KERNEL_EXPLAIN, explainKernel, "--explain-kernel");
        put(settings, PgasKey.STATS, statsOutput().isWanted() ? "true" : null, "--stats");
        put(settings, PgasKey.TRACE, trace == null ? null : new TraceOutput(trace).file().toString(), "--trace");
        put(settings, PgasKey.HELPER, helper, "--helper");
        put(settings, PgasKey.IFACE, hosts.networkInterface(), "--iface");
        put(settings, PgasKey.BIND_REPORT, reportBindings ? "true" : null, "--report-bindings");
        others.forEach((property, value) -> put(settings, PgasConfig.key(property), value, "--set"));
        put(settings, PgasKey.RANKS, Integer.toString(hosts.layout().ranks()), "-n"); // programs size their heaps by it
        return settings;
    }

    /** @param value null if the option was not given */
    private static void put(Map<String, String> settings, PgasKey key, String value, String option) {
        if (value != null) {
            PgasConfig.check(key, value, option);
            settings.put(key.property(), value);
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        if (!hosts.shares().isEmpty()) { // settings in our environment hold for all, but the name of this node
            System.getenv().forEach((name, value) -> {
                if (name.startsWith("PGAS_") && !name.equals("PGAS_NODE")) {
                    environment.put(name, value);
                }
            });
        }
        for (String variable : variables) {
            int equals = variable.indexOf('=');
            String name = equals < 0 ? variable : variable.substring(0, equals);
            String value = equals < 0 ? System.getenv(name) : variable.substring(equals + 1);
            if (name.isEmpty() || value == null) {
                throw new UsageException("-x " + variable + ": no such variable in the environment; give -x "
                        + (name.isEmpty() ? "NAME" : name) + "=VALUE");
            }
            environment.put(name, value);
        }
        return environment;
    }

    private Duration duration(String option, String value) {
        try {
            return new PgasConfig().set(PgasKey.TIMEOUT, value).duration(PgasKey.TIMEOUT);
        } catch (UsageException e) {
            throw new UsageException(option + " " + value + ": no time with its unit such as 500ms or 30s", e);
        }
    }

    private int clean() throws IOException {
        List<Path> swept = JobDirectory.sweep(JobDirectory.abandoned());
        PrintWriter out = spec.commandLine().getOut();
        swept.forEach(path -> out.println("removed " + path));
        out.println(swept.size() + " abandoned job directories removed");
        out.flush();
        return 0;
    }
}
