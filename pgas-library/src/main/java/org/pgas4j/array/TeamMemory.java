package org.pgas4j.array;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;

/** Memory at the same place of every rank, for the members of a team: allocated by all ranks, or by the first member for them. */
final class TeamMemory {

    private TeamMemory() {
    }

    /**
     * Collective over the team.
     *
     * @param same what members must give alike, beside the bytes
     */
    static SharedPointer allocate(Rank rank, Team team, long bytes, long... same) {
        requireSame(rank, team, bytes, same);
        if (team == rank.world()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
        long[] words = new long[SharedPointer.WORDS];
        SegmentMemoryException none = null;
        if (team.rank() == 0) {
            try {
                System.arraycopy(rank.memory().globalAlloc(rank.ranks(), bytes).words(), 0, words, 0, words.length);
            } catch (SegmentMemoryException e) {
                none = e;
            }
        }
        team.collectives().broadcast(Buffer.ofHost(MemorySegment.ofArray(words), ElementType.LONG), 0);
        if (none != null) {
            throw none;
        }
        if (words[SharedPointer.WORDS - 1] == 0) {
            throw new SegmentMemoryException("global array of rank " + rank.rank() + ": no room for " + bytes
                    + " bytes on every rank, as rank " + team.worldRank(0) + " reports");
        }
        return rank.memory().pointer(words);
    }

    private static void requireSame(Rank rank, Team team, long bytes, long... same) {
        long hash = bytes;
        for (long each : same) {
            hash = 31 * hash + each;
        }
        long least = team.collectives().allReduce(hash, ReduceOp.MIN);
        if (team.collectives().allReduce(hash, ReduceOp.MAX) != least) {
            throw new CollectiveMismatchException("global array of rank " + rank.rank() + " in " + team
                    + ": the members give different types, distributions or ghost widths");
        }
    }

    /** Collective over the team, and a barrier as well. */
    static void free(Rank rank, Team team, SharedPointer memory) {
        if (team == rank.world()) {
            rank.allFree(memory);
            return;
        }
        team.barrier();
        if (team.rank() == 0) {
            rank.free(memory.onRank(0));
        }
        team.barrier();
    }
}
