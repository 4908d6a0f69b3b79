package org.pgas4j.array;

import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.Event;
import org.pgas4j.Stream;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#REDUCE} wherever c is: the product of its share of the inner
 * dimension, added to all of c element by element.
 */
final class ReducedProduct implements MatrixPlan {

    /** Elements of c that are computed at once. */
    static final long TILE = 4L << 20;

    private final MatrixProduct product;
    private final MatrixView a;
    private final MatrixView b;
    private final GlobalArray c;
    private final Range share;
    private final long rows;
    private final long columns;
    private final long tileRows;
    private final long tiles;
    private final Stream stream;
    private final Buffer left;
    private final Buffer right;
    private final Buffer result;

    ReducedProduct(MatrixProduct product) {
        this.product = product;
        this.a = product.a();
        this.b = product.b();
        this.c = product.c();
        this.share = product.share(c.team().rank());
        this.rows = c.length(0);
        this.columns = c.length(1);
        this.tileRows = Math.clamp(TILE / Math.max(1, columns), 1, Math.max(1, rows));
        this.tiles = Math.ceilDiv(rows, tileRows);
        Device device = c.owner().device();
        this.stream = device.newStream();
        this.left = device.alloc(a.type(), Math.max(1, 2 * tileRows * share.length()));
        this.right = device.alloc(b.type(), Math.max(1, share.length() * columns));
        this.result = device.alloc(c.type(), Math.max(1, 2 * tileRows * columns));
    }

    @Override
    public void run(double alpha, double beta) {
        PulledProduct.scale(c, beta);
        c.team().barrier();
        if (rows > 0 && columns > 0 && share.length() > 0) {
            b.section(share, Range.of(0, columns)).get(right);
            multiply(alpha);
        }
    }

    @Override
    public void close() {
        left.close();
        right.close();
        result.close();
        stream.close();
    }

    /**
     * Adds a tile while the device multiplies the next one. Ranks begin with different ones, not to add to one owner at once.
     */
    private void multiply(double alpha) {
        long first = tiles * c.team().rank() / c.team().ranks();
        for (long step = 0; step < tiles; step++) {
            Range tile = tile((first + step) % tiles);
            int half = (int) (step & 1);
            Buffer operand = part(left, half, tile.length() * share.length());
            a.section(tile, share).get(operand);
            Buffer sums = part(result, half, tile.length() * columns);
            MatrixBox.multiply(stream, product.precision(), tile.length(), columns, share.length(), alpha,
                    new MatrixBox.Elements(operand, a.transposed() ? tile.length() : share.length(), a.transposed()),
                    new MatrixBox.Elements(right, b.transposed() ? share.length() : columns, b.transposed()), 0,
                    new MatrixBox.Elements(sums, columns));
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

    private void add(Range tile, Buffer sums) {
        c.section(tile, Range.of(0, columns)).accumulate(sums, 1);
    }
}
