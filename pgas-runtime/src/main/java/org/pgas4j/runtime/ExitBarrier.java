package org.pgas4j.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import org.pgas4j.PgasException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.space.sync.Waiter;

/**
 * The end of a run over a conduit whose transfers need the progress of their target. The last barrier is left rank by rank: who
 * has left it may hold the word that others still read, and its JVM closes its connections. So all go on making progress until
 * each rank of the job has left. One per JVM; thread-safe.
 */
final class ExitBarrier {

    private static final long FOREVER_NS = Long.MAX_VALUE / 2;

    private final Bootstrap bootstrap;
    private final String key;
    private final AtomicInteger staying;
    private volatile PgasException failure;
    private volatile boolean over;

    /**
     * @param key   names the exchange with the other JVMs
     * @param ranks of this JVM
     */
    ExitBarrier(Bootstrap bootstrap, String key, int ranks) {
        this.bootstrap = bootstrap;
        this.key = key;
        this.staying = new AtomicInteger(ranks);
    }

    /** For a rank that has left the last barrier: until all have, as long as the job lives. */
    void await(Waiter waiter) {
        if (staying.decrementAndGet() == 0) {
            if (bootstrap.processes() == 1) {
                over = true;
            } else {
                Thread.ofPlatform().daemon().name("pgas-leaving").start(this::meet); // the last rank makes progress as well
            }
        }
        waiter.beginUnlimited();
        while (!over) {
            waiter.pause(() -> "the end of the other ranks");
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void meet() {
        try {
            bootstrap.allGather(key, new byte[0], System.nanoTime() + FOREVER_NS);
        } catch (PgasException e) {
            failure = e;
        } finally {
            over = true;
        }
    }
}
