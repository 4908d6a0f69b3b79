package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.pgas4j.UsageException;
import org.pgas4j.examples.matmul.Matmul.Dtype;
import org.pgas4j.examples.matmul.io.MatrixFiles;
import org.pgas4j.examples.matmul.io.MatrixMarketReader;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.MatrixSource.SizeCheck;
import org.pgas4j.examples.matmul.io.RandomMatrix;
import org.pgas4j.examples.matmul.io.WholeMatrix;

/**
 * A and B. Every JVM of the job makes its own, before the job starts: an error in them is reported
 * before any shared memory is taken.
 *
 * @param aName   origin of A
 * @param bName   origin of B
 * @param options that give the same matrices to another JVM
 */
record Inputs(MatrixSource a, String aName, MatrixSource b, String bName, List<String> options) {

    private static final String BUNDLED = "bcsstk13";

    /** Columns of A and rows of B; of square matrices all there is. */
    int n() {
        return a.columns();
    }

    /** Rows of A and C. */
    int rows() {
        return a.rows();
    }

    /** Columns of B and C. */
    int columns() {
        return b.columns();
    }

    /**
     * Reads or makes the matrices.
     *
     * @param aFile   null for the one that comes with the example
     * @param bFile   null for A
     * @param shape   of random matrices; null for files
     * @param arena   owner of dense matrices; shared
     * @param sizeOfA called with the size of A before it is read
     * @throws UsageException if a file or a size is wrong
     */
    static Inputs load(Path aFile, Path bFile, MatmulShape shape, int seed, Dtype dtype, Arena arena, SizeCheck sizeOfA) {
        List<String> options = new ArrayList<>();
        if (shape != null) {
            if (shape.isSquare()) {
                sizeOfA.check("--n", shape.m(), shape.m());
            }
            return new Inputs(random(shape.m(), shape.k(), seed, 0, dtype), "random", random(shape.k(), shape.n(), seed, 1, dtype),
                    "random", List.of(shape.isSquare() ? "--n" : "--shape", shape.isSquare() ? Integer.toString(shape.m())
                            : shape.toString(), "--seed", Integer.toString(seed)));
        }
        MatrixSource a = aFile == null ? bundled(sizeOfA, arena) : MatrixFiles.read(aFile, sizeOfA, arena);
        String aName = aFile == null ? BUNDLED : name(aFile);
        checkRange(a, aName, dtype);
        if (aFile != null) {
            options.addAll(List.of("--a", aFile.toString()));
        }
        if (bFile == null) {
            return new Inputs(a, aName, a, aName, options);
        }
        MatrixSource b = MatrixFiles.read(bFile, (name, rows, columns) -> {
            if (rows != a.rows() || columns != a.columns()) {
                throw new UsageException(name + ": " + rows + " x " + columns + ", but A (" + aName + ") is " + a.rows()
                        + " x " + a.columns() + " (expected: equal sizes)");
            }
        }, arena);
        checkRange(b, name(bFile), dtype);
        options.addAll(List.of("--b", bFile.toString()));
        return new Inputs(a, aName, b, name(bFile), options);
    }

    private static MatrixSource random(int rows, int columns, int seed, int number, Dtype dtype) {
        RandomMatrix values = new RandomMatrix(rows, columns, seed, number);
        return dtype == Dtype.INT8 ? new WholeMatrix(values) : values;
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

    /** No value may become infinite as an element, or another one as a byte. */
    private static void checkRange(MatrixSource matrix, String name, Dtype dtype) {
        if (dtype == Dtype.INT8) {
            throw new UsageException(name + ": --dtype int8 is for random matrices; give their size with --n or --shape");
        }
        double largest = dtype == Dtype.F64 ? 0 : IntStream.range(0, matrix.columns()).parallel().mapToDouble(j ->
                DoubleStream.of(matrix.column(j)).map(Math::abs).max().orElse(0)).max().orElse(0);
        if (largest > dtype.largest()) {
            throw new UsageException(name + ": a value of magnitude " + largest + " does not fit --dtype " + dtype
                    + " (expected: <= " + dtype.largest() + "); use --dtype f64");
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString().replaceFirst("(?<=.)\\.[^.]*$", "");
    }
}
