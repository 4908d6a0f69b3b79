package org.pgas4j.bench.study;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Runs an example program in several styles, in turns, so that a drift of the machine's speed meets all of them. Each style is
 * verified in one run of its own before.
 *
 * @param <S> the program's styles
 */
public abstract class ExampleStudy<S> extends Study {

    /** Processor time of a rank's thread for a step. */
    public static final String CPU_US = "cpu_us";
    /** The same, as a multiple of what it is compared with. */
    public static final String CPU_RATIO = "cpu_ratio";

    /** Shared device memory beside the example's own. */
    static final long ROOM = 32L << 20;

    private static final int ROUNDS = 3;
    private static final double NS_PER_US = 1e3;

    /** The program, as the calling rank takes part in it. */
    @FunctionalInterface
    interface Program<S> {

        /** Collective: runs it, after one run that is not measured. */
        Outcome run(S style, int runs, boolean verify);
    }

    /**
     * Result of a program.
     *
     * @param ns    of each run; rank 0's count
     * @param cpuNs of this rank's thread in all runs
     * @param wrong values or runs that are wrong; negative if not verified
     */
    record Outcome(long[] ns, long cpuNs, long wrong) {
    }

    /**
     * Summary of a style.
     *
     * @param times picoseconds of a step
     * @param steps of a run, which is a sample
     * @param cpuUs of a rank's thread in a step, the ranks' mean
     * @param wrong values or runs
     */
    record Measured(Histogram times, int steps, double cpuUs, long wrong) {

        double p50() {
            return SampleTimes.median(times);
        }
    }

    /** Starts communication and waits for it: host, stream or kernel. */
    record Sides(String initiator, String waiter) {

        static final Sides HOSTS = new Sides("host", "host");
        static final Sides STREAMS = new Sides("stream", "stream");
        static final Sides KERNELS = new Sides("kernel", "kernel");
    }

    /**
     * A style with the example's own block program, in Java, or with the one that was written by hand.
     *
     * @param isCuda whether it is the one in CUDA C++ of {@link org.pgas4j.bench.baseline}
     */
    record Form<E extends Enum<E>>(E style, boolean isCuda) {

        @Override
        public String toString() {
            return isCuda ? style + "-cuda" : style.toString();
        }
    }

    private final String study;

    ExampleStudy(Rank rank, String study, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.study = study;
    }

    /**
     * Collective.
     *
     * @param steps of a run, for the time of one
     */
    final Map<S, Measured> measure(List<S> styles, int steps, Program<S> program) {
        int runs = options.quick() ? 2 : 5;
        Map<S, Histogram> times = new LinkedHashMap<>();
        Map<S, Long> wrong = new LinkedHashMap<>();
        Map<S, Long> cpuNs = new LinkedHashMap<>();
        for (S style : styles) {
            times.put(style, SampleTimes.histogram());
            wrong.put(style, Math.max(0, program.run(style, 1, true).wrong));
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (S style : styles) {
                Outcome outcome = program.run(style, runs, false);
                for (long ns : outcome.ns) {
                    SampleTimes.record(times.get(style), (double) ns / steps);
                }
                wrong.merge(style, Math.max(0, outcome.wrong), Long::sum);
                cpuNs.merge(style, rank.allReduce(outcome.cpuNs, ReduceOp.SUM), Long::sum);
            }
        }
        Map<S, Measured> measured = new LinkedHashMap<>();
        styles.forEach(style -> measured.put(style, new Measured(times.get(style), steps,
                cpuNs.get(style) / NS_PER_US / rank.ranks() / ROUNDS / runs / steps, wrong.get(style))));
        return measured;
    }

    /** All styles, and on GPUs those of {@code byHand} a second time. */
    final <E extends Enum<E>> List<Form<E>> forms(E[] styles, List<E> byHand) {
        List<Form<E>> forms = new ArrayList<>();
        for (E style : styles) {
            forms.add(new Form<>(style, false));
            if (gpu && byHand.contains(style)) {
                forms.add(new Form<>(style, true));
            }
        }
        return forms;
    }

    /** The row of a style. */
    final Row row(S style, Sides sides, long n, Measured its, Measured baseline) {
        return new Row(study, style.toString(), "device", "device", "peer", rank.processes(), 0, its.times, its.steps,
                baseline.times, its.wrong).with(Row.N, n).with(Row.INITIATOR, sides.initiator).with(Row.WAITER, sides.waiter)
                .with(Row.REACH, "peer").with(CPU_US, its.cpuUs).with(CPU_RATIO, its.cpuUs / baseline.cpuUs);
    }
}
