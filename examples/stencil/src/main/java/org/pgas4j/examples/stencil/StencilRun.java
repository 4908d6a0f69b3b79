package org.pgas4j.examples.stencil;

import org.pgas4j.Rank;
import org.pgas4j.examples.common.RunClock;

/** Checks a few steps and measures many. */
public final class StencilRun {

    private StencilRun() {
    }

    /** Collective, with the same settings on all ranks. */
    public static Result run(Rank rank, Settings settings) {
        Domain domain = new Domain(settings.isize(), settings.jsize(), settings.levels(), rank.rank(), rank.ranks());
        RunClock clock = new RunClock(settings.runs());
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
            clock.start();
            way.steps(settings.steps());
            clock.stop(run);
            rank.barrier();
        }
        long checksum = fields.checksum(settings.steps());
        way.free();
        fields.free();
        return new Result(clock.ns(), clock.cpuNs(), maxError, checksum, maxError == 0);
    }
}
