package org.pgas4j.runtime.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgas4j.BootstrapException;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.runtime.bootstrap.Abort;
import org.pgas4j.runtime.bootstrap.Coordinator;
import org.pgas4j.runtime.bootstrap.CoordinatorOptions;
import org.pgas4j.runtime.bootstrap.JobSecret;
import org.pgas4j.runtime.bootstrap.Place;
import org.pgas4j.runtime.bootstrap.ProcessLayout;

/**
 * One job from its start to its end: starts the JVMs, watches them, and if one fails tells the others, then ends them.
 * Runs on the thread that calls {@link #run}, which must live as long as the job: the kernel kills the JVMs when it
 * ends.
 */
final class JobRun implements Coordinator.Listener {

    private static final long LISTEN_MS = 10_000;
    private static final long DISCONNECT_MS = 1_000;
    private static final long TERM_MS = 3_000;
    private static final long KILL_MS = 3_000;
    private static final long DRAIN_MS = 1_000;
    private static final long MARGIN_MS = 500;

    private sealed interface Event {

        record Exited(int process, int status) implements Event { }

        record Joined(int process) implements Event { }

        record Left(int process) implements Event { }

        record Disconnected(int process) implements Event { }

        record Broken(int process, String why) implements Event { }

        record Failed() implements Event { }
    }

    /** What is known of one JVM. Main thread only. */
    private static final class Child {

        private final Process process;
        private boolean joined;
        private boolean left;
        private boolean disconnected;
        private long disconnectedNs;
        private int status = -1;
        private long exitedNs;

        Child(Process process) {
            this.process = process;
        }
    }

    private final JobOptions options;
    private final ProcessLayout layout;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final List<Child> children = new ArrayList<>();
    private final List<OutputPump> pumps = new ArrayList<>();
    private volatile List<Process> started = List.of();
    private volatile JobDirectory directory;
    private volatile boolean interrupted;
    private volatile Coordinator coordinator;
    private long failedNs;

    JobRun(JobOptions options) {
        this.options = options;
        this.layout = options.layout();
    }

    /** Runs the job and returns its exit status; nothing of it is left then. */
    int run() throws IOException, InterruptedException {
        JobSecret secret = JobSecret.random();
        String job = newJobId();
        Thread cleanup = new Thread(this::interrupted, "pgas-cleanup");
        Runtime.getRuntime().addShutdownHook(cleanup);
        // aside, while this thread starts the JVMs: both take a while
        FutureTask<Coordinator> listening = new FutureTask<>(() ->
                Coordinator.start(secret, job, layout, this, this::refused,
                        CoordinatorOptions.loopback().withWait(waitTimeout())));
        Thread.ofPlatform().daemon().name("pgas-listen").start(listening);
        try {
            startAll(job);
            coordinator = await(listening);
            for (int process = 0; process < layout.processes(); process++) {
                tell(process, new JobRecord(job, coordinator.port(), process, layout, ProcessHandle.current().pid(),
                        options.grace().toMillis(), options.tag(), directory == null ? null : directory.path(),
                        secret));
            }
            watch();
            for (OutputPump pump : pumps) {
                pump.join(DRAIN_MS);
            }
            return conclude();
        } finally {
            endNow();
            if (!interrupted) {
                Runtime.getRuntime().removeShutdownHook(cleanup);
            }
            if (coordinator != null) {
                coordinator.close();
            }
        }
    }

    /** Once the job has failed its JVMs leave in the middle of anything: the first cause stays the last line. */
    private Duration waitTimeout() {
        PgasConfig config = new PgasConfig();
        String given = options.settings().get(PgasKey.TIMEOUT.property());
        if (given != null) {
            config.set(PgasKey.TIMEOUT, given);
        }
        return config.duration(PgasKey.TIMEOUT);
    }

    private void refused(String line) {
        Coordinator listening = coordinator;
        if (listening == null || listening.aborted() == null) {
            System.err.println(line);
        }
    }

