package org.pgas4j.examples.halo;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pgas4j.Rank;

/** Measures and checks one setting. */
public final class HaloRun {

    private HaloRun() {
    }

    /** Runs on all ranks, a ring, each with the same settings. Collective. */
    public static Result run(Rank rank, Settings settings) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Box box = new Box(rank, settings);
        Loop loop = switch (settings.style()) {
            case SYNC, STREAM -> new HostLoop(rank, box);
            case KERNEL -> new FusedLoop(rank, box);
            case BLOCKS -> new BlockLoop(rank, box);
        };
        float[][] expected = settings.verify() && rank.rank() == 0 ? Reference.of(settings, rank.ranks()) : null;
        long[] ns = new long[settings.runs()];
        long cpuNs = 0;
        long wrong = settings.verify() ? 0 : -1;
        for (int run = -1; run < settings.runs(); run++) {
            box.reset();
            long cpuStart = threads.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            loop.run();
            if (run >= 0) {
                ns[run] = System.nanoTime() - start;
                cpuNs += threads.getCurrentThreadCpuTime() - cpuStart;
            }
            if (settings.verify()) {
                rank.barrier();
                wrong += rank.broadcast(expected == null ? 0 : box.wrong(expected), 0);
            }
        }
        rank.barrier();
        loop.close();   // not after a failure: it is collective, and the job ends
        box.free();
        return new Result(ns, wrong, cpuNs);
    }
}
