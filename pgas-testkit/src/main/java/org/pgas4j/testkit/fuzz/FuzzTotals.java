package org.pgas4j.testkit.fuzz;

import java.util.Locale;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Numbers and times of a rank's batches. */
final class FuzzTotals {

    private static final double NS_PER_MS = 1e6;

    /**
     * A batch that was compared.
     *
     * @param values    calls that gave a value
     * @param faults    calls that threw
     * @param javaNs    time for writing, compiling and loading the class
     * @param deviceNs  for translating and compiling the kernel, loading and running it
     * @param compareNs for the calls in plain Java and the comparison
     */
    record Batch(long methods, long values, long faults, long javaNs, long deviceNs, long compareNs) {
    }

    private long methods;
    private long values;
    private long faults;
    private long javaNs;
    private long deviceNs;
    private long compareNs;

    void add(Batch batch) {
        methods += batch.methods;
        values += batch.values;
        faults += batch.faults;
        javaNs += batch.javaNs;
        deviceNs += batch.deviceNs;
        compareNs += batch.compareNs;
    }

    /**
     * Collective: the numbers of all ranks, and what a method took of the ranks' time, in milliseconds.
     *
     * @param asked number of methods; named if fewer were compared
     */
    String of(Rank rank, long asked) {
        long all = rank.allReduce(methods, ReduceOp.SUM);
        return " methods=" + all + (all < asked ? " of=" + asked : "") + " values=" + rank.allReduce(values, ReduceOp.SUM)
                + " faults=" + rank.allReduce(faults, ReduceOp.SUM) + " java_ms=" + ms(rank, javaNs, all)
                + " device_ms=" + ms(rank, deviceNs, all) + " compare_ms=" + ms(rank, compareNs, all);
    }

    private static String ms(Rank rank, long ns, long methods) {
        return String.format(Locale.ROOT, "%.2f", rank.allReduce(ns, ReduceOp.SUM) / NS_PER_MS / methods);
    }
}
