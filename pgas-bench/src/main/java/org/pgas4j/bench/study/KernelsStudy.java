package org.pgas4j.bench.study;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.bench.kernel.KernelCase;
import org.pgas4j.bench.kernel.KernelCases;
import org.pgas4j.bench.kernel.KernelMemories;
import org.pgas4j.bench.result.PairedRatio;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;

/**
 * Kernels written in Java, in turns with the same written in CUDA C++ by hand, or on the host device with a plain loop. Times
 * of kernels on GPUs are between events of their stream; results must have the same bits. Then what a launch of each takes the
 * host, loops over shared arrays by all ranks beside a plain kernel on each device ({@link LoopKernels}), and a block program
 * ({@link RingPrograms}).
 *
 * <p>Compile times: {@link #TRANSLATE_MS} of the class file; {@link #FIRST_MS} of the first launch after it, which rank 0 does
 * with an empty cache of kernels; {@link #DISK_MS} of the first launch of rank 1, which finds the kernel on disk, if the job
 * has one JVM.
 */
public final class KernelsStudy extends Study {

    /** Speed of the Java form, as a multiple of the other's: median of pairs. */
    public static final String SPEED = "speed";
    public static final String TRANSLATE_MS = "translate_ms";
    public static final String FIRST_MS = "first_ms";
    public static final String DISK_MS = "disk_ms";

    static final String NAME = "kernels";

    private static final int WARM_UPS = 3;
    private static final int QUICK_ROUNDS = 8;
    private static final int FULL_ROUNDS = 31;
    private static final int LAUNCHES = 200;
    private static final int THREADS = 32;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final long ROUND_NS = 4_000_000;

    private final KernelTimer timer;
    private final List<Double> speeds = new ArrayList<>();
    private double[] allJava;
    private double[] allOther;

