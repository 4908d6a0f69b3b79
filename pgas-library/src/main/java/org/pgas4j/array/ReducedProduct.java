package org.pgas4j.array;

import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.Event;
import org.pgas4j.Stream;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#REDUCE}: the product of its share of the inner dimension, added
 * to all of c. Row-major matrices are the transposed ones of column-major BLAS, so that the operands change places.
 */
final class ReducedProduct {

    /** Elements of c that are computed at once. */
    static final long TILE = 4L << 20;

    private final GlobalArray a;
    private final GlobalArray c;
    private final GlobalArray b;
    private final Range share;
    private final long rows;
    private final long columns;
    private final long tileRows;
    private final long tiles;

    ReducedProduct(MatrixProduct product) {
        this.a = product.a();
        this.b = product.b();
        this.c = product.c();
        this.share = product.share(c.team().rank());
        this.rows = c.length(0);
        this.columns = c.length(1);
        this.tileRows = Math.clamp(TILE / Math.max(1, columns), 1, Math.max(1, rows));
        this.tiles = Math.ceilDiv(rows, tileRows);
    }

    /** The elements of c have their factor already. */
    void run(double alpha) {
        if (rows == 0 || columns == 0 || share.length() == 0) {
            return;
        }
        Device device = c.owner().device();
        try (Stream stream = device.newStream(); Buffer right = device.alloc(c.type(), share.length() * columns);
                Buffer left = device.alloc(c.type(), 2 * tileRows * share.length());
                Buffer result = device.alloc(c.type(), 2 * tileRows * columns)) {
            b.section(share, Range.of(0, columns)).get(right);
            multiply(stream, left, right, result, alpha);
        }
    }

    /**
     * Adds a tile while the device multiplies the next one. Ranks begin with different ones, not to add to one owner at once.
     */
    private void multiply(Stream stream, Buffer left, Buffer right, Buffer result, double alpha) {
        long first = tiles * c.team().rank() / c.team().ranks();
        for (long step = 0; step < tiles; step++) {
            Range tile = tile((first + step) % tiles);
            int half = (int) (step & 1);
            Buffer operand = part(left, half, tile.length() * share.length());
            a.section(tile, share).get(operand);
            Buffer product = part(result, half, tile.length() * columns);
            stream.gemm(columns, tile.length(), share.length(), alpha, right, columns, operand, share.length(), 0, product, columns);
            try (Event done = stream.record()) {
                if (step > 0) {
                    Range before = tile((first + step - 1) % tiles);
                    add(before, part(result, 1 - half, before.length() * columns));
                }
                done.sync();
            }
        }
        Range last = tile((first + tiles - 1) % tiles);
        add(last, part(result, (int) (tiles - 1 & 1), last.length() * columns));
        c.owner().fence();
    }

    private Range tile(long tile) {
        return Range.of(tile * tileRows, Math.min(rows, (tile + 1) * tileRows));
    }

    private static Buffer part(Buffer both, int half, long length) {
        return both.slice(half * (both.length() / 2), length);
    }

    private void add(Range tile, Buffer product) {
        c.section(tile, Range.of(0, columns)).accumulate(product, 1);
    }
}
