package org.pgas4j.examples.matvec;

import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.RunClock;

/** Measures and checks one setting. */
public final class MatvecRun {

    private MatvecRun() {
    }

    /** Runs on all ranks, each with the same settings; rank 0 is the client, the others serve. Collective. */
    public static Result run(Rank rank, Settings settings) {
        if (rank.ranks() < 2) {
            throw new UsageException("one rank (expected: a client and a server, so 2 or more)");
        }
        Memory memory = new Memory(rank, settings);
        Service service = switch (settings.style()) {
            case BLOCKS -> new BlockService(rank, memory);
            case HOST -> new HostService(rank, memory);
        };
        RunClock clock = new RunClock(settings.runs());
        long wrong = settings.verify() ? 0 : -1;
        for (int run = -1; run < settings.runs(); run++) {
            memory.reset();
            rank.barrier();
            clock.start();
            service.run();
            clock.stop(run);
            if (settings.verify()) {
                wrong += rank.collectives().broadcast(memory.wrong(), 0);
            }
        }
        rank.barrier();
        service.close();   // not after a failure: it is collective, and the job ends
        memory.free();
        return new Result(clock.ns(), wrong, clock.cpuNs());
    }
}
