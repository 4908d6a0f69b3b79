package org.pgas4j.examples.matvec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;

/** Matrix, vectors and products. All are small whole numbers, so that products are exact in any order. */
final class Products {

    /** Rows and columns of the matrix. */
    static final int SIDE = 32;

    private static final ValueLayout.OfFloat F = ValueLayout.JAVA_FLOAT;

    private Products() {
    }

    /** Row {@code i}, column {@code k} of A. */
    static float matrix(int i, int k) {
        return (7 * i + 3 * k) % 9 - 4;
    }

    /** Element {@code k} of a vector. */
    static float vector(int batch, int vector, int k) {
        return (31 * batch + 17 * vector + 5 * k + vector % 7 * k) % 13 - 6;
    }

    /** All vectors of all batches. */
    static void fill(MemorySegment x, MatvecCase of) {
        each(of, (batch, vector, at) -> {
            for (int k = 0; k < SIDE; k++) {
                x.setAtIndex(F, at + k, vector(batch, vector, k));
            }
        });
    }

    /** Number of values in {@code y}, the products of all batches, that are not right. */
    static long wrong(MemorySegment y, MatvecCase of) {
        LongAdder wrong = new LongAdder();
        float[] a = new float[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; i++) {
            a[i] = matrix(i / SIDE, i % SIDE);
        }
        each(of, (batch, vector, at) -> {
            float[] x = new float[SIDE];
            for (int k = 0; k < SIDE; k++) {
                x[k] = vector(batch, vector, k);
            }
            for (int i = 0; i < SIDE; i++) {
                float sum = 0;
                for (int k = 0; k < SIDE; k++) {
                    sum += a[i * SIDE + k] * x[k];
                }
                if (y.getAtIndex(F, at + i) != sum) {
                    wrong.increment();
                }
            }
        });
        return wrong.sum();
    }

    /** {@code y = A x} for {@code count} vectors; {@code a} is A by columns. */
    static void multiply(MemorySegment a, MemorySegment x, long xAt, MemorySegment y, long yAt, long count) {
        float[] sums = new float[SIDE];
        for (long v = 0; v < count * SIDE; v += SIDE) {
            Arrays.fill(sums, 0);
            for (int k = 0; k < SIDE; k++) {
                float factor = x.getAtIndex(F, xAt + v + k);
                for (int i = 0; i < SIDE; i++) {
                    sums[i] += a.getAtIndex(F, k * SIDE + i) * factor;
                }
            }
            MemorySegment.copy(sums, 0, y, F, (yAt + v) * Float.BYTES, SIDE);
        }
    }

    private interface VectorBody {
        void at(int batch, int vector, long index);
    }

    private static void each(MatvecCase of, VectorBody body) {
        for (int batch = 0; batch < of.batches(); batch++) {
            int b = batch;
            IntStream.range(0, of.vectors()).parallel().forEach(vector ->
                    body.at(b, vector, ((long) b * of.vectors() + vector) * SIDE));
        }
    }
}
