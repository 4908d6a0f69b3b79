package org.pgas4j.array;

import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.MemoryKind;
import org.pgas4j.Stream;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#PULL}: its elements of c, computed by its device. Row-major matrices are the transposed ones of column-major BLAS, so that the operands change places.
 */
final class PulledProduct {

    /** Indices of the inner dimension of a panel. */
    static final long PANEL = 512;

    private final GlobalArray a;
    private final GlobalArray b;
    private final GlobalArray c;
    private final LocalPart local;
    private final long inner;
    private final long panels;

    PulledProduct(MatrixProduct product) {
        this.a = product.a();
        this.b = product.b();
        this.c = product.c();
        this.local = c.local();
        this.inner = product.inner();
        this.panels = Math.ceilDiv(inner, PANEL);
    }

    void run(double alpha, double beta) {
        if (local.count() == 0) {
            return;
        }
        if (inner == 0) {
            Arithmetic.of(c).scale(beta);
            return;
        }
        Device device = c.owner().device();
        long rows = local.length(0);
        long columns = local.length(1);
        long width = Math.min(PANEL, inner);
        try (Stream stream = device.newStream(); Buffer left = device.alloc(c.type(), 2 * rows * width);
                Buffer right = device.alloc(c.type(), 2 * width * columns)) {
            if (c.kind() == MemoryKind.DEVICE) {
                multiply(stream, left, right, local.buffer(), alpha, beta);
                return;
            }
            try (Buffer result = device.alloc(c.type(), local.buffer().length())) {
                stream.copy(result, local.buffer()); // with its ghost cells, which are copied back as they are
                multiply(stream, left, right, result, alpha, beta);
                stream.copy(local.buffer(), result);
                stream.sync();
            }
        }
    }

    /**
     * Reads a panel while the device multiplies the one before. Ranks begin with different ones, not to ask one owner at once.
     */
    private void multiply(Stream stream, Buffer left, Buffer right, Buffer result, double alpha, double beta) {
        long first = c.team().rank() % panels;
        read(left, right, first, 0);
        for (long step = 0; step < panels; step++) {
            long panel = (first + step) % panels;
            int half = (int) (step & 1);
            add(stream, left, right, result, panel, half, alpha, step == 0 ? beta : 1);
            if (step + 1 < panels) {
                read(left, right, (panel + 1) % panels, 1 - half);
            }
            stream.sync();
        }
    }

    private Range range(long panel) {
        return Range.of(panel * PANEL, Math.min(inner, (panel + 1) * PANEL));
    }

    private static Buffer half(Buffer both, int half) {
        return both.slice(half * (both.length() / 2), both.length() / 2);
    }

    /** Rows of the left panel lie as this rank's rows of c, columns of the right one in the blocks of its columns. */
    private void read(Buffer left, Buffer right, long panel, int half) {
        Range range = range(panel);
        Buffer rows = half(left, half);
        Buffer columns = half(right, half);
        forEachBlock(0, (indices, at) -> a.section(indices, range)
                .get(rows.slice(at * range.length(), indices.length() * range.length())));
        forEachBlock(1, (indices, at) -> b.section(range, indices)
                .get(columns.slice(at * range.length(), indices.length() * range.length())));
    }

    private void add(Stream stream, Buffer left, Buffer right, Buffer result, long panel, int half, double alpha, double beta) {
        long width = range(panel).length();
        Buffer rows = half(left, half);
        Buffer columns = half(right, half);
        long stride = local.stride(0);
        forEachBlock(1, (indices, at) -> {
            long n = indices.length();
            stream.gemm(n, local.length(0), width, alpha, columns.slice(at * width, n * width), n, rows, width, beta,
                    result.slice(local.offset() + at, result.length() - local.offset() - at), stride);
        });
    }

    /** Takes a block of this rank's indices of a dimension. */
    private interface BlockBody {

        /** @param at place of the first of them among all of the rank's */
        void block(Range indices, long at);
    }

    private void forEachBlock(int dimension, BlockBody body) {
        Axis axis = c.distribution().axis(dimension);
        int coordinate = c.distribution().coordinates(c.team().rank())[dimension];
        long count = axis.lengthOn(coordinate);
        for (long at = 0; at < count; ) {
            long from = axis.index(coordinate, at);
            long length = Math.min(count - at, axis.blockEnd(from) - from);
            body.block(Range.of(from, from + length), at);
            at += length;
        }
    }
}
