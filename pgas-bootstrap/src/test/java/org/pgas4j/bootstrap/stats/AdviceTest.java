package org.pgas4j.bootstrap.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Traffic;
import org.pgas4j.RankCounters.Waits;

/** Planted faults, as counters: the advice names each, and nothing else. */
@Timeout(10)
class AdviceTest {

    private static final long MB = 1 << 20;

    /** The one sentence, which has all these parts. */
    private static void assertOnly(JobStats stats, String... parts) {
        List<String> lines = Advice.of(stats);
        assertEquals(1, lines.size(), lines::toString);
        assertHas(lines, parts);
    }

    private static void assertHas(List<String> lines, String... parts) {
        assertTrue(lines.stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains)),
                () -> List.of(parts) + " not in " + lines);
    }

    private static int right(int rank, int ranks) {
        return (rank + 1) % ranks;
    }

    @Test
    void shouldFindNothingInABalancedJob() {
        assertOnly(Fakes.job(4, rank -> Fakes.rank(rank, List.of(Fakes.puts(right(rank, 4), 8192, 1000)),
                List.of(new Waits("barrier", 1000, 100, Fakes.SECOND / 10)),
                        List.of(new Late(right(rank, 4), 100, Fakes.SECOND / 10)))),
                "nothing stands out", "wait 1 % of their time");
    }

    /** Three ranks wait for rank 3 in 97 of 100 barriers, 12 ms each. */
    @Test
    void shouldNameTheRankThatComesLast() {
        assertOnly(Fakes.job(4, rank -> rank == 3 ? Fakes.traffic(3)
                : Fakes.rank(rank, List.of(), List.of(new Waits("barrier", 100, 100, 1_170_000_000L)),
                        List.of(new Late(3, 97, 97 * 12_000_000L), new Late((rank + 1) % 3, 3, 3_000_000L)))),
                "rank 3 comes last to 97 % of the barriers", "12 ms later on average", "computes longer");
    }

    @Test
    void shouldTellVaryingWorkFromOneLateRank() {
        assertOnly(Fakes.job(4, rank -> Fakes.rank(rank, List.of(), List.of(),
                List.of(new Late(right(rank, 4), 100, 2 * Fakes.SECOND), new Late((rank + 2) % 4, 100, 2 * Fakes.SECOND)))),
                "barriers take 40 % of the time", "different ranks come last");
    }

    /** Reductions do not tell which rank came last: it is the one that does not wait. */
    @Test
    void shouldNameTheRankThatHardlyWaitsInCollectives() {
        assertOnly(Fakes.job(4, rank -> Fakes.rank(rank, List.of(),
                List.of(new Waits("allReduce", 50, 50, rank == 1 ? 10_000_000 : 4 * Fakes.SECOND)), List.of())),
                "rank 1 waits <1 % of its time", "they wait 40 % of theirs", "more to do");
    }

    @Test
    void shouldNameTheRankThatMovesMost() {
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank, rank == 2
                        ? new Traffic[] {Fakes.puts(0, MB, 3), Fakes.puts(1, MB, 3), Fakes.puts(3, MB, 3)}
                        : new Traffic[] {Fakes.puts(right(rank, 4), MB, 1)})),
                "rank 2 moves 75 % of the bytes", "9 MiB", "imbalance");
    }

    @Test
    void shouldNameTheMemoryThatAllUse() {
        assertOnly(Fakes.job(8, rank -> Fakes.traffic(rank, rank == 5
                        ? new Traffic[] {Fakes.puts(4, MB, 1)}
                        : new Traffic[] {Fakes.puts(5, MB, 5)})),
                "the memory of rank 5", "97 % of the bytes", "7 other ranks (all to one)");
    }

    /** Counters of one rank, of few bytes. */
    @Test
    void shouldNameTheMemoryOfManyShortTransfers() {
        List<String> lines = Advice.of(Fakes.job(4, rank -> Fakes.traffic(rank, rank == 0 ? new Traffic[0]
                : new Traffic[] {new Traffic(0, "direct-host", "atomic", 8, 1000, 8000, "")})));

        assertHas(lines, "the memory of rank 0", "100 % of the transfers", "3 other ranks");
    }

    /** A gather by one rank is one source, not a memory that all use. */
    @Test
    void shouldNotCallTheOwnDoingOfARankAllToOne() {
        List<String> lines = Advice.of(Fakes.job(4, rank -> Fakes.traffic(rank, rank == 0
                ? new Traffic[] {Fakes.gets(1, MB, 1), Fakes.gets(2, MB, 1), Fakes.gets(3, MB, 1)} : new Traffic[0])));

        assertHas(lines, "rank 0 moves 100 % of the bytes");
        assertTrue(lines.stream().noneMatch(line -> line.contains("all to one")), lines::toString);
    }

    /** One rank polls a word that others write now and then. */
    @Test
    void shouldNotCallTheUseByOneRankAllToOne() {
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank, rank == 0 ? new Traffic[0]
                : new Traffic[] {Fakes.puts(0, MB, rank == 3 ? 80 : 10)})), "rank 3 moves 80 % of the bytes");
    }

    @Test
    void shouldSayThatAJobWasShort() {
        assertOnly(Fakes.job(2, rank -> new RankCounters(rank, Fakes.SECOND / 2, List.of(), List.of(), List.of())), "was short");
    }

    @Test
    void shouldNameSmallPuts() {
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank, Fakes.puts(right(rank, 4), 8, 950),
                Fakes.puts(right(rank, 4), 4096, 50))),
                "95 % of the 4 k puts", "fewer than 64 bytes", "collect them");
    }

    @Test
    void shouldLeaveSmallTransfersOfARankWithItselfAlone() {
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank, Fakes.puts(rank, 8, 100_000))), "nothing stands out");
    }

    /** Stores of blocks are meant to be small; what the host carries for them is not. */
    @Test
    void shouldLeaveSmallTransfersOfBlocksAlone() {
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank, new Traffic(right(rank, 4), "blocks", "put", 8, 100_000, 800_000, ""))),
                "nothing stands out");
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank,
                new Traffic(right(rank, 4), "blocks-by-host", "put", 8, 100_000, 800_000, ""))), "100 % of the 400 k puts", "collect them");
    }

    @Test
    void shouldGiveTheReasonForMessages() {
        assertOnly(Fakes.job(4, rank -> Fakes.traffic(rank,
                Fakes.messages(right(rank, 4), MB, 1, "its device segment is out of reach"),
                Fakes.puts(right(rank, 4), MB, 3))),
                "25 % of the bytes", "by messages", "because its device segment is out of reach");
    }

    @Test
    void shouldNameLongWaitsForDevices() {
        assertOnly(Fakes.job(2, rank -> Fakes.rank(rank, List.of(), List.of(new Waits("device", 1000, 1000, 6 * Fakes.SECOND)),
                List.of())), "ranks wait 60 % of their time", "'device'", "6 ms each", "queue more work");
    }

    @Test
    void shouldJudgeWhatIsThereOfAFailedJob() {
        JobStats stats = new JobStats(4);
        stats.add(List.<RankCounters>of(Fakes.traffic(1)));

        assertOnly(stats, "nothing stands out");
        assertOnly(new JobStats(4), "nothing stands out");
    }
}
