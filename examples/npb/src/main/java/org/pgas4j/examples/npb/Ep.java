package org.pgas4j.examples.npb;

import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;

/**
 * Embarrassingly parallel: pairs of Gaussian deviates by the polar method, and their sums. Batches of random numbers are dealt to
 * the ranks in turn; a rank skips to each of its own. Only the sums are communicated.
 */
@Command(name = "ep", header = "NPB EP: Gaussian deviates; their sums are the only communication.")
public final class Ep extends CheckedExample {

    private static final int BATCH = 1 << 16;   // pairs
    private static final long SEED = 271_828_183;

    Ep() {
    }

    public static void main(String[] args) {
        new Ep().start(args);
    }

    @Override
    protected long hostBytes(int ranks) {
        return 0;
    }

    @Override
    protected Answer solve(Rank rank) {
        long batches = (1L << problem().of(24, 25, 28)) / BATCH;
        double sumX = 0;
        double sumY = spoils(rank) ? 1 : 0;

        long start = start(rank);
        for (long batch = rank.rank(); batch < batches; batch += rank.ranks()) {
            NpbRandom random = new NpbRandom(SEED).skip(2 * BATCH * batch);
            for (int pair = 0; pair < BATCH; pair++) {
                double x = 2 * random.next() - 1;
                double y = 2 * random.next() - 1;
                double t = x * x + y * y;
                if (t <= 1) {
                    double scale = Math.sqrt(-2 * Math.log(t) / t);
                    sumX += x * scale;
                    sumY += y * scale;
                }
            }
        }
        double allX = rank.allReduce(sumX, ReduceOp.SUM);
        double allY = rank.allReduce(sumY, ReduceOp.SUM);
        long ns = since(rank, start);

        Answer x = Answer.near(expected(-3.247834652034740e3, -2.863319731645753e3, -4.295875165629892e3), allX, 1e-8, ns);
        Answer y = Answer.near(expected(-6.958407078382297e3, -6.320053679109499e3, -1.580732573678431e4), allY, 1e-8, ns);
        return new Answer(x.expected() + " " + y.expected(), x.found() + " " + y.found(), x.right() && y.right(), ns);
    }

    private double expected(double s, double w, double a) {
        return switch (problem()) {
            case S -> s;
            case W -> w;
            case A -> a;
        };
    }
}
