package org.pgas4j.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Phases;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.bootstrap.stats.StatsFolder;
import org.pgas4j.bootstrap.trace.TraceFolder;
import org.pgas4j.bootstrap.watch.ProcessState;
import org.pgas4j.launch.files.JobDirectory;
import org.pgas4j.launch.files.PrivateDirectory;
import org.pgas4j.os.SystemMemory;

/**
 * The JVMs of a job on this node from their start to their end: starts them, watches them, reports to the job if one
 * fails, and ends them if the job has failed. Runs on the thread that calls {@link #start}, which must live as long as
 * the job: the kernel kills the JVMs when it ends.
 */
final class NodeRun extends LaunchSupervisor<NodeRun.Event> {

    private static final long DISCONNECT_MS = 1_000;
    private static final long KILL_MS = 3_000;
    private static final long DRAIN_MS = 1_000;

    sealed interface Event {

        record Exited(int process, int status) implements Event { }

        record Joined(int process) implements Event { }

        record Left(int process) implements Event { }

        record Disconnected(int process) implements Event { }

        record Broken(int process, String why) implements Event { }

    }

    /** State of one JVM. Main thread only. */
    private static final class Child {

        private final Process process;
        private boolean joined;
        private boolean left;
        private boolean disconnected;
        private boolean lost;
        private long disconnectedNs;
        private int status = -1;
        private long exitedNs;

        Child(Process process) {
            this.process = process;
        }
    }

    private final NodeShare share;
    private final JvmOutput output;
    private final List<Child> children = new ArrayList<>();
    private final List<OutputPump> pumps = new ArrayList<>();
    private final long killsBefore = SystemMemory.kills();
    private volatile List<Process> started = List.of();
    private volatile JobDirectory directory;
    private volatile boolean ended;
    private BoardFile board;

    /** @param directory of the job that is there already; null to make one if the job has several JVMs here */
    NodeRun(JobOptions options, NodeShare share, JvmOutput output, JobDirectory directory) {
        super(options);
        this.directory = directory;
        this.share = share;
        this.output = output;
    }

    /** Starts the JVMs; they wait for their job. */
    @Override
    public void start(String job) throws IOException {
        for (Path swept : JobDirectory.sweep(JobDirectory.abandoned())) {
            options.log("removed " + swept + ", left by a launcher that is dead");
        }
        if (directory == null && (share.processes() > 1 || handsInStats() || handsInTrace())) {
            directory = JobDirectory.create(JobDirectory.base(), share.directoryName(job));
        }
        Path cache = Natives.cache();
        Path natives = Natives.prepare(cache, options.classPath());
        Path temporary = PrivateDirectory.ensure(cache.resolve("tmp"), "XDG_CACHE_HOME");
        List<String> command = RankCommand.of(options, share.processes(), natives, cache, temporary);
        options.log("job " + job + ", " + share.processes() + " x " + RankCommand.quoted(command));
        for (int process = share.first(); process < share.end(); process++) {
            start(command, process);
        }
        board = makeBoard(temporary);
    }

    private boolean handsInTrace() {
        return !options.config().text(PgasKey.TRACE).equals("none");
    }

    private boolean handsInStats() {
        return options.config().flag(PgasKey.STATS);
    }

    /** Makes the status board while the JVMs start. A job runs without one too. */
    private BoardFile makeBoard(Path temporary) {
        try {
            return BoardFile.create(temporary, share.layout().firstRank(share.first()),
                    share.layout().firstRank(share.end()));
        } catch (IOException e) {
            options.log("the status of the ranks will not be known: " + e);
            return null;
        }
    }

    private void start(List<String> command, int number) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(options.environment());
        if (options.directory() != null) {
            builder.directory(options.directory().toFile());
        }
        if (output.inherited()) {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        Process process = builder.start();
        children.add(new Child(process));
        started = children.stream().map(child -> child.process).toList();
        process.onExit().thenAccept(ended -> add(new Event.Exited(number, ended.exitValue())));
        if (!output.inherited()) {
            pumps.add(OutputPump.start(process.getInputStream(), output.of(number, false), "pgas-out-" + number));
            pumps.add(OutputPump.start(process.getErrorStream(), output.of(number, true), "pgas-err-" + number));
        }
    }

