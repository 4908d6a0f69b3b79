package org.pgas4j.examples.ring;

import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.examples.common.RunClock;

/** Sends the token round, measures and checks. */
public final class RingRun {

    private RingRun() {
    }

    /** Collective, with the same settings on all ranks. */
    public static Result run(Rank rank, Settings settings) {
        RunClock clock = new RunClock(settings.runs());
        long shown = 0;
        boolean right = true;
        Way way = settings.style() == Style.BLOCKS ? new BlockRing(rank, settings) : new HostRing(rank, settings);
        for (int run = -settings.warmup(); run < settings.runs(); run++) {
            Token.place(rank, way.memory(), settings.bytes());
            rank.barrier();
            clock.start();
            way.turn();
            clock.stop(run);
            rank.barrier();
            if (rank.rank() == 0) {
                shown = Token.read(rank, way.memory(), settings.bytes());
                right &= shown == way.hops();
            }
        }
        right = rank.allReduce(right ? 1L : 0L, ReduceOp.MIN) == 1;
        way.free();
        return new Result(clock.ns(), clock.cpuNs(), way.hops(), shown, right);
    }
}
