package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.ElementType;
import org.pgas4j.Reduction;

/**
 * Combines consecutive elements of an array on the host, in the order in which {@link TileKernels} do: {@value #RUN} in a row,
 * from the first on, make a run, {@value #RUNS} runs a tile. Results of runs are combined in the tree of {@link HostCombiner}, and
 * results of tiles are elements of which the same is done again, until there is one. Used by one thread.
 */
final class HostTiles {

    /** Elements that are combined one after the other. */
    static final int RUN = 16;

    static final int RUNS = 256;

    /** Elements of a tile. */
    static final int TILE = RUN * RUNS;

    /** Results of tiles that are not combined further yet. */
    private static final class Level {
        private final MemorySegment results;
        private int count;

        Level(MemorySegment results) {
            this.results = results;
        }
    }

    private final ElementType type;
    private final Reduction op;
    private final Accumulators blocks;
    private final MemorySegment first;
    private final MemorySegment results; // of all runs of a tile
    private final List<Level> levels = new ArrayList<>();
    private long before;
    private boolean hasBefore;

    HostTiles(ElementType type, Reduction op) {
        this.type = type;
        this.op = op;
        this.blocks = Accumulators.of(type, 3, TILE * type.bytes());
        this.first = allocate(1);
        this.results = allocate(RUNS);
    }

    private MemorySegment allocate(int elements) {
        return Arena.ofAuto().allocate(type.bytes(elements), Long.BYTES);
    }

    // ---- a tile

    /** Combines the elements of each run of a tile; gives the number of runs, whose results are block 0. */
    private int combineRuns(MemorySegment from, long offset, int count) {
        int all = Math.ceilDiv(count, RUN);
        int last = count - (all - 1) * RUN;
        blocks.load(2, from, offset, count);
        for (int i = 0; i < Math.min(count, RUN); i++) {
            int reach = i < last ? all : all - 1;
            blocks.gather(i == 0 ? 0 : 1, 2, i, reach, RUN);
            if (i > 0) {
                blocks.combine(0, 1, reach, op);
            }
        }
        return all;
    }

    /** Combines the results of runs, which are block 0, into its first element. */
    private void combineResults(int count) {
        for (int left = count; left > 1; left = Math.ceilDiv(left, 2)) {
            blocks.gather(1, 0, 1, left / 2, 2);
            blocks.gather(2, 0, 0, Math.ceilDiv(left, 2), 2);
            blocks.combine(2, 1, left / 2, op);
            blocks.gather(0, 2, 0, Math.ceilDiv(left, 2), 1);
        }
    }

    /** Combines up to {@value #TILE} elements into one. */
    void combine(MemorySegment from, long offset, int count, MemorySegment into, long at) {
        combineResults(combineRuns(from, offset, count));
        blocks.store(0, into, at, 1);
    }

    /**
     * Sets elements to the combinations of those of a tile up to each: what comes before a run is combined with one element after
     * the other, and with the result of the run for the next. The two memories may be the same.
     *
     * @param before combination of what comes before, if {@code any}
     * @return the combination of the tile
     */
    long prefixes(MemorySegment from, long offset, int count, MemorySegment into, long at, long before, boolean any) {
        int all = combineRuns(from, offset, count);
        blocks.store(0, results, 0, all);
        combineResults(all);
        blocks.store(0, first, 0, 1);
        MemorySegment source = from.asSlice(offset);
        MemorySegment sums = into.asSlice(at);
        long total = before;
        boolean hasTotal = any;
        for (int run = 0; run < all; run++) {
            long up = total;
            for (int i = run * RUN; i < Math.min(count, (run + 1) * RUN); i++) {
                long word = ArrayElements.word(type, source, i);
                up = hasTotal || i > run * RUN ? ArrayElements.apply(type, op, up, word) : word;
                ArrayElements.set(type, sums, i, up);
            }
            long result = ArrayElements.word(type, results, run);
            total = hasTotal ? ArrayElements.apply(type, op, total, result) : result;
            hasTotal = true;
        }
        return ArrayElements.word(type, first, 0);
    }

    // ---- as many as there are

    /** Adds elements behind those before; their number is a multiple of {@value #TILE}, but for the last ones. */
    void add(MemorySegment from, long offset, long count) {
        for (long i = 0; i < count; i += TILE) {
            addTile(0, from, offset + type.bytes(i), (int) Math.min(TILE, count - i));
        }
    }

    private void addTile(int number, MemorySegment from, long offset, int count) {
        if (number == levels.size()) {
            levels.add(new Level(allocate(TILE)));
        }
        Level level = levels.get(number);
        if (level.count == TILE) {
            level.count = 0;
            addTile(number + 1, level.results, 0, TILE);
        }
        combine(from, offset, count, level.results, type.bytes(level.count++));
    }

    /** Sets what comes before the elements of which prefixes are made first: whether there is anything, and its combination. */
    void before(long[] combined) {
        before = combined[1];
        hasBefore = combined[0] != 0;
    }

    /**
     * Sets elements to the combinations of those up to each and of all before; their number is a multiple of {@value #TILE},
     * but for the last ones.
     */
    void prefixes(MemorySegment elements, long count) {
        for (long i = 0; i < count; i += TILE) {
            long at = type.bytes(i);
            int length = (int) Math.min(TILE, count - i);
            long result = prefixes(elements, at, length, elements, at, before, hasBefore);
            before = hasBefore ? ArrayElements.apply(type, op, before, result) : result;
            hasBefore = true;
        }
    }

    /** Whether elements were added, and their combination. */
    long[] total() {
        for (int number = 0; number < levels.size(); number++) {
            Level level = levels.get(number);
            if (number < levels.size() - 1 || level.count > 1) {
                addTile(number + 1, level.results, 0, level.count);
            }
        }
        return levels.isEmpty() ? new long[2] : new long[] {1, ArrayElements.word(type, levels.getLast().results, 0)};
    }
}