    /** Until all JVMs have ended and their output is passed on. */
    @Override
    public void run(String job, Coordinator meeting, JobSecret secret) throws InterruptedException {
        sendRecords(job, meeting, secret);
        supervise(meeting);
        watch();
        for (OutputPump pump : pumps) {
            pump.join(DRAIN_MS);
        }
        ended = true;
    }

    /** True if all JVMs have ended and their output is passed on. */
    boolean ended() {
        return ended;
    }

    /** Counters that the JVMs of this node have left. */
    @Override
    public List<byte[]> stats() {
        try {
            return directory == null || !handsInStats() ? List.of() : StatsFolder.read(directory.path());
        } catch (IOException e) {
            System.err.println("pgas4j: the counters in " + directory.path() + " cannot be read: " + e);
            return List.of();
        }
    }

    /** Timelines that the JVMs of this node have left. */
    @Override
    public List<Path> traces() {
        try {
            return directory == null || !handsInTrace() ? List.of() : TraceFolder.list(directory.path());
        } catch (IOException e) {
            System.err.println("pgas4j: the timelines in " + directory.path() + " cannot be read: " + e);
            return List.of();
        }
    }

    /** The job's directory on this node, or null. */
    Path directory() {
        return directory == null ? null : directory.path();
    }

    /** Sends each JVM its job. */
    private void sendRecords(String job, Coordinator meeting, JobSecret secret) {
        for (int process = share.first(); process < share.end(); process++) {
            JobRecord record = new JobRecord(job, meeting.port(), process, share,
                    ProcessHandle.current().pid(), options.grace().toMillis(), options.tagsLines(),
                    directory == null ? null : directory.path(), board == null ? null : board.path(), secret);
            try {
                OutputStream pipe = child(process).process.getOutputStream(); // stays open: its end ends the JVM
                pipe.write(record.encode());
                pipe.flush();
            } catch (IOException e) {
                // its exit status has the reason
                options.log("process " + process + " did not read its job: " + e.getMessage());
            }
        }
    }

    private Child child(int process) {
        return children.get(process - share.first());
    }

    @Override
    protected boolean isRunning() {
        return children.stream().anyMatch(child -> child.status < 0 || unjudged(child));
    }

    @Override
    protected void step(long nowNs) {
        children.forEach(child -> judge(child, nowNs));
        switch (escalation.due(nowNs)) {
            case KILL_UNJOINED -> killUnjoined();
            case TERM -> signal(false);
            case KILL -> signal(true);
            case NOTHING -> { }
        }
    }

    @Override
    protected void handle(Event event) {
        switch (event) {
            case Event.Exited exited -> {
                Child child = child(exited.process());
                child.status = exited.status();
                child.exitedNs = System.nanoTime();
                options.log(layout().describe(exited.process()) + " exited with status " + exited.status());
            }
            case Event.Joined joined -> child(joined.process()).joined = true;
            case Event.Left left -> child(left.process()).left = true;
            case Event.Disconnected gone -> {
                child(gone.process()).disconnected = true;
                child(gone.process()).disconnectedNs = System.nanoTime();
            }
            case Event.Broken broken -> lost(broken.process(), broken.why());
        }
    }

    /**
     * A message that a JVM sent before it ended may still be on its way: the judgement waits for the end of its
     * connection.
     */
    private boolean unjudged(Child child) {
        return child.status >= 0 && child.joined && !child.disconnected
                && System.nanoTime() - child.exitedNs < DISCONNECT_MS * 1_000_000;
    }

