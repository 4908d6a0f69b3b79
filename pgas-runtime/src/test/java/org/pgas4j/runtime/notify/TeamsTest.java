package org.pgas4j.runtime.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.space.PlainRanks;
import org.pgas4j.space.RankTasks;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.Barrier;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Transfers;

@Timeout(60)
class TeamsTest {

    private static final Runnable NOTHING = () -> { };

    private static Teams teams(PlainRanks all, int rank) {
        int ranks = all.count();
        Peers peers = all.peers(rank);
        Waiter waiter = all.waiter(rank, PlainRanks.LONG_NS);
        Arrivals arrivals = new Arrivals(rank, peers, waiter, () -> { }, HappensBefore.NONE);
        Barrier barrier = new Barrier(rank, ranks, peers, waiter, arrivals);
        ScalarAllReduce words = new ScalarAllReduce(rank, ranks, peers, waiter, all.area(), arrivals);
        Transfers transfers = new Transfers(rank, null, null, null);
        CollectiveEngine collectives = new CollectiveEngine(rank, peers, transfers, words, waiter, arrivals, null, null);
        return new Teams(rank, ranks, peers, waiter, all.area(), words, () -> {
            barrier.arrive(0);
            barrier.await(0);
        }, new WindowActions(rank, ranks, null, null, null, null, null), arrivals, collectives, _ -> null);
    }

    private static SharedPointer at(int rank, int ranks, long offset) {
        return PgasUnsafe.pointer(MemoryKind.HOST, rank, ranks, 0, offset, 0, 1);
    }

