package org.pgas4j.examples.matmul.io;

import java.util.Arrays;

/**
 * A sparse matrix by compressed columns; several values at one place add up.
 *
 * @param starts index of each column's first value in the two below, and their length
 * @param rowOf  row of each value
 */
public record SparseMatrix(int rows, int columns, int[] starts, int[] rowOf, double[] values, String description)
        implements MatrixSource {

    /** Number of stored values, both triangles of a symmetric matrix counted. */
    public int stored() {
        return values.length;
    }

    @Override
    public void column(int column, double[] out) {
        Arrays.fill(out, 0, rows, 0);
        for (int p = starts[column]; p < starts[column + 1]; p++) {
            out[rowOf[p]] += values[p];
        }
    }

    /** Adds {@code A * x} to {@code y}. */
    public void multiplyAdd(double[] x, double[] y) {
        for (int j = 0; j < columns; j++) {
            for (int p = starts[j]; p < starts[j + 1]; p++) {
                y[rowOf[p]] += x[j] * values[p];
            }
        }
    }

    /** Collects a known number of entries at most, in any order. */
    static final class Builder {

        private final int[] rowOf;
        private final int[] columnOf;
        private final double[] values;
        private int count;

        Builder(long max) {
            rowOf = new int[Math.toIntExact(max)];
            columnOf = new int[rowOf.length];
            values = new double[rowOf.length];
        }

        /** Adds a value; row and column from 0. */
        void add(int row, int column, double value) {
            rowOf[count] = row;
            columnOf[count] = column;
            values[count++] = value;
        }

        SparseMatrix build(int rows, int columns, String description) {
            int[] starts = new int[columns + 1];
            for (int p = 0; p < count; p++) {
                starts[columnOf[p] + 1]++;
            }
            Arrays.parallelPrefix(starts, Integer::sum);
            int[] next = starts.clone();
            int[] sortedRows = new int[count];
            double[] sortedValues = new double[count];
            for (int p = 0; p < count; p++) {
                int at = next[columnOf[p]]++;
                sortedRows[at] = rowOf[p];
                sortedValues[at] = values[p];
            }
            return new SparseMatrix(rows, columns, starts, sortedRows, sortedValues, description);
        }
    }
}
