package org.pgas4j.examples.himeno;

import org.pgas4j.Buffer;

/**
 * A rank's planes cut into tiles: {@code zTiles} groups of planes times {@code yTiles} groups of rows, each for one block. One
 * step of a tile, in kernels.
 */
public record Tiles(int zTiles, int yTiles) {

    static final float OMEGA = 0.8f;

    /** A tile for each of {@code blocks}, as far as there are planes and rows. */
    static Tiles forBlocks(int blocks, int planes, int rows) {
        int z = Math.min(planes, blocks);
        return new Tiles(z, Math.clamp(blocks / z, 1, rows - 2));
    }

    /** Tiles of about one point for each thread. */
    static Tiles forThreads(int threads, int planes, int rows, int columns) {
        return new Tiles(planes, Math.ceilDiv(rows - 2, Math.max(1, threads / (columns - 2))));
    }

    /** Number of tiles. */
    public int count() {
        return zTiles * yTiles;
    }

    int plane0(int z, int planes) {
        return 1 + (int) ((long) planes * z / zTiles);
    }

    int row0(int y, int rows) {
        return 1 + (int) ((long) (rows - 2) * y / yTiles);
    }

    /**
     * A thread's points of one step of tile (z, y), from the field at {@code from} of {@code p} to that at {@code to} of
     * {@code q}, in elements. The threads of a block lie beside each other along the columns, and as many rows of them as there
     * are go down the tile's rows; indices follow from counters alone, so that they are checked before the loops.
     *
     * @param m    the fields of {@link Solver#coefficients}
     * @param part sizes of the fields
     * @return sum of these points' squared residuals
     */
    static double step(int z, int y, int thread, int threads, Buffer p, long from, Buffer q, long to, Buffer m, HimenoPart part) {
        int width = part.columns() - 2;
        int beside = Math.min(threads, width);
        int down = Math.max(1, threads / width);
        int column = thread % beside;
        int row = thread / beside;
        double sum = 0;
        if (row >= down) {
            return sum;   // threads that fill no row of their own
        }
        Tiles tiles = part.tiles();
        int row0 = tiles.row0(y, part.rows());
        int height = tiles.row0(y + 1, part.rows()) - row0;
        int plane1 = tiles.plane0(z + 1, part.planes());
        for (int i = tiles.plane0(z, part.planes()); i < plane1; i++) {
            long first = ((long) i * part.rows() + row0) * part.columns() + 1;
            for (int j = row; j < height; j += down) {
                sum += row(first + (long) j * part.columns(), column, width, beside, p, from, q, to, m, part);
            }
        }
        return sum;
    }

    /** Points {@code column}, {@code column + beside} ... of the row whose first inner point is at {@code first}. */
    private static double row(long first, int column, int width, int beside, Buffer p, long from, Buffer q, long to, Buffer m,
                              HimenoPart part) {
        long field = part.field();
        long down = part.columns();
        long back = down * part.rows();
        double sum = 0;
        for (int k = column; k < width; k += beside) {
            long x = first + k;
            float ss = residual(p, from + x, m, x, field, back, down);
            sum += (double) ss * ss;
            q.putFloat(to + x, p.getFloat(from + x) + OMEGA * ss);
        }
        return sum;
    }

    /** Residual at {@code u} of {@code p}, which is point {@code x} of the fields in {@code m}. */
    private static float residual(Buffer p, long u, Buffer m, long x, long field, long i, long j) {
        float s0 = m.getFloat(x) * p.getFloat(u + i) + m.getFloat(x + field) * p.getFloat(u + j)
                + m.getFloat(x + 2 * field) * p.getFloat(u + 1)
                + m.getFloat(x + 4 * field) * cross(p, u, i, j)
                + m.getFloat(x + 5 * field) * cross(p, u, 1, j)
                + m.getFloat(x + 6 * field) * cross(p, u, 1, i)
                + m.getFloat(x + 7 * field) * p.getFloat(u - i) + m.getFloat(x + 8 * field) * p.getFloat(u - j)
                + m.getFloat(x + 9 * field) * p.getFloat(u - 1) + m.getFloat(x + 11 * field);
        return (s0 * m.getFloat(x + 3 * field) - p.getFloat(u)) * m.getFloat(x + 10 * field);
    }

    private static float cross(Buffer p, long u, long a, long b) {
        return p.getFloat(u + a + b) - p.getFloat(u + a - b) - p.getFloat(u - a + b) + p.getFloat(u - a - b);
    }
}
