package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm.Precision;
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

    static void set(GlobalArray array, Random random, double[] plain) {
        for (int i = 0; i < plain.length; i++) {
            plain[i] = random.nextInt(-4, 5);
        }
        if (array.team().rank() == 0) {
            array.all().put(of(array.type(), plain));
        }
        array.team().barrier();
    }

    static Buffer of(ElementType type, double... values) {
        MemorySegment memory = MemorySegment.ofArray(new long[values.length + 1]);
        for (int i = 0; i < values.length; i++) {
            switch (type) {
                case DOUBLE -> memory.set(ElementType.LAYOUT_DOUBLE, 8L * i, values[i]);
                case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, 4L * i, (float) values[i]);
                case INT -> memory.set(ElementType.LAYOUT_INT, 4L * i, (int) values[i]);
                case BYTE -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) values[i]);
                default -> memory.set(ElementType.LAYOUT_SHORT, 2L * i, type.toBits((float) values[i]));
            }
        }
        return Buffer.ofHost(memory.asSlice(0, type.bytes(values.length)), type);
    }

    static double at(Buffer buffer, long index) {
        MemorySegment memory = buffer.segment();
        return switch (buffer.type()) {
            case DOUBLE -> memory.get(ElementType.LAYOUT_DOUBLE, 8 * index);
            case FLOAT -> memory.get(ElementType.LAYOUT_FLOAT, 4 * index);
            case INT -> memory.get(ElementType.LAYOUT_INT, 4 * index);
            default -> buffer.type().toFloat(memory.get(ElementType.LAYOUT_SHORT, 2 * index));
        };
    }

    /** Small whole numbers: sums are exact in any order. */
    static void multiply(Rank rank, Team team, ElementType type, MemoryKind kind, int m, int n, int k, Distribution of,
                                 long... ghosts) {
        multiply(rank, team, type, kind, Distribution.of(Axis.cyclic(m, 1), Axis.blockCyclic(k, team.ranks(), 3)), MemoryKind.HOST,
                Distribution.blocks(team.ranks(), k, n), of, ghosts);
    }

    /** Each algorithm that the type and the distribution have, twice: with the plan of the first product. */
    private static void multiply(Rank rank, Team team, ElementType type, MemoryKind kind, Distribution left, MemoryKind kindOfB,
                                 Distribution right, Distribution of, long... ghosts) {
        int m = (int) of.length(0);
        int n = (int) of.length(1);
        int k = (int) left.length(1);
        ElementType sums = type == ElementType.BYTE ? ElementType.INT : type;
        Random random = new Random(m + n + k);
        double[] x = new double[m * k];
        double[] y = new double[k * n];
        double[] z = new double[m * n];
        try (GlobalArray a = GlobalArray.allocate(rank, team, type, kind, left, new long[2]);
                GlobalArray b = GlobalArray.allocate(rank, team, type, kindOfB, right, new long[2]);
                GlobalArray c = GlobalArray.allocate(rank, team, sums, kind, of, ghosts)) {
            for (int trial = 0; trial < 4; trial++) {
                MatrixAlgorithm algorithm = MatrixAlgorithm.values()[trial % 2];
                if (algorithm == MatrixAlgorithm.REDUCE
                        && !MatrixProduct.of(MatrixView.of(a), MatrixView.of(b), c).isReducible()) {
                    assertThrows(IllegalArgumentException.class, () -> c.gemm(algorithm, 2, a, b, -1));
                    continue;
                }
                int beta = trial < 2 ? -1 : 0;
                set(a, random, x);
                set(b, random, y);
                set(c, random, z);
                c.gemm(algorithm, 2, a, b, beta);
                Buffer seen = of(sums, new double[m * n]);
                c.all().get(seen);
                for (int i = 0; i < m; i++) {
                    for (int j = 0; j < n; j++) {
                        double expected = beta * z[i * n + j];
                        for (int l = 0; l < k; l++) {
                            expected += 2 * x[i * k + l] * y[l * n + j];
                        }
                        assertEquals(expected + 0.0, at(seen, (long) i * n + j) + 0.0, // -0 is as good
                                i + "," + j + " of " + c + " by " + algorithm);
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

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    @Tag("slow")
    void shouldMultiplyBlocksOnMoreDevices(int ranks) {
        shouldMultiplyBlocksOnDevices(ranks);
    }

    /** Operands in place, in one run, in rows apart, and gathered; sums that pass through slots and straight to c. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldMultiplyBlocksOnDevices(int ranks) {
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            Team all = rank.world();
            MemoryKind device = MemoryKind.DEVICE;
            Distribution rows = Distribution.of(Axis.block(37, ranks), Axis.whole(19));
            Distribution columns = Distribution.of(Axis.whole(37), Axis.block(19, ranks));
            Distribution rowsOfB = Distribution.of(Axis.block(19, ranks), Axis.whole(29));
            Distribution columnsOfB = Distribution.of(Axis.whole(19), Axis.block(29, ranks));
            Distribution rowsOfC = Distribution.of(Axis.block(37, ranks), Axis.whole(29));
            Distribution columnsOfC = Distribution.of(Axis.whole(37), Axis.block(29, ranks));
            multiply(rank, all, ElementType.DOUBLE, device, rows, device, rowsOfB, rowsOfC, 0, 0);
            multiply(rank, all, ElementType.BFLOAT16, device, columns, device, rowsOfB, rowsOfC, 0, 0);
            multiply(rank, all, ElementType.HALF, device, rows, device, columnsOfB, columnsOfC, 0, 0);
            multiply(rank, all, ElementType.BYTE, device, columns, device, columnsOfB, columnsOfC, 1, 0);
            multiply(rank, all, ElementType.FLOAT, device, Distribution.blocks(ranks, 37, 19), device,
                    Distribution.blocks(ranks, 19, 29), Distribution.blocks(ranks, 37, 29), 0, 1);
            multiply(rank, all, ElementType.FLOAT, device, Distribution.blocks(ranks, 2, 3), device,
                    Distribution.blocks(ranks, 3, 2), Distribution.of(Axis.block(2, ranks), Axis.whole(2)), 0, 0);
        });
    }

    /** Many tiles of rows, and panels that are narrower than the blocks. */
    @Test
    void shouldMultiplyInManyParts() {
        int ranks = 2;
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            Distribution rows = Distribution.of(Axis.block(700, ranks), Axis.whole(3));
            Distribution wide = Distribution.of(Axis.whole(3), Axis.block(400, ranks));
            multiply(rank, rank.world(), ElementType.FLOAT, MemoryKind.DEVICE, rows, MemoryKind.DEVICE, wide,
                    Distribution.of(Axis.block(700, ranks), Axis.whole(400)), 0, 0);
            multiply(rank, rank.world(), ElementType.FLOAT, MemoryKind.DEVICE,
                    Distribution.of(Axis.block(4, ranks), Axis.whole(5000)), MemoryKind.HOST,
                    Distribution.of(Axis.blockCyclic(5000, ranks, 130), Axis.whole(6)), Distribution.blocks(ranks, 4, 6), 0, 0);
        });
    }

    /** Rows of a that come whole are one run of memory each, and in place once for all of the inner dimension. */
    @Test
    void shouldPullWholeRowsWhereTheyFit() {
        Pgas.run(GlobalArrayTest.config(4, "auto").deviceHeap(1 << 24), rank -> {
            Distribution rows = Distribution.of(Axis.block(1024, 4), Axis.whole(1024));
            Distribution columns = Distribution.of(Axis.whole(1024), Axis.block(1024, 4));
            try (GlobalArray a = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, rows);
                    GlobalArray b = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, columns);
                    GlobalArray c = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, columns)) {
                MatrixProduct product = MatrixProduct.of(MatrixView.of(a), MatrixView.of(b), c);
                List<PulledPanel> panels = PulledProduct.panels(product, 256 * 1024);
                assertEquals(1, panels.size());
                List<Long> begins = panels.getFirst().streamed().stream().map(part -> part.box().rows().from()).toList();
                long own = 256L * rank.rank();
                assertEquals(List.of(own, (own + 256) % 1024, (own + 512) % 1024, (own + 768) % 1024), begins);
                assertEquals(2, PulledProduct.panels(product, 255 * 1024).size());
                rank.barrier();
            }
        });
    }

    @Test
    void shouldKeepAPlanUntilOtherMatricesCome() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            Distribution square = Distribution.blocks(2, 6, 6);
            try (GlobalArray a = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, square);
                    GlobalArray b = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, square);
                    GlobalArray c = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, square)) {
                a.fill(1);
                b.fill(2);
                MatrixPlans plans = new MatrixPlans(c);
                MatrixView left = MatrixView.of(a);
                MatrixView right = MatrixView.of(b);
                for (MatrixAlgorithm algorithm : List.of(MatrixAlgorithm.PULL, MatrixAlgorithm.REDUCE, MatrixAlgorithm.SUMMA)) {
                    MatrixPlan first = plans.plan(algorithm, Precision.FLOAT, left, right);
                    assertSame(first, plans.plan(algorithm, Precision.FLOAT, left, MatrixView.of(b)));
                    MatrixPlan second = plans.plan(algorithm, Precision.TF32, left, right);
                    assertNotSame(first, second);
                    rank.barrier();
                    second.run(1, 0);
                    rank.barrier();
                    assertEquals(36 * 12 * 12, c.dot(c), "36 elements of 12");
                }
                plans.close();
                assertEquals(plans.choose(Precision.FLOAT, left, right), MatrixProduct.of(left, right, c).choose());
                assertThrows(IllegalArgumentException.class, () -> c.gemm(MatrixAlgorithm.PULL, Precision.DOUBLE, 1, a, b, 0));
            }
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldComputeWith16BitFloats(MemoryKind kind) {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            for (ElementType type : new ElementType[] {ElementType.HALF, ElementType.BFLOAT16}) {
                try (GlobalArray x = GlobalArray.allocate(rank, type, kind, Distribution.blocks(2, 5, 7), 1, 1);
                        GlobalArray y = GlobalArray.allocate(rank, type, kind, Distribution.blocks(2, 5, 7), 1, 1)) {
                    x.fill(1.5);
                    y.fill(-2);
                    y.scale(0.5);
                    y.add(4, x, 2, y);
                    assertEquals(35 * 1.5 * 4, x.dot(y));
                    double[] third = new double[1];
                    x.fill(1 / 3f);
                    Buffer seen = of(type, third);
                    x.section(Range.at(4), Range.at(6)).get(seen);
                    assertEquals(type.toFloat(type.toBits(1 / 3f)), at(seen, 0));
                    rank.barrier();
                }
            }
        });
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
