package org.pgas4j.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
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
 * This rank's part of a transfer between a file and shared memory that nobody waits for. Threads of their own move
 * {@value #DEPTH} pieces between the file and host memory at once; between that and the arrays the rank moves them, at the start
 * and whenever it looks. Used by the rank's thread.
 */
final class SharedTransfer implements Handle {

    private static final int DEPTH = 4;
    private static final long LOOK_MS = 1;

    /** Elements of one array that this rank moves at once. */
    private record Run(FileElements item, long from, long count) {

        long bytes() {
            return count * item.elements().elementBytes();
        }

        long offset() {
            return item.offset() + from * item.elements().elementBytes();
        }
    }

    /** Host memory of a piece, and what its thread does there. */
    private static final class Slot {
        private MemorySegment memory = MemorySegment.NULL;
        private Run run;
        private CompletableFuture<Void> transfer;
    }

    private final Rank rank;
    private final String what;
    private final boolean writes;
    private final PositionalFile file;
    private final TransferStatus status;
    private final List<Run> runs = new ArrayList<>();
    private final Slot[] slots = new Slot[DEPTH];
    private final Arena arena = Arena.ofShared();
    private int next;
    private boolean finished; // this rank's part
    private boolean complete; // on all ranks
    private SharedFileException own;
    private SharedFileException failure;

    private SharedTransfer(Rank rank, boolean writes, PositionalFile file, TransferStatus status) {
        this.rank = rank;
        this.writes = writes;
        this.what = (writes ? "write" : "read") + " of file " + file.path();
        this.file = file;
        this.status = status;
    }

    /** Begins a transfer; collective, the arguments are the same on all ranks. */
    static SharedTransfer start(Rank rank, boolean writes, List<FileElements> list, PositionalFile file, TransferStatus status) {
        SharedTransfer transfer = new SharedTransfer(rank, writes, file, status);
        for (FileElements item : list) {
            item.elements().forEachRun(rank, Staging.elements(item.elements().elementBytes()),
                    (from, count) -> transfer.runs.add(new Run(item, from, count)));
        }
        for (int i = 0; i < DEPTH; i++) {
            transfer.slots[i] = new Slot();
        }
        status.begin();
        transfer.advance();
        return transfer;
    }

    /** Does what can be done without waiting for the file; true if anything moved. */
    private boolean advance() {
        boolean moved = false;
        boolean busy = false;
        for (Slot slot : slots) {
            if (slot.transfer != null && slot.transfer.isDone()) {
                end(slot);
                moved = true;
            }
            if (slot.transfer == null && own == null && next < runs.size()) {
                begin(slot, runs.get(next++));
                moved = true;
            }
            busy |= slot.transfer != null;
        }
        if (!busy && (own != null || next == runs.size())) {
            finish();
        }
        return moved;
    }

    private void begin(Slot slot, Run run) {
        if (slot.memory.byteSize() < run.bytes()) {
            slot.memory = arena.allocate(run.bytes(), 64);
        }
        MemorySegment memory = slot.memory.asSlice(0, run.bytes());
        try {
            if (writes) {
                run.item().elements().get(rank, run.from(), run.count(), memory);
            }
        } catch (PgasException e) { // of the job, which ends by it
            throw e;
        } catch (RuntimeException e) {
            fail(e, run);
            return;
        }
        slot.run = run;
        slot.transfer = CompletableFuture.runAsync(() -> move(run, memory), task -> Thread.ofVirtual().start(task));
    }

    private void move(Run run, MemorySegment memory) {
        if (writes) {
            file.writeInAnyThread(run.offset(), memory);
        } else {
            file.readInAnyThread(run.offset(), memory);
        }
    }

    private void end(Slot slot) {
        Run run = slot.run;
        try {
            slot.transfer.join();
            if (!writes) {
                run.item().elements().put(rank, run.from(), run.count(), slot.memory.asSlice(0, run.bytes()));
            }
        } catch (PgasException e) {
            throw e;
        } catch (CompletionException e) {
            fail(e.getCause() instanceof RuntimeException cause ? cause : e, run);
        } catch (RuntimeException e) {
            fail(e, run);
        } finally {
            slot.transfer = null;
        }
    }

    private void fail(RuntimeException e, Run run) {
        if (own == null) {
            own = e instanceof SharedFileException known ? known
                    : new SharedFileException(rank.rank(), file.path().toString(), run.offset(), what + " by rank " + rank.rank()
                    + ": " + e, e);
        }
    }

    private void finish() {
        finished = true;
        arena.close();
        if (own == null) {
            status.done();
        } else {
            status.failed(own);
        }
    }

    @Override
    public void sync() {
        long deadline = deadline();
        while (!trySync()) {
            if (!finished && pause()) {
                deadline = deadline();
            } else if (System.nanoTime() - deadline > 0) {
                throw new PgasTimeoutException(what + " by all ranks, as rank " + rank.rank() + " waits for it after "
                        + (finished ? "its own part" : next + " of its " + runs.size() + " pieces") + ", timed out after "
                        + rank.timeout().toMillis() + " ms; raise pgas.timeout if that is too short");
            }
        }
    }

    private long deadline() {
        return System.nanoTime() + rank.timeout().toNanos();
    }

    /** Waits a little for a piece; true if one is through. */
    private boolean pause() {
        for (Slot slot : slots) {
            if (slot.transfer != null) {
                try {
                    slot.transfer.get(LOOK_MS, TimeUnit.MILLISECONDS);
                    return true;
                } catch (ExecutionException e) {
                    return true;
                } catch (TimeoutException e) {
                    return false;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new PgasException(what + " by rank " + rank.rank() + " was interrupted", e);
                }
            }
        }
        return true;
    }

    @Override
    public boolean trySync() {
        if (!complete) {
            rank.progress();
            if (!finished) {
                advance();
            }
            if (!finished || !status.isComplete()) {
                return false;
            }
            complete = true;
            failure = status.failure(own);
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    /** True once this rank knows that all are done. */
    boolean isOver() {
        return complete;
    }
}
