package org.pgas4j.examples.matmul.io;

/** Plain loops over doubles, which the JIT compiler vectorises. */
public final class Vectors {

    private Vectors() {
    }

    /** {@code y += factor * x}; equal lengths. */
    public static void addScaled(double[] y, double factor, double[] x) {
        if (factor == 0) {
            return;
        }
        for (int i = 0; i < y.length; i++) {
            y[i] += factor * x[i];
        }
    }

    /** {@code y += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3}; equal lengths. One pass over y for four columns. */
    public static void addScaled(double[] y, double b0, double[] x0, double b1, double[] x1, double b2, double[] x2,
                                 double b3, double[] x3) {
        for (int i = 0; i < y.length; i++) {
            y[i] += b0 * x0[i] + b1 * x1[i] + (b2 * x2[i] + b3 * x3[i]);
        }
    }

    /** Sum of squares. */
    public static double squares(double[] x) {
        double sum = 0;
        for (double value : x) {
            sum += value * value;
        }
        return sum;
    }

    /** Sum of squares of {@code x - y}. */
    public static double squaredDistance(double[] x, double[] y) {
        double sum = 0;
        for (int i = 0; i < x.length; i++) {
            double difference = x[i] - y[i];
            sum += difference * difference;
        }
        return sum;
    }

    static float[] toFloats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }
}
