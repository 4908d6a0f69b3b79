package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Words by which ranks learn, without meeting, that a transfer of all of them is complete or has failed. Each rank has a record
 * in its host memory, of which those of rank 0 count; a rank that fails writes its text to its own.
 *
 * <pre>
 *   0 count:i64 | 8 failed:i64 | 16 offset:i64 | 24 length:i64 | 32 text: 1024 bytes
 * </pre>
 *
 * {@code count} is of the ranks that are done with their parts, of all transfers so far; {@code failed} is the number, from 1, of
 * the rank that failed first, or 0.
 */
final class TransferStatus {

    private static final long COUNT = 0;
    private static final long FAILED = COUNT + Long.BYTES;
    private static final long OFFSET = FAILED + Long.BYTES;
    private static final long LENGTH = OFFSET + Long.BYTES;
    private static final long TEXT = LENGTH + Long.BYTES;
    private static final int TEXT_BYTES = 1024;
    static final long RECORD_BYTES = TEXT + TEXT_BYTES;

    private final Rank rank;
    private final SharedPointer records;
    private final String path;
    private long expected;

    private TransferStatus(Rank rank, SharedPointer records, String path) {
        this.rank = rank;
        this.records = records;
        this.path = path;
    }

    /** Collective. */
    static TransferStatus allocate(Rank rank, String path) {
        try (Scope _ = rank.offDevice()) {
            SharedPointer records = rank.allAlloc(rank.ranks(), RECORD_BYTES).cast(0, 1);
            rank.memset(records.onRank(rank.rank()), 0, RECORD_BYTES);
            return new TransferStatus(rank, records, path);
        }
    }

    private SharedPointer word(int of, long offset) {
        return records.onRank(of).plus(offset);
    }

    /** Begins the next transfer; collective, with a barrier at its end. The last one is complete on all ranks. */
    void begin() {
        expected += rank.ranks();
        if (rank.rank() == 0) {
            rank.atomics().set(word(0, FAILED), 0);
        }
        rank.barrier();
    }

    /** This rank is done with its part: what it has put is at its targets. */
    void done() {
        rank.fence();
        rank.atomics().add(word(0, COUNT), 1);
    }

    /** This rank has failed, and does no more of its part. */
    void failed(SharedFileException failure) {
        byte[] text = failure.getMessage().getBytes(StandardCharsets.UTF_8);
        byte[] cut = Arrays.copyOf(text, Math.min(text.length, TEXT_BYTES));
        int mine = rank.rank();
        rank.rma().putLong(word(mine, OFFSET), failure.offset());
        rank.rma().putLong(word(mine, LENGTH), cut.length);
        rank.memput(word(mine, TEXT), MemorySegment.ofArray(cut), cut.length);
        rank.fence();
        rank.atomics().compareSwap(word(0, FAILED), 0, mine + 1L);
        done();
    }

    /** True once all ranks are done. */
    boolean isComplete() {
        return rank.atomics().get(word(0, COUNT)) >= expected;
    }

    /**
     * Failure of a complete transfer, or null.
     *
     * @param own this rank's, or null
     */
    SharedFileException failure(SharedFileException own) {
        int failed = (int) rank.atomics().get(word(0, FAILED)) - 1;
        if (failed < 0 || failed == rank.rank()) {
            return failed < 0 ? null : own;
        }
        byte[] text = new byte[(int) rank.rma().getLong(word(failed, LENGTH))];
        rank.memget(MemorySegment.ofArray(text), word(failed, TEXT), text.length);
        return new SharedFileException(failed, path, rank.rma().getLong(word(failed, OFFSET)),
                new String(text, StandardCharsets.UTF_8), own);
    }

    /** Collective. */
    void close() {
        rank.allFree(records.onRank(0));
    }
}
