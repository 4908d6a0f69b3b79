package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.pgas4j.UsageException;
import org.pgas4j.examples.matmul.io.MatrixFiles;
import org.pgas4j.examples.matmul.io.MatrixMarketReader;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.RandomMatrix;
import org.pgas4j.examples.matmul.io.SizeCheck;

/**
 * A and B, both n x n. Every JVM of the job makes its own, before the job starts: what is wrong with them is said
 * before any shared memory is taken.
 *
 * @param aName where A came from
 * @param bName where B came from
 */
record Inputs(MatrixSource a, String aName, MatrixSource b, String bName) {

    private static final String BUNDLED = "bcsstk13";

    /** Rows and columns of A, B and C. */
    int n() {
        return a.columns();
    }

    /**
     * Reads or makes the matrices the options ask for.
     *
     * @param ranks what is known of their number, which is at most the number of columns
     * @param arena owner of dense matrices; shared
     * @throws UsageException if a file or a size is wrong
     */
    static Inputs load(MatmulOptions options, RankCount ranks, Arena arena) {
        SizeCheck sizeOfA = (name, rows, columns) -> {
            if (rows != columns) {
                throw new UsageException(name + ": " + rows + " x " + columns + " (expected: square)");
            }
            Columns.checkRanks(columns, ranks.fewest());
            MemoryNeed.of(columns, ranks, options).check();
        };
        if (options.n() != null) {
            int n = options.n();
            sizeOfA.check("--n", n, n);
            return new Inputs(new RandomMatrix(n, options.seed(), 0), "random",
                    new RandomMatrix(n, options.seed(), 1), "random");
        }
        MatrixSource a = options.a() == null ? bundled(sizeOfA, arena) : MatrixFiles.read(options.a(), sizeOfA, arena);
        String aName = options.a() == null ? BUNDLED : name(options.a());
        checkRange(a, aName, options);
        if (options.b() == null) {
            return new Inputs(a, aName, a, aName);
        }
        MatrixSource b = MatrixFiles.read(options.b(), (name, rows, columns) -> {
            if (rows != a.rows() || columns != a.columns()) {
                throw new UsageException(name + ": " + rows + " x " + columns + ", but A (" + aName + ") is " + a.rows()
                        + " x " + a.columns() + " (expected: equal sizes)");
            }
        }, arena);
        checkRange(b, name(options.b()), options);
        return new Inputs(a, aName, b, name(options.b()));
    }

    private static MatrixSource bundled(SizeCheck check, Arena arena) {
        try (InputStream in = Inputs.class.getResourceAsStream(BUNDLED + ".mtx")) {
            if (in == null) {
                throw new UsageException("the matrix " + BUNDLED + " is not on the class path; give one with --a");
            }
            return MatrixMarketReader.read(in, BUNDLED + ".mtx", Long.MAX_VALUE, check, arena);
        } catch (IOException e) {
            throw new UsageException("the matrix " + BUNDLED + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** No value may become infinite as a float. */
    private static void checkRange(MatrixSource matrix, String name, MatmulOptions options) {
        if (options.dtype() != MatmulOptions.Dtype.F32) {
            return;
        }
        double largest = IntStream.range(0, matrix.columns()).parallel().mapToDouble(j -> {
            double[] column = new double[matrix.rows()];
            matrix.column(j, column);
            double max = 0;
            for (double value : column) {
                max = Math.max(max, Math.abs(value));
            }
            return max;
        }).max().orElse(0);
        if (largest > Float.MAX_VALUE) {
            throw new UsageException(name + ": a value of magnitude " + largest
                    + " does not fit --dtype f32 (expected: <= " + Float.MAX_VALUE + "); use --dtype f64");
        }
    }

    private static String name(Path file) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }
}
