package org.pgas4j.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.pgas4j.UsageException;
import org.pgas4j.bench.figure.Results;
import org.pgas4j.bench.figure.Tables;
import org.pgas4j.bench.peer.PeerComparison;
import org.pgas4j.bench.peer.PeerLine;
import org.pgas4j.bench.peer.PeerPrograms;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Environment;
import org.pgas4j.bench.result.Provenance;
import org.pgas4j.bench.result.Row;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures this system and other libraries for GPUs in one call and prints one table of all. */
@Command(name = "peers", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
        description = "Measures NVSHMEM, NCCL, PyTorch's symmetric memory and this system, one after the other, in one call:"
        + " puts with notifications and barriers of blocks, collective operations on streams, products of matrices.",
        footer = {"", "The table has each library's best form of each operation, microseconds; the bar is the ratio of ours to"
                + " the fastest peer that this system aims at. A library or tool that is not here is named, and the rest runs."
                + " NVLink multicast stays off. Exit status 1 if anything arrived wrong."})
final class PeersCommand implements Callable<Integer> {

    private static final String TORCH = "torch";
    private static final List<String> PARTS = List.of(PeerRows.NVSHMEM, TORCH, PeerRows.OURS);
    private static final int FAILED = 1;
    private static final int MAX_RANKS = 4096;
    private static final int MIN_SECONDS = 10;

    @Option(names = {"-n", "--ranks"}, paramLabel = "N", defaultValue = "2",
            description = "Ranks, of peers a process and a GPU each; default 2.")
    private int ranks;

    @Option(names = "--processes", split = ",", paramLabel = "N", defaultValue = "1",
            description = "JVMs for the ranks of this system, a launch each; default 1.")
    private List<Integer> processes;

