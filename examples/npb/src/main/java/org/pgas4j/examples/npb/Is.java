package org.pgas4j.examples.npb;

import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import org.pgas4j.examples.common.ProblemClass;
import picocli.CommandLine.Command;

/**
 * Integer sort: the ranks of keys, ten times, with two keys changed each time. Five keys of each iteration have known ranks, and
 * at the end all keys are sorted.
 */
@Command(name = "is", header = "NPB IS: ranks of keys; everyone reads keys from everyone.")
public final class Is extends CheckedExample {

    private static final int ITERATIONS = 10;

    /** Places of the keys whose ranks are known. */
    private static final int[][] PLACES = {
        {48_427, 17_148, 23_627, 62_548, 4_431},
        {357_773, 934_767, 875_723, 898_999, 404_505},
        {2_112_377, 662_041, 5_336_171, 3_642_833, 4_250_760}};

    /** Their ranks in iteration 0, as it were. */
    private static final long[][] RANKS = {
        {0, 18, 346, 64_917, 65_463},
        {1_249, 11_698, 1_039_987, 1_043_896, 1_048_018},
        {104, 17_523, 123_928, 8_288_932, 8_388_264}};

    Is() {
    }

    public static void main(String[] args) {
        new Is().start(args);
    }

    private int keys() {
        return 1 << problem().of(16, 20, 23);
    }

    @Override
    protected long hostBytes(int ranks) {
        return KeySort.hostBytes(keys(), ranks);
    }

    @Override
    protected Answer solve(Rank rank) {
        int[] places = PLACES[problem().ordinal()];
        long known = 0;
        KeySort sort = new KeySort(rank, keys(), 1 << problem().of(11, 16, 19), spoils(rank));

        long start = start(rank);
        for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
            sort.change(iteration, ITERATIONS);
            long[] ranks = sort.rank(places);
            for (int test = 0; test < places.length; test++) {
                known += ranks[test] == expectedRank(problem(), test, iteration) ? 1 : 0;
            }
        }
        long ns = since(rank, start);

        long right = rank.allReduce(known, ReduceOp.SUM);
        long wrong = sort.wrong();
        sort.free();
        long all = ITERATIONS * (long) places.length;
        return new Answer(describe(all, 0), describe(right, wrong), right == all && wrong == 0, ns);
    }

    private static String describe(long ranks, long wrong) {
        return ranks + " ranks; " + wrong + " out of order";
    }

    /** By the first two keys changed, ranks of small keys rise and those of large ones fall from iteration to iteration. */
    private static long expectedRank(ProblemClass problem, int test, int iteration) {
        long rank = RANKS[problem.ordinal()][test];
        return switch (problem) {
            case S -> test <= 2 ? rank + iteration : rank - iteration;
            case W -> test < 2 ? rank + iteration - 2 : rank - iteration;
            case A -> test <= 2 ? rank + iteration - 1 : rank - iteration + 1;
        };
    }
}
