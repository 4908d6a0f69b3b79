package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;
import org.pgas4j.examples.matmul.MatmulSummary.Iteration;
import org.pgas4j.examples.matmul.io.DenseMatrix;
import org.pgas4j.examples.matmul.io.Npy;

/**
 * Repeats a multiplication on all ranks, times it from barrier to barrier and checks rank 0's C after each. Compute is the longest
 * time that a rank's device spent multiplying, total the time between the barriers on rank 0, and communication the difference: the
 * cost of the puts beyond what they hid behind the product.
 */
final class MatmulMeasurement {

    /** One multiplication by one rank, complete at rank 0 when it has returned on all ranks. */
    @FunctionalInterface
    interface Multiplication {
        /** Runs it; milliseconds this rank's device spent multiplying. */
        double run() throws Exception;
    }

    private final Rank rank;
    private final MatmulCase of;
    private final Inputs inputs;
    private final PrintStream out;
    private ProductReference reference;

    MatmulMeasurement(Rank rank, MatmulCase of, Inputs inputs, PrintStream out) {
        this.rank = rank;
        this.of = of;
        this.inputs = inputs;
        this.out = out;
    }

    /**
     * Collective. Returns the result on rank 0, null elsewhere.
     *
     * @param a n x n, this rank's copy filled
     * @param c n x n on rank 0
     */
    MatmulSummary run(SharedArray a, SharedArray c, Multiplication multiplication) throws Exception {
        Product product = Product.onRank0(rank, c);
        boolean first = rank.rank() == 0;
        int devices = (int) rank.allReduce((long) rank.device().ordinal(), ReduceOp.MAX) + 1;   // of the ranks of this machine
        MatmulReport report = new MatmulReport(out, rank, of, inputs, devices);
        MatmulSummary summary = null;
        List<Iteration> products = new ArrayList<>();
        List<Double> baselinesMs = new ArrayList<>();
        try (Baseline baseline = first && of.baseline() ? Baseline.of(rank, inputs, of.dtype(), a, c) : null;
             Arena arena = Arena.ofShared()) {
            MemorySegment copy = first && (of.verify() || of.out() != null)
                    ? arena.allocate(product.type().bytes((long) inputs.n() * inputs.n()), Double.BYTES) : null;
            for (int i = 1 - of.warmup(); i <= of.iterations(); i++) {
                double baselineMs = baseline == null ? 0 : baseline.multiplyMs();
                Iteration timed = time(i, product, multiplication);
                if (first && i > 0) {
                    products.add(new Iteration(i, timed.n(), timed.computeMs(), timed.totalMs(), check(product, copy)));
                    baselinesMs.add(baselineMs);
                    report.product(products.getLast());
                }
            }
            if (first) {
                summary = new MatmulSummary(products, baselinesMs, devices,
                        reference == null ? Double.NaN : reference.tolerance(product.type()),
                        reference == null ? "none" : reference.method());
                report.summary(summary);
                write(copy, product);
            }
        }
        rank.barrier();
        return summary;
    }

    private Iteration time(int number, Product product, Multiplication multiplication) throws Exception {
        product.forget();                             // every value that is checked afterwards came with this product
        rank.barrier();
        long start = System.nanoTime();
        double computeMs = multiplication.run();
        rank.barrier();
        double totalMs = (System.nanoTime() - start) / 1e6;
        return new Iteration(number, inputs.n(), Math.min(rank.allReduce(computeMs, ReduceOp.MAX), totalMs), totalMs, Double.NaN);
    }

    /** Relative error of C; NaN if it is not to be checked. */
    private double check(Product product, MemorySegment copy) {
        if (copy != null) {
            product.read(copy);
        }
        if (!of.verify()) {
            return Double.NaN;
        }
        if (reference == null) {
            reference = ProductReference.of(inputs.a(), inputs.b());
        }
        return reference.relativeError(matrix(copy, product));
    }

    private DenseMatrix matrix(MemorySegment copy, Product product) {
        return new DenseMatrix(inputs.n(), inputs.n(), product.type(), copy, "C");
    }

    private void write(MemorySegment copy, Product product) throws IOException {
        if (of.out() != null) {
            Npy.write(of.out(), matrix(copy, product));
        }
    }
}