    private static Coordinator await(FutureTask<Coordinator> listening) throws InterruptedException {
        try {
            return listening.get(LISTEN_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PgasException failure ? failure
                    : new BootstrapException("cannot listen for the ranks", e.getCause());
        } catch (TimeoutException e) {
            throw new BootstrapException("not listening for the ranks after " + LISTEN_MS + " ms", e);
        }
    }

    /** Starts the JVMs; they wait for their job. On the thread whose end ends them. */
    private void startAll(String job) throws IOException {
        for (Path swept : JobDirectory.sweep(JobDirectory.root())) {
            say("removed " + swept + ", left by a launcher that is dead");
        }
        if (layout.processes() > 1) {
            directory = JobDirectory.create(JobDirectory.root(), job);
        }
        Path cache = Natives.cache();
        Path natives = Natives.prepare(cache, options.classPath());
        Path temporary = PrivateDirectory.ensure(cache.resolve("tmp"), "XDG_CACHE_HOME");
        List<String> command = RankCommand.of(options, natives, cache, temporary);
        say("job " + job + ", " + layout.processes() + " x " + RankCommand.quoted(command));
        for (int process = 0; process < layout.processes(); process++) {
            start(command, process);
        }
    }

    private void start(List<String> command, int number) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(options.environment());
        if (!options.tag()) {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        Process process = builder.start();
        children.add(new Child(process));
        started = children.stream().map(child -> child.process).toList();
        process.onExit().thenAccept(ended -> events.add(new Event.Exited(number, ended.exitValue())));
        if (options.tag()) {
            pumps.add(OutputPump.start(process.getInputStream(), Standard.OUT, "pgas-out-" + number));
            pumps.add(OutputPump.start(process.getErrorStream(), Standard.ERR, "pgas-err-" + number));
        }
    }

    private void tell(int number, JobRecord record) {
        try {
            OutputStream pipe = children.get(number).process.getOutputStream(); // stays open: its end ends the JVM
            pipe.write(record.encode());
            pipe.flush();
        } catch (IOException e) {
            say("process " + number + " did not read its job: " + e.getMessage()); // its exit tells why
        }
    }

    private static final class Standard {
        private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);
        private static final OutputStream ERR = new FileOutputStream(FileDescriptor.err);
    }

    /** Until all JVMs have ended. */
    private void watch() throws InterruptedException {
        long deadlineNs = options.timeout() == null ? Long.MAX_VALUE : System.nanoTime() + options.timeout().toNanos();
        boolean terminated = false;
        boolean killed = false;
        while (children.stream().anyMatch(child -> child.status < 0 || unjudged(child))) {
            Event event = events.poll(50, TimeUnit.MILLISECONDS);
            if (event != null) {
                handle(event);
            }
            long now = System.nanoTime();
            children.forEach(child -> judge(child, now));
            if (coordinator.aborted() == null && options.timeout() != null && now - deadlineNs >= 0) {
                abort(new Abort(-1, Place.here("pgasrun"), "running", "the job did not end within "
                        + options.timeout().toMillis() + " ms (--timeout)", ExitStatus.JOB_TIMEOUT, false));
            }
            if (failedNs == 0) {
                continue;
            }
            long failedForMs = (now - failedNs) / 1_000_000;
            if (!terminated && failedForMs >= options.grace().toMillis() + MARGIN_MS) {
                terminated = true;
                signal(false);
            }
            if (!killed && failedForMs >= options.grace().toMillis() + MARGIN_MS + TERM_MS) {
                killed = true;
                signal(true);
            }
        }
    }

