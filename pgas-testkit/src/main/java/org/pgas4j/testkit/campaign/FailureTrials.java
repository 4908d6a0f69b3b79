package org.pgas4j.testkit.campaign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.pgas4j.testkit.harness.ProcessHarness;

/**
 * Jobs of {@link Phases} that are made to fail at a known place, and what must come of it. Needs the runtime on the
 * class path. Thread-safe: trials may run at once.
 */
public final class FailureTrials {

    /** The places where a rank can be made to fail, and what a message calls the phase. */
    public static final Map<String, String> PHASES = phases();

    private static final Pattern ACTION = Pattern.compile("failpoint (\\S+) of pid (\\d+) at (\\d+)");
    private static final Pattern RANK = Pattern.compile("phases pid (\\d+) rank (\\d+)");
    private static final Pattern FILE = Pattern.compile("threads and state in (\\S+\\.txt)");
    private static final Duration DEADLINE = Duration.ofSeconds(120);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Two hosts that are both this machine, each with an agent: what starts a command there unsets a variable of its name. */
    private static final List<String> AGENTS = List.of("--rsh", "env -u", "-H", "one,two");
    private static final Pattern COLLECTED = Pattern.compile("failpoint collected \\d+ MiB in (\\d+) ms");

    /**
     * Result of a trial.
     *
     * @param name    of the trial
     * @param wrong   what was not as it must be; empty if nothing
     * @param seconds from the failure to the end of the last process; -1 if that has no meaning
     * @param output  of the job
     */
    public record Outcome(String name, List<String> wrong, double seconds, String output) {

        /** True if all was as it must be. */
        public boolean isGood() {
            return wrong.isEmpty();
        }
    }

    private final Path folder;
    private final List<String> options;

    /** @param folder for output and job directories; exists */
    public FailureTrials(Path folder) {
        this(folder, List.of());
    }

    /** @param options of each launcher, before those of the trial */
    public FailureTrials(Path folder, List<String> options) {
        this.folder = folder;
        this.options = options;
    }

    private static Map<String, String> phases() {
        Map<String, String> phases = new LinkedHashMap<>();
        phases.put("jvm-start", "starting");
        phases.put("before-connect", "connecting");
        phases.put("handshake", "connecting");
        phases.put("connected", "running");
        phases.put("register", "registering");
        phases.put("directory", "directory");
        phases.put("allocation", "collective allocation");
        phases.put("barrier", "barrier");
        phases.put("collective", "a");
        phases.put("lock", "program");
        phases.put("put", "program");
        phases.put("get", "program");
        phases.put("notify", "notification");
        phases.put("close", "clos");
        phases.put("closed", "closed");
        return phases;
    }

    private final class Trial implements AutoCloseable {

        private final String name;
        private final String mark = "7" + ProcessHandle.current().pid() + "0" + NUMBER.incrementAndGet();
        private final Path own;
        private final Path output;
        private final Process launcher;
        private final List<String> wrong = new ArrayList<>();
        private final Set<String> before = memoryFiles();
        private double seconds = -1;

        Trial(String name, int processes, int ranks, long rounds, String failpoints, String... options)
                throws IOException {
            this(name, processes, ranks, rounds, failpoints, List.of(options));
        }

        Trial(String name, int processes, int ranks, long rounds, String failpoints, List<String> options)
                throws IOException {
            this.name = name;
            this.own = Files.createDirectory(folder.resolve("trial-" + mark));
            this.output = own.resolve("output.txt");
            Path jobs = Files.createDirectory(own.resolve("jobs"));
            List<String> words = new ArrayList<>(FailureTrials.this.options);
            words.addAll(List.of("-n", Integer.toString(ranks), "--processes", Integer.toString(processes), "--device",
                    "host", "--java-opt=-Dpgas4j.failpoints=" + failpoints, "--java-opt=-XX:-CreateCoredumpOnCrash",
                    "--java-opt=-XX:ErrorFile=" + own.resolve("hs_err")));
            words.addAll(options);
            words.addAll(ProcessHarness.testkit("phases", Long.toString(rounds), mark));
            // Where these are ignored, as behind nohup, a JVM leaves them so.
            List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP,INT"));
            command.addAll(ProcessHarness.launcher(words));
            this.launcher = ProcessHarness.start(command, output, Map.of("XDG_RUNTIME_DIR", jobs.toString()), own);
        }

        String text() throws IOException {
            return Files.readString(output);
        }

