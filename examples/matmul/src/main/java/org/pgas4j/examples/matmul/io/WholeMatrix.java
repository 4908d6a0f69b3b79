package org.pgas4j.examples.matmul.io;

/**
 * A matrix of values in [-1, 1) as bytes with a sign: 128 times as large, rounded down.
 *
 * @param of the values
 */
public record WholeMatrix(MatrixSource of) implements MatrixSource {

    @Override
    public int rows() {
        return of.rows();
    }

    @Override
    public int columns() {
        return of.columns();
    }

    @Override
    public void column(int column, double[] out) {
        of.column(column, out);
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.floor(-Byte.MIN_VALUE * out[i]);
        }
    }

    @Override
    public String description() {
        return "whole numbers, " + of.description();
    }
}
