package org.pgas4j.examples.matmul.io;

import java.util.Arrays;

/** A sparse matrix by compressed columns; several values at one place add up. */
public final class SparseMatrix implements MatrixSource {

    private final int rows;
    private final int columns;
    private final int[] starts;   // columns + 1 of them: where each column begins in the two below
    private final int[] rowOf;
    private final double[] values;
    private final String description;

    private SparseMatrix(int rows, int columns, int[] starts, int[] rowOf, double[] values, String description) {
        this.rows = rows;
        this.columns = columns;
        this.starts = starts;
        this.rowOf = rowOf;
        this.values = values;
        this.description = description;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public int columns() {
        return columns;
    }

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

    /**
     * Adds {@code A * x} to {@code y}.
     *
     * @param x columns elements
     * @param y rows elements
     */
    public void multiplyAdd(double[] x, double[] y) {
        for (int j = 0; j < columns; j++) {
            double factor = x[j];
            if (factor != 0) {
                for (int p = starts[j]; p < starts[j + 1]; p++) {
                    y[rowOf[p]] += factor * values[p];
                }
            }
        }
    }

    @Override
    public String description() {
        return description;
    }

    /** Collects entries in any order. */
    static final class Builder {

        private int[] rowOf = new int[1024];
        private int[] columnOf = new int[1024];
        private double[] values = new double[1024];
        private int count;

        /** Adds a value; row and column from 0. */
        void add(int row, int column, double value) {
            if (count == values.length) {
                int longer = Math.addExact(count, Math.max(1, count / 2));
                rowOf = Arrays.copyOf(rowOf, longer);
                columnOf = Arrays.copyOf(columnOf, longer);
                values = Arrays.copyOf(values, longer);
            }
            rowOf[count] = row;
            columnOf[count] = column;
            values[count++] = value;
        }

        SparseMatrix build(int rows, int columns, String description) {
            int[] starts = new int[columns + 1];
            for (int p = 0; p < count; p++) {
                starts[columnOf[p] + 1]++;
            }
            for (int j = 0; j < columns; j++) {
                starts[j + 1] += starts[j];
            }
            int[] next = Arrays.copyOf(starts, columns);
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
