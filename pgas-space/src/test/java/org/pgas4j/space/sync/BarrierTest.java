package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.RankTasks;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;

/** Flat up to eight ranks and a tree above; nine ranks are its least, and 65 have three levels. */
@Timeout(60)
class BarrierTest {

    private static final long SEED = 20261121;

    private static Barrier barrier(PlainRanks all, int rank, long timeoutNs) {
        return barrier(all, rank, timeoutNs, () -> { }, HappensBefore.NONE);
    }

    private static Barrier barrier(PlainRanks all, int rank, long timeoutNs, Runnable complete,
            HappensBefore ordering) {
        Peers peers = all.peers(rank);
        Waiter waiter = all.waiter(rank, timeoutNs);
        return new Barrier(rank, all.count(), peers, waiter, new Arrivals(rank, peers, waiter, complete, ordering));
    }

    /** As of nodes of {@code perNode} ranks. */
    private static Barrier barrier(PlainRanks all, int rank, int perNode, Waiter waiter) {
        Peers peers = all.peers(rank);
        int[] leaders = IntStream.range(0, Math.ceilDiv(all.count(), perNode)).map(node -> node * perNode).toArray();
        return new Barrier(rank, all.count(), peers, waiter, new Arrivals(rank, peers, waiter, () -> { }, HappensBefore.NONE),
                new ReleaseTree(rank, peers, leaders, rank / perNode));
    }

    private static List<Barrier> barriers(PlainRanks all, long timeoutNs) {
        return IntStream.range(0, all.count()).mapToObj(rank -> barrier(all, rank, timeoutNs)).toList();
    }

