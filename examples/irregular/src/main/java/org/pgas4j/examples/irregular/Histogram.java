package org.pgas4j.examples.irregular;

import java.util.SplittableRandom;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedLongs;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;

/**
 * bale's histogram: atomic additions to random elements of a table that is dealt to the ranks element by element. The sum over
 * the table must be the number of additions; when all of them are taken back, every element must be 0.
 */
@Command(name = "histogram", header = "bale histo: atomic additions to random elements of a global array.")
public final class Histogram extends CheckedExample {

    Histogram() {
    }

    public static void main(String[] args) {
        new Histogram().start(args);
    }

    private long tableSize() {
        return problem().of(1 << 14, 1 << 18, 1 << 22);
    }

    private long updates() {
        return 16 * tableSize();
    }

    @Override
    protected long hostBytes(int ranks) {
        return Long.BYTES * Math.ceilDiv(tableSize(), ranks);
    }

    @Override
    protected Answer solve(Rank rank) {
        SharedLongs table = rank.allAllocLongs(Layout.cyclic(), tableSize());
        table.forAllLocal(i -> table.put(i, 0));
        int count = Math.toIntExact(updates() * (rank.rank() + 1) / rank.ranks() - updates() * rank.rank() / rank.ranks());
        long[] indexes = new SplittableRandom(rank.rank()).longs(count, 0, tableSize()).toArray();

        long start = start(rank);
        update(rank, table, indexes, 1);
        long ns = since(rank, start);

        if (spoils(rank)) {
            rank.atomics().add(table.pointer(indexes[0]), 1);
        }
        long sum = sum(rank, table, false);
        update(rank, table, indexes, -1);
        long left = sum(rank, table, true);
        rank.allFree(table);
        return new Answer(updates() + " counted; 0 left", sum + " counted; " + left + " left", sum == updates() && left == 0, ns);
    }

    private static void update(Rank rank, SharedLongs table, long[] indexes, long value) {
        for (long index : indexes) {
            rank.atomics().add(table.pointer(index), value);
        }
    }

    /** Sum of the elements, or of their magnitudes. Collective. */
    private static long sum(Rank rank, SharedLongs table, boolean magnitudes) {
        rank.barrier();   // all additions have been made
        long[] sum = new long[1];
        table.forAllLocal(i -> sum[0] += magnitudes ? Math.abs(table.get(i)) : table.get(i));
        return rank.allReduce(sum[0], ReduceOp.SUM);
    }
}
