package org.pgas4j.bench.study;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.bench.lab.LabPoint;
import org.pgas4j.bench.lab.LabReport;

/** The owner's part in a point. */
final class LabOwner extends LabSide {

    private static final int FIRST_TURNS = 2;
    private static final double NS_PER_US = 1e3;

    private final Rank rank;
    private final LabPoint point;
    private final StopFlags flags;
    private final double seconds;
    private final boolean gpu;
    private long turns;
    private long turnsNs;
    private long works;

    /**
     * Part in one point.
     *
     * @param seconds that the point may measure
     */
    LabOwner(Rank rank, LabPoint point, StopFlags flags, double seconds, boolean gpu) {
        this.rank = rank;
        this.point = point;
        this.flags = flags;
        this.seconds = seconds;
        this.gpu = gpu;
    }

    @Override
    void run() {
        boolean idle = point.text(LabPoint.OWNER).equals("idle");
        boolean overlap = point.text(LabPoint.OPERATION).equals("overlap");
        try (OwnerLoad load = new OwnerLoad(rank, point.text(LabPoint.OWNER), point.kernelNs(), gpu)) {
            for (int i = 0; !idle && i < FIRST_TURNS; i++) {
                load.turn(); // compiles kernels, and has libraries choose theirs
            }
            long alone = System.nanoTime() + Math.round(seconds * 1e9 / 5);
            while (!idle && (turns == 0 || System.nanoTime() - alone < 0)) {
                turn(load);
            }
            found.put("turn_alone_us", idle ? Double.NaN : turnsNs / NS_PER_US / turns);
            double workAloneNs = idle ? Double.NaN : (double) turnsNs / works;
            rank.barrier();
            if (!overlap) {
                untilStopped(load, idle);
            }
            rank.allReduce(0.0, ReduceOp.SUM); // of the requesters' rates
            rank.diagnostics().helperStats(); // what was before does not count
            rank.barrier();
            turns = 0;
            turnsNs = 0;
            works = 0;
            long beganNs = System.nanoTime();
            long helpersNs = helpersNs();
            if (overlap) {
                overlap(load);
            } else {
                untilStopped(load, idle);
            }
            found.put("helpers_cpu_share", (double) (helpersNs() - helpersNs) / Math.max(1, System.nanoTime() - beganNs));
            found.put("turn_us", idle ? Double.NaN : turnsNs / NS_PER_US / Math.max(1, turns));
            found.put(LabReport.WORK_SLOW_DOWN, turnsNs / workAloneNs / Math.max(1, works));
        }
    }

    private void untilStopped(OwnerLoad load, boolean idle) {
        flags.begin();
        while (!flags.haveAllStopped()) {
            if (!idle) {
                turn(load);
            }
            while (rank.progress()) {
                // until nothing is left to do
            }
        }
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
        turnsNs += load.turn();
        turns++;
        works += load.works() - worksBefore;
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
