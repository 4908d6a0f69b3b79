package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Indexed;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pieces;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.RandomPieces;
import org.pgas4j.testkit.program.Tally;

/**
 * Accumulates of all ranks to the same memory at once, in pieces that overlap, between every pair of kinds, beside a model on plain
 * arrays: no addition is lost, and none is made elsewhere. All sums are small enough to be exact.
 */
final class AccumulateContract extends Contract {

    private static final int BYTES = 4096;
    private static final int ROUNDS = 6;
    private static final int LONG_PIECE = 64 << 10;
    private static final List<ElementType> NUMBERS =
            List.of(ElementType.INT, ElementType.LONG, ElementType.FLOAT, ElementType.DOUBLE);

    AccumulateContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        for (MemoryKind remote : MemoryKind.values()) {
            for (MemoryKind local : MemoryKind.values()) {
                for (ElementType type : NUMBERS) {
                    piecesOfAll(remote, local, type);
                    buffersToMany(remote, local, type);
                }
                longPieces(remote, local);
                refuse(remote, local);
            }
        }
    }

    // ---- pieces

    /** Every rank adds random pieces to rank 0, which has the sum of all. */
    private void piecesOfAll(MemoryKind remote, MemoryKind local, ElementType type) {
        int count = BYTES / type.bytes();
        SharedPointer sums = zeros(remote, BYTES);
        try (PatternMemory memory = source(local, type, count, rank.rank())) {
            for (int round = 0; round < ROUNDS; round++) {
                Completion how = Completion.values()[round % Completion.values().length];
                rank.rma().accumulate(sums.onRank(0), memory.block().as(type), pieces(type, round, rank.rank()), alpha(round), how)
                        .sync();
            }
        }
        rank.barrier();
        double[] expected = new double[count];
        for (int from = 0; from < rank.ranks(); from++) {
            for (int round = 0; round < ROUNDS; round++) {
                add(expected, pieces(type, round, from), type.bytes(), from, alpha(round));
            }
        }
        compare(expected, sums.onRank(0), type, "pieces, local=" + local + " remote=" + remote);
        rank.allFree(sums);
    }

    /** The same on all ranks. */
    private static Pieces pieces(ElementType type, int round, int from) {
        return RandomPieces.ofElements(new Random(10_007L * type.ordinal() + 101L * round + from), BYTES, type.bytes());
    }

    private static int alpha(int round) {
        return round % 2 == 0 ? 2 : -3;
    }

    /** Long pieces of a list and many short ones, which are the same two elements of the destination. */
    private void longPieces(MemoryKind remote, MemoryKind local) {
        int size = Long.BYTES;
        int part = LONG_PIECE / size;
        long[] lengths = LongStream.concat(LongStream.of(LONG_PIECE, LONG_PIECE + size, 0),
                LongStream.range(0, 200).map(i -> size * (1 + i % 2))).toArray();
        long[] dst = new long[lengths.length];
        long[] src = new long[lengths.length];
        dst[1] = LONG_PIECE;
        for (int i = 0; i < lengths.length; i++) {
            src[i] = (long) i * size;
        }
        Indexed list = Indexed.list(lengths, dst, src);
        SharedPointer sums = zeros(remote, list.dstExtent());
        try (PatternMemory memory = source(local, ElementType.LONG, 2 * part, rank.rank())) {
            rank.rma().accumulate(sums.onRank(0), memory.block().as(ElementType.LONG), list, 1, Completion.LOCAL);
        }
        rank.barrier();
        double[] expected = new double[(int) list.dstExtent() / size];
        for (int from = 0; from < rank.ranks(); from++) {
            add(expected, list, size, from, 1);
        }
        compare(expected, sums.onRank(0), ElementType.LONG, "long pieces, local=" + local + " remote=" + remote);
        rank.allFree(sums);
    }

    // ---- buffers to many ranks

    /** Every rank adds a buffer to the begin of every rank's memory, and a part of it one element further. */
    private void buffersToMany(MemoryKind remote, MemoryKind local, ElementType type) {
        int count = 20;
        SharedPointer sums = zeros(remote, type.bytes(count));
        try (PatternMemory memory = source(local, type, count, rank.rank())) {
            Buffer all = memory.block().as(type);
            List<SharedPointer> places = new ArrayList<>();
            List<Buffer> buffers = new ArrayList<>();
            for (int to = 0; to < rank.ranks(); to++) {
                SharedPointer place = sums.onRank(to).cast(0, 1);
                places.addAll(List.of(place, place.plus(type.bytes())));
                buffers.addAll(List.of(all, all.slice(0, count - 1)));
            }
            Handle handle = rank.rma().accumulateList(places, buffers, 2, Completion.HANDLE);
            rank.rma().syncAll(handle);
        }
        rank.barrier();
        double[] expected = new double[count];
        for (int from = 0; from < rank.ranks(); from++) {
            add(expected, Strided.contiguous(type.bytes(count)), type.bytes(), from, 2);
            add(expected, Indexed.of(type.bytes(count - 1), new long[] {type.bytes()}, new long[1]), type.bytes(), from, 2);
        }
        compare(expected, sums.onRank(rank.rank()), type, "buffers, local=" + local + " remote=" + remote);
        rank.allFree(sums);
    }

    // ---- refusals

    private void refuse(MemoryKind remote, MemoryKind local) {
        String name = " local=" + local + " remote=" + remote;
        SharedPointer sums = zeros(remote, 64);
        SharedPointer mine = sums.onRank(rank.rank());
        try (PatternMemory memory = source(local, ElementType.LONG, 8, rank.rank())) {
            Buffer source = memory.block().as(ElementType.LONG);
            refuse(IndexOutOfBoundsException.class, "accumulate out of bounds", mine, source,
                    Indexed.of(8, new long[] {0, 64}, new long[] {0, 8}), "a piece beyond the destination" + name);
            refuse(IndexOutOfBoundsException.class, "accumulate out of bounds", mine, source,
                    Indexed.of(8, new long[] {0, 8}, new long[] {0, 64}), "a piece beyond the source" + name);
            refuse(IllegalArgumentException.class, "whole elements", mine, source,
                    Indexed.of(8, new long[] {0, 12}, new long[] {0, 8}), "a destination within an element" + name);
            refuse(IllegalArgumentException.class, "whole elements", mine, source,
                    Indexed.list(new long[] {8, 4}, new long[] {0, 8}, new long[] {0, 8}), "a part of an element" + name);
            refuse(IllegalArgumentException.class, "type=BYTE", mine, memory.block(), Strided.contiguous(8), "bytes" + name);
            SharedPointer last = mine.cast(0, 1).plus(56);
            check.refuses(IndexOutOfBoundsException.class, "accumulateList entry 1", () -> rank.rma().accumulateList(
                    List.of(mine, last), List.of(source, source.slice(0, 2)), 1, Completion.LOCAL), "a list beyond its end" + name);
            check.refuses(IllegalArgumentException.class, "pointers=2 buffers=1", () -> rank.rma().accumulateList(
                    List.of(mine, last), List.of(source), 1, Completion.LOCAL), "lists of different lengths" + name);
        }
        compare(new double[8], mine, ElementType.LONG, "refused," + name);
        rank.barrier();
        rank.allFree(sums);
    }

    private void refuse(Class<? extends Throwable> type, String fragment, SharedPointer to, Buffer source, Pieces pieces,
            String what) {
        check.refuses(type, fragment, () -> rank.rma().accumulate(to, source, pieces, 1, Completion.LOCAL), what);
    }

    // ---- model

    private static int term(int from, long index) {
        return from + 1 + (int) (index % 50);
    }

    private static void add(double[] sums, Pieces pieces, int size, int from, int alpha) {
        pieces.forEach((d, s, bytes) -> {
            for (long at = 0; at < bytes; at += size) {
                sums[(int) ((d + at) / size)] += (double) alpha * term(from, (s + at) / size);
            }
        });
    }

    /** Private memory with this rank's terms. */
    private PatternMemory source(MemoryKind kind, ElementType type, int count, int from) {
        PatternMemory memory = new PatternMemory(rank, kind, type.bytes(count));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment terms = arena.allocate(type.bytes(count), Long.BYTES);
            for (int i = 0; i < count; i++) {
                set(terms, type, i, term(from, i));
            }
            PatternMemory.copyBlocks(rank, memory.block(), Buffer.ofHost(terms, ElementType.BYTE));
        }
        return memory;
    }

    /** Collective: memory of all ranks that is 0. */
    private SharedPointer zeros(MemoryKind kind, long bytes) {
        SharedPointer shared = allocate(kind, bytes);
        rank.memset(shared.onRank(rank.rank()), 0, bytes);
        rank.barrier();
        return shared;
    }

    private void compare(double[] expected, SharedPointer there, ElementType type, String what) {
        MemorySegment seen = MemorySegment.ofArray(new byte[(int) type.bytes(expected.length)]);
        rank.memget(seen, there, seen.byteSize());
        int wrong = 0;
        while (wrong < expected.length && value(seen, type, wrong) == expected[wrong]) {
            wrong++;
        }
        int at = Math.min(wrong, expected.length - 1);
        check.same(expected[at], value(seen, type, at), what + " type=" + type + " element=" + at);
    }

    private static void set(MemorySegment memory, ElementType type, int i, int value) {
        switch (type) {
            case INT -> memory.setAtIndex(ElementType.LAYOUT_INT, i, value);
            case LONG -> memory.setAtIndex(ElementType.LAYOUT_LONG, i, value);
            case FLOAT -> memory.setAtIndex(ElementType.LAYOUT_FLOAT, i, value);
            default -> memory.setAtIndex(ElementType.LAYOUT_DOUBLE, i, value);
        }
    }

    private static double value(MemorySegment memory, ElementType type, int i) {
        return switch (type) {
            case INT -> memory.getAtIndex(ElementType.LAYOUT_INT, i);
            case LONG -> memory.getAtIndex(ElementType.LAYOUT_LONG, i);
            case FLOAT -> memory.getAtIndex(ElementType.LAYOUT_FLOAT, i);
            default -> memory.getAtIndex(ElementType.LAYOUT_DOUBLE, i);
        };
    }
}
