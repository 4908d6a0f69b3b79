package org.pgas4j.bench.peer;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Programs that measure other libraries with a process and a GPU for each rank: one in CUDA C++ for NVSHMEM, compiled here, and
 * one in Python for NCCL and PyTorch's symmetric memory. Libraries and tools that a machine lacks are reported as missing. Used
 * by one thread.
 */
public final class PeerPrograms {

    /** Prints the folder of the wheel that has NVSHMEM, or nothing. */
    private static final String FIND_NVSHMEM = """
            import importlib.util
            try:
                found = importlib.util.find_spec("nvidia.nvshmem")
            except ModuleNotFoundError:
                found = None
            print(list(found.submodule_search_locations)[0] if found else "")
            """;
    private static final String NVSHMEM_HOME = "NVSHMEM_HOME";
    private static final Duration COMPILE = Duration.ofMinutes(5);
    private static final Duration LOOK = Duration.ofSeconds(60);
    /** Time that a program has left to end by itself before it is killed. */
    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final int WRONG = 1;

    private final Path work;
    private final String python;
    private final String nvcc;
    private final Function<String, String> environment;
    private final int ranks;
    private final Duration deadline;
    private final Consumer<PeerLine> out;

    /**
     * Programs that run in a directory of their own.
     *
     * @param work        empty, removed by the caller
     * @param python      command of Python 3
     * @param nvcc        command of CUDA's compiler
     * @param environment variables by name, as {@link System#getenv(String)}
     * @param ranks       processes and GPUs of each
     * @param deadline    after which a program is killed
     * @param out         gets what they print, by the calling thread
     */
    public PeerPrograms(Path work, String python, String nvcc, Function<String, String> environment, int ranks, Duration deadline,
            Consumer<PeerLine> out) {
        this.work = work;
        this.python = python;
        this.nvcc = nvcc;
        this.environment = environment;
        this.ranks = ranks;
        this.deadline = deadline;
        this.out = out;
    }

    /** Compiles and runs the program of NVSHMEM. */
    public void nvshmem() throws IOException, InterruptedException {
        String home = nvshmemHome();
        if (home.isEmpty()) {
            missing("no " + NVSHMEM_HOME + " and no Python package nvidia-nvshmem-cu13", PeerRows.NVSHMEM);
            return;
        }
        Path library = Path.of(home, "lib");
        Path host = hostLibrary(library);
        if (host == null) {
            missing("no libnvshmem_host.so in " + library, PeerRows.NVSHMEM);
            return;
        }
        Path program = work.resolve("nvshmem");
        List<String> compile = List.of(command(nvcc), "-O3", "-std=c++17", "-arch=native", "-rdc=true", "-I",
                Path.of(home, "include").toString(), resource("nvshmem.cu").toString(), "-o", program.toString(), "-L",
                library.toString(), "-l:" + host.getFileName(), "-lnvshmem_device", "-Xlinker", "-rpath=" + library);
        PeerProcess.End end = start(compile, COMPILE, _ -> { }, PeerRows.NVSHMEM);
        if (end != null && end.status() != 0) {
            missing("compiling its program: " + end.describe(), PeerRows.NVSHMEM);
        } else if (end != null) {
            run(List.of(program.toString(), Integer.toString(ranks), seconds()), PeerRows.NVSHMEM);
        }
    }

    /** Runs the program of NCCL and PyTorch. */
    public void torch() throws IOException, InterruptedException {
        run(List.of(command(python), resource("torch_peers.py").toString(), Integer.toString(ranks), seconds()), PeerRows.NCCL,
                PeerRows.PYTORCH);
    }

    private String nvshmemHome() throws IOException, InterruptedException {
        String home = environment.apply(NVSHMEM_HOME);
        if (home != null && !home.isEmpty()) {
            return home;
        }
        List<String> found = new ArrayList<>();
        PeerProcess.End end = start(List.of(command(python), "-c", FIND_NVSHMEM), LOOK, found::add);
        return end == null || end.status() != 0 || found.isEmpty() ? "" : found.getLast().strip();
    }

    private static Path hostLibrary(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return null;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("libnvshmem_host.so")).sorted().findFirst()
                    .orElse(null);
        }
    }

    /** A command as given where it is on the path, else as CUDA's own variables lead to it, if it is there. */
    private String command(String name) {
        if (name.contains(File.separator) || isOn(environment.apply("PATH"), name)) {
            return name;
        }
        return Stream.of("CUDA_HOME", "CUDA_PATH").map(environment).filter(Objects::nonNull)
                .map(home -> Path.of(home, "bin", name)).filter(Files::isExecutable).map(Path::toString).findFirst().orElse(name);
    }

    private static boolean isOn(String path, String name) {
        return path != null && Stream.of(path.split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
    }

    private String seconds() {
        return Long.toString(Math.max(1, deadline.minus(MARGIN).toSeconds()));
    }

    private void run(List<String> command, String... peers) throws IOException, InterruptedException {
        List<String> seen = new ArrayList<>();
        PeerProcess.End end = start(command, deadline, line -> {
            if (line.startsWith("{")) {
                accept(line, seen, peers);
            }
        }, peers);
        if (end != null && (end.timedOut() || end.status() > WRONG || end.status() == WRONG && seen.isEmpty())) {
            missing("some or all: " + end.describe(), peers);
        }
    }

    private void accept(String line, List<String> seen, String... peers) {
        try {
            PeerLine read = PeerLine.parse(line);
            seen.add(read.peer());
            out.accept(read);
        } catch (IllegalArgumentException e) {
            missing("a line that is no result: " + e.getMessage(), peers);
        }
    }

    /** Runs a program; null if it does not start, which is reported for the peers it is of. */
    private PeerProcess.End start(List<String> command, Duration limit, Consumer<String> lines, String... peers)
            throws InterruptedException {
        try {
            return PeerProcess.run(command, work, limit, lines);
        } catch (IOException e) {
            missing("no " + command.getFirst() + " (" + e.getMessage() + ")", peers);
            return null;
        }
    }

    private void missing(String why, String... peers) {
        for (String peer : peers) {
            out.accept(new PeerLine.Missing(peer, why));
        }
    }

    /** A file with the content of a resource. */
    private Path resource(String name) throws IOException {
        Path file = work.resolve(name);
        try (InputStream in = PeerPrograms.class.getResourceAsStream(name)) {
            Files.write(file, in.readAllBytes());
        }
        return file;
    }
}
