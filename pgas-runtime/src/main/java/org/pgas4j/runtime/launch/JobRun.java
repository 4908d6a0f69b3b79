package org.pgas4j.runtime.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.pgas4j.runtime.bootstrap.Abort;
import org.pgas4j.runtime.bootstrap.Coordinator;
import org.pgas4j.runtime.bootstrap.JobSecret;
import org.pgas4j.runtime.bootstrap.Place;
import org.pgas4j.runtime.bootstrap.ProcessLayout;

/**
 * One job from its start to its end: starts the JVMs, watches them, and if one fails tells the others, then ends them.
 * Runs on the thread that calls {@link #run}, which must live as long as the job: the kernel kills the JVMs when it ends.
 */
final class JobRun implements Coordinator.Listener {

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
    private Coordinator coordinator;
    private long failedNs;

    JobRun(JobOptions options) {
        this.options = options;
        this.layout = options.layout();
    }

    /** Runs the job and returns its exit status; nothing of it is left then. */
    int run() throws IOException, InterruptedException {
        JobSecret secret = JobSecret.random();
        String job = newJobId();
        Path cache = Natives.cache();
        Path natives = Natives.prepare(cache, options.classPath());
        Path temporary = PrivateDirectory.ensure(cache.resolve("tmp"), "XDG_CACHE_HOME");
        for (Path swept : JobDirectory.sweep(JobDirectory.root())) {
            say("removed " + swept + ", left by a launcher that is dead");
        }
        Thread cleanup = new Thread(this::endNow, "pgas-cleanup");
        Runtime.getRuntime().addShutdownHook(cleanup);
        try (Coordinator started = Coordinator.start(secret, job, layout, this, System.err::println)) {
            coordinator = started;
            if (layout.processes() > 1) {
                directory = JobDirectory.create(JobDirectory.root(), job);
            }
            List<String> command = RankCommand.of(options, natives, cache, temporary);
            say("job " + job + ", natives in " + natives + ", starting " + layout.processes() + " x "
                    + RankCommand.quoted(command));
            for (int process = 0; process < layout.processes(); process++) {
                start(command, new JobRecord(job, started.port(), process, layout, ProcessHandle.current().pid(),
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
            Runtime.getRuntime().removeShutdownHook(cleanup);
        }
    }

    private void start(List<String> command, JobRecord record) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(options.environment());
        if (!options.tag()) {
            builder.redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        Process process = builder.start();
        int number = children.size();
        children.add(new Child(process));
        started = children.stream().map(child -> child.process).toList();
        process.onExit().thenAccept(ended -> events.add(new Event.Exited(number, ended.exitValue())));
        if (options.tag()) {
            pumps.add(OutputPump.start(process.getInputStream(), Standard.OUT, "pgas-out-" + number));
            pumps.add(OutputPump.start(process.getErrorStream(), Standard.ERR, "pgas-err-" + number));
        }
        try {
            OutputStream pipe = process.getOutputStream(); // stays open: its end is the JVM's signal to end
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
                started.forEach(Process::destroy);
            }
            if (!killed && failedForMs >= options.grace().toMillis() + MARGIN_MS + TERM_MS) {
                killed = true;
                started.forEach(Process::destroyForcibly);
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
        System.err.println(cause.line());
        return cause.exitCode() == 0 ? ExitStatus.USER_EXCEPTION : cause.exitCode();
    }

    /** Ends what still runs and removes the directory; also as shutdown hook, on SIGTERM, SIGINT and SIGHUP. */
    private void endNow() {
        List<Process> running = started.stream().filter(Process::isAlive).toList();
        running.forEach(Process::destroy);
        if (!waitFor(running, TERM_MS)) {
            running.forEach(Process::destroyForcibly);
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
