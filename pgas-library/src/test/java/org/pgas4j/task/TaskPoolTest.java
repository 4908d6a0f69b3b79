package org.pgas4j.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.ElementType;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Pools over ranks as threads: every task of a random tree is executed once. */
@Timeout(120)
class TaskPoolTest {

    private static final long TASK_BYTES = 24; // id, depth, size of the tree
    private static final AtomicBoolean STOLEN = new AtomicBoolean();

    static PgasConfig config(int ranks, String route) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 21).deviceHeap(1 << 20).set(PgasKey.ROUTE, route);
    }

    private static long mix(long value) {
        long bits = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        bits = (bits ^ bits >>> 27) * 0x94d049bb133111ebL;
        return bits ^ bits >>> 31;
    }

    /** Random shape: few children at depth, many here and there. */
    private static int children(long id, long depth, long maxDepth) {
        if (depth >= maxDepth) {
            return 0;
        }
        int dice = (int) (mix(id) & 63);
        return depth < 3 ? 2 + dice % 4 : dice == 0 ? 40 : dice % 3;
    }

    private static long child(long id, int number) {
        return mix(id * 31 + number + 1);
    }

    private static Set<Long> tree(long root, long maxDepth) {
        Set<Long> all = new HashSet<>();
        collect(all, root, 0, maxDepth);
        return all;
    }

    private static void collect(Set<Long> all, long id, long depth, long maxDepth) {
        assertTrue(all.add(id), "two nodes of one number: choose another root");
        for (int number = 0; number < children(id, depth, maxDepth); number++) {
            collect(all, child(id, number), depth + 1, maxDepth);
        }
    }

    private static MemorySegment task(Arena arena, long id, long depth, long maxDepth) {
        MemorySegment task = arena.allocate(TASK_BYTES, 8);
        set(task, id, depth, maxDepth);
        return task;
    }

    private static void set(MemorySegment task, long... words) {
        for (int i = 0; i < words.length; i++) {
            task.setAtIndex(ElementType.LAYOUT_LONG, i, words[i]);
        }
    }

    private static long word(MemorySegment task, int number) {
        return task.getAtIndex(ElementType.LAYOUT_LONG, number);
    }

    /** Extra work of a task. */
    @FunctionalInterface
    private interface Work {
        void at(Rank rank, long id) throws Exception;
    }

    /** Runs the tree on a pool; the ids that were executed. */
    private static void runTree(Rank rank, TaskPool pool, Set<Long> seen, long root, long maxDepth, Work work) {
        try (Arena arena = Arena.ofConfined()) {
            if (rank.rank() == rank.ranks() - 1) {
                pool.submit(task(arena, root, 0, maxDepth));
            }
            MemorySegment next = task(arena, 0, 0, 0);
            pool.run(task -> {
                long id = word(task, 0);
                long depth = word(task, 1);
                assertTrue(seen.add(id), "executed twice: " + id);
                for (int number = 0; number < children(id, depth, word(task, 2)); number++) {
                    set(next, child(id, number), depth + 1, word(task, 2));
                    pool.submit(next);
                }
                work.at(rank, id);
                assertEquals(id, word(task, 0), "task changed while it ran");
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 64, auto", "4, 128, auto", "2, 2, auto", "3, 64, fastpath"})
    void shouldExecuteEveryTaskOnce(int ranks, int capacity, String route) {
        boolean direct = route.equals("auto");
        for (long root = 1; root <= (direct ? 40 : 3); root++) {
            long maxDepth = direct ? 6 + root % 8 : 7;
            long number = root;
            Set<Long> expected = tree(root, maxDepth);
            Set<Long> seen = ConcurrentHashMap.newKeySet();
            Pgas.run(config(ranks, route), rank -> {
                try (TaskPool pool = TaskPool.allocate(rank, TASK_BYTES, capacity)) {
                    runTree(rank, pool, seen, number, maxDepth, (_, _) -> { });
                    assertEquals(expected.size(), rank.allReduce(pool.executed(), ReduceOp.SUM));
                    assertEquals(expected, seen);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1024, auto", "3, 16, auto", "4, 1, auto", "2, 64, rendezvous"})
    @Tag("slow")
    void shouldExecuteEveryTaskOnceInOtherPoolsToo(int ranks, int capacity, String route) {
        shouldExecuteEveryTaskOnce(ranks, capacity, route);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldExecuteEveryTaskOnceBesideASlowRank(int ranks) {
        Set<Long> expected = tree(5, 9);
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        Pgas.run(config(ranks, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, TASK_BYTES, 32)) {
                runTree(rank, pool, seen, 5, 9, (worker, id) -> {
                    long pauseNs = 20_000;
                    LockSupport.parkNanos(worker.rank() == ranks - 1 ? 100 * pauseNs : pauseNs);
                });
                long others = rank.allReduce(rank.rank() == ranks - 1 ? 0 : pool.executed(), ReduceOp.SUM);
                assertEquals(expected, seen);
                assertTrue(others > 0, "nothing was stolen from the slow rank, which had all tasks at first");
            }
        });
    }

    @Test
    void shouldRunAgainAndEmpty() {
        Pgas.run(config(3, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, TASK_BYTES, 8)) {
                for (int round = 0; round < 20; round++) {
                    pool.run(_ -> assertEquals(0, 1, "a task of an empty pool"));
                }
            }
        });
        Set<Long> first = ConcurrentHashMap.newKeySet();
        Set<Long> second = ConcurrentHashMap.newKeySet();
        Pgas.run(config(3, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, TASK_BYTES, 8)) {
                runTree(rank, pool, first, 3, 7, (_, _) -> { });
                assertEquals(tree(3, 7), first);
                runTree(rank, pool, second, 4, 7, (_, _) -> { });
                assertEquals(tree(4, 7), second);
                assertEquals(first.size() + second.size(), rank.allReduce(pool.executed(), ReduceOp.SUM));
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "4, 4"})
    void shouldEndEachOfManyShortRunsAtItsEnd(int ranks, int capacity) {
        int runs = 1000;
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        Pgas.run(config(ranks, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, TASK_BYTES, capacity)) {
                int expected = 0;
                for (long root = 1; root <= runs; root++) {
                    runTree(rank, pool, seen, root, 1 + root % 4, (_, _) -> { });
                    expected += tree(root, 1 + root % 4).size();
                    assertEquals(expected, seen.size(), "tasks at the end of run " + root);
                    rank.barrier();
                }
            }
        });
    }

    @Test
    void shouldKeepTasksThatFindNoRoom() {
        AtomicLong sum = new AtomicLong();
        Pgas.run(config(2, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, 8, 4); Arena arena = Arena.ofConfined()) {
                MemorySegment task = arena.allocate(8, 8);
                for (long number = 1; number <= 1000; number++) {
                    set(task, number + 1000 * rank.rank());
                    pool.submit(task);
                }
                assertEquals(996, pool.spilled());
                pool.run(each -> sum.addAndGet(word(each, 0)));
            }
        });
        assertEquals(2000L * 2001 / 2, sum.get());
    }

    @Test
    void shouldGiveHalfToARankWithoutTasks() {
        Pgas.run(config(2, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, 8, 64); Arena arena = Arena.ofConfined()) {
                MemorySegment task = arena.allocate(8, 8);
                for (long number = 0; rank.rank() == 0 && number < 64; number++) {
                    set(task, number);
                    pool.submit(task);
                }
                pool.run(_ -> {
                    if (rank.rank() == 0) { // until the other one has a task as well
                        while (!STOLEN.get()) {
                            rank.progress();
                            Thread.onSpinWait();
                        }
                    } else {
                        STOLEN.set(true);
                    }
                });
                assertTrue(rank.rank() == 0 || pool.stolen() >= 16, "stolen: " + pool.stolen());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldEndTheJobByNameWhenABodyThrows(int ranks) {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(ranks, "auto"), rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, 8, 8); Arena arena = Arena.ofConfined()) {
                if (rank.rank() == 0) {
                    pool.submit(arena.allocate(8));
                }
                pool.run(_ -> {
                    throw new IOException("out of paper");
                });
            }
        }));

        Throwable cause = failure;
        while (cause != null && !(cause instanceof PgasException named && named.getMessage().contains("TaskPool["))) {
            cause = cause.getCause();
        }
        assertTrue(cause != null, "" + failure);
        assertTrue(cause.getMessage().contains("out of paper"), cause.getMessage());
        assertInstanceOf(IOException.class, cause.getCause());
    }

    @Test
    void shouldNameTheRanksThatMakeNoProgress() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        PgasConfig config = config(2, "auto").timeout(Duration.ofSeconds(3));

        Throwable failure = assertThrows(PgasException.class, () -> Pgas.run(config, rank -> {
            try (TaskPool pool = TaskPool.allocate(rank, 8, 8); Arena arena = Arena.ofConfined()) {
                if (rank.rank() == 1) {
                    pool.submit(arena.allocate(8));
                }
                try {
                    pool.run(_ -> end.await());
                } catch (PgasTimeoutException e) {
                    end.countDown();
                    throw e;
                }
            }
        }));

        while (failure != null && !(failure instanceof PgasTimeoutException)) {
            failure = failure.getCause();
        }
        assertTrue(failure != null, "no timeout");
        assertTrue(failure.getMessage().matches("(?s).*not run out of tasks: [01];.*"), failure.getMessage());
    }

    @Test
    void shouldRefuseWhatIsWrong() {
        Pgas.run(config(2, "auto"), rank -> {
            assertThrows(IllegalArgumentException.class, () -> TaskPool.allocate(rank, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> TaskPool.allocate(rank, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> TaskPool.allocate(rank, Long.MAX_VALUE / 2, 2));
            TaskPool pool = TaskPool.allocate(rank, 8, 5);
            assertTrue(pool.toString().contains("capacity=8"), pool.toString());
            assertThrows(IllegalArgumentException.class, () -> pool.submit(MemorySegment.ofArray(new byte[7])));
            pool.submit(MemorySegment.ofArray(new long[1]));
            pool.run(_ -> assertThrows(IllegalStateException.class, () -> pool.run(_ -> { })));
            pool.close();
            pool.close();
            assertThrows(IllegalStateException.class, () -> pool.submit(MemorySegment.ofArray(new long[1])));
        });
    }
}
