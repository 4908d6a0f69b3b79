package org.pgas4j.examples.himeno;

import org.pgas4j.Rank;
import org.pgas4j.examples.common.RunClock;

/** Measures and checks one setting. */
public final class HimenoRun {

    private HimenoRun() {
    }

    /** Runs on all ranks, each with the same settings. Collective. */
    public static Result run(Rank rank, Settings settings) {
        Field field = new Field(rank, settings);
        Solver solver = switch (settings.style()) {
            case BLOCKS -> new BlockSolver(rank, field);
            case HOST -> new HostSolver(rank, field);
        };
        RunClock clock = new RunClock(settings.runs());
        for (int run = -1; run < settings.runs(); run++) {
            field.reset();
            clock.start();
            solver.run();
            clock.stop(run);
        }
        double gosa = solver.gosa();
        double expected = Double.NaN;
        double difference = Double.NaN;
        if (settings.verify()) {
            if (rank.rank() == 0) {
                Reference reference = Reference.of(settings);
                expected = reference.gosa();
                difference = field.difference(reference.pressure());
            }
            expected = Double.longBitsToDouble(rank.collectives().broadcast(Double.doubleToRawLongBits(expected), 0));
            difference = Double.longBitsToDouble(rank.collectives().broadcast(Double.doubleToRawLongBits(difference), 0));
        }
        solver.close();   // not after a failure: it is collective, and the job ends
        field.free();
        return new Result(clock.ns(), gosa, expected, difference, Published.gosa(settings), clock.cpuNs());
    }
}
