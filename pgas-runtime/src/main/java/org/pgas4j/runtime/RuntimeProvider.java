package org.pgas4j.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasProvider;
import org.pgas4j.RankProgram;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.SingleProcessBootstrap;
import org.pgas4j.bootstrap.job.JobShare;
import org.pgas4j.bootstrap.job.JobSource;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.NodeDirectoryProvider;
import org.pgas4j.bootstrap.node.NodeIdentity;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.watch.StatusBoard;
import org.pgas4j.bootstrap.watch.Watchdog;
import org.pgas4j.os.Failpoint;

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
        Optional<JobShare> share = JobSource.find(config);
        if (share.isPresent() && !SHARING.compareAndSet(false, true)) {
            throw new IllegalStateException("Pgas.run in thread " + Thread.currentThread().getName()
                    + " while another one runs in"
                    + " this JVM: the JVMs of a job make one run after the other; call it where the first has returned");
        }
        try {
            run(config, args, program, share);
        } catch (RuntimeException | Error e) {
            share.ifPresent(job -> job.runFailed(e));
            throw e;
        } finally {
            if (share.isPresent()) {
                SHARING.set(false);
            }
        }
        share.ifPresent(JobShare::runEnded);
    }

    private static void run(PgasConfig config, List<String> args, RankProgram program, Optional<JobShare> share) {
        int run = RUNS.incrementAndGet();
        Bootstrap bootstrap = share.map(JobShare::bootstrap).orElseGet(() -> new SingleProcessBootstrap(ranksOf(config)));
        int first = bootstrap.firstRank(bootstrap.process());
        int end = bootstrap.firstRank(bootstrap.process() + 1);
        StatusBoard board = share.map(JobShare::board).orElseGet(() -> StatusBoard.local(first, end));
        board.set(first, end, Phase.REGISTERING);
        try (RunTrace trace = new RunTrace(config, bootstrap, run)) {
            run(config, args, program, share, bootstrap, board, trace, run);
        }
        board.set(first, end, Phase.CLOSED);
    }

    private static void run(PgasConfig config, List<String> args, RankProgram program, Optional<JobShare> share,
                            Bootstrap bootstrap, StatusBoard board, RunTrace trace, int run) {
        Nodes nodes = Nodes.agree(bootstrap, "nodes-" + run, identity(config, bootstrap),
                System.nanoTime() + config.duration(PgasKey.TIMEOUT).toNanos());
        try (NodeDirectory directory = directory(share, bootstrap, nodes, run)) {
            Job job = new Job(config, args, bootstrap, nodes, directory, board, run);
            RankThreads threads = new RankThreads(job, program, RankThreads.Teller.of(share));
            Optional<Path> statsFolder = share.flatMap(JobShare::statsFolder);
            trace.begin(nodes, statsFolder);
            if (config.flag(PgasKey.STATS)) {
                statsFolder.ifPresent(folder -> job.stats().writeOnFailure(folder, bootstrap));
            }
            try (Watchdog _ = job.watch()) {
                threads.run();
            } finally {
                if (config.flag(PgasKey.STATS)) {
                    job.stats().end(statsFolder, bootstrap, System.nanoTime() + config.duration(PgasKey.TIMEOUT).toNanos());
                }
                if (threads.ended()) {
                    if (bootstrap.aborted() == null) {
                        board.set(bootstrap.firstRank(bootstrap.process()), bootstrap.firstRank(bootstrap.process() + 1),
                                Phase.CLOSING);
                    }
                    Failpoint.hit(Failpoint.CLOSE);
                    job.close();
                }
                trace.end(statsFolder);
            }
        }
    }

    private static int ranksOf(PgasConfig config) {
        return config.isAuto(PgasKey.RANKS) ? Runtime.getRuntime().availableProcessors() : config.count(PgasKey.RANKS);
    }

    private static NodeIdentity identity(PgasConfig config, Bootstrap bootstrap) {
        return NodeIdentity.current(config.isAuto(PgasKey.NODE) ? null : config.text(PgasKey.NODE),
                config.isAuto(PgasKey.NODE_PROCESSES) ? null
                        : Integer.toString(bootstrap.process() / config.count(PgasKey.NODE_PROCESSES)));
    }

    /** Null where no other JVM of this node would read it, or no provider is on the class path. */
    private static NodeDirectory directory(Optional<JobShare> share, Bootstrap bootstrap, Nodes nodes, int run) {
        Optional<Path> folder = share.flatMap(JobShare::directory);
        Optional<NodeDirectoryProvider> provider = folder.flatMap(_ -> NodeDirectoryProvider.find());
        if (provider.isEmpty() || nodes.processesHere() == 1) {
            return null;
        }
        return provider.get().open(folder.get().resolve("segments-" + run + "-" + nodes.here()),
                nodes.isFirstProcessHere(share.get().firstProcessOnNode()), bootstrap.ranks());
    }
}