    public KernelsStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.timer = new KernelTimer(rank);
    }

    public static long heapBytes(boolean gpu, StudyOptions options) {
        return LoopKernels.heapBytes(gpu && !options.quick());
    }

    private int rounds() {
        return options.quick() ? QUICK_ROUNDS : FULL_ROUNDS;
    }

    private boolean large() {
        return gpu && !options.quick();
    }

    /** Collective. */
    public void run() {
        allJava = new double[rounds()];
        allOther = new double[rounds()];
        for (Function<KernelMemories, KernelCase> making : KernelCases.all(large())) {
            try (KernelMemories memory = new KernelMemories(rank)) {
                measure(making.apply(memory));
            }
            rank.barrier();
        }
        addAll();
        try (KernelMemories memory = new KernelMemories(rank)) {
            launches(KernelCases.smallest(memory));
        }
        rank.barrier();
        new LoopKernels(rank, large(), rounds(), timer).run(this::add);
        new RingPrograms(rank, rounds()).run(this::add);
    }

    // ---- one kernel

    /** Milliseconds of the first launches of a form. */
    private record Compiled(double firstMs, double diskMs) {
    }

    private void measure(KernelCase of) {
        rank.stream().sync();
        long begin = System.nanoTime();
        KernelTranslator.translate(of.java(), KernelForm.GRID);
        double translateMs = (System.nanoTime() - begin) / NS_PER_MS;
        Compiled java = compile(() -> rank.stream().launch(of.shape(), of.java()));
        if (!first) {
            if (gpu) {
                compile(() -> launchCuda(of));
            }
            return;
        }
        KernelResult result = new KernelResult(rank, of.output());
        long wrong = gpu ? 0 : result.differing(of.plain().get());
        Compiled cuda = null;
        if (gpu) {
            byte[] bits = result.bytes();
            rank.stream().fill(of.output(), 0);
            cuda = compile(() -> launchCuda(of));
            wrong = result.differing(bits);
        }
        times(of, wrong, row -> row.with(TRANSLATE_MS, translateMs).with(FIRST_MS, java.firstMs)
                .with(DISK_MS, known(java.diskMs)), cuda);
    }

    private static Double known(double value) {
        return Double.isNaN(value) ? null : value;
    }

    /** Collective: first launches, one rank after the other. */
    private Compiled compile(Runnable launch) {
        double[] ms = new double[2];
        for (int turn = 0; turn < 2; turn++) {
            long ns = 0;
            if (rank.rank() == turn) {
                long begin = System.nanoTime();
                launch.run();
                rank.stream().sync();
                ns = System.nanoTime() - begin;
            }
            ms[turn] = rank.allReduce(ns, ReduceOp.MAX) / NS_PER_MS;
        }
        return new Compiled(ms[0], rank.processes() == 1 && gpu ? ms[1] : Double.NaN);
    }

    private void launchCuda(KernelCase of) {
        rank.stream().launch(of.cuda(), of.cudaShape(), of.arguments());
    }

    private void times(KernelCase of, long wrong, Function<Row, Row> compiled, Compiled cuda) {
        Runnable java = () -> rank.stream().launch(of.shape(), of.java());
        int count = (int) Math.clamp(ROUND_NS / (NS_PER_US * timer.us(java, 1)), 1, 50);
        double[] ours = new double[rounds()];
        double[] others = new double[rounds()];
        for (int round = -WARM_UPS; round < rounds(); round++) {
            double us = timer.us(java, count);
            double other = gpu ? timer.us(() -> launchCuda(of), count) : timer.plainUs(of.plain()::get, count);
            if (round >= 0) {
                ours[round] = us;
                others[round] = other;
                allJava[round] += us;
                allOther[round] += other;
            }
        }
        speeds.add(PairedRatio.of(others, ours).median());
        Row row = compiled.apply(row(of.name(), of.n(), ours, others, count, wrong));
        add(cuda == null ? row : row.with("cuda_" + FIRST_MS, cuda.firstMs).with("cuda_" + DISK_MS, known(cuda.diskMs)));
    }

    /** A row of pairs in microseconds. */
    private Row row(String op, long n, double[] ours, double[] others, int count, long wrong) {
        return row(rank, op, n, ours, others, count, wrong).with(Row.BASELINE, gpu ? "CUDA C++" : "plain loop");
    }

    static Row row(Rank rank, String op, long n, double[] ours, double[] others, int count, long wrong) {
        PairedRatio speed = PairedRatio.of(others, ours);
        return new Row(NAME, op, "device", "device", "local", rank.processes(), 0, histogram(ours), count,
                histogram(others), wrong)
                .with(Row.N, n).with(SPEED, speed.median()).with(SPEED + "_low", speed.low()).with(SPEED + "_high", speed.high());
    }

    private static Histogram histogram(double[] us) {
        Histogram histogram = SampleTimes.histogram();
        for (double each : us) {
            SampleTimes.record(histogram, each * NS_PER_US);
        }
        return histogram;
    }

    /** All kernels one after the other, and the median of their speeds. */
    private void addAll() {
        if (first) {
            double median = median(speeds.stream().mapToDouble(Double::doubleValue).toArray());
            add(row("all", speeds.size(), allJava, allOther, 1, 0).with("median_" + SPEED, median));
        }
    }

    // ---- launches

    /** Time of the host for a launch of a small kernel; many are queued before the stream is waited for. */
    private void launches(KernelCase of) {
        if (!first || !gpu) { // the host device has no other form to launch
            return;
        }
        Kernel.Shape one = new Kernel.Shape(1, THREADS);
        double[] ours = new double[rounds()];
        double[] others = new double[rounds()];
        for (int round = -WARM_UPS; round < rounds(); round++) {
            double us = timer.callsUs(() -> rank.stream().launch(one, of.java()), LAUNCHES);
            double other = timer.callsUs(() -> rank.stream().launch(of.cuda(), one, of.arguments()), LAUNCHES);
            if (round >= 0) {
                ours[round] = us;
                others[round] = other;
            }
        }
        add(row("launch", of.n(), ours, others, LAUNCHES, 0).with("added_us", median(ours) - median(others)));
    }

    private static double median(double[] values) {
        double[] ones = new double[values.length];
        Arrays.fill(ones, 1);
        return PairedRatio.of(values, ones).median();
    }
}