    /** One thread is all ranks and lets each arrive and wait whenever it can do so without waiting. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 9, 17, 64, 65, 130})
    void shouldLetARankGoWhenAllHaveArrivedInAnyOrder(int ranks) {
        Random random = new Random(SEED + ranks);
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Barrier> barriers = barriers(all, PlainRanks.LONG_NS);
            int[] arrived = new int[ranks];
            int[] left = new int[ranks];
            for (int step = 0; step < 40 * ranks; step++) {
                int rank = random.nextInt(ranks);
                if (arrived[rank] == left[rank]) {
                    barriers.get(rank).arrive(0);
                    arrived[rank]++;
                } else if (IntStream.of(arrived).allMatch(count -> count >= arrived[rank])) {
                    barriers.get(rank).await(0);
                    left[rank]++;
                }
            }
            assertTrue(IntStream.of(left).sum() >= ranks, "barriers: " + IntStream.of(left).sum());
        }
    }

    /**
     * One thread is all ranks, in nodes, and comes to wait in some order: a rank goes on, too, while those of the nodes above
     * have only notified. Odd rounds have labels.
     */
    @ParameterizedTest
    @CsvSource({"12, 5", "100, 1", "300, 4", "600, 1", "600, 64"})
    void shouldReleaseNodesInAnyOrder(int ranks, int perNode) {
        Random random = new Random(SEED + ranks);
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Barrier> barriers = IntStream.range(0, ranks).mapToObj(rank -> barrier(all, rank, perNode, all.waiterOfAll(rank)))
                    .toList();
            List<Integer> order = new ArrayList<>(IntStream.range(0, ranks).boxed().toList());
            for (int round = 0; round < 4; round++) {
                long label = round % 2 == 0 ? 0 : Barrier.label(round);
                Collections.shuffle(order, random);
                order.forEach(rank -> barriers.get(rank).arrive(label));
                if (round == 2) {
                    order.sort(Comparator.reverseOrder()); // the leaves of the tree first
                } else {
                    Collections.shuffle(order, random);
                }
                order.forEach(rank -> barriers.get(rank).await(label));
            }
        }
    }

    /** Ranks that come to wait from the root on find the release in their own node, and have written it to their children. */
    @Test
    void shouldHandTheReleaseDownTheTreeOfNodes() {
        int ranks = 100;
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Barrier> barriers = IntStream.range(0, ranks).mapToObj(rank -> barrier(all, rank, 1, all.waiterOfAll(rank)))
                    .toList();
            for (int rank = ranks - 1; rank >= 0; rank--) {
                barriers.get(rank).arrive(0);
            }
            Peers peers = all.peers(0);
            long release = release(peers, 0);
            assertTrue(release != 0);
            for (int rank = 0; rank < ranks; rank++) {
                int first = rank * ReleaseTree.FAN_OUT + 1;
                int[] children = IntStream.range(first, Math.min(ranks, first + ReleaseTree.FAN_OUT)).toArray();
                assertEquals(release, release(peers, rank));
                assertTrue(IntStream.of(children).allMatch(child -> release(peers, child) == 0));
                barriers.get(rank).await(0);
                assertTrue(IntStream.of(children).allMatch(child -> release(peers, child) == release), "children of " + rank);
            }
        }
    }

    private static long release(Peers peers, int rank) {
        return peers.get(rank).endpoint().getWordAcquire(ControlArea.RELEASE);
    }

    @Test
    void shouldNameLabelsThatDifferBetweenNodes() throws Exception {
        try (PlainRanks all = new PlainRanks(20)) {
            List<CollectiveMismatchException> failures = mismatches(20, rank -> () -> {
                Barrier barrier = barrier(all, rank, 3, all.waiter(rank, PlainRanks.LONG_NS));
                barrier.arrive(Barrier.label(rank == 7 ? 8 : 5));
                barrier.await(Barrier.label(rank == 7 ? 8 : 5));
                return null;
            });
            for (CollectiveMismatchException failure : failures) {
                assertTrue(failure != null && failure.getMessage().contains("rank 7: barrier(8) at "), String.valueOf(failure));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7})
    void shouldKeepThreadsOfNodesTogether(int perNode) throws Exception {
        int ranks = 20;
        int rounds = 20;
        try (PlainRanks all = new PlainRanks(ranks)) {
            AtomicIntegerArray come = new AtomicIntegerArray(rounds);
            RankTasks.run(ranks, rank -> () -> {
                Barrier barrier = barrier(all, rank, perNode, all.waiter(rank, PlainRanks.LONG_NS));
                for (int round = 0; round < rounds; round++) {
                    come.incrementAndGet(round);
                    barrier.arrive(0);
                    barrier.await(0);
                    assertEquals(ranks, come.get(round));
                }
                barrier.finish();
                return null;
            });
        }
    }

    /** All ranks but one have arrived, and none of them may leave. */
    @ParameterizedTest
    @ValueSource(ints = {2, 8, 9, 17})
    void shouldHoldAllUntilTheLastArrives(int ranks) {
        for (int last = 0; last < ranks; last += Math.max(1, ranks / 3)) {
            try (PlainRanks all = new PlainRanks(ranks)) {
                List<Barrier> barriers = barriers(all, 1);
                for (int rank = 0; rank < ranks; rank++) {
                    if (rank != last) {
                        barriers.get(rank).arrive(0);
                    }
                }
                for (int rank = 0; rank < ranks; rank++) {
                    if (rank != last) {
                        Barrier waits = barriers.get(rank);
                        String why = assertThrows(PgasTimeoutException.class, () -> waits.await(0)).getMessage();
                        assertTrue(why.startsWith("barrier 1 of rank " + rank + ", missing ranks [" + last + "]"), why);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 8, 9, 20})
    void shouldKeepThreadsTogether(int ranks) throws Exception {
        int rounds = 20;
        try (PlainRanks all = new PlainRanks(ranks)) {
            AtomicIntegerArray come = new AtomicIntegerArray(rounds);
            RankTasks.run(ranks, rank -> () -> {
                Barrier barrier = barrier(all, rank, PlainRanks.LONG_NS);
                for (int round = 0; round < rounds; round++) {
                    come.incrementAndGet(round);
                    barrier.arrive(0);
                    barrier.await(0);
                    assertEquals(ranks, come.get(round));
                }
                barrier.finish();
                return null;
            });
        }
    }

    @Test
    void shouldCompleteTransfersBeforeOthersCanSeeTheArrival() {
        try (PlainRanks all = new PlainRanks(2)) {
            PeerBarriers seen = new PeerBarriers(1, all.peers(1));
            List<String> order = new ArrayList<>();
            HappensBefore ordering = new HappensBefore() {
                @Override
                public void arrives(long place, int[] members, long number) {
                    order.add("arrives " + place + " " + number + ", others see " + seen.entered(0));
                }

                @Override
                public void leaves(long place, int[] members, long number) {
                    order.add("leaves " + place + " " + number);
                }
            };
            Barrier first = barrier(all, 0, PlainRanks.LONG_NS,
                    () -> order.add("complete, others see " + seen.entered(0)), ordering);
            Barrier second = barrier(all, 1, PlainRanks.LONG_NS);

            second.arrive(0);
            first.arrive(0);
            first.await(0);

            assertEquals(List.of("complete, others see 0", "arrives -1 1, others see 0", "leaves -1 1"), order);
            assertEquals(1, seen.entered(0));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 9})
    void shouldMatchEqualLabelsAndNoLabel(int ranks) {
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Barrier> barriers = barriers(all, PlainRanks.LONG_NS);
            for (int round = 0; round < 3; round++) {
                for (int rank = 0; rank < ranks; rank++) {
                    barriers.get(rank).arrive(rank % 3 == round ? 0 : Barrier.label(-7));
                }
                for (int rank = 0; rank < ranks; rank++) {
                    barriers.get(rank).await(rank % 3 == round ? 0 : Barrier.label(-7));
                }
            }
        }
    }

    /** Exception of each rank. */
    private static List<CollectiveMismatchException> mismatches(int ranks,
            IntFunction<Callable<Void>> tasks) throws Exception {
        return RankTasks.run(ranks, rank -> () -> {
            try {
                tasks.apply(rank).call();
            } catch (CollectiveMismatchException e) {
                return e;
            }
            return null;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 9})
    void shouldNameTheLabelsThatDifferWithTheirLines(int ranks) throws Exception {
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<CollectiveMismatchException> failures = mismatches(ranks, rank -> () -> {
                Barrier barrier = barrier(all, rank, PlainRanks.LONG_NS);
                long label = rank == 0 ? 0 : Barrier.label(rank == ranks - 1 ? 8 : 5);
                if (ranks == 2 && rank == 0) {
                    label = Barrier.label(5);
                }
                barrier.arrive(label);
                barrier.await(label);
                return null;
            });
            int one = ranks == 2 ? 0 : 1;
            for (CollectiveMismatchException failure : failures) {
                assertTrue(failure != null
                        && failure.getMessage().matches("the collective calls of the ranks differ; rank " + one
                        + ": barrier\\(5\\) at BarrierTest.java:\\d+; rank " + (ranks - 1)
                        + ": barrier\\(8\\) at BarrierTest.java:\\d+"), String.valueOf(failure));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 9})
    void shouldNotMeetARankWhoseProgramHasEnded(int ranks) throws Exception {
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<CollectiveMismatchException> failures = mismatches(ranks, rank -> () -> {
                Barrier barrier = barrier(all, rank, PlainRanks.LONG_NS);
                if (rank == 1) {
                    barrier.finish();
                } else {
                    barrier.arrive(0);
                    barrier.await(0);
                }
                return null;
            });
            for (CollectiveMismatchException failure : failures) {
                assertTrue(failure != null && failure.getMessage().contains("rank 1: the end of its program")
                        && failure.getMessage().contains("rank 0: barrier() at "), String.valueOf(failure));
            }
        }
    }

    @Test
    void shouldRefuseMisuseOfItsHalves() {
        try (PlainRanks all = new PlainRanks(1)) {
            Barrier barrier = barrier(all, 0, PlainRanks.LONG_NS);
            assertThrows(IllegalStateException.class, () -> barrier.await(0));
            barrier.arrive(Barrier.label(1));
            assertThrows(IllegalStateException.class, () -> barrier.arrive(Barrier.label(1)));
            String why =
                    assertThrows(CollectiveMismatchException.class, () -> barrier.await(Barrier.label(2))).getMessage();
            assertTrue(why.contains("barrier(1)") && why.contains("barrier(2)"), why);

            barrier.await(Barrier.label(1));
        }
    }

    @Test
    void shouldRefuseOtherThreads() {
        try (PlainRanks all = new PlainRanks(1)) {
            Barrier barrier = barrier(all, 0, PlainRanks.LONG_NS);

            Throwable failure = assertThrows(CompletionException.class,
                    () -> CompletableFuture.runAsync(() -> barrier.arrive(0)).join()).getCause();

            assertInstanceOf(IllegalStateException.class, failure);
            assertTrue(failure.getMessage().contains(Thread.currentThread().getName()), failure.getMessage());
        }
    }

    @Test
    void shouldListSixteenRanksAtMost() {
        List<Integer> ranks = IntStream.range(0, 17).boxed().toList();

        assertTrue(Barrier.listed(ranks.subList(0, 16)).endsWith("15]"), Barrier.listed(ranks.subList(0, 16)));
        assertTrue(Barrier.listed(ranks).endsWith("15, ...]"), Barrier.listed(ranks));
    }
}