    @Option(names = "--device", paramLabel = "NAME", defaultValue = "auto",
            description = "What this system computes on: auto (default), host or cuda.")
    private String device;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", converter = SizeConverter.class,
            description = "Of vectors of this system; default: those of the peers.")
    private List<Long> sizes;

    @Option(names = "--only", split = ",", paramLabel = "PART",
            description = "Some of nvshmem, torch (NCCL and PyTorch) and pgas4j; default: all.")
    private List<String> only = PARTS;

    @Option(names = "--python", paramLabel = "CMD", defaultValue = "python3",
            description = "Python with torch; default python3.")
    private String python;

    @Option(names = "--nvcc", paramLabel = "CMD", defaultValue = "nvcc", description = "CUDA's compiler; default nvcc.")
    private String nvcc;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "120", description = "A peer's program is killed after this;"
            + " default 120.")
    private int seconds;

    @Option(names = "--launch-timeout", paramLabel = "DURATION", defaultValue = "5m",
            description = "Ends a launch of this system that takes longer; default 5m.")
    private String launchTimeout;

    @Option(names = {"--java-opts", "--java-opt"}, paramLabel = "OPTS", description = "Options of the ranks' JVMs.")
    private List<String> javaOptions = List.of();

    @Option(names = "--out", paramLabel = "DIR", description = "Keeps JSON lines, CSV and plots there.")
    private Path out;

    @Mixin
    private CommonOptions common;

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, PeerLine.Version> versions = new LinkedHashMap<>();
    private final List<String> missing = new ArrayList<>();
    private final List<String> environment = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        Provenance provenance = Provenance.ofProgram(common.commit);
        int status = 0;
        try (FreshDirectory work = FreshDirectory.create("pgas-peers-")) {
            PeerPrograms programs = new PeerPrograms(work.path(), python, nvcc, System::getenv, ranks,
                    Duration.ofSeconds(seconds), line -> accept(provenance, line));
            if (only.contains(PeerRows.NVSHMEM)) {
                report("NVSHMEM");
                programs.nvshmem();
            }
            if (only.contains(TORCH)) {
                report("NCCL and PyTorch");
                programs.torch();
            }
        }
        for (int jvms : only.contains(PeerRows.OURS) ? processes : List.<Integer>of()) {
            report("pgas4j, " + jvms + (jvms == 1 ? " JVM" : " JVMs"));
            status = Math.max(status, launch(jvms));
        }
        environment.addAll(environment.isEmpty() ? Environment.withLoad("ended", common.commit) : List.of());
        versions.values().forEach(version -> environment.add(version.peer() + ": " + version.version()));
        missing.forEach(each -> environment.add("missing: " + each));
        List<Row> compared = PeerComparison.withBaselines(rows);
        print(compared);
        if (out != null) {
            new Results(out).keep(PeerRows.STUDY, compared, environment, command());
        }
        return compared.stream().anyMatch(row -> row.wrong() > 0) ? FAILED : status;
    }

    private void check() {
        if (ranks < 2 || ranks > MAX_RANKS || seconds < MIN_SECONDS) {
            throw new UsageException("--ranks " + ranks + ", --seconds " + seconds + " (expected: 2.." + MAX_RANKS + " and "
                    + MIN_SECONDS + " or more)");
        }
        processes.stream().filter(jvms -> jvms < 1 || jvms > ranks).findFirst().ifPresent(jvms -> {
            throw new UsageException("--processes " + jvms + " (expected: 1.." + ranks + ", the number of ranks)");
        });
        only.stream().filter(part -> !PARTS.contains(part)).findFirst().ifPresent(part -> {
            throw new UsageException("--only " + part + " (expected: some of " + String.join(", ", PARTS) + ")");
        });
    }

    private void report(String what) {
        if (common.progress) {
            System.err.println("bench: peers, " + what);
        }
    }

    private void accept(Provenance provenance, PeerLine line) {
        switch (line) {
            case PeerLine.Measured measured -> {
                PeerLine.Version version = versions.get(measured.peer());
                Row row = provenance.stamp(PeerRows.of(measured, ranks));
                rows.add(version == null ? row : row.with(Provenance.DEVICE, "CUDA, " + version.device())
                        .with("version", version.version()));
            }
            case PeerLine.Missing lacking -> missing.add(lacking.peer() + ": " + lacking.why());
            case PeerLine.Version version -> versions.put(version.peer(), version);
        }
    }

    private int launch(int jvms) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("-n", Integer.toString(ranks), "--processes", Integer.toString(jvms),
                "--device", device, "--timeout", launchTimeout, "--no-tag-output"));
        if (device.equals("cuda")) {
            words.addAll(List.of("--bind", "core"));
        }
        for (String options : javaOptions) {
            for (String option : options.strip().split("\\s+")) {
                words.add("--java-opt=" + option);
            }
        }
        words.add(PeersProgram.class.getName());
        if (sizes != null) {
            words.addAll(List.of("--sizes", joined(sizes)));
        }
        if (common.commit != null) {
            words.addAll(List.of("--commit", common.commit));
        }
        boolean known = !environment.isEmpty();
        int code = new LauncherProcess(common.launcherOptions).run(words, rows::add, line -> {
            if (!line.startsWith("# ")) {
                System.err.println(line);
            } else if (!known) {
                environment.add(line.substring(2));
            }
        });
        if (code != 0) {
            missing.add(PeerRows.OURS + ": " + jvms + (jvms == 1 ? " JVM" : " JVMs") + " ended with status " + code);
        }
        return code;
    }

    private void print(List<Row> compared) {
        if (common.json) {
            compared.forEach(row -> System.out.println(row.json()));
            missing.forEach(each -> System.err.println("bench: missing: " + each));
            return;
        }
        environment.forEach(line -> System.out.println("# " + line));
        System.out.print(Tables.of(PeerRows.STUDY, compared).markdown());
    }

    private static String joined(List<?> numbers) {
        return String.join(",", numbers.stream().map(String::valueOf).toList());
    }

    private String command() {
        return "scripts/bench peers -n " + ranks + (device.equals("auto") ? "" : " --device " + device)
                + (processes.equals(List.of(1)) ? "" : " --processes " + joined(processes))
                + (only.equals(PARTS) ? "" : " --only " + String.join(",", only)) + " --out DIR";
    }
}
