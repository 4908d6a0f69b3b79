package org.pgas4j.examples.prk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedDoubles;
import org.pgas4j.UsageException;
import org.pgas4j.Window;
import org.pgas4j.examples.common.Answer;
import picocli.CommandLine.Command;

/**
 * A pipeline: {@code a[j][i] = a[j][i-1] + a[j-1][i] - a[j-1][i-1]} over a square whose columns are spread over the ranks. A rank
 * computes a row when its left neighbour has sent it the value beside it: one notified put of 8 bytes for each row. The last
 * corner, negated, becomes the first one of the next iteration, so after k of them it must be {@code k (2n - 2)}.
 */
@Command(name = "synch-p2p", header = "PRK synch_p2p: a pipeline of notified puts of one value each.")
public final class SynchP2p extends PrkExample {

    private static final int VALUE = 0;
    private static final int CORNER = 1;

    SynchP2p() {
        super(40_000, 600, 2_000, 8_000);
    }

    public static void main(String[] args) {
        new SynchP2p().start(args);
    }

    @Override
    protected long hostBytes(int ranks) {
        return 2L * Double.BYTES * order();
    }

    @Override
    protected Answer solve(Rank rank) {
        int n = order();
        int me = rank.rank();
        int last = rank.ranks() - 1;
        if (n / rank.ranks() < 2) {
            throw new UsageException("--order " + n + " (expected: at least two columns for each of " + rank.ranks() + " ranks)");
        }
        int first = first(n, me, rank.ranks());
        int width = first(n, me + 1, rank.ranks()) - first;
        SharedDoubles beside = rank.allAllocDoubles(Layout.even(), (long) n * rank.ranks());   // each rank's left column
        Window window = rank.createWindow(rank.world(), beside.pointer((long) n * me), (long) Double.BYTES * n);
        MemorySegment left = beside.local().segment();
        MemorySegment right = MemorySegment.ofArray(new double[n]);
        double[][] a = new double[n][width + 1];   // column 0 is the left neighbour's
        for (int i = 0; i <= width; i++) {
            a[0][i] = first + i - 1;
        }
        for (int j = 0; me == 0 && j < n; j++) {
            a[j][1] = j;
        }
        a[0][width] += spoils(rank) ? 1 : 0;

        long start = start(rank);
        for (int k = 0; k <= iterations(); k++) {
            for (int j = 1; j < n; j++) {
                if (me > 0) {
                    rank.notifications().await(VALUE, 1);
                    a[j][0] = left.getAtIndex(ValueLayout.JAVA_DOUBLE, j);
                }
                for (int i = me > 0 ? 1 : 2; i <= width; i++) {
                    a[j][i] = a[j][i - 1] + a[j - 1][i] - a[j - 1][i - 1];
                }
                if (me < last) {
                    right.setAtIndex(ValueLayout.JAVA_DOUBLE, j, a[j][width]);
                    window.putNotify(me + 1, 8L * j, right.asSlice(8L * j, 8), 8, VALUE);
                }
            }
            if (me == last) {
                right.setAtIndex(ValueLayout.JAVA_DOUBLE, 0, -a[n - 1][width]);
                window.putNotify(0, 0, right, 8, CORNER);
            }
            if (me == 0) {   // all ranks have done this iteration: what they were sent may be overwritten
                rank.notifications().await(CORNER, 1);
                a[0][1] = left.getAtIndex(ValueLayout.JAVA_DOUBLE, 0);
            }
        }
        long ns = since(rank, start);

        double corner = rank.ranks() == 1 ? -a[0][1] : -left.getAtIndex(ValueLayout.JAVA_DOUBLE, 0);
        window.close();
        rank.allFree(beside);
        return Answer.near((iterations() + 1.0) * (2 * n - 2), corner, 1e-8, ns);
    }
}
