package org.pgas4j.examples.prk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;
import org.pgas4j.UsageException;
import org.pgas4j.Window;
import org.pgas4j.examples.common.Answer;
import picocli.CommandLine.Command;

/**
 * A star of radius 2, the discrete divergence, applied to {@code x + y} on a square whose rows are spread over the ranks:
 * {@code out += weights * in; in += 1}. Two rows go to each neighbour by one notified put, into places for even and for odd
 * iterations in turn: a neighbour sends iteration k+2 when it has this rank's rows of k+1, sent after those of k were used.
 */
@Command(name = "prk-stencil", header = "PRK stencil: a star of radius 2; rows are exchanged by notified puts.")
public final class StarStencil extends PrkExample {

    private static final int RADIUS = 2;
    private static final int ABOVE = 0;   // sides, as the receiver sees them
    private static final int BELOW = 1;

    StarStencil() {
        super(40_000, 300, 1_500, 6_000);
    }

    public static void main(String[] args) {
        new StarStencil().start(args);
    }

    @Override
    protected long hostBytes(int ranks) {
        return 4L * RADIUS * order() * Double.BYTES;
    }

    @Override
    protected Answer solve(Rank rank) {
        int n = order();
        int me = rank.rank();
        int first = first(n, me, rank.ranks());
        int rows = first(n, me + 1, rank.ranks()) - first;
        if (n / rank.ranks() < RADIUS || n <= 2 * RADIUS) {
            throw new UsageException("--order " + n + " (expected: > " + 2 * RADIUS + ", and at least " + RADIUS
                    + " rows for each of " + rank.ranks() + " ranks)");
        }
        long edge = (long) RADIUS * n;
        SharedDoubles edges = rank.allAllocDoubles(Layout.even(), 4 * edge * rank.ranks());   // on each rank: parity, side
        Window window = rank.createWindow(rank.world(), edges.pointer(4 * edge * me), 4 * edge * Double.BYTES);
        double[] in = new double[(rows + 2 * RADIUS) * n];   // with the neighbours' rows around
        double[] out = new double[(rows + 2 * RADIUS) * n];
        for (int i = 0; i < in.length; i++) {
            in[i] = first - RADIUS + i / n + i % n;
        }

        long start = start(rank);
        for (int k = 0; k <= iterations(); k++) {
            exchange(rank, window, edges.local().segment(), in, k % 2);
            apply(in, out, n, Math.max(RADIUS, 2 * RADIUS - first), Math.min(rows + RADIUS, n - first));
            for (int i = edge(n); i < in.length - edge(n); i++) {
                in[i] += 1;
            }
        }
        long ns = since(rank, start);

        double sum = spoils(rank) ? 1 : 0;
        for (double value : out) {
            sum += Math.abs(value);
        }
        double norm = rank.allReduce(sum, ReduceOp.SUM) / Math.pow(n - 2.0 * RADIUS, 2);
        window.close();
        rank.allFree(edges);
        return Answer.near(2.0 * (iterations() + 1), norm, 1e-8, ns);
    }

    private static int edge(int n) {
        return RADIUS * n;
    }

    /** Sends the outer rows to both neighbours and takes theirs. */
    private void exchange(Rank rank, Window window, MemorySegment edges, double[] in, int parity) {
        int me = rank.rank();
        int edge = edge(order());
        long bytes = (long) Double.BYTES * edge;
        MemorySegment all = MemorySegment.ofArray(in);
        if (me > 0) {
            window.putNotify(me - 1, bytes * (2 * parity + BELOW), all.asSlice(bytes, bytes), bytes, 2 * parity + BELOW);
        }
        if (me < rank.ranks() - 1) {
            window.putNotify(me + 1, bytes * (2 * parity + ABOVE), all.asSlice(all.byteSize() - 2 * bytes, bytes), bytes,
                    2 * parity + ABOVE);
        }
        window.flush();
        if (me > 0) {
            rank.notifications().await(2 * parity + ABOVE, 1);
            MemorySegment.copy(edges, ValueLayout.JAVA_DOUBLE, bytes * (2 * parity + ABOVE), in, 0, edge);
        }
        if (me < rank.ranks() - 1) {
            rank.notifications().await(2 * parity + BELOW, 1);
            MemorySegment.copy(edges, ValueLayout.JAVA_DOUBLE, bytes * (2 * parity + BELOW), in, in.length - edge, edge);
        }
    }

    /** Rows {@code from} to {@code to}-1 of the arrays, without those closer to the border of the square than the radius. */
    private static void apply(double[] in, double[] out, int n, int from, int to) {
        for (int y = from; y < to; y++) {
            for (int i = y * n + RADIUS; i < (y + 1) * n - RADIUS; i++) {
                double sum = 0;
                for (int r = 1; r <= RADIUS; r++) {
                    sum += (in[i + r] - in[i - r] + in[i + r * n] - in[i - r * n]) / (2.0 * r * RADIUS);
                }
                out[i] += sum;
            }
        }
    }
}
