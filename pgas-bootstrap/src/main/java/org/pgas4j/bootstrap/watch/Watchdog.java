package org.pgas4j.bootstrap.watch;

import java.util.function.Function;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Place;

/**
 * Ends the job if a rank of this JVM stays in one operation although its deadline has passed: it hangs in a driver, a
 * library or a lock. What the JVM does is written to a file first. When another JVM's watchdog ends the job, this one
 * writes its file too. One daemon thread.
 */
public final class Watchdog implements AutoCloseable {

    /** Exit code. */
    static final int CODE = 15;
    private static final String NAME = "watchdog: ";
    private static final long MAX_NS = 1_000_000_000L;

    private final Bootstrap bootstrap;
    private final StatusBoard board;
    private final int firstRank;
    private final int endRank;
    private final long limitNs;
    private final Function<Integer, String> pending;
    private final long[] words;
    private final long[] sinceNs;
    private final Thread thread;
    private volatile boolean closed;
    private boolean barked;

    /**
     * Starts it.
     *
     * @param limitNs how long an operation may stay without progress
     * @param pending tells what a rank has pending
     */
    public Watchdog(Bootstrap bootstrap, StatusBoard board, long limitNs, Function<Integer, String> pending) {
        this.bootstrap = bootstrap;
        this.board = board;
        this.firstRank = bootstrap.firstRank(bootstrap.process());
        this.endRank = bootstrap.firstRank(bootstrap.process() + 1);
        this.limitNs = limitNs;
        this.pending = pending;
        this.words = new long[endRank - firstRank];
        this.sinceNs = new long[endRank - firstRank];
        this.thread = Thread.ofPlatform().daemon().name("pgas-watchdog").unstarted(this::watch);
        bootstrap.onAbort(this::jobEnded);
        thread.start();
    }

    private void watch() {
        long pauseMs = Math.max(1, Math.min(MAX_NS, limitNs / 4) / 1_000_000);
        while (!closed && bootstrap.aborted() == null) {
            for (int rank = firstRank; rank < endRank; rank++) {
                RankStatus status = board.activity(rank).look();
                if (isStuck(rank - firstRank, status, System.nanoTime())) {
                    bark(rank, status);
                    return;
                }
            }
            try {
                Thread.sleep(pauseMs);
            } catch (InterruptedException _) {
                return; // closed
            }
        }
    }

    private boolean isStuck(int index, RankStatus status, long now) {
        if (status.word() != words[index] || !status.isInside() || status.phase() == Phase.END) {
            words[index] = status.word();
            sinceNs[index] = now;
            return false;
        }
        // a wait that was given more time than others may take it
        return now - sinceNs[index] > limitNs && (status.deadlineNs() == 0 || now - status.deadlineNs() > limitNs / 2);
    }

    private void bark(int rank, RankStatus status) {
        synchronized (this) {
            barked = true;
        }
        String what = NAME + "no progress for " + (System.nanoTime() - sinceNs[rank - firstRank]) / 100_000_000 / 10.0
                + " s (pgas.watchdog), " + status.text();
        bootstrap.abort(new Abort(rank, Place.here("rank " + rank), status.name(), what + "; "
                + new Dump(bootstrap, board, pending).write(what), CODE, false));
    }

    private void jobEnded(Abort cause) {
        synchronized (this) {
            if (closed || barked || cause.exitCode() != CODE || !cause.message().startsWith(NAME)) {
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
