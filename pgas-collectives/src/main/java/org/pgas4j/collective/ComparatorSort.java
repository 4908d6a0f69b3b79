package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.SortOrder;
import org.pgas4j.bootstrap.Phase;

/**
 * Sorts a shared array by a comparator of the program: sample sort, with all comparisons on the host. Elements travel with their
 * indices, so that the sort is stable, and many equal elements are shared out among the members as others are. Nothing is written
 * to the array before the last comparison: if the comparator throws on one member, all learn it with the exchange that follows,
 * and leave the array as it was. Used once, by the rank's thread.
 */
final class ComparatorSort {

    private static final long FAILED = -1;

    private final Rank rank;
    private final CollectiveEngine engine;
    private final Group group;
    private final CollectiveForms forms;
    private final SharedArray array;
    private final SortOrder order;
    private final long elementBytes;
    private final long rowBytes;
    private Throwable failure;

    /** @param group of all ranks */
    ComparatorSort(Rank rank, CollectiveEngine engine, Group group, CollectiveForms forms, SharedArray array, SortOrder order) {
        this.rank = rank;
        this.engine = engine;
        this.group = group;
        this.forms = forms;
        this.array = array;
        this.order = order;
        this.elementBytes = array.elementBytes();
        this.rowBytes = SortRows.bytes(elementBytes);
    }

    /** Sorts; other members may still write when it returns. */
    void run() {
        try (Arena last = Arena.ofConfined()) {
            MemorySegment bucket;
            try (Arena first = Arena.ofConfined()) {
                SortRows own = attempt(() -> own(first).sorted(first));
                MemorySegment samples = samples(first, own);
                long[] counts = attempt(() -> counts(own, rows(samples).sorted(first)));
                bucket = exchange(last, own, counts);
            }
            MemorySegment sorted = attempt(() -> rows(bucket).sortedElements(last));
            write(sorted, bucket.byteSize() / rowBytes);
        }
    }

    // ---- failures

    /** Runs what calls the comparator; null if it has thrown, which {@link #requireNone} makes known. */
    private <T> T attempt(Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            failure = e;
            return null;
        }
    }

    /** Ends on all members if one has failed. */
    private void requireNone(long[] ofMembers) {
        for (int member = 0; member < ofMembers.length; member++) {
            if (ofMembers[member] == FAILED) {
                switch (failure) {
                    case RuntimeException e -> throw e;
                    case Error e -> throw e;
                    case null, default -> throw new PgasException("sort of rank " + rank.rank() + ": it failed on rank "
                            + group.world(member) + ", which has the exception; " + array + " is as it was");
                }
            }
        }
    }

    // ---- own elements

    private SortRows rows(MemorySegment memory) {
        return new SortRows(array.type(), elementBytes, order, memory);
    }

    private SortRows own(Arena arena) {
        long count = array.lengthOn(rank.rank());
        MemorySegment memory = SortRows.allocate(arena, elementBytes, Math.toIntExact(count));
        try (Arena brief = Arena.ofConfined()) {
            Buffer own = array.local();
            MemorySegment elements = brief.allocate(Math.max(1, own.bytes()), Long.BYTES);
            MemberAccess access = engine.access();
            access.read(elements, 0, GivenMemory.of("sort", access.self(), own), 0, own.bytes());
            long[] next = new long[1];
            array.forAllLocal(index -> {
                SortRows.set(memory, next[0], index, elements, next[0], elementBytes);
                next[0]++;
            });
        }
        return rows(memory);
    }

    /** Rows of all members, as many of each that has elements. */
    private MemorySegment samples(Arena arena, SortRows own) {
        int each = ArrayCollectives.samples(group.size());
        long bytes = Long.BYTES + each * rowBytes;
        MemorySegment mine = arena.allocate(bytes, Long.BYTES);
        mine.set(ElementType.LAYOUT_LONG, 0, own == null ? FAILED : own.count());
        for (int i = 0; own != null && own.count() > 0 && i < each; i++) {
            long row = (2L * i + 1) * own.count() / (2L * each);
            MemorySegment.copy(own.memory(), row * rowBytes, mine, Long.BYTES + i * rowBytes, rowBytes);
        }
        MemorySegment all = arena.allocate(bytes * group.size(), Long.BYTES);
        engine.run(group, Phase.ALL_GATHER, () -> forms.allGather(bytes(all), bytes(mine)));
        long[] sizes = new long[group.size()];
        Arrays.setAll(sizes, member -> all.get(ElementType.LAYOUT_LONG, member * bytes));
        requireNone(sizes);
        MemorySegment rows = SortRows.allocate(arena, elementBytes, each * LongStream.of(sizes).filter(size -> size > 0).count());
        long to = 0;
        for (int member = 0; member < sizes.length; member++) {
            if (sizes[member] > 0) {
                MemorySegment.copy(all, member * bytes + Long.BYTES, rows, to, each * rowBytes);
                to += each * rowBytes;
            }
        }
        return rows;
    }

    private static Buffer bytes(MemorySegment memory) {
        return Buffer.ofHost(memory, ElementType.BYTE);
    }

    /** Bytes of the own rows for each member. */
    private long[] counts(SortRows own, SortRows samples) {
        long[] counts = new long[group.size()];
        int begin = 0;
        for (int member = 0; member < counts.length; member++) {
            boolean isLast = member == counts.length - 1;
            int splitter = (int) ((member + 1L) * samples.count() / counts.length);
            int end = isLast || samples.count() == 0 ? own.count() : Math.max(begin, own.before(samples, splitter));
            counts[member] = (end - begin) * rowBytes;
            begin = end;
        }
        return counts;
    }

    // ---- the own part of the result

    private MemorySegment exchange(Arena arena, SortRows own, long[] counts) {
        long[] out = counts != null ? counts : LongStream.generate(() -> FAILED).limit(group.size()).toArray();
        long[] in = new long[group.size()];
        engine.run(group, Phase.EXCHANGE, () -> forms.exchange(ArrayCollectives.longs(in), ArrayCollectives.longs(out)));
        requireNone(in);
        MemorySegment bucket = SortRows.allocate(arena, elementBytes, LongStream.of(in).sum() / rowBytes);
        engine.run(group, Phase.EXCHANGE, () -> forms.exchange(bytes(bucket), in, bytes(own.memory()), out));
        return bucket;
    }

    private void write(MemorySegment sorted, long count) {
        long[] sizes = new long[group.size()];
        long[] mine = {sorted == null ? FAILED : count};
        engine.run(group, Phase.ALL_GATHER, () -> forms.allGather(ArrayCollectives.longs(sizes), ArrayCollectives.longs(mine)));
        requireNone(sizes);
        long begin = LongStream.of(sizes).limit(group.index()).sum();
        array.put(begin, count, sorted);
    }
}
