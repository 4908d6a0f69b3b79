package org.pgas4j.io;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;

/** A transfer of a file that threads of their own take part in. Used by the rank's thread, which serves others as it waits. */
abstract class StartedTransfer implements FileHandle {

    private static final long LOOK_MS = 1;

    final Rank rank;
    final String what;
    private final long bytes;

    StartedTransfer(Rank rank, String what, long bytes) {
        this.rank = rank;
        this.what = what;
        this.bytes = bytes;
    }

    @Override
    public final long bytes() {
        return bytes;
    }

    /** Begins something in a thread of its own. */
    static CompletableFuture<Void> inThread(Runnable work) {
        return CompletableFuture.runAsync(work, task -> Thread.ofVirtual().start(task));
    }

    @Override
    public final void sync() {
        long deadline = deadline();
        while (!trySync()) {
            if (hasMoved()) {
                deadline = deadline();
            } else if (System.nanoTime() - deadline > 0) {
                throw new PgasTimeoutException(what + by() + " timed out after " + rank.timeout().toMillis()
                        + " ms; raise pgas.timeout if that is too short");
            }
            pause();
        }
    }

    private long deadline() {
        return System.nanoTime() + rank.timeout().toNanos();
    }

    /** Those that move it and how far they have come, for messages. */
    abstract String by();

    /** True if the last look has found a part of it complete. */
    abstract boolean hasMoved();

    /** Waits a little for what threads do, or not at all. */
    abstract void pause();

    /** True if nobody needs to wait for it: it is complete, or its failure was thrown. */
    abstract boolean isOver();

    /** Waits a little for a thread; its failure is found at the next look. */
    final void pause(CompletableFuture<Void> thread) {
        try {
            thread.get(LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // trySync looks again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException(what + " by rank " + rank.rank() + " was interrupted", e);
        }
    }
}
