package org.pgas4j.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Turns the failure of one rank into one of all ranks. Collective. */
final class Agreement {

    private static final int MAX_TEXT_BYTES = 2048;
    private static final long HASH_FACTOR = 0x9e3779b97f4a7c15L;

    private Agreement() {
    }

    /** Something that may fail on one rank. */
    @FunctionalInterface
    interface Step {
        void run() throws SharedFileException;
    }

    /**
     * Runs a step on every rank. A barrier at its end.
     *
     * @throws SharedFileException on every rank, if the step failed on one
     */
    static void after(Rank rank, Step step) {
        SharedFileException failure = null;
        try {
            step.run();
        } catch (PgasException e) { // of the job, which ends by it
            throw e;
        } catch (SharedFileException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new SharedFileException(rank.rank(), "", 0, "file operation of rank " + rank.rank() + ": " + e, e);
        }
        int failed = Math.toIntExact(rank.allReduce(failure == null ? rank.ranks() : (long) rank.rank(), ReduceOp.MIN));
        if (failed == rank.ranks()) {
            return;
        }
        String path = broadcast(rank, failure == null ? "" : failure.path(), failed);
        String message = broadcast(rank, failure == null ? "" : failure.getMessage(), failed);
        long offset = rank.collectives().broadcast(failure == null ? 0 : failure.offset(), failed);
        throw failed == rank.rank() ? failure : new SharedFileException(failed, path, offset, message, failure);
    }

    /** A text of rank {@code root}, cut to {@value #MAX_TEXT_BYTES} bytes, in words of 8 bytes. */
    private static String broadcast(Rank rank, String text, int root) {
        byte[] mine = cut(text, MAX_TEXT_BYTES);
        int length = (int) rank.collectives().broadcast(mine.length, root);
        ByteBuffer words = ByteBuffer.allocate((length + 7) / 8 * 8).order(ByteOrder.LITTLE_ENDIAN);
        words.put(0, mine, 0, Math.min(mine.length, length));
        for (int at = 0; at < words.capacity(); at += Long.BYTES) {
            words.putLong(at, rank.collectives().broadcast(words.getLong(at), root));
        }
        return new String(words.array(), 0, length, StandardCharsets.UTF_8);
    }

    /** The longest beginning of a text in whole characters that takes at most so many bytes, in UTF-8. */
    static byte[] cut(String text, int maxBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(maxBytes);
        StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE).encode(CharBuffer.wrap(text), bytes, true);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /**
     * Compares the arguments of all ranks. A barrier as well.
     *
     * @throws CollectiveMismatchException on every rank, if they differ
     */
    static void sameOnAllRanks(Rank rank, String operation, Object... arguments) {
        long hash = 0;
        for (byte each : (operation + Arrays.toString(arguments)).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each) * HASH_FACTOR; // all 64 bits: offsets have the same hashCode where their halves agree
        }
        long least = rank.allReduce(hash, ReduceOp.MIN);
        if (rank.allReduce(hash, ReduceOp.MAX) != least) {
            throw new CollectiveMismatchException(operation + " of rank " + rank.rank() + ": " + Arrays.toString(arguments)
                    + " (expected: the same on all ranks)");
        }
    }
}
