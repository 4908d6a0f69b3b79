package org.pgas4j.kernel.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.GlobalPlace;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.IndexSpace;

/**
 * Places of an index space of three dimensions, of which leading ones have one place if there are fewer; the last one is fastest.
 * Its struct is {@code pgas_space} of pgas_grid.cuh.
 */
final class SpaceRange implements KernelRange {

    private static final int DIMENSIONS = IndexSpace.MAX_DIMENSIONS;
    private static final int WIDE_TILE = 5; // 32 threads of a warp go along the last dimension, if it is that long

    /**
     * Places of one dimension: {@code from} to {@code to - 1}; place p is in block {@code p / block}.
     *
     * @param scale factor of an index
     * @param base  added to it
     * @param first of the indices that are not skipped
     * @param step  between them
     */
    record Line(long from, long to, long block, int ranks, int coordinate, long scale, long base, long first, long step) {

        static final Line ONE = new Line(0, 1, 1, 1, 0, 1, 0, 0, 1);
        private static final int LONGS = 8;

        static Line of(IndexSpace.Dimension of) {
            long from = before(of, of.from());
            long to = before(of, of.to());
            if (of.ranks() == 1) {
                return run(of.from(), of.to(), of.step());
            }
            long number = from / of.block();
            if (to - 1 < (number + 1) * of.block()) { // one block
                long low = Math.max(of.from(), (number * of.ranks() + of.coordinate()) * of.block());
                long steps = Math.ceilDiv(low - of.from(), of.step());
                long first = steps > (of.to() - of.from()) / of.step() ? of.to() : of.from() + steps * of.step();
                return run(first, Math.max(first, Math.min(of.to(), low + to - from)), of.step());
            }
            return new Line(from, to, of.block(), of.ranks(), of.coordinate(), 1, 0, of.from(), of.step());
        }

        /** Indices in a row, with nobody else's between them. */
        private static Line run(long from, long to, long step) {
            long count = Math.ceilDiv(to - from, step);
            return new Line(0, count, Math.max(1, count), 1, 0, step, from, 0, 1);
        }

        /** Number of the coordinate's indices below {@code index}. */
        private static long before(IndexSpace.Dimension of, long index) {
            long number = index / of.block();
            long rounds = number / of.ranks();
            long turn = number % of.ranks();
            return rounds * of.block() + (of.coordinate() < turn ? of.block() : of.coordinate() == turn ? index % of.block() : 0);
        }

        long count() {
            return to - from;
        }

        long index(long place) {
            long at = ranks == 1 ? place : (place / block * ranks + coordinate) * block + place % block;
            return at * scale + base;
        }

        boolean skips(long index) {
            return step != 1 && (index - first) % step != 0;
        }

        void write(MemorySegment to, long at) {
            long[] words = {from, this.to, block, scale, base, first, step};
            for (int i = 0; i < words.length; i++) {
                to.set(ValueLayout.JAVA_LONG, at + (long) i * Long.BYTES, words[i]);
            }
            to.set(ValueLayout.JAVA_INT, at + (long) words.length * Long.BYTES, ranks);
            to.set(ValueLayout.JAVA_INT, at + (long) words.length * Long.BYTES + Integer.BYTES, coordinate);
        }
    }

    /**
     * Tile of a thread block's threads, as powers of two, and the grid of blocks.
     *
     * @param x of the last dimension
     */
    record Tiles(int x, int y, int z, int gridX, int gridY, int gridZ) {

        int blocks() {
            return gridX * gridY * gridZ;
        }
    }

    /** Body of a loop on the host device; missing indices come first and are 0. */
    @FunctionalInterface
    interface Body {
        void at(long i, long j, long k);
    }

    /** Value of type double of each iteration. */
    @FunctionalInterface
    interface DoubleBody {
        double at(long i, long j, long k);
    }

    /** As {@link DoubleBody}, of type long. */
    @FunctionalInterface
    interface LongBody {
        long at(long i, long j, long k);
    }

    private final Line[] lines;

    private SpaceRange(Line... lines) {
        this.lines = lines;
    }

    /** @throws IllegalArgumentException if the space has not as many dimensions as the kernel has indices */
    static SpaceRange of(IndexSpace space, int indices) {
        int missing = DIMENSIONS - space.dimensions().size();
        if (space.dimensions().size() != indices) {
            throw new IllegalArgumentException("a kernel of " + indices + " indices over " + space + " (expected: " + indices
                    + " dimensions)");
        }
        Line[] lines = new Line[DIMENSIONS];
        for (int d = 0; d < DIMENSIONS; d++) {
            lines[d] = d < missing ? Line.ONE : Line.of(space.dimensions().get(d - missing));
        }
        return new SpaceRange(lines);
    }

