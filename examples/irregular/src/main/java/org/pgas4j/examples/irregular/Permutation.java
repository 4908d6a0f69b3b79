package org.pgas4j.examples.irregular;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;

/**
 * bale's random permutation: every rank throws its numbers at a board of twice as many places, again and again until each has hit
 * an empty one, which an atomic compare-and-swap decides. The numbers in the order of their places are the permutation: a rank
 * writes those on its part of the board behind those of lower ranks. At the end every number must be there once.
 */
@Command(name = "permutation", header = "bale randperm: a random permutation by atomic compare-and-swap.")
public final class Permutation extends CheckedExample {

    private static final long EMPTY = -1;

    Permutation() {
    }

    public static void main(String[] args) {
        new Permutation().start(args);
    }

    private long numbers() {
        return problem().of(100_000, 1_000_000, 10_000_000);
    }

    @Override
    protected long hostBytes(int ranks) {
        return 4 * Long.BYTES * Math.ceilDiv(numbers(), ranks) + Long.BYTES;
    }

    @Override
    protected Answer solve(Rank rank) {
        SharedLongs board = rank.allAllocLongs(Layout.even(), 2 * numbers());
        SharedLongs counts = rank.allAllocLongs(Layout.cyclic(), rank.ranks());
        SharedLongs permutation = rank.allAllocLongs(Layout.even(), numbers());
        SharedLongs seen = rank.allAllocLongs(Layout.even(), numbers());
        SplittableRandom random = new SplittableRandom(rank.rank());
        board.forAllLocal(place -> board.put(place, EMPTY));
        seen.forAllLocal(number -> seen.put(number, 0));

        long start = start(rank);
        permutation.forAllLocal(number -> {   // as many numbers as places of the permutation
            while (rank.atomics().compareSwap(board.pointer(random.nextLong(board.length())), EMPTY, number) != EMPTY) {
                // somebody's number is there
            }
        });
        rank.barrier();
        long[] hit = hits(board, rank.rank());
        counts.put(rank.rank(), hit.length);
        rank.barrier();
        long[] all = new long[rank.ranks()];
        counts.get(0, all);
        permutation.put(Arrays.stream(all, 0, rank.rank()).sum(), hit);
        long ns = since(rank, start);

        if (spoils(rank)) {
            permutation.put(0, permutation.get(1));
        }
        rank.barrier();
        long wrong = rank.allReduce(repeated(rank, permutation, seen), ReduceOp.SUM);
        rank.allFree(seen);
        rank.allFree(permutation);
        rank.allFree(counts);
        rank.allFree(board);
        return new Answer("0 repeated", wrong + " repeated", wrong == 0, ns);
    }

    /** The numbers on this rank's part of the board, in the order of their places. */
    private static long[] hits(SharedLongs board, int rank) {
        long[] mine = new long[Math.toIntExact(board.lengthOn(rank))];
        if (mine.length > 0) {
            board.get(Math.ceilDiv(board.length(), (long) board.pointer().ranks()) * rank, mine);
        }
        return Arrays.stream(mine).filter(number -> number != EMPTY).toArray();
    }

    /** Of this rank's part of the permutation, how many numbers were seen before. */
    private static long repeated(Rank rank, SharedLongs permutation, SharedLongs seen) {
        long[] repeated = new long[1];
        permutation.forAllLocal(i -> repeated[0] += rank.atomics().fetchAdd(seen.pointer(permutation.get(i)), 1) == 0 ? 0 : 1);
        return repeated[0];
    }
}
