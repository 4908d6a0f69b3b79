package org.pgas4j.examples.matmul;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.pgas4j.Buffer;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Range;
import org.pgas4j.examples.common.JsonLine;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;

/**
 * Repeats a product of global matrices, times it from barrier to barrier on rank 0, and checks columns of C after each. With a
 * baseline the ranks' shares by the plain library come before the product in even iterations and behind it in odd ones; what the
 * product takes beyond them is exposed communication.
 */
final class GlobalMeasurement {

    /** One product: its time, that of the library's shares or NaN, and the largest residual or NaN. */
    private record Iteration(int number, double totalMs, double libraryMs, double residual) {
    }

    private final Rank rank;
    private final Inputs inputs;
    private final MatmulCase of;
    private final GlobalLayout layout;
    private final PrintStream out;
    private final int devices;
    private ColumnCheck check;
    private boolean headed;

    /** Collective. */
    GlobalMeasurement(Rank rank, Inputs inputs, MatmulCase of, GlobalLayout layout, PrintStream out) {
        this.rank = rank;
        this.inputs = inputs;
        this.of = of;
        this.layout = layout;
        this.out = out;
        this.devices = (int) rank.allReduce((long) rank.device().ordinal(), ReduceOp.MAX) + 1;
    }

    /** Collective. Returns the largest residual on rank 0, 0 elsewhere and where nothing was checked. */
    double run(GlobalArray a, GlobalArray b, GlobalArray c, Runnable product) {
        List<Iteration> iterations = new ArrayList<>();
        try (LibraryShare library = of.baseline() ? new LibraryShare(rank, of, a, b) : null;
                Buffer whole = of.gather() && rank.rank() == 0
                        ? DeviceArrays.alloc(rank, c.type(), c.length(0) * c.length(1), "--gather") : null) {
            for (int i = 1 - of.warmup(); i <= of.iterations(); i++) {
                boolean libraryFirst = i % 2 == 0;
                double libraryMs = library != null && libraryFirst ? library.multiplyMs() : Double.NaN;
                c.fill(c.type().isFloatingPoint() ? (Number) Double.NaN : (Number) Integer.MIN_VALUE);
                double totalMs = totalMs(c, product, whole);
                if (library != null && !libraryFirst) {
                    libraryMs = library.multiplyMs();
                }
                if (i > 0 && rank.rank() == 0) {
                    iterations.add(new Iteration(i, totalMs, libraryMs, residual(c, whole)));
                    print(iterations.getLast());
                }
            }
        }
        rank.barrier();
        if (rank.rank() > 0) {
            return 0;
        }
        Iteration middle = median(iterations, Iteration::totalMs);
        Iteration median = new Iteration(middle.number(), middle.totalMs(), median(iterations, Iteration::libraryMs).libraryMs(),
                middle.residual());
        double residual = iterations.stream().mapToDouble(Iteration::residual).max().orElse(0);
        summary(median, residual);
        return of.verify() ? residual : 0;
    }

    private static Iteration median(List<Iteration> iterations, ToDoubleFunction<Iteration> time) {
        return iterations.stream().sorted(Comparator.comparingDouble(time)).toList().get(iterations.size() / 2);
    }

    private double totalMs(GlobalArray c, Runnable product, Buffer whole) {
        rank.barrier();
        long start = System.nanoTime();
        product.run();
        if (whole != null) {
            c.all().get(whole);
        }
        rank.barrier();
        return (System.nanoTime() - start) / 1e6;
    }

