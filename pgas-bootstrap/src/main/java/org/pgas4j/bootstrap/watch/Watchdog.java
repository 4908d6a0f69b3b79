package org.pgas4j.bootstrap.watch;

import java.util.function.Function;
import org.pgas4j.ExitCode;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;

/**
 * Ends the job if a rank of this JVM stays in one operation although its deadline has passed: it hangs in a driver, a
 * library or a lock. The state of the JVM is written to a file first. When another JVM's watchdog ends the job, this
 * one writes its file too. One daemon thread.
 */
public final class Watchdog implements AutoCloseable {

    private static final String NAME = "watchdog: ";
    private static final long MAX_NS = 1_000_000_000L;

    private final Bootstrap bootstrap;
    private final StatusBoard board;
    private final long limitNs;
    private final StuckRanks ranks;
    private final Function<Integer, String> pending;
    private final Thread thread;
    private volatile boolean closed;
    private boolean fired;

    /**
     * Starts it.
     *
     * @param limitNs time an operation may stay without progress
     * @param pending describes what a rank has pending
     */
    public Watchdog(Bootstrap bootstrap, StatusBoard board, long limitNs, Function<Integer, String> pending) {
        this.bootstrap = bootstrap;
        this.board = board;
        this.limitNs = limitNs;
        this.ranks = new StuckRanks(board, bootstrap.firstRank(bootstrap.process()),
                bootstrap.firstRank(bootstrap.process() + 1), limitNs);
        this.pending = pending;
        this.thread = Thread.ofPlatform().daemon().name("pgas-watchdog").unstarted(this::watch);
        bootstrap.onAbort(this::jobEnded);
        thread.start();
    }

    private void watch() {
        long pauseMs = Math.max(1, Math.min(MAX_NS, limitNs / 4) / 1_000_000);
        while (!closed && bootstrap.aborted() == null) {
            StuckRanks.Stuck stuck = ranks.find(System.nanoTime());
            if (stuck != null) {
                fire(stuck);
                return;
            }
            try {
                Thread.sleep(pauseMs);
            } catch (InterruptedException _) {
                return; // closed
            }
        }
    }

    private void fire(StuckRanks.Stuck stuck) {
        synchronized (this) {
            fired = true;
        }
        RankStatus status = stuck.status();
        String what = NAME + "no progress for " + stuck.waitedNs() / 100_000_000 / 10.0 + " s (pgas.watchdog), "
                + status.text();
        bootstrap.abort(new Abort(stuck.rank(), Place.here("rank " + stuck.rank()), status.current(), what + "; "
                + new Dump(bootstrap, board, pending).write(what), ExitCode.TIMEOUT.number(), false));
    }

    private void jobEnded(Abort cause) {
        synchronized (this) {
            if (closed || fired || !ExitCode.TIMEOUT.is(cause.exitCode()) || !cause.message().startsWith(NAME)) {
                return;
            }
        }
        System.err.println("pgas4j: " + new Dump(bootstrap, board, pending).write(cause.line()));
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
