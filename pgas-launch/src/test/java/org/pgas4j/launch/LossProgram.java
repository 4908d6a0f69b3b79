package org.pgas4j.launch;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PeerLostException;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;

/** Ranks die one after the other, and the others go on; {@link LostRankTest} looks at them. */
public final class LossProgram {

    private static final int LENGTH = 1000;

    private LossProgram() {
    }

    /** @param args in what the first one dies, and the ranks that die, in this order */
    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            int[] deaths = Arrays.stream(args).skip(1).mapToInt(Integer::parseInt).toArray();
            SharedLongs all = rank.allAllocLongs(Layout.blocked(LENGTH), (long) LENGTH * rank.ranks());
            SharedLock lock = rank.locks().allAlloc();
            all.forAllLocal(i -> all.put(i, i));
            rank.barrier();
            Team team = rank.world();
            for (int death = 0; death < deaths.length; death++) {
                try {
                    if (death > 0) {
                        use(rank, team, all);
                    }
                    meetLoss(death == 0 ? args[0] : "barrier", rank, deaths[death], team, all, lock);
                } catch (PeerLostException e) {
                    System.out.println("rank " + rank.rank() + ": " + e.getMessage());
                }
                team = recover(rank, team, all);
            }
            if (!rank.lostRanks().containsAll(Arrays.stream(deaths).boxed().toList())) {
                throw new AssertionError("lost: " + rank.lostRanks());
            }
            use(rank, team, all);
            if (team != rank.world()) {
                team.close();
            }
            System.out.println("rank " + rank.rank() + " is done with " + team.ranks() + ", lost " + rank.lostRanks());
            if (args[0].equals("end")) {
                endWithoutTheLast(rank, all);
            }
        });
    }

    private static void die() {
        Runtime.getRuntime().halt(77);
    }

    /** The last rank dies when the others wait for nothing but the end. */
    private static void endWithoutTheLast(Rank rank, SharedLongs all) {
        int last = rank.ranks() - 1;
        long flags = (long) last * LENGTH;
        if (rank.rank() != last) {
            all.put(flags + rank.rank(), -1);
            return;
        }
        for (int other = 0; other < last; other++) {
            while (all.get(flags + other) != -1) {
                rank.progress();
            }
        }
        die();
    }

    /** One rank dies, and the others are in something that does not end without it. */
    private static void meetLoss(String how, Rank rank, int victim, Team team, SharedLongs all, SharedLock lock) {
        boolean dies = rank.rank() == victim;
        switch (how) {
            case "barrier" -> {
                if (dies) {
                    die();
                }
                team.barrier();
            }
            case "split-barrier" -> {
                team.barrier();
                rank.collectives().beginBarrier();
                if (dies) {
                    die();
                }
                while (rank.lostRanks().isEmpty()) {
                    rank.progress();
                }
                rank.collectives().endBarrier();
            }
            case "reduce" -> {
                for (int i = 0; ; i++) {
                    if (dies && i == 100) {
                        die();
                    }
                    team.collectives().allReduce(i, ReduceOp.SUM);
                }
            }
            case "lock" -> {
                if (dies) {
                    lock.lock();
                }
                team.barrier();
                if (dies) {
                    die();
                }
                lock.lock();
            }
            case "get" -> { // by messages: the victim answers for a while
                long[] got = new long[LENGTH];
                for (int i = 0; ; i++) {
                    if (dies && i == 100) {
                        die();
                    }
                    all.get((long) victim * LENGTH, got);
                    rank.progress();
                }
            }
            case "handles" -> {
                long[] got = new long[LENGTH];
                Buffer into = Buffer.ofHost(java.lang.foreign.MemorySegment.ofArray(got), ElementType.LONG);
                team.barrier();
                if (dies) {
                    LockSupport.parkNanos(50_000_000); // serves nobody, and is gone
                    die();
                }
                Handle handle = rank.rma().get(into, all.pointer((long) victim * LENGTH), Completion.HANDLE);
                try {
                    handle.sync();
                } catch (PeerLostException e) {
                    rank.lostRanks();
                    try {
                        handle.sync();
                    } catch (PeerLostException again) {
                        throw e;
                    }
                    throw new AssertionError("a get from a lost rank is complete");
                }
            }
            case "survivors" -> {
                if (dies) { // is the first to come, and gone before the last has come
                    Thread.ofPlatform().daemon().start(() -> {
                        LockSupport.parkNanos(100_000_000);
                        die();
                    });
                    rank.survivors();
                }
                LockSupport.parkNanos(300_000_000);
            }
            case "compute" -> {
                if (dies) {
                    die();
                }
                LockSupport.parkNanos(300_000_000);
            }
            default -> throw new IllegalArgumentException(how);
        }
        if (!how.equals("compute") && !how.equals("survivors")) {
            throw new AssertionError("rank " + rank.rank() + " went past the loss of " + victim);
        }
    }

    /** A team that works: another rank may be lost before all have it. */
    private static Team recover(Rank rank, Team before, SharedLongs all) {
        Team team = before;
        for (int tries = 0; tries < 10; tries++) {
            try {
                team = rank.survivors();
                use(rank, team, all);
                return team;
            } catch (PeerLostException e) {
                System.out.println("rank " + rank.rank() + " once more: " + e.getMessage());
            }
        }
        throw new AssertionError("no team");
    }

    private static void use(Rank rank, Team team, SharedLongs all) {
        long sum = 0;
        for (int member = 0; member < team.ranks(); member++) {
            sum += team.worldRank(member);
        }
        require(team.collectives().allReduce(rank.rank(), ReduceOp.SUM), sum, "allReduce");
        require(team.worldRank(team.rank()), rank.rank(), "number in the team");
        // Transfers between members, to memory that one of them has allocated.
        SharedPointer mine = rank.alloc(Long.BYTES);
        long[] words = Arrays.copyOf(mine.words(), SharedPointer.WORDS * team.ranks());
        long[][] shown = new long[SharedPointer.WORDS][];
        for (int word = 0; word < SharedPointer.WORDS; word++) {
            shown[word] = gather(team, words[word]);
        }
        int next = (team.rank() + 1) % team.ranks();
        long[] theirs = new long[SharedPointer.WORDS];
        for (int word = 0; word < SharedPointer.WORDS; word++) {
            theirs[word] = shown[word][next];
        }
        SharedPointer there = rank.memory().pointer(theirs);
        rank.rma().putLong(there, 100L + rank.rank());
        team.barrier();
        int before = (team.rank() + team.ranks() - 1) % team.ranks();
        require(rank.rma().getLong(mine), 100L + team.worldRank(before), "put");
        // Elements that the members had in arrays of all ranks.
        int from = team.worldRank(next);
        require(all.get((long) from * LENGTH + 7), (long) from * LENGTH + 7, "get");
        Team half = team.split(team.rank() % 2);
        require(half.collectives().allReduce(1L, ReduceOp.SUM), (team.ranks() + 1 - team.rank() % 2) / 2, "split");
        half.close();
        SharedLock lock = rank.locks().globalAlloc();
        lock.lock();
        lock.unlock();
        List<Integer> lost = rank.lostRanks();
        if (!lost.isEmpty()) {
            SharedPointer gone = all.pointer((long) lost.getFirst() * LENGTH);
            try {
                rank.rma().putLong(gone, 1);
                throw new AssertionError("a put reached rank " + lost.getFirst());
            } catch (PeerLostException e) {
                require(e.getMessage().contains("rank " + lost.getFirst()) ? 1 : 0, 1, e.getMessage());
            }
        }
        rank.memory().stats(MemoryKind.HOST);
        team.barrier();
        rank.free(mine);
    }

    private static long[] gather(Team team, long word) {
        long[] all = new long[team.ranks()];
        for (int member = 0; member < all.length; member++) {
            all[member] = team.collectives().broadcast(word, member);
        }
        return all;
    }

    private static void require(long found, long expected, String what) {
        if (found != expected) {
            throw new AssertionError(what + ": " + found + " (expected: " + expected + ")");
        }
    }
}
