package org.pgas4j.array;

import java.util.List;
import org.pgas4j.Strided;

/** Strided transfers that move what two distributions overlap in: one for each combination of the dimensions' pieces. */
final class Moves {

    /** Takes one transfer. */
    @FunctionalInterface
    interface Body {

        /**
         * A transfer.
         *
         * @param a     element offset of the first element in side a
         * @param b     the same in side b
         * @param shape destination is side a, source is side b
         */
        void move(long a, long b, Strided shape);
    }

    private final List<List<Overlap>> overlaps;
    private final long[] aStrides;
    private final long[] bStrides;
    private final long elementBytes;
    private final Overlap[] chosen;

    /**
     * @param overlaps     of each dimension
     * @param aStrides     elements between neighbours of each dimension in the memory of side a
     * @param bStrides     the same of side b
     * @param elementBytes size of an element
     */
    Moves(List<List<Overlap>> overlaps, long[] aStrides, long[] bStrides, long elementBytes) {
        this.overlaps = overlaps;
        this.aStrides = aStrides;
        this.bStrides = bStrides;
        this.elementBytes = elementBytes;
        this.chosen = new Overlap[overlaps.size()];
    }

    /** Calls {@code body} with every transfer. */
    void forEach(Body body) {
        visit(0, 0, 0, body);
    }

    private void visit(int dimension, long a, long b, Body body) {
        if (dimension == chosen.length) {
            body.move(a, b, shape());
            return;
        }
        for (Overlap overlap : overlaps.get(dimension)) {
            chosen[dimension] = overlap;
            visit(dimension + 1, a + overlap.a() * aStrides[dimension], b + overlap.b() * bStrides[dimension], body);
        }
    }

    private Strided shape() {
        int levels = 0;
        for (Overlap overlap : chosen) {
            levels += overlap.counts().length;
        }
        long[] counts = new long[levels];
        long[] aBytes = new long[levels];
        long[] bBytes = new long[levels];
        int at = 0;
        for (int dimension = 0; dimension < chosen.length; dimension++) {
            Overlap overlap = chosen[dimension];
            for (int level = 0; level < overlap.counts().length; level++) {
                counts[at] = overlap.counts()[level];
                aBytes[at] = overlap.aSteps()[level] * aStrides[dimension] * elementBytes;
                bBytes[at++] = overlap.bSteps()[level] * bStrides[dimension] * elementBytes;
            }
        }
        return Strided.of(elementBytes, counts, aBytes, bBytes);
    }
}
