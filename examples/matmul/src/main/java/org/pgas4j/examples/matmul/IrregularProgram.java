package org.pgas4j.examples.matmul;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Gemm;
import org.pgas4j.Handle;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.array.SharedCounter;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;

/**
 * C = A * B in tiles that no rank has beforehand: each takes the next tile of C from a counter, reads the tiles of A and B that
 * it needs from the ranks that have them, one pair after the other, multiplies, and works on the tile for a time that depends on
 * it. So each rank reads, at times that none foresees, from ranks that compute. Where only messages reach a device, their helper
 * threads answer; without helpers a read takes as long as what the owner waits for.
 */
final class IrregularProgram {

    private static final double NS_PER_MS = 1e6;

    private final Rank rank;
    private final Inputs inputs;
    private final MatmulCase of;
    private final PrintStream out;
    private final IrregularTiles a;
    private final IrregularTiles b;
    private final IrregularTiles c;
    private final Buffer left;
    private final Buffer right;
    private final Buffer sums;
    private final Gemm gemm;
    private long waitedNs;
    private long taken;

    private IrregularProgram(Rank rank, Inputs inputs, MatmulCase of, PrintStream out, IrregularTiles a, IrregularTiles b,
                             IrregularTiles c) {
        this.rank = rank;
        this.inputs = inputs;
        this.of = of;
        this.out = out;
        this.a = a;
        this.b = b;
        this.c = c;
        this.left = DeviceArrays.alloc(rank, of.dtype().type(), a.count() * a.across(), "a row of tiles of A");
        this.right = DeviceArrays.alloc(rank, of.dtype().type(), b.count() * b.down(), "a column of tiles of B");
        this.sums = DeviceArrays.alloc(rank, of.dtype().resultType(), c.count(), "a tile of C");
        this.gemm = Gemm.of(of.dtype().precision(), of.tile(), of.tile(), of.tile());
    }

    /** Collective. Returns the largest residual on rank 0, 0 elsewhere and where nothing was checked. */
    static double run(Rank rank, Inputs inputs, MatmulCase of, PrintStream out) {
        try (IrregularTiles a = new IrregularTiles(rank, of.dtype(), false, inputs.rows(), inputs.n(), of.tile());
                IrregularTiles b = new IrregularTiles(rank, of.dtype(), false, inputs.n(), inputs.columns(), of.tile());
                IrregularTiles c = new IrregularTiles(rank, of.dtype(), true, inputs.rows(), inputs.columns(), of.tile());
                SharedCounter next = SharedCounter.allocate(rank, 0)) {
            a.fill(inputs.a());
            b.fill(inputs.b());
            IrregularProgram program = new IrregularProgram(rank, inputs, of, out, a, b, c);
            double residual = program.measure(next);
            program.left.close();
            program.right.close();
            program.sums.close();
            return residual;
        }
    }

    /** Repeats the product; times are from barrier to barrier on rank 0, waits the largest of a rank. */
    private double measure(SharedCounter next) {
        double residual = 0;
        double[] total = new double[of.iterations()];
        double[] waited = new double[of.iterations()];
        for (int i = -of.warmup(); i < of.iterations(); i++) {
            c.array().fill(c.array().type().isFloatingPoint() ? (Number) Double.NaN : (Number) Integer.MIN_VALUE);
            next.reset(0);
            waitedNs = 0;
            taken = 0;
            long start = System.nanoTime();
            multiply(next);
            rank.barrier();
            double ms = (System.nanoTime() - start) / NS_PER_MS;
            double waitMs = rank.allReduce(waitedNs / NS_PER_MS, ReduceOp.MAX);
            long most = rank.allReduce(taken, ReduceOp.MAX);
            if (i >= 0) {
                total[i] = ms;
                waited[i] = waitMs;
                double its = rank.rank() == 0 && of.verify() ? residual() : 0;
                residual = Math.max(residual, its);
                print(new JsonLine().add("iteration", i + 1).add("total_ms", ms, 3).add("waited_ms", waitMs, 3)
                        .add("most_tiles", most).add("residual", of.verify() ? its : Double.NaN));
            }
            rank.barrier();
        }
        if (rank.rank() == 0) {
            summary(median(total), median(waited), residual);
        }
        return residual;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[(values.length - 1) / 2];
    }

    private void multiply(SharedCounter next) {
        long tiles = (long) c.down() * c.across();
        for (long tile = next(next); tile < tiles; tile = next(next)) {
            multiply((int) (tile % c.down()), (int) (tile / c.down()), tile);
            taken++;
        }
    }

    private long next(SharedCounter next) {
        long start = System.nanoTime();
        long number = next.next();
        waitedNs += System.nanoTime() - start;
        return number;
    }

    /** A tile of C: pair after pair, then the kernel that works on it; it is at its owner after the next barrier. */
    private void multiply(int i, int j, long tile) {
        for (int l = 0; l < a.across(); l++) {
            Buffer tileOfA = left.slice(l * a.count(), a.count());
            Buffer tileOfB = right.slice(l * b.count(), b.count());
            long start = System.nanoTime();
            Handle first = rank.rma().get(tileOfA, a.tile(i, l), Completion.HANDLE);
            Handle second = rank.rma().get(tileOfB, b.tile(l, j), Completion.HANDLE);
            first.sync();
            second.sync();
            waitedNs += System.nanoTime() - start;
            rank.stream().gemm(gemm.factors(1, l == 0 ? 0 : 1), tileOfA, tileOfB, sums);
        }
        StandInKernel.launch(rank, of.kernelMs(), tile);
        rank.stream().memput(c.tile(i, j), sums);
        rank.stream().sync();
    }

    private double residual() {
        ColumnCheck check = new ColumnCheck(inputs, of.dtype(), c.across());
        double largest = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment column = arena.allocate(c.array().type().bytes(inputs.rows()), Double.BYTES);
            for (int which = 0; which < check.columns().length; which++) {
                c.column(check.columns()[which], column);
                largest = Math.max(largest, check.residual(which, column));
            }
        }
        return largest;
    }

    private void print(JsonLine line) {
        if (rank.rank() == 0) {
            out.println(of.json() ? line : line.cells());
            out.flush();
        }
    }

    private void summary(double totalMs, double waitedMs, double residual) {
        JsonLine line = new JsonLine().add("m", inputs.rows()).add("n", inputs.columns()).add("k", inputs.n())
                .add("ranks", rank.ranks()).add("processes", rank.processes()).add("device", rank.device().backend().toString())
                .add("dtype", of.dtype()).add("algorithm", "irregular").add("tile", of.tile()).add("kernel_ms", of.kernelMs())
                .add("iterations", of.iterations()).add("total_ms", totalMs, 3).add("waited_ms", waitedMs, 3)
                .add("residual", of.verify() ? residual : Double.NaN).add("limit", ColumnCheck.LIMIT);
        if (of.json()) {
            print(line);
            return;
        }
        out.printf(Locale.ROOT, "%d tiles of %d x %d from %d ranks, kernels of %s ms: median %.3f ms, of which a rank waited %.3f"
                + " ms for tiles%n", (long) c.down() * c.across(), of.tile(), of.tile(), rank.ranks(), of.kernelMs(), totalMs,
                waitedMs);
        out.println(!of.verify() ? "not verified" : String.format(Locale.ROOT, "%s: scaled residual %.2e, limit %.0f",
                residual <= ColumnCheck.LIMIT ? "verified" : "WRONG", residual, ColumnCheck.LIMIT));
    }
}
