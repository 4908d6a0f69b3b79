package org.pgas4j.loop;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;

/**
 * One parallel loop over a rank's elements. Ranges are taken by the rank's thread, which serves other ranks between them, and by
 * helpers in threads of an executor. A helper that the executor starts after the end finds the loop closed, so that an executor
 * without a free thread costs time and nothing else.
 */
final class ParallelPass {

    private static final int CLOSED = Integer.MIN_VALUE;

    private final Rank rank;
    private final LocalElements elements;
    private final LocalBody body;
    private final long grain;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicInteger helping = new AtomicInteger();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    ParallelPass(Rank rank, LocalElements elements, LocalBody body, long grain) {
        this.rank = rank;
        this.elements = elements;
        this.body = body;
        this.grain = grain;
    }

    void run(Executor executor, int helpers) {
        long ranges = Math.ceilDiv(elements.count(), grain);
        try {
            for (int i = 0; i < helpers && i + 1 < ranges; i++) {
                executor.execute(this::help);
            }
        } catch (RejectedExecutionException e) {
            // fewer helpers
        }
        try {
            while (runNext()) {
                rank.progress();
            }
            awaitHelpers();
        } finally {
            next.set(elements.count()); // where the wait has failed: helpers take no further range
        }
        rethrow();
    }

    private void help() {
        if (helping.getAndUpdate(helpers -> helpers == CLOSED ? CLOSED : helpers + 1) != CLOSED) {
            try {
                while (runNext()) {
                    // until no range is left
                }
            } finally {
                helping.decrementAndGet(); // release: pairs with the compareAndSet in awaitHelpers
            }
        }
    }

    private boolean runNext() {
        if (!failures.isEmpty()) {
            return false;
        }
        long from = next.getAndUpdate(at -> elements.count() - at > grain ? at + grain : elements.count());
        if (from >= elements.count()) {
            return false;
        }
        try {
            body.run(elements.range(from, from + Math.min(grain, elements.count() - from)));
        } catch (Throwable e) {
            failures.add(e);
        }
        ended.incrementAndGet();
        return true;
    }

    private void awaitHelpers() {
        long seen = ended.get();
        long since = System.nanoTime();
        while (!helping.compareAndSet(0, CLOSED)) {
            rank.progress();
            Thread.yield();
            long now = ended.get();
            if (now != seen) {
                seen = now;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > rank.timeout().toNanos()) {
                throw new PgasTimeoutException("forall of rank " + rank.rank() + " over " + elements + ": " + helping.get()
                        + " threads have ended no range for " + rank.timeout().toMillis()
                        + " ms; raise pgas.timeout, or choose a smaller grain than " + grain);
            }
        }
    }

    /** Throws what bodies have thrown: the first one as the cause, the others suppressed in it. */
    private void rethrow() {
        if (failures.isEmpty()) {
            return;
        }
        Queue<Throwable> all = new ArrayDeque<>(failures);
        Throwable first = all.remove();
        PgasException failure = new PgasException("forall of rank " + rank.rank() + " over " + elements + ": " + failures.size()
                + " ranges failed, first by " + first, first);
        all.forEach(failure::addSuppressed);
        throw failure;
    }
}
