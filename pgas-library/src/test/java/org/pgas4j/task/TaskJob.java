package org.pgas4j.task;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;

/** Program of {@link TaskJobTest}: counts each number of a range, which tasks cut in halves, in shared memory. */
final class TaskJob {

    private static final long NUMBERS = 20_000;

    private TaskJob() {
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            SharedLongs counts = rank.allAllocLongs(Layout.cyclic(), NUMBERS);
            counts.forAllLocal(i -> counts.put(i, 0));
            try (TaskPool pool = TaskPool.allocate(rank, 16, 64); Arena arena = Arena.ofConfined()) {
                MemorySegment task = arena.allocate(16, 8);
                if (rank.rank() == 0) {
                    task.set(ElementType.LAYOUT_LONG, 8, NUMBERS);
                    pool.submit(task);
                }
                pool.run(range -> {
                    long from = range.get(ElementType.LAYOUT_LONG, 0);
                    long to = range.get(ElementType.LAYOUT_LONG, 8);
                    if (to - from == 1) {
                        rank.atomics().fetchAdd(counts.pointer(from), 1);
                        return;
                    }
                    long middle = (from + to) / 2;
                    submit(pool, task, from, middle);
                    submit(pool, task, middle, to);
                });
                counts.forAllLocal(i -> {
                    if (counts.get(i) != 1) {
                        throw new AssertionError("number " + i + " was counted " + counts.get(i) + " times");
                    }
                });
                long executed = rank.allReduce(pool.executed(), ReduceOp.SUM);
                if (rank.rank() == 0) {
                    System.out.println(executed + " tasks on " + rank.ranks() + " ranks in " + rank.processes() + " JVMs");
                }
            }
        });
    }

    private static void submit(TaskPool pool, MemorySegment task, long from, long to) {
        task.set(ElementType.LAYOUT_LONG, 0, from);
        task.set(ElementType.LAYOUT_LONG, 8, to);
        pool.submit(task);
    }
}
