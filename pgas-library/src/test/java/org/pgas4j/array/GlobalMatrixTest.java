package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Team;

/** Products of matrices, sections with steps, arrays of teams and counters, on the host device. */
@Timeout(120)
class GlobalMatrixTest {

    private static Buffer doubles(double... values) {
        return Buffer.ofHost(MemorySegment.ofArray(values), ElementType.DOUBLE);
    }

    private static void set(GlobalArray array, Random random, double[] plain) {
        for (int i = 0; i < plain.length; i++) {
            plain[i] = random.nextInt(-4, 5);
        }
        if (array.team().rank() == 0) {
            array.all().put(of(array.type(), plain));
        }
        array.team().barrier();
    }

    private static Buffer of(ElementType type, double... values) {
        if (type == ElementType.DOUBLE) {
            return doubles(values);
        }
        float[] floats = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            floats[i] = (float) values[i];
        }
        return Buffer.ofHost(MemorySegment.ofArray(floats), type);
    }

    private static double at(Buffer buffer, long index) {
        return buffer.type() == ElementType.DOUBLE ? buffer.segment().get(ElementType.LAYOUT_DOUBLE, 8 * index)
                : buffer.segment().get(ElementType.LAYOUT_FLOAT, 4 * index);
    }

    /** Small whole numbers: sums are exact in any order. */
    static void multiply(Rank rank, Team team, ElementType type, MemoryKind kind, int m, int n, int k, Distribution of,
                                 long... ghosts) {
        Random random = new Random(m + n + k);
        Distribution left = Distribution.of(Axis.cyclic(m, 1), Axis.blockCyclic(k, team.ranks(), 3));
        Distribution right = Distribution.blocks(team.ranks(), k, n);
        double[] x = new double[m * k];
        double[] y = new double[k * n];
        double[] z = new double[m * n];
        try (GlobalArray a = GlobalArray.allocate(rank, team, type, kind, left, new long[2]);
                GlobalArray b = GlobalArray.allocate(rank, team, type, MemoryKind.HOST, right, new long[2]);
                GlobalArray c = GlobalArray.allocate(rank, team, type, kind, of, ghosts)) {
            set(a, random, x);
            set(b, random, y);
            for (MatrixAlgorithm algorithm : MatrixAlgorithm.values()) {
                set(c, random, z);
                c.gemm(algorithm, 2, a, b, -1);
                Buffer seen = of(type, new double[m * n]);
                c.all().get(seen);
                for (int i = 0; i < m; i++) {
                    for (int j = 0; j < n; j++) {
                        double expected = -z[i * n + j];
                        for (int l = 0; l < k; l++) {
                            expected += 2 * x[i * k + l] * y[l * n + j];
                        }
                        assertEquals(expected, at(seen, (long) i * n + j), i + "," + j + " of " + c + " by " + algorithm);
                    }
                }
                team.barrier();
            }
            team.barrier();
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldMultiplyMatricesOfAnyDistribution(MemoryKind kind) {
        for (int ranks : new int[] {1, 2, 4}) {
            Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
                Team all = rank.world();
                multiply(rank, all, ElementType.DOUBLE, kind, 17, 13, 19, Distribution.blocks(ranks, 17, 13), 1, 2);
                multiply(rank, all, ElementType.FLOAT, kind, 5, 30, 3,
                        Distribution.of(Axis.cyclic(5, ranks), Axis.whole(30)), 0, 0);
                multiply(rank, all, ElementType.DOUBLE, kind, 12, 11, 1200,
                        Distribution.of(Axis.whole(12), Axis.blockCyclic(11, ranks, 2)), 0, 0);
                multiply(rank, all, ElementType.DOUBLE, kind, 3, 1, 0, Distribution.blocks(ranks, 3, 1), 0, 0);
            });
        }
    }

    @Test
    void shouldTakeTheAlgorithmThatMovesLess() {
        int ranks = 4;
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            Distribution columns = Distribution.of(Axis.whole(16), Axis.block(64, ranks));
            Distribution rows = Distribution.of(Axis.block(64, ranks), Axis.whole(16));
            try (GlobalArray a = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, columns);
                    GlobalArray b = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, rows);
                    GlobalArray inner = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST,
                            Distribution.blocks(ranks, 16, 16));
                    GlobalArray outer = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST,
                            Distribution.blocks(ranks, 64, 64))) {
                // 16 x 16 of 64 x 16 indices: 8 rows and 8 columns of 64 less the own 8 x 16 and 16 x 8; nothing, and 3 of 4 parts added
                assertEquals("reduce: pull reads 6144 bytes a rank, reduce moves 3072 (at most, of the largest share; what is added"
                        + " counts twice)", inner.explainGemm(a, b));
                // 64 x 64 of 16 indices: 32 rows and 32 columns, less the own; 4 inner indices of all, and 3 of 4 parts added
                assertTrue(outer.explainGemm(b, a).startsWith("pull: "), outer.explainGemm(b, a));
                rank.barrier();
            }
        });
    }

    @Test
    void shouldRefuseMatricesThatDoNotFit() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            try (GlobalArray a = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, Distribution.blocks(2, 4, 5));
                    GlobalArray b = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, Distribution.blocks(2, 5, 4));
                    GlobalArray longs = GlobalArray.allocate(rank, ElementType.LONG, MemoryKind.HOST,
                            Distribution.blocks(2, 4, 4))) {
                assertThrows(IllegalArgumentException.class, () -> a.gemm(1, a, b, 0));
                assertThrows(IllegalArgumentException.class, () -> longs.gemm(1, a, b, 0));
                assertThrows(IllegalArgumentException.class, () -> a.fetchAdd(1, 0, 0));
                assertThrows(IndexOutOfBoundsException.class, () -> longs.fetchAdd(1, 4, 0));
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, auto", "3, auto", "4, fastpath"})
    void shouldReadAndWriteEverySoManyIndices(int ranks, String route) {
        Pgas.run(GlobalArrayTest.config(ranks, route), rank -> {
            Random random = new Random(ranks);
            for (int trial = 0; trial < 20; trial++) {
                int rows = 5 + random.nextInt(20);
                int columns = 5 + random.nextInt(20);
                Distribution distribution = Distribution.of(Axis.whole(rows),
                        Axis.blockCyclic(columns, ranks, 1 + random.nextInt(4)));
                double[] plain = new double[rows * columns];
                try (GlobalArray array = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, distribution);
                        GlobalArray other = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST,
                                Distribution.blocks(ranks, columns, rows))) {
                    set(array, random, plain);
                    Range down = range(random, rows);
                    Range across = range(random, columns);
                    Section section = array.section(down, across);
                    double[] seen = new double[(int) section.count()];
                    section.get(doubles(seen));
                    check(plain, columns, down, across, seen);
                    rank.barrier();
                    // the same elements, transposed into the low corner of another array
                    Section corner = other.section(Range.of(0, across.length()), Range.of(0, down.length()));
                    section.copyTo(corner, 1, 0);
                    double[] turned = new double[seen.length];
                    corner.get(doubles(turned));
                    for (int i = 0; i < down.length(); i++) {
                        for (int j = 0; j < across.length(); j++) {
                            assertEquals(seen[i * (int) across.length() + j], turned[j * (int) down.length() + i]);
                        }
                    }
                    rank.barrier();
                    if (rank.rank() == 0) {
                        section.put(doubles(new double[seen.length]));
                        rank.fence();
                    }
                    rank.barrier();
                    double[] after = new double[plain.length];
                    array.all().get(doubles(after));
                    for (int i = 0; i < plain.length; i++) {
                        boolean in = has(down, i / columns) && has(across, i % columns);
                        assertEquals(in ? 0 : plain[i], after[i], "element " + i + " of " + section);
                    }
                    rank.barrier();
                }
            }
        });
    }

    private static Range range(Random random, int length) {
        int from = random.nextInt(length);
        return Range.of(from, from + random.nextInt(length - from + 1), 1 + random.nextInt(4));
    }

    private static boolean has(Range range, long index) {
        return index >= range.from() && index < range.to() && (index - range.from()) % range.step() == 0;
    }

    private static void check(double[] plain, int columns, Range down, Range across, double[] seen) {
        int at = 0;
        for (long i = down.from(); i < down.to(); i += down.step()) {
            for (long j = across.from(); j < across.to(); j += across.step()) {
                assertEquals(plain[(int) (i * columns + j)], seen[at++], i + "," + j);
            }
        }
        assertEquals(seen.length, at);
    }

    /** Two teams work on arrays of their own at the same time; their members' numbers are not those of the ranks. */
    @Test
    void shouldSpreadArraysOverATeam() {
        Pgas.run(GlobalArrayTest.config(5, "auto"), rank -> {
            long before = rank.memory().stats(MemoryKind.HOST).usedBytes();
            rank.barrier();
            try (Team team = rank.world().split(rank.rank() % 2)) {
                int ranks = team.ranks();
                for (MemoryKind kind : MemoryKind.values()) {
                    multiply(rank, team, ElementType.DOUBLE, kind, 9, 8, 7, Distribution.blocks(ranks, 9, 8), 0, 0);
                }
                try (GlobalArray array = GlobalArray.allocate(rank, team, ElementType.LONG, MemoryKind.HOST,
                        Distribution.blocks(ranks, 10), 1);
                        GlobalArray turned = GlobalArray.allocate(rank, team, ElementType.LONG, MemoryKind.HOST,
                                Distribution.of(Axis.cyclic(10, ranks)), 0)) {
                    array.forAllLocal(index -> {
                        assertEquals(rank.rank(), array.locate(index).rank());
                        rank.rma().putLong(array.locate(index), 100 * (rank.rank() % 2) + index[0]);
                    });
                    array.exchangeGhosts(true);
                    array.copyTo(turned);
                    turned.scale(2);
                    long[] seen = new long[10];
                    turned.all().get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.LONG));
                    for (int i = 0; i < 10; i++) {
                        assertEquals(2 * (100 * (rank.rank() % 2) + i), seen[i]);
                    }
                    double sum = 0;
                    for (long value : seen) {
                        sum += value * value;
                    }
                    assertEquals(sum, turned.dot(turned));
                    LocalPart local = array.local();
                    long left = rank.rma().getLong(array.pointer(team.rank(), local.at(-1)));
                    long first = array.distribution().axis(0).index(team.rank(), 0);
                    assertEquals(100 * (rank.rank() % 2) + Math.floorMod(first - 1, 10), left);
                    team.barrier();
                }
            }
            rank.barrier();
            assertEquals(before, rank.memory().stats(MemoryKind.HOST).usedBytes());
        });
    }

    @Test
    void shouldNoticeWhereMembersGiveDifferentArrays() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            try (Team team = rank.world().split(0)) {
                PgasException failure = assertThrows(PgasException.class, () -> GlobalArray.allocate(rank, team, ElementType.LONG,
                        MemoryKind.HOST, Distribution.blocks(2, 10 + rank.rank()), 0));
                assertTrue(failure.getMessage().contains("members give different"), failure::toString);
            }
        });
    }

    @Test
    void shouldGiveEachNumberOnce() {
        int ranks = 4;
        AtomicIntegerArray given = new AtomicIntegerArray(ranks * 100);
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            try (SharedCounter counter = SharedCounter.allocate(rank, ranks - 1);
                    GlobalArray longs = GlobalArray.allocate(rank, ElementType.LONG, MemoryKind.HOST,
                            Distribution.blocks(ranks, 9))) {
                longs.fill(10);
                for (int i = 0; i < 50; i++) {
                    given.incrementAndGet((int) counter.next());
                    longs.fetchAdd(2, 7);
                }
                rank.barrier();
                counter.reset(50L * ranks);
                for (int i = 0; i < 10; i++) {
                    long first = counter.next(5);
                    for (long number = first; number < first + 5; number++) {
                        given.incrementAndGet((int) number);
                    }
                }
                rank.barrier();
                for (int i = 0; i < given.length(); i++) {
                    assertEquals(1, given.get(i), "number " + i);
                }
                assertEquals(10 + 2 * 50L * ranks, rank.rma().getLong(longs.locate(7)));
                assertThrows(IllegalArgumentException.class, () -> counter.next(0));
                rank.barrier();
            }
        });
        assertEquals(List.of(1, 1), List.of(given.get(0), given.get(ranks * 100 - 1)));
    }
}
