package org.pgas4j.examples.reduction;

import org.pgas4j.Buffer;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.examples.common.RunClock;

/** Adds up, measures and checks. */
public final class ReductionRun {

    private ReductionRun() {
    }

    /** Collective, with the same settings on all ranks. */
    public static Result run(Rank rank, Settings settings) {
        Buffer values = Values.onDevice(rank, settings.values());
        Sums expected = Values.sum(settings.values() * rank.ranks());
        RunClock clock = new RunClock(settings.runs());
        boolean exact = true;
        Sums sum = null;
        Way way = way(rank, settings, values);
        for (int run = -settings.warmup(); run < settings.runs(); run++) {
            rank.barrier();
            clock.start();
            sum = way.sum();
            clock.stop(run);
            exact &= rank.rank() != 0 || sum.equals(expected);
        }
        exact = rank.allReduce(exact ? 1L : 0L, ReduceOp.MIN) == 1;
        way.free();
        values.close();
        return new Result(clock.ns(), clock.cpuNs(), sum, expected, exact);
    }

    private static Way way(Rank rank, Settings settings, Buffer values) {
        return switch (settings.style()) {
            case BLOCKS -> new BlockReduction(rank, settings, values);
            case HOST -> new HostReduction(rank, settings, values);
        };
    }
}
