package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedPointer;
import org.pgas4j.SortOrder;
import org.pgas4j.Sync;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.space.sync.Call;

/** Collective operations on whole shared arrays. Used by the rank's thread. */
public final class ArrayCollectives {

    private static final int PIECE_BYTES = 64 << 10;
    private static final Call COMBINE = new Call("a reduction of shared arrays", 0);
    private static final Call MEET = new Call("the end of an operation on shared arrays", 0);
    private static final int FUNCTION = 255;
    private static final int MIN_SAMPLES = 16;
    private static final int MAX_SAMPLES = 64;
    private static final int MAX_KEYS = Integer.MAX_VALUE - 8; // of a Java array

    private final Rank rank;
    private final CollectiveEngine engine;
    private final Group group;
    private final CollectiveForms forms;

    /** @param group of all ranks */
    public ArrayCollectives(Rank rank, CollectiveEngine engine, Group group) {
        this.rank = rank;
        this.engine = engine;
        this.group = group;
        this.forms = engine.forms(group);
    }

    private static void require(String call, Reduction op, ElementType type) {
        if (!op.isDefinedFor(type)) {
            throw new IllegalArgumentException(call + ": " + op + " is not defined for " + type);
        }
    }

    private void requireNumbers(String call, SharedArray array) {
        if (array.elementBytes() != array.type().bytes()) {
            throw new IllegalArgumentException(call + " of rank " + rank.rank() + ": " + array + " has elements of "
                    + array.elementBytes() + " bytes (expected: numbers)");
        }
        requireSpread(call, array);
    }

    private void requireSpread(String call, SharedArray array) {
        if (array.layout() instanceof Layout.Replicated) {
            throw new IllegalArgumentException(call + " of rank " + rank.rank() + ": " + array + " has a copy on every rank; use "
                    + "the forms for buffers");
        }
    }

    private static long code(Reduction op) {
        return op instanceof ReduceOp known ? known.code() : FUNCTION;
    }

    private static long code(SortOrder order) {
        return switch (order) {
            case SortOrder.LongOrder _ -> 1;
            case SortOrder.DoubleOrder _ -> 2;
            case SortOrder.RecordOrder _ -> 3;
        };
    }

    private void requireSame(String call, Supplier<String> details, SharedArray array, long... more) {
        SharedPointer first = array.pointer();
        long[] same = Arrays.copyOf(more, more.length + 4);
        same[more.length] = array.kind().code();
        same[more.length + 1] = (long) first.rank() << 40 ^ first.addrField();
        same[more.length + 2] = array.length();
        same[more.length + 3] = array.type().code();
        engine.requireSame(call, details, same);
    }

    /** Ends an operation: what this rank has written is in place; that of the others too, if they meet. */
    private void end(boolean meets) {
        rank.fence();
        if (meets) {
            group.words().run(MEET, new long[0], (into, from) -> true);
        }
    }

    private long begin(long length, int member) {
        return Math.multiplyHigh(length, member) == 0 ? length * member / group.size()
                : length / group.size() * member + length % group.size() * member / group.size();
    }

    // ---- reduce

