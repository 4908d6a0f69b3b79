package org.pgas4j.examples.irregular;

import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;

/**
 * Unbalanced Tree Search: counts the nodes of a tree whose shape shows only as it is expanded; ranks without work take some from
 * others. W is the benchmark's geometric tree T1, A its binomial tree T3; S is T1 down to depth 7, counted by a sequential
 * search.
 */
@Command(name = "uts", header = "UTS: nodes of an unbalanced tree are counted; idle ranks steal work.")
public final class Uts extends CheckedExample {

    Uts() {
    }

    public static void main(String[] args) {
        new Uts().start(args);
    }

    @Override
    protected long hostBytes(int ranks) {
        return TreeSearch.hostBytes();
    }

    private UtsTree.Shape shape() {
        return switch (problem()) {
            case S -> UtsTree.Shape.geometric(4, 7, 19);
            case W -> UtsTree.Shape.geometric(4, 10, 19);
            case A -> UtsTree.Shape.binomial(2000, 0.124875, 8, 42);
        };
    }

    @Override
    protected Answer solve(Rank rank) {
        TreeSearch search = new TreeSearch(rank, new UtsTree(shape()));

        long start = start(rank);
        search.run();
        long ns = since(rank, start);

        long nodes = rank.allReduce(search.nodes() + (spoils(rank) ? 1 : 0), ReduceOp.SUM);
        long depth = rank.allReduce((long) search.depth(), ReduceOp.MAX);
        long leaves = rank.allReduce(search.leaves(), ReduceOp.SUM);
        search.free();
        String expected = switch (problem()) {
            case S -> describe(63_914, 7, 51_124);
            case W -> describe(4_130_071, 10, 3_305_118);
            case A -> describe(4_112_897, 1_572, 3_599_034);
        };
        String found = describe(nodes, depth, leaves);
        return new Answer(expected, found, found.equals(expected), ns);
    }

    private static String describe(long nodes, long depth, long leaves) {
        return nodes + " nodes; depth " + depth + "; " + leaves + " leaves";
    }
}