    private void judge(Child child, long now) {
        int process = share.first() + children.indexOf(child);
        if (child.status < 0 && child.disconnected && !child.left && !child.lost
                && now - child.disconnectedNs > DISCONNECT_MS * 1_000_000) {
            child.lost = true;
            lost(process, "process closed its connection before it left the job but runs on");
            if (!hasFailed()) {
                child.process.toHandle().destroyForcibly(); // the others go on, and it has no job any more
            }
        }
        if (child.status < 0 || child.lost || unjudged(child) || hasFailed()
                || child.status == 0 && child.left) {
            return;
        }
        // events that were queued before the exit may name a cause: they have been handled, the queue is in order
        if (hasEvents() && now - child.exitedNs < DISCONNECT_MS * 1_000_000) {
            return;
        }
        child.lost = true;
        int exited = board == null ? -1 : board.board().exited(firstRank(process), firstRank(process + 1));
        lost(process, exited < 0 ? firstRank(process) : exited,
                ExitStatus.describe(child.status, exited >= 0) + reason(child),
                child.status == 0 ? ExitCode.PEER_LOST.number() : isRefused(child) ? ExitCode.USAGE.number() : child.status);
    }

    private int firstRank(int process) {
        return layout().firstRank(process);
    }

    /** Reasons that the JVM itself cannot report; empty if none is known. */
    private String reason(Child child) {
        if (ExitCode.KILLED.is(child.status) && SystemMemory.kills() > killsBefore) {
            return ": its control group had no memory left of " + (SystemMemory.totalBytes() >> 20) + " MiB";
        }
        return isRefused(child)
                ? ": Java did not start; its options are --java-opt=" + RankCommand.quoted(options.javaOptions()) : "";
    }

    /** True if Java did not start, most likely for its options. */
    private boolean isRefused(Child child) {
        return ExitCode.PROGRAM.is(child.status) && !child.joined && !options.javaOptions().isEmpty();
    }

    @Override
    protected String place(int process) {
        return Place.of(child(process).process.pid(), layout().ranksOf(process));
    }

    @Override
    protected Phases phases(int process) {
        Phases known = board == null ? Phases.all(Phase.STARTING)
                : board.board().phases(firstRank(process), firstRank(process + 1));
        return child(process).joined && known.are(Phase.STARTING) ? Phases.all(Phase.RUNNING) : known;
    }

    @Override
    public void endNow() {
        endWithin(Escalation.TERM_MS);
    }

    /** As {@link #endNow}, with so much time between SIGTERM and SIGKILL. */
    void endWithin(long ms) {
        List<Process> running = started.stream().filter(Process::isAlive).toList();
        signal(false);
        if (!waitFor(running, ms)) {
            signal(true);
            waitFor(running, KILL_MS);
        }
        removeDirectory();
    }

    private void removeDirectory() {
        closeBoard();
        JobDirectory toRemove = directory;
        if (toRemove != null) {
            try {
                toRemove.close();
            } catch (IOException e) {
                System.err.println("pgas4j: cannot remove " + toRemove.path() + ": " + e + "; pgasrun --clean tries"
                        + " again");
            }
        }
    }

    private void closeBoard() {
        if (board != null) {
            try {
                board.close();
            } catch (IOException e) {
                options.log("cannot close the status board: " + e);
            }
        }
    }

    /** A JVM that starts takes as long to end in order as to start, and one that joins after the failure is refused. */
    private void killUnjoined() {
        for (Child child : children) {
            if (!child.joined && child.status < 0) {
                child.process.toHandle().destroyForcibly();
            }
        }
    }

    /**
     * By handle: to destroy a Process closes its output, and what is still in the pipe is lost. A stopped process would
     * take SIGTERM only when it is continued.
     */
    private void signal(boolean kill) {
        for (Process process : started) {
            if (kill || ProcessState.isStopped(process.pid())) {
                process.toHandle().destroyForcibly();
            } else {
                process.toHandle().destroy();
            }
        }
    }

    private static boolean waitFor(List<Process> processes, long ms) {
        long deadlineNs = System.nanoTime() + ms * 1_000_000;
        try {
            for (Process process : processes) {
                if (!process.waitFor(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void joined(int process) {
        add(new Event.Joined(process));
    }

    @Override
    public void left(int process) {
        add(new Event.Left(process));
    }

    @Override
    public void disconnected(int process) {
        add(new Event.Disconnected(process));
    }

    @Override
    public void broken(int process, String why) {
        add(new Event.Broken(process, why));
    }
}
