package org.pgas4j.io;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;

/** This rank's part of a transfer between a file and shared memory that nobody waits for. Used by the rank's thread. */
final class SharedTransfer extends PieceTransfer {

    /** Elements of one array that this rank moves at once. */
    private record Run(Rank rank, FileElements item, long from, long count) implements Piece {

        @Override
        public long offset() {
            return item.offset() + from * item.elements().elementBytes();
        }

        @Override
        public long bytes() {
            return count * item.elements().elementBytes();
        }

        @Override
        public BooleanSupplier get(Buffer into) {
            item.elements().get(rank, from, count, into.segment());
            return DONE;
        }

        @Override
        public BooleanSupplier put(Buffer values) {
            item.elements().put(rank, from, count, values.segment());
            return DONE;
        }
    }

    private final TransferStatus status;
    private final Arena arena = Arena.ofShared();

    private SharedTransfer(Rank rank, boolean writes, PositionalFile file, List<Run> runs, long bytes, TransferStatus status) {
        super(rank, writes, file, runs, bytes);
        this.status = status;
    }

    /**
     * Begins a transfer; collective, the arguments are the same on all ranks.
     *
     * @param max number of elements of each item that are moved, at most
     */
    static SharedTransfer start(Rank rank, boolean writes, List<FileElements> list, long max, PositionalFile file,
                                TransferStatus status) {
        List<Run> runs = new ArrayList<>();
        long bytes = 0;
        for (FileElements item : list) {
            Elements elements = item.elements();
            bytes = Math.addExact(bytes, Math.min(max, elements.count()) * elements.elementBytes());
            elements.forEachRun(rank, Staging.elements(elements.elementBytes()), (from, count) -> {
                if (from < max) {
                    runs.add(new Run(rank, item, from, Math.min(max - from, count)));
                }
            });
        }
        SharedTransfer transfer = new SharedTransfer(rank, writes, file, runs, bytes, status);
        status.begin();
        transfer.advance();
        return transfer;
    }

    @Override
    Buffer allocate(long bytes) {
        return Buffer.ofHost(arena.allocate(bytes, 64), ElementType.BYTE);
    }

    @Override
    void finish(SharedFileException error) {
        arena.close();
        if (error == null) {
            status.done();
        } else {
            status.failed(error);
        }
    }

    @Override
    boolean isComplete() {
        return status.isComplete();
    }

    @Override
    SharedFileException failure(SharedFileException error) {
        return status.failure(error);
    }

    @Override
    String by() {
        return " by all ranks, as rank " + rank.rank() + " waits for it after " + begun() + ",";
    }
}