        Matcher await(Pattern pattern, int count) throws IOException, InterruptedException {
            long end = System.nanoTime() + DEADLINE.toNanos();
            while (System.nanoTime() - end < 0 && launcher.isAlive()) {
                if (pattern.matcher(text()).results().count() >= count) {
                    break;
                }
                Thread.sleep(5);
            }
            Matcher found = pattern.matcher(text());
            if (!found.find()) {
                throw new IllegalStateException(name + ": no " + pattern + " in " + text());
            }
            return found;
        }

        /** Waits until so many ranks have begun their program; the processes of all that have. */
        List<Long> awaitRanks(int count) throws IOException, InterruptedException {
            await(RANK, count);
            return RANK.matcher(text()).results().map(rank -> Long.parseLong(rank.group(1))).toList();
        }

        /** The JVMs of ranks that run; not what is about to become one, which still has the launcher's command line. */
        List<Long> ranks() {
            return launcher.children().map(ProcessHandle::pid).filter(pid -> commandLine(pid).contains("\0" + mark + "\0")
                    && commandLine(pid).contains("RankMain\0")).toList();
        }

        void signal(long pid, String signal) throws IOException, InterruptedException {
            if (new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor() != 0) {
                wrong.add("kill -" + signal + " " + pid + " failed");
            }
        }

        /** Waits for the end of the launcher and judges. */
        Outcome end(int code, Predicate<String> lastLine, String expected) throws IOException, InterruptedException {
            ProcessHarness.Result result = ProcessHarness.await(launcher, output, System.nanoTime(), DEADLINE);
            long endNs = System.nanoTime();
            Matcher action = ACTION.matcher(result.output());
            if (action.find()) {
                seconds = (endNs - Long.parseLong(action.group(3))) / 1e9;
            }
            if (result.exitCode() != code) {
                wrong.add("exit code " + result.exitCode() + " (expected: " + code + ")");
            }
            String last = result.output().lines().reduce((_, line) -> line).orElse("");
            if (!lastLine.test(last)) {
                wrong.add("last line '" + last + "' (expected: " + expected + ")");
            }
            return outcome(result.output());
        }

        Outcome outcome(String text) throws IOException {
            wrong.addAll(leftovers());
            return new Outcome(name, List.copyOf(wrong), seconds, text);
        }

        private List<String> leftovers() throws IOException {
            List<String> found = new ArrayList<>();
            try (Stream<Path> files = Files.walk(own.resolve("jobs"), 2)) {
                files.filter(path -> path.getNameCount() == own.getNameCount() + 3)
                        .forEach(path -> found.add("left: " + path));
            }
            Set<String> after = memoryFiles();
            after.removeAll(before);
            if (!after.isEmpty()) {
                // Jobs of other trials make such a file and take its name away at once: what is left is there for good.
                LockSupport.parkNanos(200_000_000);
                after.retainAll(memoryFiles());
            }
            after.forEach(file -> found.add("left in /dev/shm: " + file));
            ProcessHandle.allProcesses().filter(process -> commandLine(process.pid()).contains("\0" + mark + "\0"))
                    .forEach(process -> found.add("left: process " + process.pid()));
            return found;
        }

        /** Leftovers but the job's directory, which stays without a launcher until the next job's sweep, as documented. */
        List<String> leftButDirectories() throws IOException {
            return leftovers().stream().filter(left -> !left.contains("/jobs/")).toList();
        }

        /** Waits until these processes of the trial have ended, and takes the time since {@code start}. */
        void awaitGone(List<Long> pids, long start) throws InterruptedException {
            while (pids.stream().anyMatch(pid -> commandLine(pid).contains(mark))
                    && System.nanoTime() - start < DEADLINE.toNanos()) {
                Thread.sleep(2);
            }
            seconds = (System.nanoTime() - start) / 1e9;
        }

        @Override
        public void close() {
            launcher.descendants().forEach(ProcessHandle::destroyForcibly);
            launcher.destroyForcibly().onExit().join();
        }
    }

