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
}
