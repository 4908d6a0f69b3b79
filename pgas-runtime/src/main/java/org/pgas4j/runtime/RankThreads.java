package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.Pgas;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.RankProgram;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.bootstrap.job.JobShare;
import org.pgas4j.bootstrap.watch.RankTag;
import org.pgas4j.os.Failpoint;
import org.pgas4j.os.Libc;
import org.pgas4j.os.trace.Trace;

/** Runs a program as this JVM's ranks, a thread each, and turns the first failure of the job into one exception. */
final class RankThreads {

    private static final long SAY_MS = 1_000;

    /** The process that tells the user of a failure, and so how long {@link #run} waits for ranks that do not notice it. */
    enum Teller {
        /** The rank that fails, at once; then the JVM ends. */
        RANK(5_000),
        /** The caller of {@link Pgas#run}, before the JVM ends. */
        CALLER_SOON(1_000),
        /** The caller of {@link Pgas#run}, whose JVM goes on. */
        CALLER(5_000);

        private final long graceMs;

        Teller(long graceMs) {
            this.graceMs = graceMs;
        }

        static Teller of(Optional<JobShare> share) {
            return share.isEmpty() ? CALLER : share.get().ranksPrintFailures() ? RANK : CALLER_SOON;
        }
    }

    private final Job job;
    private final RankProgram program;
    private final Teller teller;
    private final Bootstrap bootstrap;
    private final int[] cpus;
    /** Failures that ranks of this JVM have reported, by their ids. */
    private final Map<Long, Throwable> reported = new ConcurrentHashMap<>();
    private boolean ended;

    RankThreads(Job job, RankProgram program, Teller teller) {
        this.job = job;
        this.program = program;
        this.teller = teller;
        this.bootstrap = job.bootstrap();
        this.cpus = job.config().text(PgasKey.BIND).equals("core") ? Libc.allowedCpus() : null;
    }

    /**
     * Runs all ranks to their end.
     *
     * @throws PgasException the first failure of the job
     */
    void run() {
        List<Thread> threads = new ArrayList<>();
        for (int rank = job.segments().firstRank(); rank < job.segments().endRank(); rank++) {
            int number = rank;
            threads.add(Thread.ofPlatform().name("rank-" + rank).daemon().unstarted(() -> runRank(number)));
        }
        threads.forEach(Thread::start);
        ended = join(threads);
        Abort abort = bootstrap.aborted();
        if (abort != null) {
            PgasException failure = failure(abort);
            if (!ended) {
                failure.addSuppressed(new PgasException("some ranks of this JVM did not end within " + teller.graceMs + " ms"));
            }
            throw failure;
        }
    }

    private void runRank(int rank) {
        RankTag.set(rank);
        Trace.attach(rank);
        Failpoint.rank(rank);
        job.board().set(rank, rank + 1, Phase.PROGRAM);
        try {
            if (cpus != null) {
                Libc.bindThread(cpus[job.nodes().indexOf(rank) % cpus.length]);
            }
            if (job.config().flag(PgasKey.BIND_REPORT)) {
                System.err.println("pgas4j: " + Place.here("rank " + rank) + " runs on processors "
                        + Arrays.toString(Libc.allowedCpus()));
            }
            try (RankContext context = new RankContext(job, rank, failure -> fail(rank, failure))) {
                if (rank == 0) {
                    announce(context);
                }
                program.run(context);
                context.finish();
            }
        } catch (Throwable failure) {
            fail(rank, failure);
        } finally {
            RankTag.clear();
        }
    }

    private void announce(RankContext context) {
        if (job.config().flag(PgasKey.EXPLAIN)) {
            System.out.print(job.describe() + context.diagnostics().explain());
            System.out.flush();
        } else if (job.config().isAuto(PgasKey.DEVICE) && job.backend().name().equals("host")) {
            System.err.println("pgas4j: " + job.deviceVerdict());
        }
    }

    /** Makes {@code failure} the job's unless the job has failed before; returns the first one. Any thread. */
    private Abort fail(int rank, Throwable failure) {
        Abort first = bootstrap.aborted();
        if (first != null) {
            return first;
        }
        // Ranks whose calls differ all find it, in every JVM: the one whose report becomes the job's prints.
        boolean found = failure instanceof CollectiveMismatchException;
        if (teller == Teller.RANK && !found) {
            Failures.print(failure);
        }
        Abort mine = Failures.abort(rank, Place.here("rank " + rank), phase(rank, failure), failure);
        // Kept before it is reported: whichever of several failures wins is found again.
        reported.put(mine.id(), failure);
        Abort winner = bootstrap.abort(mine);
        if (teller == Teller.RANK && found && winner.id() == mine.id()) {
            Failures.print(failure);
        }
        return winner;
    }

    /** An exception of the program's own is thrown in the program, wherever the rank was last. */
    private Phase phase(int rank, Throwable failure) {
        return failure instanceof PgasException ? job.board().activity(rank).look().current() : Phase.PROGRAM;
    }

    /** True if all threads ended; after a failure they have some seconds. An interrupt of the caller fails the job. */
    private boolean join(List<Thread> threads) {
        long failedNs = 0;
        boolean said = teller == Teller.RANK;
        boolean interrupted = false;
        try {
            for (Thread thread : threads) {
                while (thread.isAlive()) {
                    try {
                        thread.join(100);
                    } catch (InterruptedException _) {
                        interrupted = true;
                        bootstrap.abort(Failures.abort(job.segments().firstRank(), Place.here("main thread"),
                                Phase.WAITING, new PgasException("interrupted")));
                    }
                    if (bootstrap.aborted() != null) {
                        long now = System.nanoTime();
                        failedNs = failedNs == 0 ? now : failedNs;
                        if (now - failedNs > teller.graceMs * 1_000_000) {
                            return false;
                        }
                        if (!said && now - failedNs > SAY_MS * 1_000_000) {
                            said = true;
                            sayWaiting(threads);
                        }
                    }
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void sayWaiting(List<Thread> threads) {
        System.err.println(bootstrap.aborted().line() + "; Pgas.run waits at most "
                + teller.graceMs + " ms for " + threads.stream().filter(Thread::isAlive).map(Thread::getName).toList());
    }

    private PgasException failure(Abort abort) {
        Throwable own = reported.get(abort.id());
        if (own == null) {
            return abort.exception();
        }
        return own instanceof PgasException exception ? exception : new PgasException(abort.line(), own);
    }

    /** True if all ranks have ended: nothing uses the job's memory any more. */
    boolean ended() {
        return ended;
    }
}