    private void handle(Event event) {
        switch (event) {
            case Event.Exited exited -> {
                Child child = children.get(exited.process());
                child.status = exited.status();
                child.exitedNs = System.nanoTime();
                say(layout.describe(exited.process()) + " exited with status " + exited.status());
            }
            case Event.Joined joined -> children.get(joined.process()).joined = true;
            case Event.Left left -> children.get(left.process()).left = true;
            case Event.Disconnected gone -> {
                children.get(gone.process()).disconnected = true;
                children.get(gone.process()).disconnectedNs = System.nanoTime();
            }
            case Event.Broken broken -> {
                if (coordinator.aborted() == null) {
                    abort(lost(broken.process(), broken.why(), ExitStatus.PEER_LOST));
                }
            }
            case Event.Failed _ -> failedNs = failedNs == 0 ? System.nanoTime() : failedNs;
        }
    }

    /** What a JVM said before it ended may still be on its way: wait until its connection has ended too. */
    private boolean unjudged(Child child) {
        return child.status >= 0 && child.joined && !child.disconnected
                && System.nanoTime() - child.exitedNs < DISCONNECT_MS * 1_000_000;
    }

    private void judge(Child child, long now) {
        if (child.status < 0 && child.disconnected && !child.left && coordinator.aborted() == null
                && now - child.disconnectedNs > DISCONNECT_MS * 1_000_000) {
            abort(lost(children.indexOf(child), "process closed its connection without goodbye but runs on",
                    ExitStatus.PEER_LOST));
        }
        if (child.status < 0 || unjudged(child) || coordinator.aborted() != null
                || child.status == 0 && child.left) {
            return;
        }
        // events that were queued before the exit may name a cause: they have been handled, the queue is in order
        if (!events.isEmpty() && now - child.exitedNs < DISCONNECT_MS * 1_000_000) {
            return;
        }
        abort(lost(children.indexOf(child), ExitStatus.describe(child.status), child.status == 0
                ? ExitStatus.PEER_LOST : child.status));
    }

    private Abort lost(int process, String what, int exitCode) {
        Child child = children.get(process);
        return new Abort(layout.firstRank(process), Place.of(child.process.pid(), layout.ranksOf(process)),
                child.joined ? "running" : "starting", what, exitCode, true);
    }

    private void abort(Abort cause) {
        coordinator.abort(cause);
        failedNs = failedNs == 0 ? System.nanoTime() : failedNs;
    }

    private int conclude() {
        Abort cause = coordinator.aborted();
        if (cause == null) {
            return 0;
        }
        if (!interrupted) {
            System.err.println(cause.line());
        }
        return cause.exitCode() == 0 ? ExitStatus.USER_EXCEPTION : cause.exitCode();
    }

    /** Shutdown hook: on SIGTERM, SIGINT and SIGHUP. */
    private void interrupted() {
        interrupted = true;
        Coordinator meeting = coordinator;
        if (meeting != null && meeting.aborted() == null) {
            Abort cause = meeting.abort(new Abort(-1, Place.here("pgasrun"), "running", "pgasrun was told to end",
                    ExitStatus.SIGNAL + 15, false));
            System.err.println(cause.line());
        }
        endNow();
    }

    /** Ends what still runs and removes the directory. */
    private void endNow() {
        List<Process> running = started.stream().filter(Process::isAlive).toList();
        signal(false);
        if (!waitFor(running, TERM_MS)) {
            signal(true);
            waitFor(running, KILL_MS);
        }
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

    /** By handle: to destroy a Process closes its output, with what it still has to say. */
    private void signal(boolean kill) {
        for (Process process : started) {
            if (kill) {
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

    private static String newJobId() {
        byte[] random = new byte[5];
        new java.security.SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    private void say(String line) {
        if (options.verbose()) {
            System.err.println("pgas4j: " + line);
        }
    }

    @Override
    public void joined(int process) {
        events.add(new Event.Joined(process));
    }

    @Override
    public void left(int process) {
        events.add(new Event.Left(process));
    }

    @Override
    public void disconnected(int process) {
        events.add(new Event.Disconnected(process));
    }

    @Override
    public void broken(int process, String why) {
        events.add(new Event.Broken(process, why));
    }

    @Override
    public void aborted(Abort cause) {
        events.add(new Event.Failed());
    }
}
