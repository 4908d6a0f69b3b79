package org.pgas4j.bench.study;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;
import org.pgas4j.bench.lab.LabTime;
import org.pgas4j.bench.lab.WorkTimes;

/** The owner's part in a point. */
final class LabOwner extends LabSide {

    private static final double NS_PER_US = 1e3;

    private final Rank rank;
    private final LabPoint point;
    private final StopFlags flags;
    private final long aloneNs;
    private final boolean gpu;
    private Totals current;

    /**
     * Part in one point.
     *
     * @param seconds that the point may measure
     */
    LabOwner(Rank rank, LabPoint point, StopFlags flags, double seconds, boolean gpu) {
        this.rank = rank;
        this.point = point;
        this.flags = flags;
        this.aloneNs = Math.round(seconds * 1e9 * LabTime.ALONE_SHARE);
        this.gpu = gpu;
    }

    @Override
    void run() {
        boolean idle = isIdle();
        boolean overlap = point.text(LabPoint.OPERATION).equals("overlap");
        try (OwnerLoad load = newLoad()) {
            Totals alone = new Totals(LabReport.WORK_ALONE);
            if (!idle) {
                turns(load, LabTime.FIRST_TURNS_NS, new Totals("")); // compiles kernels, and has libraries choose theirs
                turns(load, aloneNs, alone);
            }
            current = new Totals(""); // of the warm-up
            begin(overlap);
            if (!overlap) {
                untilStopped(load, idle);
            }
            rank.allReduce(0.0, ReduceOp.SUM); // of the requesters' rates
            rank.diagnostics().helperStats(); // what was before does not count
            Totals meanwhile = new Totals(LabReport.WORK);
            current = meanwhile;
            long helpersNs = helpersNs();
            begin(overlap);
            long beganNs = System.nanoTime();
            if (overlap) {
                overlap(load);
            } else {
                untilStopped(load, idle);
            }
            found.put("helpers_cpu_share", (double) (helpersNs() - helpersNs) / Math.max(1, System.nanoTime() - beganNs));
            if (!idle) {
                turns(load, aloneNs, alone); // again, as the clocks of a GPU change with what it has done
            }
            found.put(LabReport.TURN_ALONE, alone.turnUs());
            found.put("turn_us", meanwhile.turnUs());
            found.put(LabReport.WORK_SLOW_DOWN, meanwhile.workNs() / alone.workNs());
            found.putAll(alone.times.columns());
            found.putAll(meanwhile.times.columns());
        }
    }

    @Override
    void rehearse(double seconds) {
        boolean idle = isIdle();
        try (OwnerLoad load = newLoad()) {
            current = new Totals("");
            if (!idle) {
                turns(load, LabTime.FIRST_TURNS_NS, current);
            }
            begin(false);
            untilStopped(load, idle);
        }
    }

    /** Requesters begin: nothing is left to do before the first turn, so that there is one beside the requests. */
    private void begin(boolean overlap) {
        if (!overlap) {
            flags.begin();
        }
        rank.barrier();
    }

    private boolean isIdle() {
        return point.text(LabPoint.OWNER).equals("idle");
    }

    private OwnerLoad newLoad() {
        return new OwnerLoad(rank, point.text(LabPoint.OWNER), point.kernelNs(), gpu);
    }

    /** The owner's turns in a part of a point; NaN without turns. */
    private static final class Totals {

        private final WorkTimes times;
        private long turns;
        private long turnsNs;
        private long works;

        Totals(String name) {
            times = new WorkTimes(name);
        }

        void add(long ns, long itsWorks) {
            turns++;
            turnsNs += ns;
            works += itsWorks;
            times.add(ns, itsWorks);
        }

        double turnUs() {
            return turnsNs / NS_PER_US / turns;
        }

        double workNs() {
            return (double) turnsNs / works;
        }
    }

    private void turns(OwnerLoad load, long ns, Totals into) {
        current = into;
        long end = System.nanoTime() + ns;
        do {
            turn(load);
        } while (System.nanoTime() - end < 0);
    }

    /** One turn at least. */
    private void untilStopped(OwnerLoad load, boolean idle) {
        do {
            if (!idle) {
                turn(load);
            }
            while (rank.progress()) {
                // until nothing is left to do
            }
        } while (!flags.haveAllStopped());
    }

    private void overlap(OwnerLoad load) {
        do {
            rank.barrier();
            turn(load);
            rank.barrier();
        } while (rank.collectives().broadcast(0, 0) > 0);
    }

    private void turn(OwnerLoad load) {
        long worksBefore = load.works();
        current.add(load.turn(), load.works() - worksBefore);
    }

    /** Processor time of helper threads, and of the program's own that serves. */
    private static long helpersNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long ns = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("pgas-helper-") || thread.getName().equals("lab-own-thread")) {
                ns += Math.max(0, threads.getThreadCpuTime(thread.threadId()));
            }
        }
        return ns;
    }
}