    /** Reads the columns that are checked. */
    private double residual(GlobalArray c, Buffer whole) {
        if (!of.verify()) {
            return Double.NaN;
        }
        if (check == null) {
            check = new ColumnCheck(inputs, of.dtype(), layout.grid().q());
        }
        double largest = 0;
        long rows = c.length(1);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(c.type().bytes(rows), Double.BYTES);
            Buffer column = Buffer.ofHost(memory, c.type());
            for (int which = 0; which < check.columns().length; which++) {
                long j = check.columns()[which];
                if (whole == null) {
                    c.section(Range.at(j), Range.of(0, rows)).get(column);
                } else {
                    rank.stream().copy(column, whole.slice(j * rows, rows));
                    rank.stream().sync();
                }
                largest = Math.max(largest, check.residual(which, memory));
            }
        }
        return largest;
    }

    private double gflops(double ms) {
        return 2.0 * inputs.rows() * inputs.columns() * inputs.n() / (ms * 1e6);
    }

    private JsonLine times(JsonLine line, Iteration product) {
        line.add("total_ms", product.totalMs()).add("gflops", gflops(product.totalMs()))
                .add("gflops_device", gflops(product.totalMs()) / devices);
        if (of.baseline()) {
            line.add("library_gflops_device", gflops(product.libraryMs()) / devices)
                    .add("ratio", product.libraryMs() / product.totalMs())
                    .add("exposed_ms", product.totalMs() - product.libraryMs());
        }
        return line;
    }

    private void print(Iteration product) {
        JsonLine line = times(new JsonLine().add("iteration", product.number()), product).add("residual", product.residual());
        if (!of.json() && !headed) {
            print("C = A*B  A = %s (%d x %d, %s), B = %s (%d x %d), %s%n", inputs.aName(), inputs.rows(), inputs.n(),
                    inputs.a().description(), inputs.b() == inputs.a() ? "A" : inputs.bName(), inputs.n(), inputs.columns(),
                    of.dtype());
            print("%d ranks in %d processes, %d devices of %s (%s), algorithm %s, grid %s%s, C %s%n%n%s%n", rank.ranks(),
                    rank.processes(), devices, rank.device().backend(), rank.device().name(), of.algorithm(), layout.grid(),
                    of.block() == 0 ? "" : ", blocks of " + of.block(), of.gather() ? "gathered" : "distributed", line.heading());
            headed = true;
        }
        print("%s%n", of.json() ? line : line.cells());
    }

    private void summary(Iteration median, double residual) {
        String method = check == null ? "none" : check.method(inputs.columns());
        if (of.json()) {
            JsonLine line = new JsonLine().add("m", inputs.rows()).add("n", inputs.columns()).add("k", inputs.n())
                    .add("a", inputs.aName()).add("b", inputs.bName()).add("ranks", rank.ranks()).add("processes", rank.processes())
                    .add("device", rank.device().backend().toString()).add("device_name", rank.device().name())
                    .add("devices", devices).add("dtype", of.dtype()).add("algorithm", of.algorithm()).add("grid", layout.grid())
                    .add("block", of.block()).add("transposed", of.transposed()).add("gathered", of.gather())
                    .add("iterations", of.iterations());
            print("%s%n", times(line, median).add("residual", residual).add("limit", ColumnCheck.LIMIT).add("verify", method));
            return;
        }
        print("%s%n%n", times(new JsonLine().add("iteration", "median"), median).add("residual", residual).cells());
        if (of.baseline()) {
            print("library alone on each rank's share: %.1f GFLOP/s a device; this run has %.1f %% of that, exposed communication"
                    + " is %.1f %%%n", gflops(median.libraryMs()) / devices, 100 * median.libraryMs() / median.totalMs(),
                    100 * (1 - median.libraryMs() / median.totalMs()));
        }
        if (check == null) {
            print("not verified%n");
        } else {
            print("%s: scaled residual %.2e, %s than %.0f (%s against plain loops in Java)%n",
                    residual <= ColumnCheck.LIMIT ? "verified" : "WRONG", residual,
                    residual <= ColumnCheck.LIMIT ? "less" : "not less", ColumnCheck.LIMIT, method);
        }
    }

    private void print(String format, Object... args) {
        out.printf(Locale.ROOT, format, args);
        out.flush();
    }
}
