package org.pgas4j.examples.prk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;
import org.pgas4j.examples.common.Answer;
import picocli.CommandLine.Command;

/** {@code a += b + 3 c} for vectors spread over the ranks, each of which computes on its own elements where they are. */
@Command(name = "nstream", header = "PRK nstream: a += b + 3 c, nothing is communicated.")
public final class Nstream extends PrkExample {

    Nstream() {
        super(Integer.MAX_VALUE, 100_000, 4_000_000, 32_000_000);
    }

    public static void main(String[] args) {
        new Nstream().start(args);
    }

    @Override
    protected long hostBytes(int ranks) {
        return 3 * ((long) Double.BYTES * Math.ceilDiv(order(), ranks) + 4096);
    }

    @Override
    protected Answer solve(Rank rank) {
        SharedDoubles a = rank.allAllocDoubles(Layout.even(), order());
        SharedDoubles b = rank.allAllocDoubles(Layout.even(), order());
        SharedDoubles c = rank.allAllocDoubles(Layout.even(), order());
        a.forAllLocal(i -> {
            a.put(i, 0);
            b.put(i, 2);
            c.put(i, 2);
        });
        MemorySegment x = a.local().segment();
        MemorySegment y = b.local().segment();
        MemorySegment z = c.local().segment();
        long count = a.local().length();

        long start = start(rank);
        for (int k = 0; k <= iterations(); k++) {
            triad(x, y, z, count);
        }
        long ns = since(rank, start);

        double sum = spoils(rank) ? 1 : 0;
        for (long i = 0; i < count; i++) {
            sum += Math.abs(x.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
        }
        double all = rank.allReduce(sum, ReduceOp.SUM);
        rank.allFree(c);
        rank.allFree(b);
        rank.allFree(a);
        return Answer.near(8.0 * (iterations() + 1) * order(), all, 1e-10, ns);
    }

    private static void triad(MemorySegment a, MemorySegment b, MemorySegment c, long count) {
        for (long i = 0; i < count; i++) {
            a.setAtIndex(ValueLayout.JAVA_DOUBLE, i, a.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
                    + b.getAtIndex(ValueLayout.JAVA_DOUBLE, i) + 3 * c.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
        }
    }
}
