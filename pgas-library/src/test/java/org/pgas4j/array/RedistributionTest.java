package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Moves of copies between distributions, without a job. */
class RedistributionTest {

    private static final int RANKS = 4;
    private static final int ROUNDS = 300;

    private static Redistribution.Place all(Distribution distribution) {
        List<Long> strides = new ArrayList<>();
        List<Range> ranges = new ArrayList<>();
        long stride = 1;
        for (int dimension = distribution.dimensions() - 1; dimension >= 0; dimension--) {
            strides.addFirst(stride);
            ranges.addFirst(Range.of(0, distribution.length(dimension)));
            stride *= distribution.axis(dimension).maxLength();
        }
        return new Redistribution.Place(distribution, strides, ranges);
    }

    private static int size(Distribution distribution) {
        return (int) (distribution.axis(0).maxLength() * distribution.axis(1).maxLength());
    }

    private static Distribution rows(long n) {
        return Distribution.of(Axis.block(n, RANKS), Axis.whole(n));
    }

    private static Distribution cyclicRows(long n) {
        return Distribution.of(Axis.cyclic(n, RANKS), Axis.whole(n));
    }

    private static Distribution grid(long n, long block) {
        return Distribution.of(Axis.blockCyclic(n, 2, block), Axis.blockCyclic(n, 2, block));
    }

    /** Largest number of transfers of a rank to one owner. */
    private static int transfers(Distribution from, Distribution to) {
        int most = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            int[] each = new int[RANKS];
            Redistribution.moves(rank, all(from), all(to), Double.BYTES, 0, 1).forEach(move -> each[move.owner()]++);
            most = Math.max(most, Arrays.stream(each).max().orElseThrow());
        }
        return most;
    }

    @Test
    void shouldTakeOneTransferToEachOwnerWherePartsAreRegular() {
        for (long n : new long[] {1 << 10, 5888, 23_168}) {
            assertEquals(1, transfers(rows(n), Distribution.of(Axis.whole(n), Axis.block(n, RANKS))), "columns of " + n);
            assertEquals(1, transfers(rows(n), cyclicRows(n)), "cyclic rows of " + n);
            assertEquals(1, transfers(rows(n), Distribution.of(Axis.whole(n), Axis.cyclic(n, RANKS))), "cyclic columns of " + n);
            assertEquals(1, transfers(rows(n), Distribution.of(Axis.blockCyclic(n, RANKS, 8), Axis.whole(n))), "blocks of " + n);
            assertEquals(1, transfers(cyclicRows(n), grid(n, 64)), "grid of " + n);
        }
    }

    @Test
    void shouldTakeFewTransfersWhereAPeriodIsCut() {
        for (long n : new long[] {1448, 5792, 23_170, 100_003}) {
            assertTrue(transfers(cyclicRows(n), grid(n, 64)) <= 4, "to a grid of " + n);
            assertTrue(transfers(grid(n, 64), cyclicRows(n)) <= 4, "from a grid of " + n);
        }
    }

    /** Lines of a grid's part lie next to each other: neighbouring blocks are one run of the destination. */
    @Test
    void shouldWriteBlocksOfAGridSideBySide() {
        Redistribution.Move move = Redistribution.moves(1, all(cyclicRows(5888)), all(grid(5888, 64)), Double.BYTES, 0, 1).getFirst();

        assertEquals(512, move.shape().run());
        assertEquals(3, move.shape().levels());
        assertEquals(512, move.shape().dstStride(2));
        assertEquals(1024, move.shape().srcStride(2));
    }

    @Test
    void shouldMoveEveryElementOnce() {
        Random random = new Random(11);
        for (int round = 0; round < ROUNDS; round++) {
            long rows = 1 + random.nextInt(70);
            long columns = 1 + random.nextInt(70);
            check(distribution(random, rows, columns), distribution(random, rows, columns));
        }
    }

    private static Distribution distribution(Random random, long rows, long columns) {
        int down = 1 << random.nextInt(3);
        return Distribution.of(axis(random, rows, down), axis(random, columns, RANKS / down));
    }

    private static Axis axis(Random random, long length, int ranks) {
        return switch (random.nextInt(3)) {
            case 0 -> Axis.block(length, ranks);
            case 1 -> Axis.cyclic(length, ranks);
            default -> Axis.blockCyclic(length, ranks, 1 + random.nextInt(9));
        };
    }

    private static void check(Distribution from, Distribution to) {
        long[][] seen = new long[RANKS][size(to)];
        for (int rank = 0; rank < RANKS; rank++) {
            long[] own = part(from, rank);
            for (Redistribution.Move move : Redistribution.moves(rank, all(from), all(to), Long.BYTES, 0, 1)) {
                move.shape().forEach((dst, src, bytes) -> {
                    for (long at = 0; at < bytes; at += Long.BYTES) {
                        seen[move.owner()][(int) (move.to() + (dst + at) / Long.BYTES)] +=
                                own[(int) (move.from() + (src + at) / Long.BYTES)];
                    }
                });
            }
        }
        for (int rank = 0; rank < RANKS; rank++) {
            assertArrayEquals(part(to, rank), seen[rank], from + " to " + to + " on rank " + rank);
        }
    }

    /** A rank's memory with the number of each element, counted from 1. */
    private static long[] part(Distribution distribution, int rank) {
        long[] part = new long[size(distribution)];
        Axis rows = distribution.axis(0);
        Axis columns = distribution.axis(1);
        int[] at = distribution.coordinates(rank);
        for (long i = 0; i < rows.lengthOn(at[0]); i++) {
            for (long j = 0; j < columns.lengthOn(at[1]); j++) {
                part[(int) (i * columns.maxLength() + j)] = rows.index(at[0], i) * columns.length() + columns.index(at[1], j) + 1;
            }
        }
        return part;
    }
}
