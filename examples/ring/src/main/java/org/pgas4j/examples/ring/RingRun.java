package org.pgas4j.examples.ring;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Sends the token round, measures and checks. */
public final class RingRun {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private RingRun() {
    }

    /** Collective, with the same settings on all ranks. */
    public static Result run(Rank rank, Settings settings) {
        long[] ns = new long[settings.runs()];
        long cpuNs = 0;
        long shown = 0;
        boolean right = true;
        Way way = settings.style() == Style.BLOCKS ? new BlockRing(rank, settings) : new HostRing(rank, settings);
        for (int run = -settings.warmup(); run < settings.runs(); run++) {
            Token.place(rank, way.memory(), settings.bytes());
            rank.barrier();
            long cpuStart = THREADS.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            way.turn();
            long end = System.nanoTime();
            if (run >= 0) {
                ns[run] = end - start;
                cpuNs += THREADS.getCurrentThreadCpuTime() - cpuStart;
            }
            rank.barrier();
            if (rank.rank() == 0) {
                shown = Token.read(rank, way.memory(), settings.bytes());
                right &= shown == way.hops();
            }
        }
        right = rank.allReduce(right ? 1L : 0L, ReduceOp.MIN) == 1;
        way.free();
        return new Result(ns, cpuNs, way.hops(), shown, right);
    }
}
