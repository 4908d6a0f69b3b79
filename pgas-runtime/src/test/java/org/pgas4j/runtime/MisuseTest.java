package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.testkit.Check;
import org.pgas4j.testkit.Misuse;
import org.pgas4j.testkit.PointerFuzz;

/** Programs that are wrong: a typed exception at the caller, untouched memory, a process that lives on. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class MisuseTest {

    private static final long FUZZED = 1_000_000;

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device("host").hostHeap(16 << 10).deviceHeap(16 << 10)
                .timeout(Duration.ofSeconds(60));
    }

    @ParameterizedTest(name = "route {0}")
    @ValueSource(strings = {"auto", "fastpath"})
    void shouldRefuseEveryWrongUseAndTouchNothing(String route) {
        AtomicLong cases = new AtomicLong();

        Pgas.run(config(2).set(PgasKey.ROUTE, route), rank -> {
            Check check = new Check(rank);
            cases.addAndGet(new Misuse(rank, check).run());
            check.finish("misuse");
        });

        System.out.println("misuse: " + cases + " cases refused, route=" + route);
        assertTrue(cases.get() >= 40, "cases: " + cases);
    }

    @Test
    void shouldRefusePointersOfAJobThatHasEnded() {
        AtomicReference<Rank> old = new AtomicReference<>();
        AtomicReference<SharedPointer> pointer = new AtomicReference<>();
        AtomicReference<SharedLongs> array = new AtomicReference<>();
        MemorySegment local = Arena.ofAuto().allocate(64);
        Pgas.run(config(1), rank -> {
            old.set(rank);
            pointer.set(rank.alloc(64));
            array.set(rank.allAllocLongs(Layout.even(), 4));
        });

        Pgas.run(config(1), rank -> {
            SharedPointer same = rank.alloc(64);
            assertEquals(pointer.get().addrField(), same.addrField());
            assertThrows(StalePointerException.class, () -> rank.memput(pointer.get(), local, 8));
            assertThrows(StalePointerException.class, () -> rank.pointer(pointer.get().words()));
            assertThrows(IllegalArgumentException.class, () -> rank.free(pointer.get()));
        });

        assertThrows(StalePointerException.class, () -> old.get().memput(pointer.get(), local, 8));
        assertThrows(StalePointerException.class, () -> old.get().memget(local, pointer.get(), 8));
        assertThrows(StalePointerException.class, () -> old.get().local(pointer.get()));
        assertThrows(StalePointerException.class, () -> array.get().put(0, 1));
        assertThrows(StalePointerException.class, () -> array.get().get(0));
    }

    @Test
    void shouldEndWithOperationsInFlight() {
        Pgas.run(config(2), rank -> {
            SharedPointer shared = rank.allAlloc(2, 4096);
            MemorySegment local = Arena.ofAuto().allocate(4096);
            for (int i = 0; i < 100; i++) {
                rank.memputNbi(shared.cast(0, 1).onRank(1 - rank.rank()), local, 4096);
            }
        });
    }

    private enum Mismatch {
        ALLOC_SIZE, ALLOC_KIND, FREE_OTHER, FREE_GENERATION, BROADCAST_BYTES, BROADCAST_ROOT, REDUCE_OPERATION, REDUCE_TYPE,
        GATHER_TARGET, OPERATION, ARRAY_LAYOUT, BARRIER_LABEL;

        void run(Rank rank, SharedPointer a, SharedPointer b) {
            boolean first = rank.rank() == 0;
            switch (this) {
                case ALLOC_SIZE -> rank.allAlloc(2, first ? 8 : 16);
                case ALLOC_KIND -> {
                    if (first) {
                        rank.onDevice();
                    }
                    rank.allAlloc(2, 8);
                }
                case FREE_OTHER -> rank.allFree(first ? a : b);
                case FREE_GENERATION -> rank.allFree(first ? a
                        : PgasUnsafe.pointer(a.kind(), 0, 2, 0, a.addrField(), 0, 1));
                case BROADCAST_BYTES -> rank.broadcast(a, b, first ? 8 : 16);
                case BROADCAST_ROOT -> rank.broadcast(a, b.onRank(rank.rank()), 8);
                case REDUCE_OPERATION -> rank.reduce(a, b, ElementType.INT, 1, first ? ReduceOp.SUM : ReduceOp.MAX);
                case REDUCE_TYPE -> rank.reduce(a, b, first ? ElementType.INT : ElementType.FLOAT, 1, ReduceOp.SUM);
                case GATHER_TARGET -> rank.gather(a.onRank(rank.rank()), b, 8);
                case OPERATION -> {
                    if (first) {
                        rank.gather(a, b, 8);
                    } else {
                        rank.broadcast(a, b, 8);
                    }
                }
                case ARRAY_LAYOUT -> rank.allAllocInts(first ? Layout.onRank(0) : Layout.onRank(1), 4);
                case BARRIER_LABEL -> rank.barrier(first ? 1 : 2);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mismatch.class)
    void shouldNameCollectivesThatDiffer(Mismatch mismatch) {
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            SharedPointer a = rank.allAlloc(2, 64);
            SharedPointer b = rank.allAlloc(2, 64);
            mismatch.run(rank, a, b);
            rank.barrier();
        }));

        assertInstanceOf(CollectiveMismatchException.class, e, e.getMessage());
        if (mismatch == Mismatch.OPERATION) {
            assertTrue(e.getMessage().matches(".*rank 0 at MisuseTest\\.java:\\d+ gather, rank 1 at MisuseTest\\.java:\\d+ "
                    + "broadcast;.*"), e.getMessage());
        }
        assertEquals(13, e.exitCode());
    }

    @ParameterizedTest(name = "ranks {0}")
    @ValueSource(ints = {1, 3})
    void shouldTellGoodPointersFromRandomOnes(int ranks) {
        long seed = System.nanoTime();
        long count = ranks == 1 ? FUZZED / 10 : FUZZED;
        AtomicLong good = new AtomicLong();
        AtomicLong refused = new AtomicLong();

        Pgas.run(config(ranks).hostHeap(PointerFuzz.HEAP_BYTES).deviceHeap(PointerFuzz.HEAP_BYTES), rank -> {
            PointerFuzz fuzz = new PointerFuzz(rank, seed);
            fuzz.run(count);
            good.addAndGet(fuzz.applied());
            refused.addAndGet(fuzz.refused());
        });

        assertEquals(count, good.get() + refused.get(), "seed " + seed);
        assertTrue(good.get() >= count / 200, "good pointers: " + good + ", seed " + seed);
    }
}