    @Override
    public long count() {
        if (Arrays.stream(lines).anyMatch(line -> line.count() == 0)) {
            return 0;
        }
        long count = 1;
        for (Line line : lines) {
            if (count > Long.MAX_VALUE / line.count()) {
                throw new IllegalArgumentException("a kernel that " + text() + " (expected: fewer than 2^63 in all)");
            }
            count *= line.count();
        }
        return count;
    }

    private static int log(long value) {
        return value <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(value - 1);
    }

    /** Tiles of {@code threads} threads, a power of two. */
    Tiles tiles(int max, int threads) {
        int all = log(threads);
        int x = Math.min(Math.min(WIDE_TILE, all), log(lines[2].count()));
        int y = Math.min(all - x, log(lines[1].count()));
        int z = Math.min(all - x - y, log(lines[0].count()));
        x = all - y - z; // what the others cannot use
        long gridX = Math.clamp(Math.ceilDiv(lines[2].count(), 1L << x), 1, max);
        long gridY = Math.clamp(Math.ceilDiv(lines[1].count(), 1L << y), 1, Math.max(1, max / gridX));
        long gridZ = Math.clamp(Math.ceilDiv(lines[0].count(), 1L << z), 1, Math.max(1, max / gridX / gridY));
        return new Tiles(x, y, z, (int) gridX, (int) gridY, (int) gridZ);
    }

    @Override
    public int blocks(int max, int threads) {
        return tiles(max, threads).blocks();
    }

    @Override
    public void append(Object[] captured, int max, int threads, List<Object> arguments) {
        arguments.add(struct(tiles(max, threads)));
    }

    /** The bytes of {@code pgas_space}. */
    MemorySegment struct(Tiles tiles) {
        int[] numbers = {tiles.x, tiles.y, tiles.gridX, tiles.gridY, tiles.gridZ, tiles.z};
        MemorySegment struct = MemorySegment.ofArray(new long[DIMENSIONS * Line.LONGS + numbers.length / 2]);
        for (int d = 0; d < DIMENSIONS; d++) {
            lines[d].write(struct, (long) d * Line.LONGS * Long.BYTES);
        }
        for (int i = 0; i < numbers.length; i++) {
            struct.set(ValueLayout.JAVA_INT, (long) DIMENSIONS * Line.LONGS * Long.BYTES + (long) i * Integer.BYTES, numbers[i]);
        }
        return struct;
    }

    /** The first of the places that are one of {@code parts} parts, and the end of the part before it. */
    long start(int part, int parts) {
        return Math.min(count(), part * Math.ceilDiv(count(), (long) parts));
    }

    /** Calls {@code body} with the index of each place from {@code from} to {@code to - 1} that has one. */
    void forEach(long from, long to, Body body) {
        if (from >= to) {
            return;
        }
        long rest = from / lines[2].count();
        long k = from % lines[2].count();
        long j = rest % lines[1].count();
        long i = rest / lines[1].count();
        for (long done = from; done < to; ) {
            long end = Math.min(lines[2].count(), k + to - done);
            row(lines[0].index(lines[0].from + i), lines[1].index(lines[1].from + j), k, end, body);
            done += end - k;
            k = 0;
            j++;
            if (j == lines[1].count()) {
                j = 0;
                i++;
            }
        }
    }

    /** Combines the values of places. */
    double reduce(long from, long to, ReduceOp op, DoubleBody body) {
        double[] value = {Reductions.neutral(op)};
        forEach(from, to, (i, j, k) -> value[0] = op.apply(value[0], body.at(i, j, k)));
        return value[0];
    }

    /** As {@link #reduce}. */
    long reduceLongs(long from, long to, ReduceOp op, LongBody body) {
        long[] value = {Reductions.neutralLong(op)};
        forEach(from, to, (i, j, k) -> value[0] = op.apply(value[0], body.at(i, j, k)));
        return value[0];
    }

    private void row(long i, long j, long from, long to, Body body) {
        if (lines[0].skips(i) || lines[1].skips(j)) {
            return;
        }
        Line line = lines[2];
        for (long place = line.from + from; place < line.from + to; place++) {
            long k = line.index(place);
            if (!line.skips(k)) {
                body.at(i, j, k);
            }
        }
    }

    @Override
    public String text() {
        return "loops over " + lines[0].count() + " x " + lines[1].count() + " x " + lines[2].count() + " indices of this rank";
    }

    @Override
    public int aligned(GlobalPlace array) {
        int bits = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            GlobalPlace.GridAxis axis = array.axis(d);
            boolean same = axis.block() == lines[d].block && axis.ranks() == lines[d].ranks
                    && axis.coordinate() == lines[d].coordinate;
            bits |= same && lines[d].ranks > 1 ? 1 << d : 0;
        }
        return bits;
    }
}