    /** See {@link org.pgas4j.Collectives#reduce(SharedPointer, SharedArray, Reduction, Sync)}. */
    public void reduce(SharedPointer dst, SharedArray src, Reduction op, Sync sync) {
        require("reduce", op, src.type());
        requireNumbers("reduce", src);
        if (src.length() == 0) {
            throw new IllegalArgumentException("reduce of rank " + rank.rank() + ": " + src + " has no elements");
        }
        requireSame("reduce", () -> "dst=" + dst + ", " + src + ", " + op + CollectiveForms.text(sync), src, code(op),
                dst.kind().code(), dst.rank(), dst.addrField(), CollectiveForms.code(sync));
        long[] total = op.isCommutative() ? combineOwn(src, op) : combineRange(src, op);
        // Present or not, value: those of later members come from below.
        group.words().run(COMBINE, total, (into, from) -> {
            into[1] = into[0] == 0 ? from[1] : from[0] == 0 ? into[1] : ArrayElements.apply(src.type(), op, into[1], from[1]);
            into[0] |= from[0];
            return true;
        });
        if (dst.rank() == rank.rank()) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment cell = arena.allocate(Long.BYTES, Long.BYTES);
                ArrayElements.set(src.type(), cell, 0, total[1]);
                rank.memput(dst, cell, src.type().bytes());
            }
        }
        // All have read their elements, and the owner of the result alone writes it.
        end(sync.out() == Sync.Mode.ALL);
    }

    /** This rank's elements, in the order of the positions in blocks. */
    private long[] combineOwn(SharedArray src, Reduction op) {
        Buffer own = src.local();
        if (own.length() == 0) {
            return new long[2];
        }
        ElementType type = src.type();
        MemberAccess access = engine.access();
        GivenMemory memory = GivenMemory.of("reduce", access.self(), own);
        Accumulators blocks = access.accumulators(type, 2, CollectiveLimits.BLOCK_BYTES);
        int width = (int) Math.min(own.length(), CollectiveLimits.BLOCK_BYTES / type.bytes());
        MemorySegment piece = access.piece();
        for (long i = 0; i < own.length(); i += width) {
            int count = (int) Math.min(width, own.length() - i);
            access.read(piece, 0, memory, type.bytes(i), type.bytes(count));
            blocks.load(i == 0 ? 0 : 1, piece, 0, count);
            if (i > 0) {
                blocks.combine(0, 1, count, op);
            }
        }
        blocks.store(0, piece, 0, width);
        return new long[] {1, combine(type, op, piece, width, 0, false)};
    }

    private static long combine(ElementType type, Reduction op, MemorySegment elements, long count, long before,
                                boolean hasBefore) {
        long total = hasBefore ? ArrayElements.apply(type, op, before, ArrayElements.word(type, elements, 0))
                : ArrayElements.word(type, elements, 0);
        for (long i = 1; i < count; i++) {
            total = ArrayElements.apply(type, op, total, ArrayElements.word(type, elements, i));
        }
        return total;
    }

    /** A range of indices, in their order. */
    private long[] combineRange(SharedArray src, Reduction op) {
        long begin = begin(src.length(), group.index());
        long end = begin(src.length(), group.index() + 1);
        int each = PIECE_BYTES / src.type().bytes();
        long[] total = new long[2];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, Long.BYTES);
            for (long i = begin; i < end; i += each) {
                long count = Math.min(each, end - i);
                src.get(i, count, piece);
                total[1] = combine(src.type(), op, piece, count, total[1], total[0] != 0);
                total[0] = 1;
            }
        }
        return total;
    }

    // ---- prefix

    /**
     * See {@link org.pgas4j.Collectives#prefixReduce}. Each rank has a range of indices: it combines them, then what is
     * before them.
     */
    public void prefixReduce(SharedArray dst, SharedArray src, Reduction op, Sync sync) {
        require("prefixReduce", op, src.type());
        requireNumbers("prefixReduce", src);
        requireNumbers("prefixReduce", dst);
        if (dst.type() != src.type() || dst.length() != src.length()) {
            throw new IllegalArgumentException("prefixReduce of rank " + rank.rank() + ": " + dst + " and " + src
                    + " differ in type or length");
        }
        requireSame("prefixReduce", () -> "dst=" + dst + ", src=" + src + ", " + op + CollectiveForms.text(sync), src, code(op),
                dst.kind().code(), dst.pointer().rank(), dst.pointer().addrField(), CollectiveForms.code(sync));
        long[] before = before(src.type(), op, combineRange(src, op));
        writePrefixes(dst, src, op, before);
        end(sync.out() != Sync.Mode.NO);
    }

    /** Combination of what members before this one have. */
    private long[] before(ElementType type, Reduction op, long[] own) {
        long[] all = gather(own);
        long[] before = new long[2];
        for (int member = 0; member < group.index(); member++) {
            if (all[2 * member] != 0) {
                before[1] = before[0] == 0 ? all[2 * member + 1] : ArrayElements.apply(type, op, before[1], all[2 * member + 1]);
                before[0] = 1;
            }
        }
        return before;
    }

    private void writePrefixes(SharedArray dst, SharedArray src, Reduction op, long[] before) {
        ElementType type = src.type();
        long end = begin(src.length(), group.index() + 1);
        int each = PIECE_BYTES / type.bytes();
        long total = before[1];
        boolean any = before[0] != 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(PIECE_BYTES, Long.BYTES);
            for (long i = begin(src.length(), group.index()); i < end; i += each) {
                long count = Math.min(each, end - i);
                src.get(i, count, piece);
                for (long j = 0; j < count; j++) {
                    long word = ArrayElements.word(type, piece, j);
                    total = any ? ArrayElements.apply(type, op, total, word) : word;
                    any = true;
                    ArrayElements.set(type, piece, j, total);
                }
                dst.put(i, count, piece);
            }
        }
    }

    /** Words of all members, one after the other; each has as many. */
    private long[] gather(long[] own) {
        long[] all = new long[own.length * group.size()];
        engine.run(group, Phase.ALL_GATHER, () -> forms.allGather(longs(all), longs(own)));
        return all;
    }

    static Buffer longs(long[] words) {
        return Buffer.ofHost(MemorySegment.ofArray(words), ElementType.LONG);
    }

    // ---- sort

    /** See {@link org.pgas4j.Collectives#sort(SharedArray, Sync)}. */
    public void sort(SharedArray array, Sync sync) {
        requireNumbers("sort", array);
        requireSame("sort", () -> array + CollectiveForms.text(sync), array, array.elementBytes(), CollectiveForms.code(sync), 0);
        Buffer own = array.local();
        if (own.length() > MAX_KEYS) {
            throw new IllegalArgumentException("sort of rank " + rank.rank() + ": " + array + " has " + own.length()
                    + " elements on this rank (expected: up to " + MAX_KEYS + "); more ranks have fewer each");
        }
        long[] keys = read(own);
        Arrays.sort(keys);
        write(own, keys);
        long[] splitters = splitters(keys);
        long[] counts = counts(keys, splitters);
        long[] theirs = new long[group.size()];
        engine.run(group, Phase.EXCHANGE, () -> forms.exchange(longs(theirs), longs(counts)));
        long[] bucket = exchange(array.type(), own, counts, theirs);
        Arrays.sort(bucket);
        long[] sizes = gather(new long[] {bucket.length});
        long begin = 0;
        for (int member = 0; member < group.index(); member++) {
            begin += sizes[member];
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sorted = arena.allocate(Math.max(1, array.type().bytes(bucket.length)), Long.BYTES);
            write(array.type(), sorted, bucket);
            array.put(begin, bucket.length, sorted);
        }
        end(sync.out() != Sync.Mode.NO);
    }

    /** See {@link org.pgas4j.Collectives#sort(SharedArray, SortOrder, Sync)}. */
    public void sort(SharedArray array, SortOrder order, Sync sync) {
        requireSpread("sort", array);
        if (!order.isDefinedFor(array)) {
            throw new IllegalArgumentException("sort of rank " + rank.rank() + ": " + order + " is not defined for elements of "
                    + array.elementBytes() + " bytes of " + array.type() + " of " + array);
        }
        requireSame("sort", () -> array + ", by " + order + CollectiveForms.text(sync), array, array.elementBytes(),
                CollectiveForms.code(sync), code(order));
        new ComparatorSort(rank, engine, group, forms, array, order).run();
        end(sync.out() != Sync.Mode.NO);
    }

    private long[] read(Buffer own) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, own.bytes()), Long.BYTES);
            MemberAccess access = engine.access();
            access.read(memory, 0, GivenMemory.of("sort", access.self(), own), 0, own.bytes());
            return keys(own.type(), memory, own.length());
        }
    }

    private static long[] keys(ElementType type, MemorySegment memory, long count) {
        long[] keys = new long[Math.toIntExact(count)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = ArrayElements.key(type, ArrayElements.word(type, memory, i));
        }
        return keys;
    }

    private void write(Buffer own, long[] keys) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, own.bytes()), Long.BYTES);
            write(own.type(), memory, keys);
            MemberAccess access = engine.access();
            access.write(GivenMemory.of("sort", access.self(), own), 0, memory, 0, own.bytes());
        }
    }

    private static void write(ElementType type, MemorySegment memory, long[] keys) {
        for (int i = 0; i < keys.length; i++) {
            ArrayElements.set(type, memory, i, ArrayElements.wordOf(type, keys[i]));
        }
    }

    /** Samples that each of so many members gives. */
    static int samples(int members) {
        return Math.clamp(members, MIN_SAMPLES, MAX_SAMPLES);
    }

    /** Keys at which the parts of all members begin but the first's, from samples of all. */
    private long[] splitters(long[] keys) {
        int samples = samples(group.size());
        long[] mine = new long[samples + 1];
        mine[0] = keys.length;
        for (int i = 0; i < samples && keys.length > 0; i++) {
            mine[i + 1] = keys[(int) ((2L * i + 1) * keys.length / (2L * samples))];
        }
        long[] all = gather(mine);
        long[] taken = new long[samples * group.size()];
        int count = 0;
        for (int member = 0; member < group.size(); member++) {
            if (all[member * mine.length] > 0) {
                System.arraycopy(all, member * mine.length + 1, taken, count, samples);
                count += samples;
            }
        }
        Arrays.sort(taken, 0, count);
        long[] splitters = new long[group.size() - 1];
        for (int i = 0; i < splitters.length && count > 0; i++) {
            splitters[i] = taken[(int) ((i + 1L) * count / group.size())];
        }
        return splitters;
    }

    private static long[] counts(long[] keys, long[] splitters) {
        long[] counts = new long[splitters.length + 1];
        int begin = 0;
        for (int member = 0; member < splitters.length; member++) {
            int end = begin;
            int above = keys.length;
            while (end < above) {
                int middle = (end + above) >>> 1;
                if (keys[middle] < splitters[member]) {
                    end = middle + 1;
                } else {
                    above = middle;
                }
            }
            counts[member] = end - begin;
            begin = end;
        }
        counts[splitters.length] = keys.length - begin;
        return counts;
    }

    private long[] exchange(ElementType type, Buffer own, long[] counts, long[] theirs) {
        long total = LongStream.of(theirs).sum();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, type.bytes(total)), Long.BYTES);
            Buffer bucket = Buffer.ofHost(memory.asSlice(0, type.bytes(total)), type);
            engine.run(group, Phase.EXCHANGE, () -> forms.exchange(bucket, theirs, own, counts));
            return keys(type, memory, total);
        }
    }
}
