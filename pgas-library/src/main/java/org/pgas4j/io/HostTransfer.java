package org.pgas4j.io;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.pgas4j.Rank;

/** A transfer between a file and host memory by a thread of its own. Used by the rank's thread. */
final class HostTransfer extends StartedTransfer {

    private final CompletableFuture<Void> transfer;
    private boolean failureIsKnown;

    HostTransfer(Rank rank, String what, long bytes, Runnable transfer) {
        super(rank, what, bytes);
        this.transfer = inThread(transfer);
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

    @Override
    String by() {
        return " by rank " + rank.rank();
    }

    @Override
    boolean hasMoved() {
        return false;
    }

    @Override
    void pause() {
        pause(transfer);
    }

    @Override
    boolean isOver() {
        return failureIsKnown || transfer.isDone() && !transfer.isCompletedExceptionally();
    }
}
