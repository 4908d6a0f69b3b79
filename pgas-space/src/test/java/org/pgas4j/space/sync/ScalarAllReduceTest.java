package org.pgas4j.space.sync;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.ReduceOp;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.RankTasks;
import org.pgas4j.space.memory.Peers;

@Timeout(60)
class ScalarAllReduceTest {

    private static final Call CALL = new Call("test(%d)", 1);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9})
    void shouldGiveAllRanksTheSameResult(int ranks) throws Exception {
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<List<Number>> results = RankTasks.run(ranks, rank -> () -> {
                ScalarAllReduce words = all.words(rank);
                List<Number> own = new ArrayList<>();
                own.add(words.allReduce(rank + 1L, ReduceOp.SUM));
                own.add(words.allReduce(rank + 1L, ReduceOp.PRODUCT));
                own.add(words.allReduce(-(long) rank, ReduceOp.MIN));
                own.add(words.allReduce(rank + 0.5, ReduceOp.MAX));
                own.add(words.allReduce(Long.MAX_VALUE - rank, ReduceOp.MAX));
                for (int root = 0; root < ranks; root++) {
                    own.add(words.broadcast(rank * 100L, root));
                }
                return own;
            });

            List<Number> expected = new ArrayList<>(List.of(ranks * (ranks + 1L) / 2,
                    IntStream.rangeClosed(1, ranks).asLongStream().reduce(1, (a, b) -> a * b), 1L - ranks, ranks - 0.5,
                    Long.MAX_VALUE));
            IntStream.range(0, ranks).forEach(root -> expected.add(root * 100L));
            assertEquals(Collections.nCopies(ranks, expected), results);
        }
    }

    /** Each member's own byte and those it has received, in the places of the members. */
    private static final class Bytes implements ScalarAllReduce.Payload {

        private final MemorySegment data;

        Bytes(int members, int me) {
            data = MemorySegment.ofArray(new byte[members]);
            data.set(ValueLayout.JAVA_BYTE, me, (byte) (me + 1));
        }

        @Override
        public void sendUp(Endpoint to, long slot, int first, int end) {
            to.put(slot, data, first, end - first);
        }

        @Override
        public void receiveUp(Endpoint own, long slot, int first, int end) {
            own.get(data, first, slot, end - first);
        }

        @Override
        public void sendDown(Endpoint to, long slot, int first, int end) {
            to.put(slot, data, 0, data.byteSize());
        }

        @Override
        public void receiveDown(Endpoint own, long slot, int first, int end) {
            own.get(data, 0, slot, data.byteSize());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void shouldCarryBytesOfAllRanksToAll(int ranks) throws Exception {
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<byte[]> results = RankTasks.run(ranks, rank -> () -> {
                ScalarAllReduce words = all.words(rank);
                byte[] last = null;
                for (int i = 0; i < 50; i++) {
                    Bytes bytes = new Bytes(ranks, rank);
                    words.start(CALL, null, new long[0], (into, from) -> true, bytes);
                    while (!words.poll()) {
                        Thread.onSpinWait();
                    }
                    assertTrue(words.isAgreed());
                    last = bytes.data.toArray(ValueLayout.JAVA_BYTE);
                }
                return last;
            });

            byte[] expected = new byte[ranks];
            IntStream.range(0, ranks).forEach(member -> expected[member] = (byte) (member + 1));
            results.forEach(bytes -> assertArrayEquals(expected, bytes));
        }
    }

    /** A started exchange comes before one that is called after it. */
    @Test
    void shouldCompleteWhatWasStartedBefore() throws Exception {
        int ranks = 3;
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Long> sums = RankTasks.run(ranks, rank -> () -> {
                ScalarAllReduce words = all.words(rank);
                long[] started = {rank};
                words.completeBefore(() -> {
                    if (!words.poll()) {
                        words.await();
                    }
                });
                words.start(CALL, null, started, (into, from) -> {
                    into[0] += from[0];
                    return true;
                }, null);
                return words.allReduce(100L, ReduceOp.SUM) + started[0];
            });

            assertEquals(List.of(303L, 303L, 303L), sums);
        }
    }

    @Test
    void shouldRefuseAnExchangeWithinAnother() throws Exception {
        try (PlainRanks all = new PlainRanks(2)) {
            ScalarAllReduce words = all.words(0);
            words.start(CALL, null, new long[1], (into, from) -> true, null);

            assertThrows(IllegalStateException.class, () -> words.startStep(new long[0], (into, from) -> true));
        }
    }

    @Test
    void shouldCarryAsManyWordsAsALineHas() throws Exception {
        int ranks = 3;
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<long[]> results = RankTasks.run(ranks, rank -> () -> {
                long[] words = new long[ScalarAllReduce.MAX_WORDS];
                Arrays.setAll(words, i -> 1L << 3 * i + rank);
                all.words(rank).run(CALL, words, (into, from) -> {
                    Arrays.setAll(into, i -> into[i] | (i < words.length ? from[i] : 0));
                    return true;
                });
                return words;
            });

            for (long[] words : results) {
                for (int i = 0; i < words.length; i++) {
                    assertEquals(7L << 3 * i, words[i]);
                }
            }
        }
    }

    /** Ranks 1 and 3 of four, at a place in their heaps. */
    @Test
    void shouldWorkBetweenSomeRanks() throws Exception {
        int[] members = {1, 3};
        List<String> meetings = Collections.synchronizedList(new ArrayList<>());
        HappensBefore ordering = new HappensBefore() {
            @Override
            public void arrives(long place, int[] of, long number) {
                meetings.add(place + " " + Arrays.toString(of) + " " + number);
            }
        };
        try (PlainRanks all = new PlainRanks(4)) {
            long base = all.area().bytes() + 512;
            List<long[]> results = RankTasks.run(2, index -> () -> {
                int rank = members[index];
                Peers peers = all.peers(rank);
                Waiter waiter = all.waiter(rank, PlainRanks.LONG_NS);
                ScalarAllReduce words = new ScalarAllReduce(index, members, peers, waiter, all.area(), base, base + 4096,
                        new Arrivals(rank, peers, waiter, () -> { }, ordering));
                return new long[] {words.allReduce(rank, ReduceOp.SUM), words.broadcast(rank * 10L, 1)};
            });

            results.forEach(words -> assertArrayEquals(new long[] {4, 30}, words));
            String meeting = base + " [1, 3] ";
            assertEquals(List.of(meeting + 1, meeting + 1, meeting + 2, meeting + 2),
                    meetings.stream().sorted().toList());
        }
    }

    @Test
    void shouldWaitForTransfersOfAllRanks() throws Exception {
        int ranks = 5;
        try (PlainRanks all = new PlainRanks(ranks)) {
            boolean[] completed = new boolean[ranks];
            RankTasks.run(ranks, rank -> (Callable<Void>) () -> {
                Peers peers = all.peers(rank);
                Waiter waiter = all.waiter(rank, PlainRanks.LONG_NS);
                new ScalarAllReduce(rank, ranks, peers, waiter, all.area(), new Arrivals(rank, peers, waiter,
                        () -> completed[rank] = true, HappensBefore.NONE)).allReduce(0L, ReduceOp.SUM);
                for (int other = 0; other < ranks; other++) {
                    assertTrue(completed[other], "rank " + other + " as rank " + rank + " leaves");
                }
                return null;
            });
        }
    }

    // ---- calls that differ

    private static List<String> mismatches(PlainRanks all, List<Consumer<ScalarAllReduce>> calls) throws Exception {
        return RankTasks.run(all.count(), rank -> () -> {
            ScalarAllReduce words = all.words(rank);
            String why =
                    assertThrows(CollectiveMismatchException.class, () -> calls.get(rank).accept(words)).getMessage();
            assertEquals(all.count(), words.allReduce(1L, ReduceOp.SUM), "ranks that caught it go on");
            return why;
        });
    }

    private static void assertAllSay(String pattern, List<String> failures) {
        failures.forEach(failure -> assertTrue(failure.matches(pattern), failure));
    }

    @Test
    void shouldNameTwoCallsThatDifferOnEveryRank() throws Exception {
        try (PlainRanks all = new PlainRanks(4)) {
            List<Consumer<ScalarAllReduce>> calls = new ArrayList<>(Collections.nCopies(4,
                    words -> words.allReduce(1L, ReduceOp.SUM)));
            calls.set(2, words -> words.broadcast(1L, 3));

            assertAllSay("the collective calls of the ranks differ; rank 0: allReduce\\(long, SUM\\) at "
                    + "ScalarAllReduceTest.java:\\d+; rank 2: broadcast\\(long, root 3\\) at "
                    + "ScalarAllReduceTest.java:\\d+",
                    mismatches(all, calls));
        }
    }

    /** The two that differ last are compared by rank 0 first. */
    @Test
    void shouldFindADifferenceFarFromTheRoot() throws Exception {
        try (PlainRanks all = new PlainRanks(8)) {
            List<Consumer<ScalarAllReduce>> calls = new ArrayList<>(Collections.nCopies(8,
                    words -> words.allReduce(1.0, ReduceOp.MIN)));
            calls.set(7, words -> words.allReduce(1.0, ReduceOp.MAX));

            assertAllSay(".*rank 0: allReduce\\(double, MIN\\).*; rank 7: allReduce\\(double, MAX\\).*",
                    mismatches(all, calls));
        }
    }

    @Test
    void shouldNameWhatWasGivenIfTheSameIsRequired() throws Exception {
        try (PlainRanks all = new PlainRanks(3)) {
            RankTasks.run(3, rank -> () -> {
                all.words(rank).requireSame("alloc", () -> "64", 64, 1);
                return null;
            });
        }
        try (PlainRanks all = new PlainRanks(3)) {
            List<Consumer<ScalarAllReduce>> calls = List.of(words -> words.requireSame("alloc", () -> "64", 64, 1),
                    words -> words.requireSame("alloc", () -> "65", 65, 1),
                    words -> words.requireSame("alloc", () -> "64", 64, 1));

            assertAllSay(".*rank 0: alloc\\(64\\) at .*; rank 1: alloc\\(65\\) at .*", mismatches(all, calls));
        }
    }

    @Test
    void shouldEndOnAllRanksIfTheWordsContradict() throws Exception {
        try (PlainRanks all = new PlainRanks(3)) {
            List<Consumer<ScalarAllReduce>> calls = Collections.nCopies(3, words -> words.run(CALL, new long[1],
                    (into, from) -> false));

            assertAllSay(".*rank 0: test\\(1\\) at .*", mismatches(all, calls));
        }
    }

    /** Rank 1 waits in a barrier, so its words will never come. */
    @Test
    void shouldNameABarrierThatTheOtherRankIsIn() {
        try (PlainRanks all = new PlainRanks(2)) {
            Peers peers = all.peers(1);
            Waiter waiter = all.waiter(1, 1);
            Barrier barrier =
                    new Barrier(1, 2, peers, waiter, new Arrivals(1, peers, waiter, () -> { }, HappensBefore.NONE));
            barrier.arrive(Barrier.label(3));
            assertThrows(PgasTimeoutException.class, () -> barrier.await(Barrier.label(3))); // leaves its line

            String why =
                    assertThrows(CollectiveMismatchException.class, () -> all.words(0, 1).allReduce(1L, ReduceOp.SUM))
                    .getMessage();

            assertTrue(why.matches(
                    ".*rank 0: allReduce\\(long, SUM\\) at ScalarAllReduceTest.java:\\d+; rank 1: barrier\\(3\\) at "
                    + "ScalarAllReduceTest.java:\\d+"), why);
        }
    }

    // ---- waits that end

    /** Rank 1 comes later and is one ahead then: its next words are no part of what rank 0 would call again. */
    @Test
    void shouldRefuseExchangesAfterOneThatWasGivenUp() {
        try (PlainRanks all = new PlainRanks(2)) {
            ScalarAllReduce first = all.words(0, 1);
            ScalarAllReduce second = all.words(1, 1);
            assertThrows(PgasTimeoutException.class, () -> first.allReduce(1L, ReduceOp.SUM));
            assertEquals(6, second.allReduce(5L, ReduceOp.SUM));
            assertThrows(PgasTimeoutException.class, () -> second.allReduce(100L, ReduceOp.SUM));

            String why = assertThrows(IllegalStateException.class, () -> first.allReduce(1L, ReduceOp.SUM)).getMessage();

            assertTrue(first.isGivenUp());
            assertTrue(why.startsWith("allReduce(long, SUM) of rank 0: an operation of all ranks was given up before: "
                    + "allReduce(long, SUM) of rank 0") && why.contains("timed out"), why);
        }
    }

    @Test
    void shouldNameTheLateRanksWhenItsDeadlinePasses() {
        try (PlainRanks all = new PlainRanks(3)) {
            ScalarAllReduce words = all.words(0, 1);
            all.activity(0).enter(Phase.ALL_REDUCE);
            all.activity(2).enter(Phase.ALL_REDUCE);

            String why = assertThrows(PgasTimeoutException.class, () -> words.allReduce(1L, ReduceOp.SUM)).getMessage();

            assertTrue(why.startsWith("allReduce(long, SUM) of rank 0, missing ranks [1]; rank 1 starting"), why);
        }
    }

    @Test
    void shouldNameWhoIsWaitedForIfAllAreInTheCall() {
        try (PlainRanks all = new PlainRanks(2)) {
            ScalarAllReduce words = all.words(0, 1);

            String why = assertThrows(PgasTimeoutException.class, () -> words.allReduce(1L, ReduceOp.SUM)).getMessage();

            assertTrue(why.startsWith("allReduce(long, SUM) of rank 0, waiting for rank 1 and those behind it"), why);
        }
    }

    @Test
    void shouldEndWithTheJob() {
        try (PlainRanks all = new PlainRanks(2)) {
            all.bootstrap(0).abort(new Abort(1, "here", Phase.PROGRAM, "it failed", 9, false));

            JobAbortedException failure =
                    assertThrows(JobAbortedException.class, () -> all.words(0).allReduce(1L, ReduceOp.SUM));

            assertTrue(failure.getMessage().contains("it failed"), failure.getMessage());
        }
    }
}
