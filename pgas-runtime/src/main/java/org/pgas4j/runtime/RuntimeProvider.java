package org.pgas4j.runtime;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.RankProgram;
import org.pgas4j.runtime.bootstrap.Bootstrap;
import org.pgas4j.runtime.bootstrap.SingleProcessBootstrap;
import org.pgas4j.runtime.directory.ChronicleNodeDirectory;
import org.pgas4j.runtime.directory.NodeDirectory;
import org.pgas4j.runtime.directory.NodeIdentity;
import org.pgas4j.runtime.directory.Nodes;
import org.pgas4j.runtime.join.JoinedJob;
import org.pgas4j.runtime.launch.LaunchedJob;
import org.pgas4j.runtime.watch.Failpoint;
import org.pgas4j.runtime.watch.Phase;
import org.pgas4j.runtime.watch.StatusBoard;
import org.pgas4j.runtime.watch.Watchdog;
import org.pgas4j.spi.PgasProvider;

/** The runtime as {@link org.pgas4j.Pgas} finds it. */
public final class RuntimeProvider implements PgasProvider {

    private static final AtomicInteger RUNS = new AtomicInteger();

    /** True while this JVM runs its share of a job that others have a part in: its JVMs make their runs one by one, in step. */
    private static final AtomicBoolean SHARING = new AtomicBoolean();

    /** For the service loader. */
    public RuntimeProvider() {
    }

    @Override
    public void run(PgasConfig config, List<String> args, RankProgram program) {
        config.conclude();
        Optional<LaunchedJob> launched = LaunchedJob.current();
        Optional<JoinedJob> joined = launched.isPresent() ? Optional.empty() : JoinedJob.of(config);
        Bootstrap bootstrap = launched.map(LaunchedJob::bootstrap).or(() -> joined.map(JoinedJob::bootstrap))
                .orElseGet(() -> new SingleProcessBootstrap(ranksOf(config)));
        boolean sharing = launched.isPresent() || joined.isPresent();
        if (sharing && !SHARING.compareAndSet(false, true)) {
            throw new IllegalStateException("Pgas.run in thread " + Thread.currentThread().getName() + " while another one runs in"
                    + " this JVM: the JVMs of a job make one run after the other; call it where the first has returned");
        }
        RankThreads.Teller teller = launched.isPresent() ? RankThreads.Teller.RANK
                : joined.isPresent() ? RankThreads.Teller.CALLER_SOON : RankThreads.Teller.CALLER;
        try {
            run(config, args, program, launched, bootstrap, teller);
        } catch (RuntimeException | Error e) {
            joined.ifPresent(job -> job.failed(e));
            throw e;
        } finally {
            if (sharing) {
                SHARING.set(false);
            }
        }
        launched.ifPresent(LaunchedJob::runEnded);
        joined.ifPresent(JoinedJob::runEnded);
    }

    private static void run(PgasConfig config, List<String> args, RankProgram program, Optional<LaunchedJob> launched,
                            Bootstrap bootstrap, RankThreads.Teller teller) {
        int run = RUNS.incrementAndGet();
        int first = bootstrap.firstRank(bootstrap.process());
        int end = bootstrap.firstRank(bootstrap.process() + 1);
        StatusBoard board = launched.map(LaunchedJob::board).orElseGet(() -> StatusBoard.local(first, end));
        board.set(first, end, Phase.REGISTERING);
        Nodes nodes = Nodes.agree(bootstrap, "nodes-" + run, identity(config, bootstrap),
                System.nanoTime() + config.duration(PgasKey.TIMEOUT).toNanos());
        try (NodeDirectory directory = directory(launched, bootstrap, nodes, run)) {
            Job job = new Job(config, args, bootstrap, nodes, directory, board, run);
            RankThreads threads = new RankThreads(job, program, teller);
            try (Watchdog _ = job.watch()) {
                threads.run();
            } finally {
                if (threads.ended()) {
                    if (bootstrap.aborted() == null) {
                        board.set(first, end, Phase.CLOSING);
                    }
                    Failpoint.hit(Failpoint.CLOSE);
                    job.close();
                }
            }
        }
        board.set(first, end, Phase.CLOSED);
    }

    private static int ranksOf(PgasConfig config) {
        return config.isAuto(PgasKey.RANKS) ? Runtime.getRuntime().availableProcessors() : config.count(PgasKey.RANKS);
    }

    private static NodeIdentity identity(PgasConfig config, Bootstrap bootstrap) {
        return NodeIdentity.current(config.isAuto(PgasKey.NODE) ? null : config.text(PgasKey.NODE),
                config.isAuto(PgasKey.NODE_PROCESSES) ? null
                        : Integer.toString(bootstrap.process() / config.count(PgasKey.NODE_PROCESSES)));
    }

    private static NodeDirectory directory(Optional<LaunchedJob> launched, Bootstrap bootstrap, Nodes nodes, int run) {
        if (launched.isEmpty() || !launched.get().hasJobDirectory() || nodes.processesHere() == 1) {
            return null;
        }
        return ChronicleNodeDirectory.open(launched.get().jobDirectory().resolve("segments-" + run + "-" + nodes.here()),
                nodes.isFirstProcessHere(launched.get().firstProcessOnNode()), bootstrap.ranks());
    }
}
