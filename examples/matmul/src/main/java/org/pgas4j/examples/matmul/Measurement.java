package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.examples.matmul.io.DenseMatrix;
import org.pgas4j.examples.matmul.io.NpyWriter;

/**
 * Repeats a multiplication on all ranks, times it from barrier to barrier and checks what is at rank 0 after each. One
 * object serves all ranks of a JVM; only rank 0's thread changes it.
 *
 * <p>Compute is the longest time a rank's device spent multiplying, total is the time between the barriers on rank 0,
 * and communication is the difference: what the puts cost beyond what they hid behind the product.
 */
final class Measurement {

    /** One multiplication by one rank, complete at rank 0 when it returns on all ranks. */
    @FunctionalInterface
    interface Multiplication {
        /** Runs it; milliseconds this rank's device spent multiplying. */
        double run() throws Exception;
    }

    private static final int SPOILED = 0xff;   // all bits set is NaN in float and double

    private final MatmulOptions options;
    private final Inputs inputs;
    private final Report report;
    private final Progress progress;
    private final List<Iteration> measured = new ArrayList<>();
    private final List<Double> baselinesMs = new ArrayList<>();
    private Reference reference;
    private Summary summary;

    Measurement(MatmulOptions options, Inputs inputs, Report report, Progress progress) {
        this.options = options;
        this.inputs = inputs;
        this.report = report;
        this.progress = progress;
    }

    /** Null in a JVM without rank 0, and until {@link #run} has returned. */
    Summary summary() {
        return summary;
    }

    /**
     * Collective.
     *
     * @param a n x n, this rank's copy filled
     * @param c n x n on rank 0
     */
    void run(Rank rank, SharedArray a, SharedArray c, Multiplication multiplication) throws Exception {
        boolean first = rank.rank() == 0;
        int devices = devices(rank);
        if (first) {
            report.start(Setup.of(rank, inputs, options, devices));
        }
        try (Baseline baseline = baseline(rank, a, c); Arena arena = Arena.ofShared()) {
            MemorySegment copy = first && (options.verify() || options.out() != null)
                    ? arena.allocate(c.type().bytes(c.length()), Double.BYTES) : null;
            for (int i = 1 - options.warmup(); i <= options.iterations(); i++) {
                double baselineMs = baseline == null ? 0 : baseline.multiplyMs();
                Times times = time(rank, c, multiplication);
                if (first && i > 0) {
                    baselinesMs.add(baselineMs);
                    record(times.iteration(i, inputs.n(), check(rank, c, copy)));
                }
                if (first) {
                    progress.step();
                }
            }
            if (first) {
                summary = Summary.of(measured, Setup.of(rank, inputs, options, devices), tolerance(c.type()),
                        method(), library());
                progress.close();
                report.end(summary);
                write(copy, c.type());
            }
        }
        rank.barrier();
    }

    private record Times(double computeMs, double totalMs) {

        Iteration iteration(int number, int n, double relativeError) {
            return Iteration.of(number, n, Math.min(computeMs, totalMs), totalMs, relativeError);
        }
    }

    private static Times time(Rank rank, SharedArray c, Multiplication multiplication) throws Exception {
        if (rank.rank() == 0) {
            rank.stream().fill(c.local(), SPOILED);   // what is checked afterwards came with this iteration
            rank.stream().sync();
        }
        rank.barrier();
        long start = System.nanoTime();
        double computeMs = multiplication.run();
        rank.barrier();
        double totalMs = (System.nanoTime() - start) / 1e6;
        return new Times(rank.allReduce(computeMs, ReduceOp.MAX), totalMs);
    }

    /** On the host in a JVM of its own, which has all cores; on a GPU here. Null if not wanted, or not on rank 0. */
    private Baseline baseline(Rank rank, SharedArray a, SharedArray c) throws IOException {
        if (!options.baseline() || rank.rank() != 0) {
            return null;
        }
        return rank.device().backend() == Backend.HOST ? new LibraryProcess(options)
                : new LibraryOnDevice(rank, a.local(), inputs.b(), c.local());
    }

    /** Number of devices the ranks of this machine are bound to; ranks bound to one share it. */
    private static int devices(Rank rank) {
        return (int) rank.allReduce((long) rank.device().ordinal(), ReduceOp.MAX) + 1;
    }

    /** Relative error of what is at rank 0 now; NaN if it is not to be checked. */
    private double check(Rank rank, SharedArray c, MemorySegment copy) {
        if (copy != null) {
            rank.stream().copy(Buffer.ofHost(copy, c.type()), c.local());
            rank.stream().sync();
        }
        if (!options.verify()) {
            return Double.NaN;
        }
        if (reference == null) {
            reference = References.of(inputs.a(), inputs.b());
        }
        return reference.relativeError(matrix(copy, c.type()));
    }

    private void record(Iteration iteration) {
        measured.add(iteration);
        progress.makeRoom();
        report.iteration(iteration);
    }

    private double tolerance(ElementType type) {
        return reference == null ? Double.NaN : reference.tolerance(type);
    }

    private String method() {
        return reference == null ? "none" : reference.method();
    }

    private LibraryRate library() {
        return options.baseline() ? LibraryRate.of(inputs.n(), baselinesMs) : LibraryRate.NONE;
    }

    private DenseMatrix matrix(MemorySegment copy, ElementType type) {
        return new DenseMatrix(inputs.n(), inputs.n(), type, copy, "C");
    }

    private void write(MemorySegment copy, ElementType type) throws IOException {
        if (options.out() != null) {
            NpyWriter.write(options.out(), matrix(copy, type));
        }
    }
}
