package org.pgas4j.examples.reduction;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pgas4j.Block;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Adds up, measures and checks. */
public final class ReductionRun {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ReductionRun() {
    }

    /** Collective, with the same settings on all ranks. */
    public static Result run(Rank rank, Settings settings) {
        Block values = Values.onDevice(rank, settings.values());
        Sums expected = Values.sum(settings.values() * rank.ranks());
        long[] ns = new long[settings.runs()];
        long cpuNs = 0;
        boolean exact = true;
        Sums sum = null;
        Way way = way(rank, settings, values);
        for (int run = -settings.warmup(); run < settings.runs(); run++) {
            rank.barrier();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            sum = way.sum();
            long end = System.nanoTime();
            if (run >= 0) {
                ns[run] = end - start;
                cpuNs += THREADS.getCurrentThreadCpuTime() - cpuStart;
            }
            exact &= rank.rank() != 0 || sum.equals(expected);
        }
        exact = rank.allReduce(exact ? 1L : 0L, ReduceOp.MIN) == 1;
        way.free();
        values.deviceMemory().close();
        return new Result(ns, cpuNs, sum, expected, exact);
    }

    private static Way way(Rank rank, Settings settings, Block values) {
        return switch (settings.style()) {
            case BLOCKS -> new BlockReduction(rank, settings, values);
            case HOST -> new HostReduction(rank, settings, values);
        };
    }
}
