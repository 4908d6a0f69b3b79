package org.pgas4j.task;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;

/**
 * A loop of all ranks over indices of uneven cost ({@code upc_forall} with affinity by who has time). Each rank begins with an
 * equal share and cuts it into halves; ranks that have finished steal from others.
 */
public final class StealingLoop {

    private static final int CAPACITY = 256; // halves that are open on a rank at a time: one for each cut, and what is stolen
    private static final long FROM_OFFSET = 0;
    private static final long TO_OFFSET = Long.BYTES;
    private static final long TASK_BYTES = TO_OFFSET + Long.BYTES;

    /** Body of {@link #forAll}. */
    @FunctionalInterface
    public interface RangeBody {

        /** Does indices {@code from} to {@code to - 1}, in the thread of the rank that has them. */
        void run(long from, long to) throws Exception;
    }

    private StealingLoop() {
    }

    /**
     * Collective, with the same bounds and grain on all ranks and a barrier at its begin and at its end: calls {@code body} with
     * ranges that cover the indices once. Fails as {@link TaskPool#run}.
     *
     * @param from  first index
     * @param to    one past the last
     * @param grain largest number of indices of a range; so many should take some microseconds at least
     */
    public static void forAll(Rank rank, long from, long to, long grain, RangeBody body) {
        if (to < from || from < 0 || grain < 1) {
            throw new IllegalArgumentException("forAll of rank " + rank.rank() + ": from=" + from + " to=" + to + " grain="
                    + grain + " (expected: 0 <= from <= to, grain >= 1)");
        }
        try (TaskPool pool = TaskPool.allocate(rank, TASK_BYTES, CAPACITY); Arena arena = Arena.ofConfined()) {
            MemorySegment half = arena.allocate(TASK_BYTES, Long.BYTES);
            long share = Math.ceilDiv(to - from, (long) rank.ranks());
            long begin = Math.min(to - from, share * rank.rank());
            submit(pool, half, from + begin, from + begin + Math.min(share, to - from - begin));
            pool.run(range -> {
                long first = range.get(ElementType.LAYOUT_LONG, FROM_OFFSET);
                long end = range.get(ElementType.LAYOUT_LONG, TO_OFFSET);
                while (end - first > grain) {
                    long middle = first + (end - first) / 2;
                    submit(pool, half, middle, end);
                    end = middle;
                }
                body.run(first, end);
            });
        }
    }

    private static void submit(TaskPool pool, MemorySegment task, long from, long to) {
        if (from < to) {
            task.set(ElementType.LAYOUT_LONG, FROM_OFFSET, from);
            task.set(ElementType.LAYOUT_LONG, TO_OFFSET, to);
            pool.submit(task);
        }
    }
}
