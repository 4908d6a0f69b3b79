package org.pgas4j.examples.common;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Time and processor time of the calling thread in each run; runs with a number below 0 are warm-up and not kept. */
public final class RunClock {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final long[] ns;
    private long start;
    private long cpuStart;
    private long cpuNs;

    public RunClock(int runs) {
        this.ns = new long[runs];
    }

    /** A run begins. */
    public void start() {
        cpuStart = THREADS.getCurrentThreadCpuTime();
        start = System.nanoTime();
    }

    /** The run that began last has ended; {@code number} is below the number of runs. */
    public void stop(int number) {
        long end = System.nanoTime();
        if (number >= 0) {
            ns[number] = end - start;
            cpuNs += THREADS.getCurrentThreadCpuTime() - cpuStart;
        }
    }

    /** Of each run. */
    public long[] ns() {
        return ns.clone();
    }

    /** Of all runs. */
    public long cpuNs() {
        return cpuNs;
    }
}