    @Test
    void shouldSplitByColour() throws Exception {
        int ranks = 5;
        int[] colours = {7, -1, 7, -1, 7};
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<String> seen = RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam team = teams.split(teams.world(), colours[rank], 0, 256, NOTHING);
                team.barrier();
                assertThrows(IndexOutOfBoundsException.class, () -> team.worldRank(team.ranks()));
                assertEquals(rank, team.worldRank(team.rank()));
                return team + " " + members(team) + " " + team.words().allReduce((long) rank, ReduceOp.SUM);
            });

            assertEquals(List.of("Team[0 of 3] [0, 2, 4] 6", "Team[0 of 2] [1, 3] 4", "Team[1 of 3] [0, 2, 4] 6",
                    "Team[1 of 2] [1, 3] 4", "Team[2 of 3] [0, 2, 4] 6"), seen);
        }
    }

    @Test
    void shouldSplitATeam() throws Exception {
        int ranks = 6;
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<String> seen = RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam half = teams.split(teams.world(), rank % 2, 0, 0, NOTHING);
                RankTeam part = teams.split(half, half.rank() / 2, 0, 32 << 10, NOTHING);
                return part.worldRank(0) + " of " + part.ranks() + " " + part.words().allReduce((long) rank, ReduceOp.SUM);
            });

            assertEquals(List.of("0 of 2 2", "1 of 2 4", "0 of 2 2", "1 of 2 4", "4 of 1 4", "5 of 1 5"), seen);
        }
    }

    @Test
    void shouldOrderByKeyThenByNumber() throws Exception {
        int ranks = 6;
        int[] keys = {Integer.MAX_VALUE, 2, Integer.MIN_VALUE, 2, -1, 0};
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<String> seen = RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam team = teams.split(teams.world(), 9, keys[rank], 0, NOTHING);
                // Numbers in the team that is split, not of the job, tell equal keys apart.
                RankTeam part = teams.split(team, team.rank() % 2, 5, 32 << 10, NOTHING);
                return team.rank() + " " + members(team) + " " + members(part) + " "
                        + part.words().broadcast(rank, part.ranks() - 1);
            });

            String whole = " [2, 4, 5, 1, 3, 0] ";
            assertEquals(List.of("5" + whole + "[4, 1, 0] 0", "3" + whole + "[4, 1, 0] 0", "0" + whole + "[2, 5, 3] 3",
                    "4" + whole + "[2, 5, 3] 3", "1" + whole + "[4, 1, 0] 0", "2" + whole + "[2, 5, 3] 3"), seen);
        }
    }

    @Test
    void shouldMakeATeamOfAListInItsOrder() throws Exception {
        int ranks = 5;
        AtomicInteger freed = new AtomicInteger();
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<String> seen = RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam team = teams.team(teams.world(), new int[] {4, 0, 3}, 0, freed::incrementAndGet);
                teams.world().barrier();
                assertEquals(0, freed.get(), "the members have not closed it");
                teams.world().barrier();
                if (team == null) {
                    return "none";
                }
                RankTeam part = teams.team(team, new int[] {2, 1}, 32 << 10, NOTHING);
                String text = members(team) + " " + (part == null ? "none" : members(part) + " "
                        + part.words().broadcast(rank, 0));
                team.close();
                return text;
            });

            assertEquals(List.of("[4, 0, 3] [3, 0] 3", "none", "none", "[4, 0, 3] [3, 0] 3", "[4, 0, 3] none"), seen);
            assertEquals(1, freed.get());
        }
    }

    private static List<Integer> members(Team team) {
        List<Integer> members = new ArrayList<>();
        for (int member = 0; member < team.ranks(); member++) {
            members.add(team.worldRank(member));
        }
        return members;
    }

    /** The memory of the split is used again: what teams left there counts no more. */
    @Test
    void shouldSplitAgainInTheSameMemory() throws Exception {
        int ranks = 3;
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Long> sums = RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam first = teams.split(teams.world(), 0, 0, 0, NOTHING);
                first.words().allReduce(1L, ReduceOp.SUM);
                teams.world().barrier();
                RankTeam second = teams.split(teams.world(), rank == 1 ? 1 : 0, 0, 0, NOTHING);
                return second.words().allReduce(1L, ReduceOp.SUM);
            });

            assertEquals(List.of(2L, 1L, 2L), sums);
        }
    }

    /** The memory is one for all teams of the split: the last rank that leaves it frees it. */
    @Test
    void shouldFreeTheMemoryOfASplitWhenAllItsTeamsAreClosed() throws Exception {
        int ranks = 5;
        AtomicInteger freed = new AtomicInteger();
        try (PlainRanks all = new PlainRanks(ranks)) {
            RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam team = teams.split(teams.world(), rank % 2, 0, 0, freed::incrementAndGet);
                if (rank % 2 == 0) {
                    team.close();
                }
                teams.world().barrier();
                assertEquals(0, freed.get(), "the other team is open");
                teams.world().barrier();
                team.close();
                team.close();
                teams.world().barrier();
                assertEquals(1, freed.get());
                return null;
            });
        }
    }

    @Test
    void shouldRefuseAClosedTeamByName() throws Exception {
        int ranks = 2;
        try (PlainRanks all = new PlainRanks(ranks)) {
            RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RankTeam team = teams.split(teams.world(), 0, 0, 0, NOTHING);
                Window window = teams.createWindow(team, at(rank, ranks, 8192), 8);
                String open = assertThrows(IllegalStateException.class, team::close).getMessage();
                window.close();
                team.close();
                String barrier = assertThrows(IllegalStateException.class, team::barrier).getMessage();
                String create = assertThrows(IllegalStateException.class,
                        () -> teams.createWindow(team, at(rank, ranks, 8192), 8)).getMessage();

                assertEquals("close of rank " + rank + ": Team[" + rank + " of 2] has 1 open windows; close them first", open);
                assertEquals("barrier() of a team of rank " + rank + ": Team[" + rank + " of 2] is closed", barrier);
                assertEquals("createWindow of rank " + rank + ": Team[" + rank + " of 2] is closed", create);
                assertThrows(UnsupportedOperationException.class, () -> teams.world().close());
                return null;
            });
        }
    }

    @Test
    void shouldShowWindowsOfAllMembers() throws Exception {
        int ranks = 3;
        try (PlainRanks all = new PlainRanks(ranks)) {
            RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                Window window = teams.createWindow(teams.world(), at(rank, ranks, 64L * rank), 100 + rank);
                RankTeam world = teams.world();
                Peers peers = all.peers(rank);
                for (int other = 0; other < ranks; other++) {
                    long entry = world.entry(0);
                    assertEquals(MemoryKind.HOST.ordinal() + 1, peers.get(other).endpoint().getWordAcquire(entry));
                    assertEquals(64L * other, peers.get(other).endpoint().getWordAcquire(entry + 8));
                    assertEquals(100 + other, peers.get(other).endpoint().getWordAcquire(entry + 16));
                }
                assertEquals(1, world.freeSlot());
                assertEquals(world, window.team());
                return null;
            });
        }
    }

    @Test
    void shouldGiveTheLowestFreeNumber() {
        RankTeam team = new RankTeam(this, 0, 1, null, null, null, 4096, NOTHING, null, NOTHING);
        for (int slot = 0; slot < ControlArea.WINDOWS; slot++) {
            assertEquals(slot, team.freeSlot());
            assertEquals(4096 + 32L * slot, team.entry(slot));
            team.take(slot);
        }
        assertThrows(IllegalStateException.class, team::freeSlot);

        team.giveBack(63);
        assertEquals(63, team.freeSlot());
        team.giveBack(5);
        assertEquals(5, team.freeSlot());
    }

    @Test
    void shouldRefuseOnAllRanksWhatOneMayNotShow() throws Exception {
        int ranks = 3;
        try (PlainRanks all = new PlainRanks(ranks)) {
            List<Throwable> failures = RankTasks.run(ranks, rank -> () -> {
                Teams teams = teams(all, rank);
                RuntimeException failure = assertThrows(RuntimeException.class,
                        () -> teams.createWindow(teams.world(), at(rank == 1 ? 2 : rank, ranks, 0), 64));
                teams.createWindow(teams.world(), at(rank, ranks, 0), 64);
                assertEquals(1, teams.world().freeSlot(), "the refused one took no number");
                return failure;
            });

            assertEquals(IllegalArgumentException.class, failures.get(1).getClass());
            for (int rank = 0; rank < ranks; rank += 2) {
                assertTrue(failures.get(rank) instanceof PgasException
                        && failures.get(rank).getMessage().contains("rank 1 gave"),
                        String.valueOf(failures.get(rank)));
            }
        }
    }

    @Test
    void shouldRefuseWindowsThatDoNotFit() {
        try (PlainRanks all = new PlainRanks(1)) {
            Teams teams = teams(all, 0);
            long heap = all.segments(0).heapBytes(MemoryKind.HOST);

            assertThrows(IndexOutOfBoundsException.class,
                    () -> teams.createWindow(teams.world(), at(0, 1, 0), heap + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> teams.createWindow(teams.world(), at(0, 1, 1), heap));
            assertThrows(NullPointerException.class, () -> teams.createWindow(teams.world(), null, 1));
            teams.createWindow(teams.world(), at(0, 1, 0), heap);
        }
    }

    @Test
    void shouldRefuseATeamOfAnotherRank() {
        try (PlainRanks all = new PlainRanks(2)) {
            Team other = teams(all, 1).world();
            Teams teams = teams(all, 0);

            String why = assertThrows(IllegalArgumentException.class, () -> teams.createWindow(other, at(0, 2, 0), 1))
                    .getMessage();

            assertTrue(why.contains("not a team of rank 0"), why);
        }
    }
}
