package org.pgas4j.examples.common;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/**
 * Times of a workload on one rank.
 *
 * @param ns    of each measured run, from a barrier until this rank's part is done; a launch and its end included
 * @param cpuNs processor time of this rank's thread in all measured runs
 * @param wrong values after all runs, of all ranks; -1 if not verified
 */
public record Timing(long[] ns, long cpuNs, long wrong) {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Runs a workload. Collective, with the same settings on all ranks. */
    public static Timing of(Rank rank, RunSettings settings, Workload workload) {
        long[] ns = new long[settings.runs()];
        long cpuNs = 0;
        long wrong = 0;
        for (int run = -settings.warmup(); run < settings.runs(); run++) {
            workload.reset();
            rank.barrier();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            workload.run();
            if (run >= 0) {
                ns[run] = System.nanoTime() - start;
                cpuNs += THREADS.getCurrentThreadCpuTime() - cpuStart;
            }
            rank.barrier();
            wrong += settings.verify() ? rank.allReduce(workload.wrong(), ReduceOp.SUM) : 0;
        }
        return new Timing(ns, cpuNs, settings.verify() ? wrong : -1);
    }

    /** False if a value is wrong; true if all are right or were not verified. */
    public boolean correct() {
        return wrong <= 0;
    }

    /** Microseconds of one of {@code parts} equal parts of the median run. */
    public double medianUs(double parts) {
        return sorted()[ns.length / 2] / 1e3 / parts;
    }

    /** The same of the quickest run. */
    public double minUs(double parts) {
        return sorted()[0] / 1e3 / parts;
    }

    /** The same of the slowest run. */
    public double maxUs(double parts) {
        return sorted()[ns.length - 1] / 1e3 / parts;
    }

    /** Microseconds of processor time for one of {@code parts} equal parts of a run, in the mean. */
    public double cpuUs(double parts) {
        return cpuNs / 1e3 / ns.length / parts;
    }

    private long[] sorted() {
        long[] sorted = ns.clone();
        Arrays.sort(sorted);
        return sorted;
    }
}
