package org.pgas4j.testkit.fuzz;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Arguments with which all generated methods are called: edges first, then random bits. */
public record FuzzInputs(int[] ints, long[] longs, float[] floats, double[] doubles) {

    private static final int[] INTS = {0, 1, -1, 7, Integer.MIN_VALUE, Integer.MAX_VALUE};
    private static final long[] LONGS = {0, -1, 5, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40};
    private static final float[] FLOATS = {-0.0f, Float.NaN, 2.5f, Float.NEGATIVE_INFINITY, 1e-40f, -7e9f};
    private static final double[] DOUBLES = {1.5, -0.0, Double.NaN, 1e300, Double.POSITIVE_INFINITY, -3e-310};

    /** As many as {@code count}, which follow from a seed. */
    public static FuzzInputs of(long seed, int count) {
        Random random = new Random(seed);
        FuzzInputs inputs = new FuzzInputs(new int[count], new long[count], new float[count], new double[count]);
        for (int i = 0; i < count; i++) {
            boolean edge = i < INTS.length;
            inputs.ints[i] = edge ? INTS[i] : random.nextInt() >> random.nextInt(32);
            inputs.longs[i] = edge ? LONGS[i] : random.nextLong() >> random.nextInt(64);
            inputs.floats[i] = edge ? FLOATS[i] : (float) (random.nextGaussian() * 100);
            inputs.doubles[i] = edge ? DOUBLES[i] : random.nextGaussian() * 1000;
        }
        return inputs;
    }

    /** Number of calls of a method. */
    public int count() {
        return ints.length;
    }

    /** The four arrays in native memory. */
    public MemorySegment[] copied(SegmentAllocator memory) {
        return new MemorySegment[] {memory.allocateFrom(ValueLayout.JAVA_INT, ints),
            memory.allocateFrom(ValueLayout.JAVA_LONG, longs),
            memory.allocateFrom(ValueLayout.JAVA_FLOAT, floats),
            memory.allocateFrom(ValueLayout.JAVA_DOUBLE, doubles)};
    }

    /** Arguments of a call, for messages. */
    public String text(int i) {
        return "(" + ints[i] + ", " + longs[i] + ", " + floats[i] + ", " + doubles[i] + ")";
    }
}
