package org.pgas4j.examples.matvec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;
import org.pgas4j.kernel.KernelThread;

/**
 * Matrix, vectors and products, and how a kernel multiplies. All are small whole numbers, so that products are exact in any order.
 */
public final class Products {

    /** Rows and columns of the matrix. */
    public static final int SIDE = 32;

    private static final ValueLayout.OfFloat F = ValueLayout.JAVA_FLOAT;

    private Products() {
    }

    /** Row {@code i}, column {@code k} of A. */
    public static float matrix(int i, int k) {
        return (7 * i + 3 * k) % 9 - 4;
    }

    /** Element {@code k} of a vector. */
    public static float vector(int batch, int vector, int k) {
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

    /** Loads row {@code i} of {@code a}, which is A by columns. */
    static void row(Buffer a, int i, float[] row) {
        for (int k = 0; k < SIDE; k++) {
            row[k] = a.getFloat(SIDE * k + i);
        }
    }

    /**
     * Element {@code i} of {@code y = A x} for vectors {@code warp}, {@code warp + warps} ... of {@code count}.
     *
     * @param row of A, number {@code i}
     * @param xAt first vector in {@code x}, as {@code yAt} in {@code y}
     */
    static void elements(float[] row, int i, int warp, int warps, Buffer x, long xAt, Buffer y, long yAt, long count) {
        for (long v = warp; v < count; v += warps) {
            long from = (xAt + v) * SIDE;
            float sum = 0;
            for (int k = 0; k < SIDE; k++) {
                sum += row[k] * x.getFloat(from + k);
            }
            y.putFloat((yAt + v) * SIDE + i, sum);
        }
    }

    /**
     * As {@link #elements}, by all lanes of a warp of {@link #SIDE}: each loads one element of a vector, which the others have from it.
     *
     * @param row of A, number {@code self.lane()}
     */
    static void exchanged(KernelThread self, float[] row, Buffer x, long xAt, Buffer y, long yAt, long count) {
        int warps = warps(self.threads());
        for (long v = self.warp(); v < count; v += warps) {
            float element = x.getFloat((xAt + v) * SIDE + self.lane());
            float sum = 0;
            for (int k = 0; k < SIDE; k++) {
                sum += row[k] * self.shuffle(element, k);
            }
            y.putFloat((yAt + v) * SIDE + self.lane(), sum);
        }
    }

    /**
     * {@code y = A x} for {@code count} vectors, by a block of a kernel whose warps take them in turns. A lane has row {@code lane} of A
     * where a warp has {@link #SIDE} lanes; else rows {@code lane}, {@code lane + lanes} ..., which are all on the host device.
     *
     * @param a  A by columns
     * @param at first vector in {@code x} and in {@code y}
     */
    public static void multiply(KernelThread self, Buffer a, Buffer x, Buffer y, long at, long count) {
        float[] row = new float[SIDE];
        if (self.lanes() == SIDE) {
            row(a, self.lane(), row);
        }
        multiply(self, a, row, x, at, y, at, count);
    }

    /**
     * The same for a lane that has loaded its row, where a warp has {@link #SIDE} lanes.
     *
     * @param row of A, number {@code lane}, which is overwritten in warps of fewer lanes
     * @param xAt first vector in {@code x}, as {@code yAt} in {@code y}
     */
    static void multiply(KernelThread self, Buffer a, float[] row, Buffer x, long xAt, Buffer y, long yAt, long count) {
        if (self.lanes() == SIDE) {
            exchanged(self, row, x, xAt, y, yAt, count);
        } else {
            for (int i = self.lane(); i < SIDE; i += self.lanes()) {
                row(a, i, row);
                elements(row, i, self.warp(), warps(self.threads()), x, xAt, y, yAt, count);
            }
        }
    }

    /** Number of warps of a block. */
    static int warps(int threads) {
        return (threads + 31) / 32;
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
