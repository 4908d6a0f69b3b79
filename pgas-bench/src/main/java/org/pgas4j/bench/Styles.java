package org.pgas4j.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/**
 * Runs an example program in several styles, in turns, so that a drift of the machine's speed meets all of them. Each style is
 * verified in one run of its own before.
 *
 * @param <S> the program's styles
 */
final class Styles<S> {

    /** How much processor time the ranks' threads spend, of a rank. */
    static final String CPU_US = "cpu_us";
    /** The same, as a multiple of what it is compared with. */
    static final String CPU_RATIO = "cpu_ratio";
    /** Which style it is compared with. */
    static final String BASELINE = "baseline";

    private static final long HIGHEST_PS = 1_000_000_000_000L;
    private static final int ROUNDS = 3;
    private static final double NS_PER_US = 1e3;

    /** The program, as the calling rank takes part in it. */
    @FunctionalInterface
    interface Program<S> {

        /** Collective: runs it, after one run that is not measured. */
        Outcome run(S style, int runs, boolean verify);
    }

    /**
     * What the program says.
     *
     * @param ns    of each run; rank 0's count
     * @param cpuNs of this rank's thread in all runs
     * @param wrong values or runs that are wrong; negative if not verified
     */
    record Outcome(long[] ns, long cpuNs, long wrong) {
    }

    /**
     * What remains of a style.
     *
     * @param times picoseconds of a step
     * @param steps of a run, which is a sample
     * @param cpuUs of a rank's thread in a step, the ranks' mean
     * @param wrong as the program says
     */
    record Measured(Histogram times, int steps, double cpuUs, long wrong) {

        double p50() {
            return Times.median(times);
        }
    }

    /** Who starts communication and who waits for it: host, stream or kernel. */
    record Who(String initiator, String waiter) {

        static final Who HOSTS = new Who("host", "host");
        static final Who STREAMS = new Who("stream", "stream");
        static final Who KERNELS = new Who("kernel", "kernel");
    }

    private final Rank rank;
    private final String study;
    private final Consumer<Row> out;

    Styles(Rank rank, String study, Consumer<Row> out) {
        this.rank = rank;
        this.study = study;
        this.out = out;
    }

    /**
     * Collective.
     *
     * @param steps of a run, for the time of one
     * @param runs  of each style in each round
     */
    Map<S, Measured> measure(List<S> styles, int steps, int runs, Program<S> program) {
        Map<S, Histogram> times = new LinkedHashMap<>();
        Map<S, Long> wrong = new LinkedHashMap<>();
        Map<S, Long> cpuNs = new LinkedHashMap<>();
        for (S style : styles) {
            times.put(style, new Histogram(HIGHEST_PS, 3));
            wrong.put(style, Math.max(0, program.run(style, 1, true).wrong));
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (S style : styles) {
                Outcome outcome = program.run(style, runs, false);
                for (long ns : outcome.ns) {
                    times.get(style).recordValue(Math.clamp(ns * 1000 / steps, 1, HIGHEST_PS));
                }
                wrong.merge(style, Math.max(0, outcome.wrong), Long::sum);
                cpuNs.merge(style, rank.allReduce(outcome.cpuNs, ReduceOp.SUM), Long::sum);
            }
        }
        Map<S, Measured> measured = new LinkedHashMap<>();
        for (S style : styles) {
            measured.put(style, new Measured(times.get(style), steps,
                    cpuNs.get(style) / NS_PER_US / rank.ranks() / ROUNDS / runs / steps, wrong.get(style)));
        }
        return measured;
    }

    /** On rank 0, the row of a style. */
    Row row(String style, Who who, long n, Measured its, Measured baseline) {
        return new Row(study, style, "device", "device", "peer", rank.processes(), 0, its.times, its.steps, baseline.times, its.wrong)
                .with(Row.N, n).with(NotifyStudy.INITIATOR, who.initiator).with(NotifyStudy.WAITER, who.waiter)
                .with(NotifyStudy.REACH, "peer");
    }

    /** The same with processor times. */
    static Row withCpu(Row row, Measured its, Measured baseline) {
        return row.with(CPU_US, its.cpuUs).with(CPU_RATIO, its.cpuUs / baseline.cpuUs);
    }

    /** Passes a row on, on rank 0. */
    void add(Row row) {
        if (rank.rank() == 0) {
            out.accept(row);
        }
    }
}
