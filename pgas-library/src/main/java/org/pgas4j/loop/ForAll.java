package org.pgas4j.loop;

import java.lang.foreign.Arena;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedArray.IndexBody;
import org.pgas4j.SharedPointer;

/**
 * Loops of all ranks over indices, of which each rank does those with affinity to it (UPC's {@code upc_forall}): affinity by an
 * integer, by an element, by a pointer, or none. Every rank calls them with the same bounds; they are neither collective nor
 * barriers. A loop inside the body of one that has affinity does all of its indices, whatever its own affinity says (UPC 1.3,
 * 6.6.2): one rank has come there already.
 *
 * <p>{@link #local} and {@link #parallel} do the rank's elements of one or several arrays in one pass over their memory. An array
 * whose elements lie on the same ranks as those of the first one is read and written in place. Of another one, the rank copies
 * the elements to the indices it does, before the pass, by a transfer for each contiguous run; they are read only.
 *
 * <p>Used by the rank's thread. Bodies of parallel loops run in other threads as well and use nothing of the rank but their
 * {@link LocalRange}.
 */
public final class ForAll {

    private static final int RANGES_OF_A_THREAD = 4;

    private final Rank rank;
    private boolean divided;

    private ForAll(Rank rank) {
        this.rank = rank;
    }

    /** Loops of a rank, which is inside of none of them. */
    public static ForAll of(Rank rank) {
        return new ForAll(rank);
    }

    // ---- affinity

    /**
     * Does those of the indices {@code from}, {@code from + step}, ... below {@code to} that are the rank's number modulo ranks.
     */
    public void byInteger(long from, long to, long step, IndexBody body) {
        check(from, to, step);
        if (divided) {
            each(from, to, step, body);
            return;
        }
        long count = count(from, to, step);
        long period = rank.ranks() / gcd(step % rank.ranks(), rank.ranks());
        for (long n = 0; n < Math.min(count, period); n++) {
            if (isOurs(from + n * step)) {
                divide(n, count, period, from, step, body);
                return;
            }
        }
    }

    /** Indices {@code from + n * step} for every {@code period}-th n below {@code count}. */
    private void divide(long n, long count, long period, long from, long step, IndexBody body) {
        divided = true;
        try {
            for (long i = n; i < count; i += period) {
                body.at(from + i * step);
            }
        } finally {
            divided = false;
        }
    }

    /**
     * Does those of the indices for which {@code affinity} is the rank's number modulo ranks; every rank computes it for all of
     * them.
     */
    public void byInteger(long from, long to, long step, LongUnaryOperator affinity, IndexBody body) {
        some(from, to, step, index -> isOurs(affinity.applyAsLong(index)), body);
    }

    /** Does all indices of the array that have affinity to the rank, in ascending order. */
    public void byElement(SharedArray array, IndexBody body) {
        byElement(array, 0, array.length(), 1, body);
    }

    /**
     * Does those of the indices {@code from}, {@code from + step}, ... below {@code to} whose elements have affinity to the rank.
     *
     * @throws IndexOutOfBoundsException if the range leaves the array
     */
    public void byElement(SharedArray array, long from, long to, long step, IndexBody body) {
        check(from, to, step);
        if (divided) {
            each(from, to, step, body);
            return;
        }
        divided = true;
        try {
            array.forAllLocal(from, to, step, body);
        } finally {
            divided = false;
        }
    }

    /**
     * Does those of the indices for which {@code affinity} points to memory of the rank; every rank computes it for all of them.
     */
    public void byPointer(long from, long to, long step, LongFunction<SharedPointer> affinity, IndexBody body) {
        some(from, to, step, index -> affinity.apply(index).rank() == rank.rank(), body);
    }

    /** Does all indices, on every rank (UPC's {@code continue}); loops inside of it keep their affinity. */
    public void byNone(long from, long to, long step, IndexBody body) {
        check(from, to, step);
        each(from, to, step, body);
    }

    private interface Affinity {
        boolean isOurs(long index);
    }

    private void some(long from, long to, long step, Affinity affinity, IndexBody body) {
        check(from, to, step);
        if (divided) {
            each(from, to, step, body);
            return;
        }
        each(from, to, step, index -> {
            if (affinity.isOurs(index)) {
                divided = true;
                try {
                    body.at(index);
                } finally {
                    divided = false;
                }
            }
        });
    }

    private static void each(long from, long to, long step, IndexBody body) {
        long count = count(from, to, step);
        for (long n = 0; n < count; n++) {
            body.at(from + n * step);
        }
    }

    private boolean isOurs(long number) {
        return Math.floorMod(number, (long) rank.ranks()) == rank.rank();
    }

    /** Number of indices. */
    private static long count(long from, long to, long step) {
        return to <= from ? 0 : Math.ceilDiv(to - from, step);
    }

    private static long gcd(long a, long b) {
        return a == 0 ? b : gcd(b % a, a);
    }

    private void check(long from, long to, long step) {
        if (step < 1 || to > from && to - from < 0) {
            throw new IllegalArgumentException("forall of rank " + rank.rank() + ": from=" + from + " to=" + to + " step=" + step
                    + " (expected: step >= 1, to - from within a long)");
        }
    }

    // ---- local elements

    /**
     * Does the rank's elements in this thread, as one range.
     *
     * @param arrays of one length, in host memory; affinity is that of the first
     */
    public void local(LocalBody body, SharedArray... arrays) {
        try (Arena arena = Arena.ofConfined()) {
            LocalElements elements = new LocalElements(rank, arena, arrays);
            if (elements.count() > 0) {
                new ParallelPass(rank, elements, body, elements.count()).run(Runnable::run, 0);
            }
        }
    }

    /** Does the rank's elements in this thread and threads of the JVM's common pool. */
    public void parallel(LocalBody body, SharedArray... arrays) {
        parallel(ForkJoinPool.commonPool(), ForkJoinPool.getCommonPoolParallelism(), 0, body, arrays);
    }

    /**
     * Does the rank's elements in ranges, in this thread and up to {@code helpers} others; returns when all are done. This thread
     * serves other ranks between its ranges and while it waits.
     *
     * @param executor gives helpers their threads; may start none
     * @param grain    elements of a range; 0 for some ranges for each thread
     * @throws org.pgas4j.PgasException        if bodies have thrown: the first failure is its cause, others are suppressed; no
     *                                         range was begun after it
     * @throws org.pgas4j.PgasTimeoutException if helpers end no range for the job's timeout; they may still run
     */
    public void parallel(Executor executor, int helpers, long grain, LocalBody body, SharedArray... arrays) {
        if (helpers < 0 || grain < 0) {
            throw new IllegalArgumentException("forall of rank " + rank.rank() + ": helpers=" + helpers + " grain=" + grain
                    + " (expected: >= 0)");
        }
        Arena arena = Arena.ofAuto(); // copies outlive a wait that fails
        LocalElements elements = new LocalElements(rank, arena, arrays);
        long each = grain > 0 ? grain
                : Math.max(1, Math.ceilDiv(elements.count(), (helpers + 1L) * RANGES_OF_A_THREAD));
        new ParallelPass(rank, elements, body, each).run(executor, helpers);
    }
}