    private static Set<String> memoryFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return new TreeSet<>(files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith("pgas-board")).toList());
        }
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            return ""; // it has ended
        }
    }

    private static Predicate<String> named(int rank, String phase) {
        return line -> line.startsWith("pgas4j: job ended by rank " + rank + " (") && line.contains(" pid ")
                && line.substring(line.indexOf(") in ") + 1).contains(" " + phase) && line.contains("signal 9 (SIGKILL)");
    }

    /** SIGKILL at a place, of the JVM of the last rank: all others end, named. */
    public Outcome kill(String point, int processes, int ranks, int hit) throws IOException, InterruptedException {
        int victim = ranks - ranks / processes; // the first rank of the last JVM is the one that is named
        String name = "K1 " + point + ", " + ranks + " ranks in " + processes + " JVMs, hit " + hit;
        try (Trial trial = new Trial(name, processes, ranks, 3, point + "@" + victim + (hit > 1 ? "#" + hit : "") + ":kill")) {
            return trial.end(137, named(victim, PHASES.get(point)), "rank " + victim + " in " + PHASES.get(point));
        }
    }

    /** SIGKILL of one of the JVMs some time after the launcher's start, wherever that finds it: all others end, named. */
    public Outcome killAfter(int processes, int ranks, Duration time, int choice) throws IOException, InterruptedException {
        String name = "K2, after " + time.toMillis() + " ms, " + ranks + " ranks in " + processes + " JVMs";
        try (Trial trial = new Trial(name, processes, ranks, Long.MAX_VALUE, "")) {
            Thread.sleep(time);
            long deadline = System.nanoTime() + DEADLINE.toNanos();
            List<Long> pids = trial.ranks();
            while (pids.isEmpty() && trial.launcher.isAlive() && System.nanoTime() - deadline < 0) {
                Thread.sleep(1);
                pids = trial.ranks();
            }
            if (pids.isEmpty()) {
                throw new IllegalStateException(name + ": no JVM was started: " + trial.text());
            }
            long start = System.nanoTime();
            trial.signal(pids.get(Math.floorMod(choice, pids.size())), "KILL");
            Outcome outcome = trial.end(137, line -> line.startsWith("pgas4j: job ended by rank ")
                    && line.contains("signal 9 (SIGKILL)"), "a rank, SIGKILL");
            return new Outcome(name, outcome.wrong(), (System.nanoTime() - start) / 1e9, outcome.output());
        }
    }

    /** A job of one JVM that does little and ends well; its time is that of the whole, from the launcher's start. */
    public Outcome start(int ranks) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (Trial trial = new Trial("S2 job of " + ranks + " ranks", 1, ranks, 1, "")) {
            Outcome outcome = trial.end(0, _ -> true, "");
            return new Outcome(outcome.name(), outcome.wrong(), (System.nanoTime() - start) / 1e9, outcome.output());
        }
    }

    /** SIGKILL of the launcher: all ranks end by themselves. */
    public Outcome killLauncher(int processes) throws IOException, InterruptedException {
        try (Trial trial = new Trial("K3 launcher of " + processes + " JVMs", processes, processes, Long.MAX_VALUE,
                "")) {
            List<Long> pids = trial.awaitRanks(processes);
            long start = System.nanoTime();
            trial.launcher.destroyForcibly().waitFor();
            trial.awaitGone(pids, start);
            return new Outcome(trial.name, trial.leftButDirectories(), trial.seconds, trial.text());
        }
    }

    /** SIGKILL of one of two agents: both hosts' ranks end, named; with the launcher at once: they end by themselves. */
    public Outcome killAgent(boolean withLauncher) throws IOException, InterruptedException {
        String name = withLauncher ? "K3 agent and launcher at once" : "K3 agent";
        try (Trial trial = new Trial(name, 2, 2, Long.MAX_VALUE, "", AGENTS)) {
            List<Long> pids = trial.awaitRanks(2);
            long agent = ProcessHandle.of(pids.getFirst()).flatMap(ProcessHandle::parent).orElseThrow().pid();
            long start = System.nanoTime();
            trial.signal(agent, "KILL");
            if (withLauncher) {
                trial.launcher.destroyForcibly().waitFor();
            }
            trial.awaitGone(pids, start);
            if (withLauncher) {
                return new Outcome(name, trial.leftButDirectories(), trial.seconds, trial.text());
            }
            Outcome outcome = trial.end(12, line -> line.startsWith("pgas4j: job ended by rank ")
                    && line.contains("the node") && line.contains("lost"), "a rank, its agent lost");
            return new Outcome(name, outcome.wrong(), (System.nanoTime() - start) / 1e9, outcome.output());
        }
    }

    /** A signal to the launcher or to rank 1. */
    public Outcome signal(String signal, int code, boolean toLauncher) throws IOException, InterruptedException {
        String name = "K4 SIG" + signal + " to " + (toLauncher ? "the launcher" : "a rank");
        try (Trial trial = new Trial(name, 2, 2, Long.MAX_VALUE, "")) {
            trial.await(RANK, 2);
            long pid = toLauncher ? trial.launcher.pid() : RANK.matcher(trial.text()).results()
                    .filter(rank -> rank.group(2).equals("1")).map(rank -> Long.parseLong(rank.group(1))).findFirst()
                    .orElseThrow();
            long start = System.nanoTime();
            trial.signal(pid, signal);
            String who = toLauncher ? "the launcher" : "rank 1";
            Outcome outcome = trial.end(code, line -> line.startsWith("pgas4j: job ended by " + who), who);
            return new Outcome(name, outcome.wrong(), (System.nanoTime() - start) / 1e9, outcome.output());
        }
    }

    /** Rank 1 ends itself in a way. */
    public Outcome ends(String action, int code, String expected) throws IOException, InterruptedException {
        try (Trial trial = new Trial("K4 " + action, 2, 2, 3, "collective@1#2:" + action, "--java-opt=-Xmx64m")) {
            return trial.end(code, line -> line.startsWith("pgas4j: job ended by rank 1 (") && line.contains(expected),
                    "rank 1, " + expected);
        }
    }

    /** Rank 1 is stopped and goes on: the job too. */
    public Outcome stopFor(Duration time) throws IOException, InterruptedException {
        try (Trial trial = new Trial("H3 stopped for " + time.toMillis() + " ms", 2, 2, 3, "collective@1#3:stop")) {
            Matcher stopped = trial.await(ACTION, 1);
            Thread.sleep(time.toMillis());
            trial.signal(Long.parseLong(stopped.group(2)), "CONT");
            return trial.end(0, _ -> true, "");
        }
    }

    /**
     * Rank 1, behind an agent that takes its host for lost after 3 s without a sign, collects a heap of so many MiB for
     * longer than that: the job goes on. The time is that of the collection.
     */
    public Outcome collect(int mebibytes) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(AGENTS);
        options.addAll(List.of("--set", "pgas.heartbeat=500ms", "--set", "pgas.heartbeat.timeout=3s",
                "--java-opt=-XX:+UseSerialGC", "--java-opt=-Xmx" + (mebibytes + mebibytes / 2 + 256) + "m"));
        try (Trial trial = new Trial("H3 collects " + mebibytes + " MiB", 2, 2, 3, "collective@1#3:collect=" + mebibytes,
                options)) {
            Outcome outcome = trial.end(0, _ -> true, "");
            Matcher collected = COLLECTED.matcher(outcome.output());
            List<String> wrong = new ArrayList<>(outcome.wrong());
            if (!collected.find()) {
                wrong.add("no collection");
                return new Outcome(outcome.name(), wrong, -1, outcome.output());
            }
            return new Outcome(outcome.name(), wrong, Long.parseLong(collected.group(1)) / 1e3, outcome.output());
        }
    }

    /** Rank 1 is stopped for ever: a timeout that names it and reports it as stopped. */
    public Outcome stopForEver(String timeout) throws IOException, InterruptedException {
        try (Trial trial = new Trial("H3 stopped for ever", 2, 2, 3, "collective@1#3:stop",
                "--java-opt=-Dpgas.timeout=" + timeout)) {
            return trial.end(15, line -> line.startsWith("pgas4j: job ended by rank 0 (") && line.contains("timed out")
                    && line.contains("; rank 1 in ") && line.contains("process stopped"), "rank 0, for rank 1, stopped");
        }
    }

    /** Rank 1 hangs in an operation: the watchdog ends the job, and what the JVM did is in a file. */
    public Outcome hang(String limit) throws IOException, InterruptedException {
        try (Trial trial = new Trial("watchdog after " + limit, 2, 2, 3, "collective@1#3:hang",
                "--java-opt=-Dpgas.watchdog=" + limit)) {
            Outcome outcome = trial.end(15, line -> line.startsWith("pgas4j: job ended by rank 1 (")
                    && line.contains("watchdog: no progress for"), "rank 1, watchdog");
            List<String> wrong = new ArrayList<>(outcome.wrong());
            boolean told = false;
            for (Iterator<MatchResult> files = FILE.matcher(outcome.output()).results().iterator(); files.hasNext(); ) {
                told |= Files.readString(Path.of(files.next().group(1))).contains("Failpoint");
            }
            if (!told) {
                wrong.add("no file with the stack of the rank that hangs");
            }
            return new Outcome(outcome.name(), wrong, outcome.seconds(), outcome.output());
        }
    }
}
