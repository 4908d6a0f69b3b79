package org.pgas4j.testkit.program;

import java.util.Random;
import org.pgas4j.Indexed;
import org.pgas4j.Pieces;
import org.pgas4j.Strided;

/** Random pieces, of up to 7 levels or from a list, whose destinations do not overlap. */
public final class RandomPieces {

    private static final int[] RUNS = {1, 2, 3, 4, 8, 12, 16, 24};
    private static final int MAX_LEVELS = 7;
    private static final int MAX_LISTED = 20;
    private static final int MAX_LISTED_BYTES = 9;
    private static final int GAP = 11;

    private RandomPieces() {
    }

    /** Pieces whose extents are {@code bytes} at most, some hundreds. */
    public static Pieces next(Random random, int bytes) {
        if (random.nextInt(4) == 0) {
            return listed(random, bytes);
        }
        Strided shape = strided(random);
        while (shape.dstExtent() > bytes || shape.srcExtent() > bytes) {
            shape = strided(random);
        }
        return shape;
    }

    private static Indexed listed(Random random, int bytes) {
        int count = random.nextInt(MAX_LISTED);
        long size = 1 + random.nextInt(MAX_LISTED_BYTES);
        long[] dst = new long[count];
        long[] src = new long[count];
        long[] lengths = new long[count];
        for (int i = 0; i < count; i++) {
            dst[i] = i * size + (i > 0 ? GAP : 0);
            src[i] = random.nextInt(bytes - MAX_LISTED_BYTES);
            lengths[i] = random.nextLong(size + 1);
        }
        return random.nextBoolean() ? Indexed.of(size, dst, src) : Indexed.list(lengths, dst, src);
    }

    private static Strided strided(Random random) {
        int levels = 1 + random.nextInt(MAX_LEVELS);
        long[] counts = new long[levels];
        long[] dst = new long[levels];
        long[] src = new long[levels];
        long run = RUNS[random.nextInt(RUNS.length)];
        long grain = random.nextBoolean() ? 1 : run;
        long end = run;
        for (int level = levels - 1; level >= 0; level--) {
            counts[level] = 1 + random.nextInt(levels > 4 ? 2 : 4);
            dst[level] = end + grain * random.nextInt(3);
            src[level] = grain * random.nextInt(20);
            end += (counts[level] - 1) * dst[level];
        }
        return Strided.of(run, counts, dst, src);
    }

    /**
     * Pieces of whole elements of {@code size} bytes, whose extents are {@code bytes} at most, some hundreds of elements. They may
     * overlap on both sides.
     */
    public static Pieces ofElements(Random random, int bytes, int size) {
        if (random.nextInt(3) == 0) {
            return listOfElements(random, bytes, size);
        }
        Strided shape = stridedElements(random, size);
        while (shape.dstExtent() > bytes || shape.srcExtent() > bytes) {
            shape = stridedElements(random, size);
        }
        return shape;
    }

    private static Indexed listOfElements(Random random, int bytes, int size) {
        int count = random.nextInt(MAX_LISTED);
        long[] dst = new long[count];
        long[] src = new long[count];
        long[] lengths = new long[count];
        for (int i = 0; i < count; i++) {
            dst[i] = (long) random.nextInt(bytes / size - MAX_LISTED_BYTES) * size;
            src[i] = (long) random.nextInt(bytes / size - MAX_LISTED_BYTES) * size;
            lengths[i] = (long) random.nextInt(MAX_LISTED_BYTES) * size;
        }
        long all = (1L + random.nextInt(MAX_LISTED_BYTES)) * size;
        return random.nextBoolean() ? Indexed.of(all, dst, src) : Indexed.list(lengths, dst, src);
    }

    private static Strided stridedElements(Random random, int size) {
        int levels = 1 + random.nextInt(MAX_LEVELS);
        long[] counts = new long[levels];
        long[] dst = new long[levels];
        long[] src = new long[levels];
        for (int level = 0; level < levels; level++) {
            counts[level] = 1 + random.nextInt(levels > 4 ? 2 : 4);
            dst[level] = (long) random.nextInt(20) * size;
            src[level] = (long) random.nextInt(20) * size;
        }
        return Strided.of((1L + random.nextInt(3)) * size, counts, dst, src);
    }

    /** Does to arrays what a transfer of the pieces does to memory. */
    public static void move(Pieces pieces, byte[] dst, byte[] src) {
        move(pieces, dst, 0, src, 0);
    }

    /** The same with offsets of both sides. */
    public static void move(Pieces pieces, byte[] dst, int to, byte[] src, int from) {
        pieces.forEach((d, s, bytes) -> System.arraycopy(src, from + (int) s, dst, to + (int) d, (int) bytes));
    }
}
