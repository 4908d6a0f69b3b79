package org.pgas4j.launch.join;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.NettyBootstrap;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.bootstrap.SingleProcessBootstrap;
import org.pgas4j.bootstrap.job.JobShare;
import org.pgas4j.bootstrap.watch.StatusBoard;
import org.pgas4j.os.JvmEnd;

/**
 * The job that this JVM is part of, if something other than pgasrun started it as one of several. There is no launcher
 * to watch it: process 0 hosts the coordinator and sees which JVMs are lost, and each JVM ends itself when the job has
 * failed, with the line that names the first failure and its exit code. Thread-safe.
 */
public final class JoinedJob implements JobShare {

    private static final long GRACE_MS = 1_500;

    private static JoinedJob current;

    private final Bootstrap bootstrap;
    private final EmbeddedCoordinator host;
    private final StatusBoard board;
    private final AtomicBoolean printed = new AtomicBoolean();
    private volatile boolean inUse;

    private JoinedJob(Bootstrap bootstrap, EmbeddedCoordinator host) {
        this.bootstrap = bootstrap;
        this.host = host;
        this.board = StatusBoard.local(bootstrap.firstRank(bootstrap.process()), bootstrap.firstRank(bootstrap.process() + 1));
    }

    /**
     * Joins at the first call and is the same job from then on; empty if this JVM is a job of its own. From this call
     * on the JVM takes part until {@link #runEnded()}; if it ends before, it is lost.
     *
     * @param config concluded
     * @throws org.pgas4j.UsageException     if variables or settings contradict each other
     * @throws org.pgas4j.BootstrapException if the JVMs of the job do not find each other in time; names those that are
     *                                       missing
     * @throws org.pgas4j.RefusedException   if process 0 refuses this JVM
     */
    public static synchronized Optional<JoinedJob> of(PgasConfig config) {
        if (current == null) {
            try {
                current = join(config);
            } catch (PgasException e) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> JvmEnd.halt(Failures.exitCode(e)),
                        "pgas-refused")); // the exit code is all that the process above this JVM sees
                throw e;
            }
        }
        if (current != null) {
            current.inUse = true;
        }
        return Optional.ofNullable(current);
    }

    private static JoinedJob join(PgasConfig config) {
        ProcessPlacement placement = LauncherEnvironment.find(System.getenv(), config);
        if (placement == null) {
            explain(config, "a job of its own: no variable or setting makes this JVM one of several");
            return null;
        }
        int threads = config.count(PgasKey.THREADS);
        if (placement.size() == 1) {
            explain(config, placement.describe());
            return new JoinedJob(new SingleProcessBootstrap(config.isAuto(PgasKey.RANKS) ? threads
                    : config.count(PgasKey.RANKS)), null);
        }
        if (placement.process() == 0) {
            explain(config, placement.describe());
        }
        JobJoin joining = new JobJoin(config, placement, threads);
        EmbeddedCoordinator host = placement.process() == 0 ? joining.host() : null;
        NettyBootstrap bootstrap = null;
        try {
            bootstrap = joining.connect(host);
            JoinedJob job = new JoinedJob(bootstrap, host);
            Runtime.getRuntime().addShutdownHook(new Thread(job::end, "pgas-leave"));
            bootstrap.onAbort(_ -> job.haltAfterGrace());
            joining.awaitAll(bootstrap);
            return job;
        } catch (PgasException e) {
            if (bootstrap != null) {
                report(bootstrap, Phase.JOINING, e);
            }
            throw e;
        } finally {
            if (host != null) {
                host.forgetMeetingFile();
            }
        }
    }

    private static void report(Bootstrap bootstrap, Phase phase, Throwable failure) {
        bootstrap.abort(Failures.abort(bootstrap.firstRank(bootstrap.process()), Place.process(), phase, failure));
    }

    private static void explain(PgasConfig config, String line) {
        if (config.flag(PgasKey.EXPLAIN)) {
            System.out.println("joined: " + line);
        }
    }

    /** {@inheritDoc} Of one process if no other joined. */
    @Override
    public Bootstrap bootstrap() {
        return bootstrap;
    }

    @Override
    public StatusBoard board() {
        return board;
    }

    /** Empty: the JVMs of a node find each other over the bootstrap. */
    @Override
    public Optional<Path> directory() {
        return Optional.empty();
    }

    @Override
    public int firstProcessOnNode() {
        return bootstrap.process();
    }

    @Override
    public boolean ranksPrintFailures() {
        return false;
    }

    @Override
    public void runEnded() {
        inUse = false;
    }

    @Override
    public void runFailed(Throwable failure) {
        if (host != null || bootstrap.processes() > 1) {
            report(bootstrap, Phase.MAIN, failure);
        }
    }

    /** Shutdown hook: leaves the job in order, and process 0 stays for the others. */
    private void end() {
        if (bootstrap.aborted() == null && !inUse) {
            bootstrap.close();
            if (host != null) {
                host.awaitOthers(GRACE_MS);
            }
        }
        Abort failure = failure();
        if (failure != null) {
            print(failure);
            if (host != null) {
                host.awaitOthers(GRACE_MS); // the failure is on its way to them
            }
            JvmEnd.halt(failure.status());
        }
    }

    private Abort failure() {
        Abort own = bootstrap.aborted();
        return own == null && host != null ? host.aborted() : own;
    }

    /** Neither a busy rank nor a main thread that continues can keep a JVM of a failed job alive. */
    private void haltAfterGrace() {
        Thread.ofPlatform().daemon().name("pgas-grace").start(() -> {
            try {
                Thread.sleep(GRACE_MS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // then at once
            }
            Abort failure = failure();
            print(failure);
            JvmEnd.halt(failure.status());
        });
    }

    private void print(Abort failure) {
        if (printed.compareAndSet(false, true)) {
            System.out.flush();
            System.err.println(failure.line());
            System.err.flush();
        }
    }

    /** Logs a failure that does not affect the job. */
    static void debug(String what, IOException cause) {
        System.getLogger("pgas.boot").log(Level.DEBUG, what, cause);
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
