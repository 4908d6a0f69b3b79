package org.pgas4j.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.RankProgram;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;

/** Loops with affinity: every index on the rank that UPC says. */
@Timeout(60)
class ForAllTest {

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST);
    }

    private static void run(int ranks, RankProgram program) {
        Pgas.run(config(ranks), program);
    }

    private static List<Long> indices(long from, long to, long step) {
        return from >= to ? List.of() : LongStream.iterate(from, i -> i < to, i -> i + step).boxed().toList();
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 10, 1", "4, 0, 20, 1", "3, -7, 20, 2", "4, 1, 40, 6", "4, 3, 50, 4", "3, 5, 5, 1", "2, 9, 3, 1"})
    void shouldDoTheIndicesThatUpcGivesToARank(int ranks, long from, long to, long step) {
        run(ranks, rank -> {
            ForAll loop = ForAll.of(rank);
            List<Long> byIndex = new ArrayList<>();
            List<Long> byThird = new ArrayList<>();
            List<Long> all = new ArrayList<>();

            loop.byInteger(from, to, step, byIndex::add);
            loop.byInteger(from, to, step, i -> i / 3, byThird::add);
            loop.byNone(from, to, step, all::add);

            assertEquals(indices(from, to, step), all);
            assertEquals(all.stream().filter(i -> Math.floorMod(i, ranks) == rank.rank()).toList(), byIndex);
            assertEquals(all.stream().filter(i -> Math.floorMod(i / 3, ranks) == rank.rank()).toList(), byThird);
        });
    }

    @Test
    void shouldDoIndicesByElementAndPointer() {
        run(3, rank -> {
            ForAll loop = ForAll.of(rank);
            SharedInts array = rank.allAllocInts(Layout.blocked(4), 50);
            List<Long> byElement = new ArrayList<>();
            List<Long> byPointer = new ArrayList<>();

            loop.byElement(array, 1, 47, 3, byElement::add);
            loop.byPointer(1, 47, 3, array::pointer, byPointer::add);

            assertEquals(indices(1, 47, 3).stream().filter(i -> array.rankOf(i) == rank.rank()).toList(), byElement);
            assertEquals(byElement, byPointer);
        });
    }

    /** UPC 1.3, 6.6.2: of nested loops the outermost one with affinity divides the work, also where a body throws. */
    @Test
    void shouldDivideByTheOutermostLoopWithAffinity() {
        run(2, rank -> {
            ForAll loop = ForAll.of(rank);
            SharedInts array = rank.allAllocInts(Layout.cyclic(), 6);
            List<Long> pairs = new ArrayList<>();
            loop.byElement(array, i -> loop.byInteger(0, 4, 1, j -> pairs.add(i * 10 + j)));
            assertEquals(12, pairs.size());
            assertTrue(pairs.stream().allMatch(pair -> pair / 10 % 2 == rank.rank()), pairs::toString);

            List<Long> inner = new ArrayList<>();
            loop.byNone(0, 3, 1, i -> loop.byElement(array, j -> inner.add(i * 10 + j)));
            assertEquals(9, inner.size());
            assertTrue(inner.stream().allMatch(pair -> pair % 10 % 2 == rank.rank()), inner::toString);

            assertThrows(IllegalStateException.class, () -> loop.byInteger(0, 2, 1, _ -> {
                throw new IllegalStateException("body");
            }));
            List<Long> after = new ArrayList<>();
            loop.byInteger(0, 2, 1, after::add);
            assertEquals(List.of((long) rank.rank()), after);
        });
    }

    @ParameterizedTest
    @CsvSource({"1, 100, 0, 100", "3, 100, 0, 100", "4, 1000, 137, 640", "3, 10, 4, 1", "4, 7, 0, 7", "3, 30, 5, 0"})
    void shouldPassOverSeveralArraysOfOneLayout(int ranks, long length, long start, long count) {
        AtomicIntegerArray counts = new AtomicIntegerArray((int) length);
        run(ranks, rank -> {
            for (Layout layout : List.of(Layout.cyclic(), Layout.blocked(7), Layout.even(), Layout.onRank(ranks - 1))) {
                SharedDoubles a = rank.allAllocDoubles(layout, length).slice(start, count);
                SharedLongs b = rank.allAllocLongs(layout, length).slice(start, count);
                b.forAllLocal(i -> b.put(i, 3 * i + 1));
                rank.barrier();
                ForAll.of(rank).parallel(range -> {
                    for (long at = range.from(); at < range.to(); at++) {
                        counts.incrementAndGet((int) range.index(at));
                        range.setDouble(0, at, range.index(at) + 0.5 * range.getLong(1, at));
                    }
                }, a, b);
                rank.barrier();
                for (long i = 0; i < count; i++) {
                    assertEquals(i + 0.5 * (3 * i + 1), a.get(i), layout + " index " + i);
                    assertEquals(1, counts.get((int) i), layout + " index " + i);
                }
                rank.barrier();
                for (int i = rank.rank(); i < length; i += ranks) {
                    counts.set(i, 0);
                }
                rank.barrier();
            }
        });
    }

    @Test
    void shouldCopyWhatLiesElsewhere() {
        run(3, rank -> {
            SharedLongs a = rank.allAllocLongs(Layout.blocked(5), 64);
            for (Layout layout : List.of(Layout.cyclic(), Layout.even(), Layout.onRank(1), Layout.blocked(3))) {
                SharedInts b = rank.allAllocInts(layout, 64);
                b.forAllLocal(i -> b.put(i, (int) (1000 + i)));
                rank.barrier();

                ForAll.of(rank).local(range -> {
                    assertThrows(RuntimeException.class, () -> range.setInt(1, range.from(), 0), "a copy is read only");
                    for (long at = range.from(); at < range.to(); at++) {
                        range.setLong(0, at, range.getInt(1, at));
                    }
                }, a, b);

                rank.barrier();
                for (long i = 0; i < 64; i++) {
                    assertEquals(1000 + i, a.get(i), layout.toString());
                }
                rank.barrier();
            }
        });
    }

    @Test
    void shouldUseThreadsOfAnExecutorAndNoMoreOfThem() {
        run(1, rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 100);
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            CountDownLatch together = new CountDownLatch(3);
            try (ExecutorService executor = Executors.newFixedThreadPool(8)) {
                ForAll.of(rank).parallel(executor, 2, 1, range -> {
                    assertEquals(1, range.to() - range.from());
                    if (threads.add(Thread.currentThread())) {
                        together.countDown();
                        assertTrue(together.await(20, TimeUnit.SECONDS), "two helpers and the rank's thread");
                    }
                }, array);
            }
            assertEquals(3, threads.size());
        });
    }

    /** No thread is free for helpers before the loop has ended, and none is there at all. */
    @Test
    void shouldDoAllItselfWhereAnExecutorStartsNothing() {
        run(1, rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 10);
            List<Runnable> late = new ArrayList<>();
            Set<Long> done = new TreeSet<>();
            ForAll loop = ForAll.of(rank);

            loop.parallel(late::add, 3, 1, range -> done.add(range.from()), array);
            assertEquals(10, done.size());
            assertEquals(3, late.size());
            late.forEach(Runnable::run);
            loop.parallel(_ -> {
                throw new RejectedExecutionException();
            }, 3, 1, range -> done.add(100 + range.from()), array);

            assertEquals(20, done.size());
        });
    }

    @Test
    void shouldGatherFailuresOfBodies() {
        run(1, rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 100);
            IllegalStateException thrown = new IllegalStateException("element 0");
            CountDownLatch both = new CountDownLatch(2);

            PgasException failure = assertThrows(PgasException.class, () -> {
                try (ExecutorService executor = Executors.newFixedThreadPool(1)) {
                    ForAll.of(rank).parallel(executor, 1, 50, range -> {
                        both.countDown();
                        assertTrue(both.await(20, TimeUnit.SECONDS));
                        throw thrown;
                    }, array);
                }
            });

            assertSame(thrown, failure.getCause());
            assertEquals(1, failure.getSuppressed().length);
            assertTrue(failure.getMessage().startsWith("forall of rank 0 over [SharedInts[100, ")
                    && failure.getMessage().contains("2 ranges failed"), failure::toString);
        });
    }

    @Test
    void shouldNotWaitForEverForAHelper() {
        Pgas.run(config(1).set(PgasKey.TIMEOUT, "200ms"), rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 2);
            CountDownLatch end = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(2);
            Thread self = Thread.currentThread();
            try (ExecutorService executor = Executors.newFixedThreadPool(1)) {
                String why = assertThrows(PgasTimeoutException.class, () -> ForAll.of(rank).parallel(executor, 1, 1, _ -> {
                    begun.countDown();
                    begun.await(20, TimeUnit.SECONDS);
                    if (Thread.currentThread() != self) {
                        end.await(20, TimeUnit.SECONDS);
                    }
                }, array)).getMessage();
                end.countDown();
                assertTrue(why.contains("1 threads have ended no range for 200 ms"), why);
            }
        });
    }

    @Test
    void shouldRefuseTheRankInOtherThreads() {
        run(1, rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 2);
            try (ExecutorService executor = Executors.newFixedThreadPool(1)) {
                CountDownLatch both = new CountDownLatch(2);
                ForAll loop = ForAll.of(rank);
                PgasException failure = assertThrows(PgasException.class, () -> loop.parallel(executor, 1, 1, range -> {
                    both.countDown();
                    both.await(20, TimeUnit.SECONDS);
                    array.put(range.from(), 1);
                }, array));
                assertTrue(failure.getCause().getMessage().contains("for the rank's own thread"), failure::toString);
            }
        });
    }

    @Test
    void shouldRefuseWhatIsWrong() {
        run(2, rank -> {
            ForAll loop = ForAll.of(rank);
            SharedArray array = rank.allAllocInts(Layout.even(), 4);
            SharedArray longer = rank.allAllocInts(Layout.even(), 5);
            SharedArray device = onDevice(rank);
            List<Runnable> wrong = List.of(() -> loop.byInteger(0, 1, 0, _ -> { }),
                    () -> loop.byNone(Long.MIN_VALUE, Long.MAX_VALUE, 1, _ -> { }), () -> loop.local(_ -> { }),
                    () -> loop.local(_ -> { }, array, longer), () -> loop.parallel(_ -> { }, device),
                    () -> loop.parallel(Runnable::run, -1, 0, _ -> { }, array),
                    () -> loop.parallel(Runnable::run, 0, -1, _ -> { }, array));
            for (Runnable each : wrong) {
                assertThrows(IllegalArgumentException.class, each::run);
            }
            assertThrows(IndexOutOfBoundsException.class, () -> loop.byElement(array, 0, 5, 1, _ -> { }));
        });
    }

    private static SharedArray onDevice(Rank rank) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAllocInts(Layout.even(), 4);
        }
    }
}
