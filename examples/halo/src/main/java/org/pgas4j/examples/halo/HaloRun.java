package org.pgas4j.examples.halo;

import org.pgas4j.Rank;
import org.pgas4j.examples.common.RunClock;

/** Measures and checks one setting. */
public final class HaloRun {

    private HaloRun() {
    }

    /** Runs on all ranks, a ring, each with the same settings. Collective. */
    public static Result run(Rank rank, Settings settings) {
        Box box = new Box(rank, settings);
        Loop loop = switch (settings.style()) {
            case SYNC, STREAM, GRAPH -> new HostLoop(rank, box);
            case KERNEL -> new FusedLoop(rank, box);
            case TRIGGERED -> new TriggeredLoop(rank, box);
            case BLOCKS -> new BlockLoop(rank, box);
        };
        float[][] expected = settings.verify() && rank.rank() == 0 ? Reference.of(settings, rank.ranks()) : null;
        RunClock clock = new RunClock(settings.runs());
        long wrong = settings.verify() ? 0 : -1;
        for (int run = -1; run < settings.runs(); run++) {
            box.reset();
            clock.start();
            loop.run();
            clock.stop(run);
            if (settings.verify()) {
                rank.barrier();
                wrong += rank.collectives().broadcast(expected == null ? 0 : box.wrong(expected), 0);
            }
        }
        rank.barrier();
        loop.close();   // not after a failure: it is collective, and the job ends
        box.free();
        return new Result(clock.ns(), wrong, clock.cpuNs());
    }
}
