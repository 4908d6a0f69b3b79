package org.pgas4j.examples.matmul;

import java.util.Arrays;
import org.pgas4j.Block;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Rank;
import org.pgas4j.RankProgram;
import org.pgas4j.Stream;
import org.pgas4j.UsageException;
import org.pgas4j.examples.matmul.io.MatrixSource;

/**
 * The rate of the plain library, cuBLAS or OpenBLAS, on one device: the whole product, no communication. As a program
 * it is a job of one rank, which on the host has all cores to itself.
 */
final class Baseline implements RankProgram {

    private final Inputs inputs;
    private final MatmulOptions options;
    private double gflops;

    Baseline(Inputs inputs, MatmulOptions options) {
        this.inputs = inputs;
        this.options = options;
    }

    /** Median over the iterations in 10^9 operations a second; 0 before the job has run. */
    double gflops() {
        return gflops;
    }

    @Override
    public void run(Rank rank) {
        long n = inputs.n();
        Block a = rank.device().alloc(options.type(), n * n);
        Block c = rank.device().alloc(options.type(), n * n);
        DeviceArrays.upload(rank, inputs.a(), new Columns(0, n), a);
        gflops = measure(rank, inputs.b(), a, c, options.iterations());
    }

    /**
     * Multiplies {@code a} with all of B, on this rank's device alone.
     *
     * @param a n x n on the device
     * @param c n x n on the device, overwritten
     * @return median over {@code iterations}, in 10^9 operations a second
     */
    static double measure(Rank rank, MatrixSource b, Block a, Block c, int iterations) {
        long n = b.columns();
        ElementType type = a.type();
        long free = rank.device().freeBytes();
        if (free < type.bytes(n * n)) {
            throw new UsageException("no memory for --baseline: it takes " + MemoryNeed.text(type.bytes(n * n))
                    + " more, " + MemoryNeed.text(free) + " are free on " + rank.device().name());
        }
        Block all = rank.device().alloc(type, n * n);
        DeviceArrays.upload(rank, b, new Columns(0, n), all);
        double[] ms = new double[iterations + 1];
        for (int i = 0; i < ms.length; i++) {
            ms[i] = multiply(rank.stream(), n, a, all, c);
        }
        all.deviceMemory().close();
        double[] measured = Arrays.copyOfRange(ms, 1, ms.length);   // the first one starts the library
        Arrays.sort(measured);
        return Iteration.gflops(n, measured[(iterations - 1) / 2]);
    }

    private static double multiply(Stream stream, long n, Block a, Block b, Block c) {
        try (Event start = stream.record()) {
            stream.gemm(n, n, n, 1, a, n, b, n, 0, c, n);
            try (Event end = stream.record()) {
                stream.sync();
                return end.millisSince(start);
            }
        }
    }
}
