package org.pgas4j.io;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgas4j.Handle;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;

/**
 * A transfer between a file and host memory by a thread of its own. Used by the rank's thread, which serves others as it waits.
 */
final class FileHandle implements Handle {

    private static final long LOOK_MS = 1;

    private final Rank rank;
    private final String what;
    private final CompletableFuture<Void> transfer;
    private boolean failureIsKnown;

    private FileHandle(Rank rank, String what, CompletableFuture<Void> transfer) {
        this.rank = rank;
        this.what = what;
        this.transfer = transfer;
    }

    static FileHandle start(Rank rank, String what, Runnable transfer) {
        return new FileHandle(rank, what, CompletableFuture.runAsync(transfer, task -> Thread.ofVirtual().start(task)));
    }

    @Override
    public void sync() {
        long deadline = System.nanoTime() + rank.timeout().toNanos();
        while (!trySync()) {
            if (System.nanoTime() - deadline > 0) {
                throw new PgasTimeoutException(what + " by rank " + rank.rank() + " timed out after " + rank.timeout().toMillis()
                        + " ms; raise pgas.timeout if that is too short");
            }
            pause();
        }
    }

    private void pause() {
        try {
            transfer.get(LOOK_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // trySync looks again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException(what + " by rank " + rank.rank() + " was interrupted", e);
        }
    }

    @Override
    public boolean trySync() {
        rank.progress();
        try {
            return transfer.isDone() && transfer.join() == null;
        } catch (CompletionException | CancellationException e) {
            failureIsKnown = true;
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** True if nobody needs to wait for it: it is complete, or its failure was thrown. */
    boolean isOver() {
        return failureIsKnown || transfer.isDone() && !transfer.isCompletedExceptionally();
    }
}
