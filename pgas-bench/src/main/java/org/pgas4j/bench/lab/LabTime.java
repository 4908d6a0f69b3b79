package org.pgas4j.bench.lab;

import java.util.List;
import org.pgas4j.bench.lab.ExperimentPlan.Effort;

/**
 * Estimate of the time that launches and points take, from the plan alone. A launch starts and rehearses. A point has turns of the
 * owner without requests before and after, the warm-up, and as many requests as its seconds or its samples allow. A request takes
 * a few tens of microseconds and what its bytes take; without a helper it waits for half of the owner's turn.
 */
public final class LabTime {

    /** Start of the JVMs, of the device and of the connections. */
    private static final double START_S = 4;

    private static final double MAX_REHEARSAL_S = 2;
    private static final double REHEARSAL_SHARE = 2; // of the points' seconds

    /** Share of a point's seconds in which the owner's turns are measured without requests, before them and after them. */
    public static final double ALONE_SHARE = 0.2;
    /** Share of a point's seconds that its warm-up takes at most. */
    public static final double WARM_UP_SHARE = 0.5;
    /** Samples that a closed loop has at least, whatever the time. */
    public static final int MIN_SAMPLES = 10;
    /** Time for turns of the owner before it measures them; one at least. */
    public static final long FIRST_TURNS_NS = 20_000_000;

    private static final double REQUEST_S = 50e-6;
    private static final double BYTES_PER_S = 20e9;
    private static final double SETTLING_S = 0.1;
    private static final double FIXED_S = 0.05; // memory, the check of what arrived, the row
    private static final double NS_PER_S = 1e9;

    private LabTime() {
    }

    /**
     * Seconds that a launch rehearses its points, all together.
     *
     * @param seconds that each may measure
     */
    public static double rehearsal(List<Double> seconds) {
        return Math.min(MAX_REHEARSAL_S, REHEARSAL_SHARE * seconds.stream().mapToDouble(Double::doubleValue).sum());
    }

    /**
     * Seconds before the first point of a launch.
     *
     * @param seconds that each of its points may measure
     */
    public static double launch(List<Double> seconds) {
        return START_S + rehearsal(seconds);
    }

    /** Seconds that a point takes, once. */
    public static double seconds(LabPoint point, Effort effort, int samples) {
        double seconds = effort.seconds();
        double turn = point.kernelNs() / NS_PER_S;
        boolean overlaps = point.text(LabPoint.OPERATION).equals("overlap");
        double request = REQUEST_S + point.number(LabPoint.BYTES) / BYTES_PER_S;
        double wait = point.text(LabPoint.HELPER).equals("off") ? turn / 2 : 0;
        double each = overlaps ? request + turn : request + wait + point.maxPauseNs() / NS_PER_S / 2;
        boolean closed = point.text(LabPoint.ARRIVALS).equals("closed");
        double measured = closed ? each * Math.clamp(Math.ceil(seconds / each), Math.min(MIN_SAMPLES, samples), samples) : seconds;
        double warmUp = overlaps ? 0 : Math.max(request + 2 * wait, Math.min(seconds * WARM_UP_SHARE, SETTLING_S));
        double alone = turn == 0 ? 0 : Math.max(turn, FIRST_TURNS_NS / NS_PER_S) + 2 * Math.max(turn, seconds * ALONE_SHARE);
        return FIXED_S + alone + warmUp + turn + measured; // a turn: half of one ends after the warm-up, and after the requests
    }
}
