package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgas4j.BootstrapException;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.CoordinatorOptions;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.launch.doctor.Doctor;

/** One job from its start to its end: its coordinator, the part that starts its JVMs, and its exit status. */
final class JobRun {

    private static final long LISTEN_MS = 10_000;

    /** The part that starts the JVMs and watches them to their end. */
    interface Part extends Coordinator.Listener {

        /** Options of the coordinator. */
        default CoordinatorOptions meeting(CoordinatorOptions loopback) {
            return loopback;
        }

        /** Starts processes, which take a while and need no coordinator yet. */
        void start(String job) throws IOException, InterruptedException;

        /** Runs to the end of the last JVM. */
        void run(String job, Coordinator coordinator, JobSecret secret) throws IOException, InterruptedException;

        /** Counters that the JVMs have handed in, after {@link #run}. */
        List<byte[]> stats();

        /** Parts of the timeline that the JVMs have handed in, after {@link #run}; there until {@link #endNow}. */
        List<Path> traces();

        /** Ends all processes and removes their files. Any thread, also twice. */
        void endNow();
    }

    private final JobOptions options;
    private final Part part;
    private final Terminal terminal;
    private final StatsOutput stats;
    private final TraceOutput trace;
    private volatile boolean interrupted;
    private volatile Coordinator coordinator;

    JobRun(JobOptions options, Part part, Terminal terminal, StatsOutput stats, TraceOutput trace) {
        this.options = options;
        this.part = part;
        this.terminal = terminal;
        this.stats = stats;
        this.trace = trace;
    }

    /** Runs the job and returns its exit status; nothing of it remains. */
    int run() throws IOException, InterruptedException {
        JobSecret secret = JobSecret.random();
        String job = newJobId();
        Thread cleanup = new Thread(this::interrupted, "pgas-cleanup");
        Runtime.getRuntime().addShutdownHook(cleanup);
        // in parallel with the start of the JVMs: both take a while
        FutureTask<Coordinator> listening = new FutureTask<>(() ->
                Coordinator.start(secret, job, options.layout(), part, this::refused,
                        part.meeting(CoordinatorOptions.of(options.config()))));
        Thread.ofPlatform().daemon().name("pgas-listen").start(listening);
        try {
            part.start(job);
            coordinator = await(listening);
            terminal.onFailure(this::outputFailed);
            part.run(job, coordinator, secret);
            if (stats.isWanted() && !interrupted) {
                stats.write(options.layout().ranks(), part.stats());
            }
            if (trace.isWanted() && !interrupted) {
                trace.write(part.traces());
            }
            return conclude();
        } finally {
            part.endNow();
            if (!interrupted) {
                Runtime.getRuntime().removeShutdownHook(cleanup);
            }
            if (coordinator != null) {
                coordinator.close();
            }
        }
    }

    private void refused(String line) {
        Coordinator listening = coordinator;
        if (listening == null || listening.aborted() == null) {
            System.err.println(line);
        }
    }

    private Coordinator await(FutureTask<Coordinator> listening) throws InterruptedException {
        long timeoutMs = Math.max(LISTEN_MS, options.config().duration(PgasKey.TIMEOUT).toMillis());
        try {
            return listening.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PgasException failure ? failure
                    : new BootstrapException("cannot listen for the ranks", e.getCause());
        } catch (TimeoutException e) {
            throw new BootstrapException("not listening for the ranks after " + timeoutMs + " ms", e);
        }
    }

    /** Without a reader the job ends. With a full disk only this output is lost: the job may have results elsewhere. */
    private void outputFailed(StandardOutput.Failure failure) {
        if (failure.noReader()) {
            coordinator.abort(new Abort(-1, Place.here("pgasrun"), Phase.RUNNING, failure.line(), failure.exitCode(),
                    false));
        } else {
            System.err.println("pgas4j: " + failure.line());
        }
    }

    private int conclude() {
        Abort cause = coordinator.aborted();
        if (cause == null) {
            return terminal.failure() == null ? 0 : terminal.failure().exitCode();
        }
        if (!interrupted && !ExitCode.NO_READER.is(cause.exitCode())) { // such an end is silent
            if (part instanceof NodeRun) { // else the cause is on another host
                Doctor.explainStart(cause.exitCode(), cause.phase(), System.err);
            }
            System.err.println(cause.line());
        }
        return cause.status();
    }

    /** Shutdown hook: on SIGTERM, SIGINT and SIGHUP. */
    private void interrupted() {
        interrupted = true;
        Coordinator meeting = coordinator;
        if (meeting != null && meeting.aborted() == null) {
            Abort cause = meeting.abort(new Abort(-1, Place.here("pgasrun"), Phase.RUNNING, "a signal ended pgasrun",
                    ExitCode.TERMINATED.number(), false));
            System.err.println(cause.line());
        }
        part.endNow();
    }

    private static String newJobId() {
        byte[] random = new byte[5];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
