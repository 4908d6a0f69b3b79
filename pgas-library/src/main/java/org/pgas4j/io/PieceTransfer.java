package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;

/**
 * A rank's part of a transfer in pieces. Threads of their own move {@value #DEPTH} pieces between the file and host memory at once;
 * between that and where they belong the rank moves them, at the start and whenever it looks. Used by the rank's thread.
 */
abstract class PieceTransfer extends StartedTransfer {

    static final int DEPTH = 4;

    /** Result of {@link Piece#get} and {@link Piece#put} that have done it all. */
    static final BooleanSupplier DONE = () -> true;

    /** Bytes that are moved at once. */
    interface Piece {

        /** Place in the file. */
        long offset();

        long bytes();

        /** Begins to copy the bytes into host memory; the result tells, without waiting, whether they are there. */
        BooleanSupplier get(Buffer into);

        /** Begins to copy the bytes from host memory; the result tells, without waiting, whether that may be used again. */
        BooleanSupplier put(Buffer from);
    }

    /** Host memory of a piece, and what goes on there: a copy by the rank, or a transfer by a thread, or neither. */
    private static final class Slot {
        private Buffer memory = Buffer.ofHost(MemorySegment.NULL, ElementType.BYTE);
        private Piece piece;
        private BooleanSupplier copy;
        private CompletableFuture<Void> transfer;

        boolean isBusy() {
            return copy != null || transfer != null;
        }

        Buffer part() {
            return memory.slice(0, piece.bytes());
        }
    }

    private final boolean writes;
    private final PositionalFile file;
    private final List<? extends Piece> pieces;
    private final Slot[] slots = new Slot[DEPTH];
    private int next;
    private boolean moved;
    private boolean finished; // this rank's part
    private boolean complete;
    private SharedFileException own;
    private SharedFileException failure;

    PieceTransfer(Rank rank, boolean writes, PositionalFile file, List<? extends Piece> pieces, long bytes) {
        super(rank, (writes ? "write" : "read") + " of file " + file.path(), bytes);
        this.writes = writes;
        this.file = file;
        this.pieces = pieces;
        for (int i = 0; i < DEPTH; i++) {
            slots[i] = new Slot();
        }
    }

    /** Host memory for a piece. */
    abstract Buffer allocate(long bytes);

    /**
     * Ends this rank's part, whose host memory is used no more.
     *
     * @param error of this part, or null
     */
    abstract void finish(SharedFileException error);

    /** True once all parts are over. */
    abstract boolean isComplete();

    /**
     * Failure of the whole, or null.
     *
     * @param error of this rank's part, or null
     */
    abstract SharedFileException failure(SharedFileException error);

    /** Does what can be done without waiting. */
    final void advance() {
        moved = false;
        boolean busy = false;
        for (Slot slot : slots) {
            try {
                moved |= endTransfer(slot) | endCopy(slot) | begin(slot);
                endCopy(slot);
            } catch (PgasException e) { // of the job, which ends by it
                throw e;
            } catch (CompletionException e) {
                fail(e.getCause() instanceof RuntimeException cause ? cause : e, slot.piece);
            } catch (RuntimeException e) {
                fail(e, slot.piece);
            }
            busy |= slot.isBusy();
        }
        if (!busy && (own != null || next == pieces.size())) {
            finished = true;
            finish(own);
        }
    }

    private boolean begin(Slot slot) {
        if (slot.isBusy() || own != null || next == pieces.size()) {
            return false;
        }
        slot.piece = pieces.get(next++);
        if (slot.memory.bytes() < slot.piece.bytes()) {
            slot.memory = allocate(slot.piece.bytes());
        }
        if (writes) {
            slot.copy = slot.piece.get(slot.part());
        } else {
            move(slot);
        }
        return true;
    }

    private void move(Slot slot) {
        long offset = slot.piece.offset();
        Buffer part = slot.part();
        slot.transfer = inThread(writes ? () -> file.writeInAnyThread(offset, part.segment())
                : () -> file.readInAnyThread(offset, part.segment()));
    }

    private boolean endTransfer(Slot slot) {
        if (slot.transfer == null || !slot.transfer.isDone()) {
            return false;
        }
        CompletableFuture<Void> done = slot.transfer;
        slot.transfer = null;
        done.join();
        if (!writes) {
            slot.copy = slot.piece.put(slot.part());
        }
        return true;
    }

    private boolean endCopy(Slot slot) {
        if (slot.copy == null || !slot.copy.getAsBoolean()) {
            return false;
        }
        slot.copy = null;
        if (writes) {
            move(slot);
        }
        return true;
    }

    private void fail(RuntimeException e, Piece piece) {
        if (own == null) {
            own = e instanceof SharedFileException known ? known
                    : new SharedFileException(rank.rank(), file.path().toString(), piece.offset(), what + " by rank " + rank.rank()
                    + ": " + e, e);
        }
    }

    @Override
    public final boolean trySync() {
        moved = false;
        if (!complete) {
            rank.progress();
            if (!finished) {
                advance();
            }
            if (!finished || !isComplete()) {
                return false;
            }
            complete = true;
            failure = failure(own);
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    @Override
    final boolean hasMoved() {
        return moved;
    }

    /** The part of this rank that is through, for messages. */
    final String begun() {
        return finished ? "its own part" : next + " of its " + pieces.size() + " pieces";
    }

    @Override
    final void pause() {
        for (Slot slot : slots) {
            if (slot.transfer != null) {
                pause(slot.transfer);
                return;
            }
        }
        if (!finished) {
            Thread.yield(); // copies of up to 4 MiB are under way
        }
    }

    @Override
    final boolean isOver() {
        return complete;
    }
}
