package org.pgas4j.examples.stencil;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pgas4j.Rank;

/** Checks a few steps and measures many. */
public final class StencilRun {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private StencilRun() {
    }

    /** Collective, with the same settings on all ranks. */
    public static Result run(Rank rank, Settings settings) {
        Domain domain = new Domain(settings.isize(), settings.jsize(), settings.levels(), rank.rank(), rank.ranks());
        long[] ns = new long[settings.runs()];
        long cpuNs = 0;
        Fields fields = new Fields(rank, domain);
        Way way = settings.style() == Style.BLOCKS ? new BlockStencil(rank, settings, fields)
                : new HostStencil(rank, settings, fields);
        double maxError = 0;
        if (settings.checkSteps() > 0) {
            fields.reset();
            way.steps(settings.checkSteps());
            maxError = fields.maxError(settings.checkSteps());
        }
        for (int run = -settings.warmup(); run < settings.runs(); run++) {
            fields.reset();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            way.steps(settings.steps());
            long end = System.nanoTime();
            if (run >= 0) {
                ns[run] = end - start;
                cpuNs += THREADS.getCurrentThreadCpuTime() - cpuStart;
            }
            rank.barrier();
        }
        long checksum = fields.checksum(settings.steps());
        way.free();
        fields.free();
        return new Result(ns, cpuNs, maxError, checksum, maxError == 0);
    }
}
