package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntBiFunction;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ReduceOp;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Host ranks whose blocks the blocks of this rank use windows of: all, or those that a program {@linkplain DeviceGrid.Options#partners
 * names}. Tables have entries of those alone, so each rank knows where its own are in theirs.
 *
 * @param most of a rank, itself among them; 0 if all are partners of all
 * @param here places of ranks in this rank's tables; {@link BlockLayout#NO_PLACE} for others; empty if all are partners
 * @param there places of this rank in the tables of its partners
 */
record Partners(int rank, int most, int[] here, int[] there) {

    /** Every rank is every other's partner, in the order of ranks. */
    static Partners all(int rank) {
        return new Partners(rank, 0, new int[0], new int[0]);
    }

    /**
     * Collective: the rank's own first, then those named in their order; where it is in their tables is not known yet.
     *
     * @throws IllegalArgumentException on every rank, if one names a rank that there is not, or too many
     */
    static Partners of(int rank, int ranks, List<Integer> named, ScalarAllReduce words) {
        if (named == null) {
            return all(rank);
        }
        int[] here = new int[ranks];
        Arrays.fill(here, BlockLayout.NO_PLACE);
        here[rank] = 0;
        int count = 1;
        Integer unknown = null;
        for (int partner : named) {
            if (partner < 0 || partner >= ranks) {
                unknown = partner;
            } else {
                here[partner] = partner == rank ? 0 : count++;
            }
        }
        int most = (int) words.allReduce(unknown == null ? count : BlockLayout.NO_PLACE, ReduceOp.MAX);
        if (most >= BlockLayout.NO_PLACE) {
            throw new IllegalArgumentException("createGrid of rank " + rank + ": " + (unknown != null ? "no partner " + unknown
                    + " (expected: 0.." + (ranks - 1) + ")" : "a rank names one that there is not as its partner, or more than "
                    + (BlockLayout.NO_PLACE - 2)) + " (DeviceGrid.Options.partners)");
        }
        int[] there = here.clone();
        Arrays.fill(there, BlockLayout.NO_PLACE);
        there[rank] = 0;
        return new Partners(rank, most, here, there);
    }

    /**
     * Collective: learns this rank's place in the tables of its partners.
     *
     * @param place asks a partner for the place of a rank in its tables
     * @throws IllegalArgumentException on every rank, if one is no partner of a partner
     */
    void meet(ToIntBiFunction<Integer, Integer> place, ScalarAllReduce words) {
        int stranger = -1;
        for (int partner = 0; partner < here.length; partner++) {
            if (partner != rank && has(partner)) {
                there[partner] = place.applyAsInt(partner, rank);
                stranger = there[partner] == BlockLayout.NO_PLACE ? partner : stranger;
            }
        }
        long failed = words.allReduce(stranger < 0 ? -1 : rank, ReduceOp.MAX);
        if (failed >= 0) {
            int by = stranger >= 0 ? rank : (int) failed;
            throw new IllegalArgumentException("createGrid of rank " + rank + ": rank " + by + " names "
                    + (stranger >= 0 ? "rank " + stranger + " as its partner, which does not name it"
                            : "a rank as its partner that does not name it") + " (DeviceGrid.Options.partners)");
        }
    }

    boolean has(int hostRank) {
        return most == 0 || here[hostRank] != BlockLayout.NO_PLACE;
    }

    /** Place of a rank in the tables of this one. */
    int here(int hostRank) {
        return most == 0 ? hostRank : here[hostRank];
    }

    /** Place of this rank in the tables of another. */
    int there(int hostRank) {
        return most == 0 ? rank : there[hostRank];
    }

    /** Writes the places of all ranks, as {@link BlockLayout#partner} has them; nothing if all are partners. */
    void write(MemorySegment image, long at) {
        for (int r = 0; r < here.length; r++) {
            image.setAtIndex(ValueLayout.JAVA_INT, at / Integer.BYTES + r, here[r] | there[r] << BlockLayout.THERE_BITS);
        }
    }
}
