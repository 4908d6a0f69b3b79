package org.pgas4j.kernel.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.UnaryOperator;
import org.pgas4j.SharedArray;

/**
 * Scans of all ranks: each combines the values of its thread blocks, all exchange what they have, and each writes its prefixes
 * (reduce, then scan, as Merrill and Grimshaw, Parallel Scan for Stream Architectures, 2009). Used by the rank's thread.
 */
final class Scans {

    private static final int TILE = 256;
    private static final int WORDS = 3; // of each rank in an exchange: first index, whether it has values, their combination
    private static final int ARRAY_LONGS = 6;

    private final int rank;
    private final int ranks;
    private final UnaryOperator<long[]> gather;

    /** @param gather gives the words of all ranks, one rank's after the other's */
    Scans(int rank, int ranks, UnaryOperator<long[]> gather) {
        this.rank = rank;
        this.ranks = ranks;
        this.gather = gather;
    }

    /** Launches of a scan. */
    interface Launches {

        /** Memory for a word of each thread block, which the host reads and writes. */
        MemorySegment parts(int blocks);

        /** Runs the kernel for {@code blocks} blocks, and waits. */
        void run(Blocks blocks, boolean writes, boolean started, MemorySegment parts);

        /** Checks what the kernel uses, where there is nothing to do. */
        void check();
    }

    /**
     * Indices of a rank's thread blocks, none of them empty.
     *
     * @param each indices of a block, but for the last one
     */
    record Blocks(long from, long to, long each) {

        static Blocks of(Scan.Part part, int max) {
            long length = part.to() - part.from();
            long tiles = Math.ceilDiv(Math.ceilDiv(length, (long) max), (long) TILE);
            return new Blocks(part.from(), part.to(), Math.max(1, tiles) * TILE);
        }

        int count() {
            return (int) Math.ceilDiv(to - from, each);
        }

        long from(int block) {
            return from + block * each;
        }

        long to(int block) {
            return Math.min(to, from + (block + 1) * each);
        }
    }

    /** Scans this rank's part. */
    void run(Scan scan, int maxBlocks, Launches launches) {
        Blocks blocks = Blocks.of(scan.part(rank, ranks), maxBlocks);
        MemorySegment parts = launches.parts(Math.max(1, blocks.count()));
        if (blocks.count() == 0) {
            launches.check();
        } else {
            launches.run(blocks, false, false, parts);
        }
        boolean started = startAll(scan, blocks, parts);
        if (blocks.count() > 0) {
            launches.run(blocks, true, started, parts);
        }
    }

    /** Puts what comes before each block in the place of its own combination; false if nothing comes before the first. */
    private boolean startAll(Scan scan, Blocks blocks, MemorySegment parts) {
        long[] own = new long[blocks.count()];
        MemorySegment.copy(parts, ValueLayout.JAVA_LONG, 0, own, 0, own.length);
        long total = 0;
        for (int b = 0; b < own.length; b++) {
            total = b == 0 ? own[0] : scan.combine(total, own[b]);
        }
        long[] before = before(scan, blocks, total);
        boolean any = before[0] != 0;
        long carry = before[1];
        for (int b = 0; b < own.length; b++) {
            parts.setAtIndex(ValueLayout.JAVA_LONG, b, carry);
            carry = b > 0 || any ? scan.combine(carry, own[b]) : own[b];
        }
        return any;
    }

    /** Whether ranks have values of lower indices, and their combination. */
    private long[] before(Scan scan, Blocks blocks, long total) {
        long[] before = {0, 0};
        if (scan.isAlone()) {
            return before;
        }
        long[] all = gather.apply(new long[] {blocks.from, blocks.count() > 0 ? 1 : 0, total});
        java.util.stream.IntStream.range(0, ranks).filter(r -> all[WORDS * r + 1] != 0 && all[WORDS * r] < blocks.from)
                .boxed().sorted(java.util.Comparator.comparingLong(r -> all[WORDS * r])).forEach(r -> {
                    before[1] = before[0] == 0 ? all[WORDS * r + 2] : scan.combine(before[1], all[WORDS * r + 2]);
                    before[0] = 1;
                });
        return before;
    }

    /**
     * The bytes of {@code pgas_scan} of pgas_scan.cuh.
     *
     * @param tables places of the arrays' segments: of the one that is written, and of the other
     */
    static MemorySegment struct(Scan scan, Blocks blocks, boolean writes, boolean started, int... tables) {
        MemorySegment struct = MemorySegment.ofArray(new long[2 * ARRAY_LONGS + 3 + 2]);
        array(struct, 0, scan.into(), tables[0]);
        if (scan.of() != null) {
            array(struct, ARRAY_LONGS, scan.of(), tables[1]);
        }
        long[] range = {blocks.from, blocks.to, blocks.each};
        MemorySegment.copy(range, 0, struct, ValueLayout.JAVA_LONG, 2L * ARRAY_LONGS * Long.BYTES, range.length);
        int[] numbers = {scan.op(), scan.isExclusive() ? 1 : 0, writes ? 1 : 0, started ? 1 : 0};
        MemorySegment.copy(numbers, 0, struct, ValueLayout.JAVA_INT, (2L * ARRAY_LONGS + range.length) * Long.BYTES, numbers.length);
        return struct;
    }

    private static void array(MemorySegment struct, int at, SharedArray array, int table) {
        SharedArray.Place place = array.place();
        long[] longs = {place.offset(), place.length(), place.start(), place.block()};
        int[] ints = {place.ranks(), place.rank(), table};
        MemorySegment.copy(longs, 0, struct, ValueLayout.JAVA_LONG, (long) at * Long.BYTES, longs.length);
        MemorySegment.copy(ints, 0, struct, ValueLayout.JAVA_INT, (long) (at + longs.length) * Long.BYTES, ints.length);
    }
}
