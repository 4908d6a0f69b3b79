package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.AtomicDomain;
import org.pgas4j.AtomicOp;
import org.pgas4j.Backend;
import org.pgas4j.DataRaceException;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Window;

/**
 * Planted races, which {@code pgas.check=full} must find, and the same programs put in order, where it must find nothing. A latch
 * of Java's makes one use the later one: the checks do not see it.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RaceTest {

    private static final int TAG = 7;

    private final CountDownLatch first = new CountDownLatch(1);
    private final MemorySegment buffer = Arena.ofAuto().allocate(4096, 8);

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20).set(PgasKey.CHECK, "full")
                .timeout(Duration.ofSeconds(60));
    }

    private void later() throws InterruptedException {
        assertTrue(first.await(60, TimeUnit.SECONDS));
    }

    /** Rank 0 first, then rank 1; others stand by. */
    private interface Pair {
        void run(Rank rank, SharedPointer shared) throws Exception;
    }

    private void run(int ranks, Pair earlier, Pair later) {
        Pgas.run(config(ranks), rank -> {
            SharedPointer shared = rank.allAlloc(ranks, 1024).cast(0, 1);
            rank.barrier();
            if (rank.rank() == 0) {
                earlier.run(rank, shared);
                first.countDown();
            } else if (rank.rank() == 1) {
                later();
                later.run(rank, shared);
            }
            rank.barrier();
        });
    }

    private DataRaceException races(int ranks, Pair earlier, Pair later) {
        DataRaceException e = assertThrows(DataRaceException.class, () -> run(ranks, earlier, later));
        assertEquals(16, e.exitCode());
        assertTrue(e.getMessage().matches("(?s)data race: rank 1 .* at RaceTest\\.java:\\d+ .*rank 0 used .* at "
                + "RaceTest\\.java:\\d+, .*"), e.getMessage());
        return e;
    }

    // ---- planted

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFindAPutThatTheOwnerReads(MemoryKind kind) {
        DataRaceException e = assertThrows(DataRaceException.class, () -> Pgas.run(config(2), rank -> {
            if (kind == MemoryKind.DEVICE) {
                rank.onDevice();
            }
            SharedPointer there = rank.allAlloc(2, 1024).cast(0, 1).onRank(1);
            rank.barrier();
            if (rank.rank() == 0) {
                rank.memput(there.plus(100), buffer, 50);
                first.countDown();
            } else {
                later();
                rank.memget(buffer, there.plus(149), 1);
            }
            rank.barrier();
        }));

        assertTrue(e.getMessage().contains("rank 1 reads bytes") && e.getMessage().contains(kind + " segment by get at")
                && e.getMessage().contains("by put at"), e.getMessage());
    }

    @Test
    void shouldFindTwoPuts() {
        races(3, (rank, shared) -> rank.memput(shared.onRank(2), buffer, 16),
                (rank, shared) -> rank.memput(shared.onRank(2).plus(8), buffer, 16));
    }

    @Test
    void shouldFindAPutIntoWhatAnotherReads() {
        races(3, (rank, shared) -> rank.memget(buffer, shared.onRank(2), 100),
                (rank, shared) -> rank.memset(shared.onRank(2).plus(50), 1, 1));
    }

    @Test
    void shouldFindACopyOfWhatAnotherPuts() {
        races(2, (rank, shared) -> rank.memput(shared.onRank(1), buffer, 64),
                (rank, shared) -> rank.memcpy(shared.onRank(0).plus(512), shared.onRank(1), 64));
    }

    @Test
    void shouldFindALocalViewThatIsPutAway() {
        races(2, (rank, shared) -> rank.memput(shared.onRank(1).plus(256), buffer, 64),
                (rank, shared) -> rank.memput(shared.onRank(0).plus(512), rank.local(shared.onRank(1).plus(200)), 60));
    }

    @Test
    void shouldFindElementsOfArraysAndPutsOfWindows() {
        DataRaceException e = assertThrows(DataRaceException.class, () -> Pgas.run(config(2), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.even(), 16);
            Window window = rank.createWindow(rank.world(), array.pointer().onRank(rank.rank()), 64);
            if (rank.rank() == 0) {
                window.put(1, 8, buffer, 8);
                first.countDown();
            } else {
                later();
                array.get(9);
            }
            rank.barrier();
        }));

        assertTrue(e.getMessage().contains("rank 1 reads"), e.getMessage());
    }

    @Test
    void shouldNotTakeANotificationOfAnotherForOrder() {
        races(3, (rank, shared) -> {
            rank.memput(shared.onRank(1), buffer, 8);
            rank.notifications().signal(2, TAG);
        }, (rank, shared) -> rank.memget(buffer, shared.onRank(1), 8));
    }

    @Test
    void shouldNotTakeANotificationBeforeThePutForOrder() {
        races(2, (rank, shared) -> {
            rank.notifications().signal(1, TAG);
            rank.memput(shared.onRank(1), buffer, 8);
        }, (rank, shared) -> {
            rank.notifications().await(TAG, 1);
            rank.memget(buffer, shared.onRank(1), 8);
        });
    }

    private interface AtomicUse {
        void run(Rank rank, SharedPointer word, AtomicDomain domain);
    }

    /** Rank 0 puts and then adds to a word; rank 1 uses the word and then reads what was put. */
    private void byAtomics(MemoryKind kind, AtomicUse use) {
        CountDownLatch added = new CountDownLatch(1);
        Pgas.run(config(2), rank -> {
            if (kind == MemoryKind.DEVICE) {
                rank.onDevice();
            }
            SharedPointer shared = rank.allAlloc(2, 1024).cast(0, 1);
            SharedPointer word = shared.onRank(0);
            AtomicDomain domain = rank.atomics().domain(ElementType.LONG, Set.of(AtomicOp.GET, AtomicOp.ADD));
            rank.barrier();
            if (rank.rank() == 0) {
                rank.memput(shared.onRank(1), buffer, 100);
                rank.fence();
                domain.apply(AtomicOp.ADD, word, 1);
                rank.fence();
                added.countDown();
            } else {
                assertTrue(added.await(60, TimeUnit.SECONDS));
                use.run(rank, word, domain);
                rank.memget(buffer, shared.onRank(1), 8);
            }
            rank.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFindNothingAfterAnAtomicOperationWithAResult(MemoryKind kind) {
        byAtomics(kind, (_, word, domain) -> domain.fetch(AtomicOp.GET, word, 0));
        byAtomics(kind, (_, word, domain) -> domain.start(AtomicOp.GET, word, 0, buffer).sync());
        byAtomics(kind, (rank, word, domain) -> {
            domain.start(AtomicOp.GET, word, 0, buffer);
            rank.fence();
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldNotTakeAStartedAtomicOperationForOrder(MemoryKind kind) {
        assertThrows(DataRaceException.class,
                () -> byAtomics(kind, (_, word, domain) -> domain.start(AtomicOp.GET, word, 0, buffer)));
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldNotTakeAnAtomicOperationWithoutAResultForOrder(MemoryKind kind) {
        assertThrows(DataRaceException.class, () -> byAtomics(kind, (_, word, domain) -> domain.apply(AtomicOp.ADD, word, 1)));
    }

    @Test
    void shouldFindAFlagWithoutAFence() {
        races(2, (rank, shared) -> {
            rank.memput(shared.onRank(1), buffer, 100);
            rank.memput(shared.onRank(1).plus(512), buffer, 8);
        }, (rank, shared) -> {
            rank.memget(buffer, shared.onRank(1).plus(512), 8);
            rank.memget(buffer, shared.onRank(1), 100);
        });
    }

    /** Rank 1 reads and says so by a word without a fence, after {@code before}; rank 0 puts there. */
    private void acknowledge(Pair before, Pair after) {
        Pgas.run(config(2), rank -> {
            SharedPointer shared = rank.allAlloc(2, 1024).cast(0, 1);
            MemorySegment word = rank.local(shared.onRank(rank.rank()).plus(512));
            rank.barrier();
            if (rank.rank() == 1) {
                rank.memget(buffer, shared.onRank(1), 100);
                before.run(rank, shared);
                rank.memput(shared.onRank(0).plus(512), Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, 1), 8);
                after.run(rank, shared);
                first.countDown();
            } else {
                while ((long) ValueLayout.JAVA_LONG.varHandle().getAcquire(word, 0L) != 1) {
                    rank.progress();
                }
                later();
                rank.memput(shared.onRank(1), Arena.ofAuto().allocate(200), 200);
            }
            rank.barrier();
        });
    }

    @Test
    void shouldFindWhatWasReadAfterItsAcknowledgement() {
        assertThrows(DataRaceException.class, () -> acknowledge((_, _) -> { },
                (rank, shared) -> rank.memget(buffer, shared.onRank(1).plus(50), 10)));
    }

    @Test
    void shouldNotTakeAnAcknowledgementForAFence() {
        assertThrows(DataRaceException.class, () -> acknowledge(
                (rank, shared) -> rank.memput(shared.onRank(1).plus(150), buffer, 10), (_, _) -> { }));
    }

    // ---- in order

    @Test
    void shouldFindNothingWhereAWordSaysWhatWasRead() {
        acknowledge((rank, shared) -> rank.memput(shared.onRank(0).plus(700), buffer, 20), (_, _) -> { });
    }

    @ParameterizedTest
    @EnumSource(RaceOrder.class)
    void shouldFindNothingWhereSomethingOrders(RaceOrder order) {
        Pgas.run(config(3), order::run);
    }

    @Test
    void shouldFindNothingWhereRanksUseNeighbours() {
        run(2, (rank, shared) -> {
            rank.memput(shared.onRank(1), buffer, 13);
            rank.memget(buffer, shared.onRank(1).plus(100), 10);
        }, (rank, shared) -> {
            rank.memput(shared.onRank(1).plus(13), buffer, 13);
            rank.memget(buffer, shared.onRank(1).plus(95), 10);
        });
    }
}
