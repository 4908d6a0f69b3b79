package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
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
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.sync.Call;

/** Collective operations on whole shared arrays: makes reductions, does sorts. Used by the rank's thread. */
public final class ArrayCollectives {

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
        engine.requireSame(call, details, same(array, more));
    }

    /** Arguments that all members are to give alike. */
    private static long[] same(SharedArray array, long... more) {
        SharedPointer first = array.pointer();
        long[] same = Arrays.copyOf(more, more.length + 4);
        same[more.length] = array.kind().code();
        same[more.length + 1] = (long) first.rank() << 40 ^ first.addrField();
        same[more.length + 2] = array.length();
        same[more.length + 3] = array.type().code();
        return same;
    }

    /** Ends an operation: what this rank has written is in place; that of the others too, if they meet. */
    private void end(boolean meets) {
        rank.fence();
        if (meets) {
            group.words().run(MEET, new long[0], (into, from) -> true);
        }
    }

    // ---- reductions

    /** See {@link org.pgas4j.Collectives#reduce(SharedPointer, SharedArray, Reduction, Sync)}. */
    public CollectiveOperation reduce(SharedPointer dst, SharedArray src, Reduction op, Sync sync) {
        require("reduce", op, src.type());
        requireNumbers("reduce", src);
        if (src.length() == 0) {
            throw new IllegalArgumentException("reduce of rank " + rank.rank() + ": " + src + " has no elements");
        }
        Peer self = engine.access().self();
        boolean isOwner = dst.rank() == rank.rank();
        CollectiveOperation operation = new ArrayReduceOperation(group, engine.access(), sync,
                isOwner ? GivenMemory.of(self, dst, src.type().bytes()) : null, src, op,
                () -> "dst=" + dst + ", " + src + ", " + op + CollectiveForms.text(sync), same(src, code(op), dst.kind().code(),
                dst.rank(), dst.addrField(), CollectiveForms.code(sync)));
        return isOwner ? operation.checks(List.of(() -> GivenMemory.check("reduce", self, dst, src.type().bytes()))) : operation;
    }

    /** See {@link org.pgas4j.Collectives#prefixReduce}. */
    public CollectiveOperation prefixReduce(SharedArray dst, SharedArray src, Reduction op, Sync sync) {
        require("prefixReduce", op, src.type());
        requireNumbers("prefixReduce", src);
        requireNumbers("prefixReduce", dst);
        if (dst.type() != src.type() || dst.length() != src.length()) {
            throw new IllegalArgumentException("prefixReduce of rank " + rank.rank() + ": " + dst + " and " + src
                    + " differ in type or length");
        }
        return new ArrayPrefixOperation(group, engine.access(), sync, dst, src, op,
                () -> "dst=" + dst + ", src=" + src + ", " + op + CollectiveForms.text(sync), same(src, code(op),
                dst.kind().code(), dst.pointer().rank(), dst.pointer().addrField(), CollectiveForms.code(sync)));
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
