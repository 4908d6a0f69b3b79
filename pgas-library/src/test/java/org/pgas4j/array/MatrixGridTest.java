package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;

/** Products on grids of ranks, plain and transposed, by all algorithms, on the host device. */
@Timeout(120)
class MatrixGridTest {

    /** Of matrices with so many rows some are looked at. */
    private static final int MANY_ROWS = 1000;
    private static final int EVERY_ROW = 61;

    /** Indices over coordinates in blocks, or in blocks of a size in turn. */
    private record Spread(int ranks, int block) {

        Axis axis(long length) {
            return block == 0 ? Axis.block(length, ranks) : Axis.blockCyclic(length, ranks, block);
        }
    }

    /** A product m x k x n on a grid of p x q ranks; the inner dimension may lie differently in a and in b. */
    private record Shape(int m, int n, int k, Spread rows, Spread columns, Spread innerOfA, Spread innerOfB) {

        static Shape of(int m, int n, int k, int p, int q, int block) {
            return new Shape(m, n, k, new Spread(p, block), new Spread(q, block), new Spread(q, block), new Spread(p, block));
        }
    }

    private static GlobalArray allocate(Rank rank, ElementType type, MemoryKind kind, Axis rows, Axis columns, boolean turned) {
        return GlobalArray.allocate(rank, type, kind, turned ? Distribution.of(columns, rows) : Distribution.of(rows, columns));
    }

    private static double element(double[] values, int rows, int columns, boolean transposed, int row, int column) {
        return values[transposed ? column * rows + row : row * columns + column];
    }

    /** Whole numbers, so that sums are exact in any order; each algorithm twice, with its plan again and other factors. */
    private static void multiply(Rank rank, ElementType type, MemoryKind kind, Shape of, boolean turnA, boolean turnB,
                                 MatrixAlgorithm... algorithms) {
        Random random = new Random(of.m + of.n + of.k);
        double[] x = new double[of.m * of.k];
        double[] y = new double[of.k * of.n];
        double[] z = new double[of.m * of.n];
        try (GlobalArray a = allocate(rank, type, kind, of.rows.axis(of.m), of.innerOfA.axis(of.k), turnA);
                GlobalArray b = allocate(rank, type, kind, of.innerOfB.axis(of.k), of.columns.axis(of.n), turnB);
                GlobalArray c = allocate(rank, type, kind, of.rows.axis(of.m), of.columns.axis(of.n), false)) {
            MatrixView left = turnA ? MatrixView.of(a).transpose() : MatrixView.of(a);
            MatrixView right = turnB ? MatrixView.of(b).transpose() : MatrixView.of(b);
            for (MatrixAlgorithm algorithm : algorithms) {
                for (int beta = -1; beta < 1; beta++) {
                    GlobalMatrixTest.set(a, random, x);
                    GlobalMatrixTest.set(b, random, y);
                    GlobalMatrixTest.set(c, random, z);
                    c.gemm(algorithm, MatrixProduct.of(left, right, c).precision(), 2, left, right, beta);
                    Buffer seen = GlobalMatrixTest.of(type, new double[of.m * of.n]);
                    c.all().get(seen);
                    for (int i = 0; i < of.m; i += of.m < MANY_ROWS ? 1 : EVERY_ROW) {
                        for (int j = 0; j < of.n; j++) {
                            double sum = beta * z[i * of.n + j];
                            for (int l = 0; l < of.k; l++) {
                                sum += 2 * element(x, of.m, of.k, turnA, i, l) * element(y, of.k, of.n, turnB, l, j);
                            }
                            int at = i * of.n + j;
                            assertEquals(sum + 0.0, GlobalMatrixTest.at(seen, at) + 0.0, // -0 is as good
                                    () -> "element " + at + " of " + of + " " + turnA + " " + turnB + " by " + algorithm);
                        }
                    }
                    rank.barrier();
                }
            }
            rank.barrier();
        }
    }

    private static void run(int ranks, Consumer body) {
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), body::accept);
    }

    /** Work of a rank. */
    private interface Consumer {

        void accept(Rank rank);
    }

    @ParameterizedTest
    @CsvSource({"5, 1", "2, 3"})
    @Tag("slow")
    void shouldMultiplyOnLargerGrids(int p, int q) {
        shouldMultiplyOnGrids(p, q);
    }

    /** Blocks of any size, in place and read, transposed or not; from 2 ranks on some have parts of other sizes, or none. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "1, 3", "2, 2"})
    void shouldMultiplyOnGrids(int p, int q) {
        run(p * q, rank -> {
            List<MatrixAlgorithm> all = new ArrayList<>(List.of(MatrixAlgorithm.SUMMA));
            if (p == q) {
                all.add(MatrixAlgorithm.CANNON);
            }
            MatrixAlgorithm[] algorithms = all.toArray(MatrixAlgorithm[]::new);
            for (MemoryKind kind : MemoryKind.values()) {
                for (int turns = 0; turns < 4; turns++) {
                    boolean turnA = (turns & 1) > 0;
                    boolean turnB = turns > 1;
                    multiply(rank, ElementType.DOUBLE, kind, Shape.of(17, 13, 19, p, q, 0), turnA, turnB, algorithms);
                    multiply(rank, ElementType.FLOAT, kind, Shape.of(21, 16, 35, p, q, 3), turnA, turnB, algorithms);
                    multiply(rank, ElementType.DOUBLE, kind, Shape.of(1, 1, 1, p, q, 0), turnA, turnB, algorithms);
                }
            }
            multiply(rank, ElementType.BFLOAT16, MemoryKind.DEVICE, Shape.of(9, 8, 7, p, q, 2), false, true, algorithms);
            multiply(rank, ElementType.HALF, MemoryKind.DEVICE, Shape.of(3, 14, 5, p, q, 0), true, false, algorithms);
            multiply(rank, ElementType.DOUBLE, MemoryKind.DEVICE, Shape.of(4, 3, 0, p, q, 0), false, false, algorithms);
        });
    }

    /** The inner dimension in other blocks, on other numbers of ranks, in a and in b. */
    @Test
    void shouldMultiplyWhateverTheInnerDimensionLiesLike() {
        run(6, rank -> {
            Spread two = new Spread(2, 4);
            Spread three = new Spread(3, 5);
            multiply(rank, ElementType.DOUBLE, MemoryKind.DEVICE, new Shape(11, 18, 61, two, three, new Spread(3, 2),
                    new Spread(2, 7)), false, false, MatrixAlgorithm.SUMMA, MatrixAlgorithm.PULL);
            multiply(rank, ElementType.FLOAT, MemoryKind.DEVICE, new Shape(11, 18, 40, two, three, new Spread(1, 0),
                    new Spread(2, 1)), true, true, MatrixAlgorithm.SUMMA, MatrixAlgorithm.REDUCE);
            multiply(rank, ElementType.DOUBLE, MemoryKind.HOST, new Shape(5, 7, 40, three, two, new Spread(2, 1),
                    new Spread(3, 1)), false, true, MatrixAlgorithm.SUMMA);
        });
    }

    /** The algorithms that take any distribution, transposed. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldMultiplyTransposedMatricesOfAnyDistribution(MemoryKind kind) {
        run(4, rank -> {
            Shape apart = new Shape(14, 9, 23, new Spread(2, 0), new Spread(2, 0), new Spread(1, 0), new Spread(2, 4));
            for (int turns = 1; turns < 4; turns++) {
                multiply(rank, ElementType.DOUBLE, kind, apart, (turns & 1) > 0, turns > 1, MatrixAlgorithm.PULL,
                        MatrixAlgorithm.REDUCE);
                multiply(rank, ElementType.FLOAT, kind, new Shape(14, 9, 23, new Spread(4, 2), new Spread(1, 0), new Spread(1, 0),
                        new Spread(2, 3)), (turns & 1) > 0, turns > 1, MatrixAlgorithm.PULL, MatrixAlgorithm.REDUCE);
            }
        });
    }

    /** Panels narrower than what a rank has, for which the device need not wait long, and a long thin product. */
    @Test
    void shouldMultiplyInPanels() {
        run(4, rank -> {
            multiply(rank, ElementType.DOUBLE, MemoryKind.DEVICE, Shape.of(12, 5, 9000, 2, 2, 0), false, false,
                    MatrixAlgorithm.SUMMA, MatrixAlgorithm.CANNON);
            multiply(rank, ElementType.FLOAT, MemoryKind.DEVICE, Shape.of(3, 4, 5000, 2, 2, 300), true, false,
                    MatrixAlgorithm.SUMMA, MatrixAlgorithm.CANNON);
        });
    }

    /** Rows enough for the first ones to be cut, where b or a is in place, and where neither is. */
    @Test
    void shouldBeginWithAFewRows() {
        run(4, rank -> {
            for (int turns = 0; turns < 4; turns++) {
                multiply(rank, ElementType.FLOAT, MemoryKind.DEVICE, Shape.of(5200, 3, 4, 2, 2, 0), (turns & 1) > 0, turns > 1,
                        MatrixAlgorithm.SUMMA, MatrixAlgorithm.PULL);
            }
            multiply(rank, ElementType.FLOAT, MemoryKind.DEVICE, Shape.of(3, 5200, 4, 2, 2, 0), false, true,
                    MatrixAlgorithm.SUMMA, MatrixAlgorithm.PULL);
            multiply(rank, ElementType.DOUBLE, MemoryKind.HOST, Shape.of(2600, 2, 3, 4, 1, 0), false, false,
                    MatrixAlgorithm.SUMMA, MatrixAlgorithm.PULL);
        });
    }

    @Test
    @Tag("slow")
    void shouldMultiplyLargerMatrices() {
        Pgas.run(GlobalArrayTest.config(4, "auto").deviceHeap(1 << 24), rank -> {
            Shape blocks = Shape.of(1500, 700, 37, 2, 2, 0);
            multiply(rank, ElementType.FLOAT, MemoryKind.DEVICE, blocks, false, false, MatrixAlgorithm.PULL);
            multiply(rank, ElementType.DOUBLE, MemoryKind.DEVICE, blocks, true, false, MatrixAlgorithm.REDUCE);
            multiply(rank, ElementType.FLOAT, MemoryKind.DEVICE, Shape.of(1500, 700, 37, 2, 2, 64), false, true,
                    MatrixAlgorithm.SUMMA);
            multiply(rank, ElementType.DOUBLE, MemoryKind.DEVICE, blocks, true, true, MatrixAlgorithm.CANNON);
        });
    }

    @Test
    void shouldCutPanels() {
        Overlap.Side whole = new Overlap.Side(Axis.whole(100), 0, 0);
        List<List<Overlap>> equal = GridPanel.cut(Overlap.of(whole, whole, 100), 40);
        assertEquals(List.of(34L, 34L, 32L), equal.stream().map(group -> group.getFirst().count()).toList());

        Overlap.Side first = new Overlap.Side(Axis.blockCyclic(100, 3, 4), 1, 0);
        Overlap.Side second = new Overlap.Side(Axis.blockCyclic(100, 2, 5), 0, 0);
        boolean[] seen = new boolean[100];
        long both = 0;
        for (List<Overlap> group : GridPanel.cut(Overlap.of(first, second, 100), 3)) {
            long width = group.stream().mapToLong(Overlap::count).sum();
            assertTrue(width <= 3, "width " + width);
            both += width;
            group.forEach(piece -> mark(piece, seen, 0, piece.a(), piece.b()));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(first.axis().owner(i) == 1 && second.axis().owner(i) == 0, seen[i], "index " + i);
            both -= seen[i] ? 1 : 0;
        }
        assertEquals(0, both);
    }

    private static void mark(Overlap piece, boolean[] seen, int level, long a, long b) {
        if (level == piece.counts().length) {
            long index = Axis.blockCyclic(100, 3, 4).index(1, a);
            assertEquals(index, Axis.blockCyclic(100, 2, 5).index(0, b));
            seen[(int) index] = true;
            return;
        }
        for (long i = 0; i < piece.counts()[level]; i++) {
            mark(piece, seen, level + 1, a + i * piece.aSteps()[level], b + i * piece.bSteps()[level]);
        }
    }

    /** As much is read by both: PULL where each rank has one block, SUMMA where it would call the library for each block. */
    @Test
    void shouldTakeTheAlgorithmThatCallsTheLibraryLessOften() {
        run(4, rank -> {
            for (int block : new int[] {0, 4}) {
                Shape of = Shape.of(32, 32, 32, 2, 2, block);
                try (GlobalArray a = allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, of.rows.axis(32), of.innerOfA.axis(32),
                        false);
                        GlobalArray b = allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, of.innerOfB.axis(32),
                                of.columns.axis(32), false);
                        GlobalArray c = allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, of.rows.axis(32),
                                of.columns.axis(32), false)) {
                    String text = c.explainGemm(a, b);
                    assertTrue(text.startsWith(block == 0 ? "pull: " : "summa: "), text);
                    assertTrue(text.contains(block == 0 ? "summa reads as much as pull in 2 products for 2"
                            : "summa reads as much as pull in 2 products for 16"), text);
                    rank.barrier();
                }
            }
        });
    }

    @Test
    void shouldRefuseDistributionsThatAnAlgorithmDoesNotTake() {
        run(2, rank -> {
            Distribution rows = Distribution.of(Axis.block(6, 2), Axis.whole(6));
            Distribution columns = Distribution.of(Axis.whole(6), Axis.block(6, 2));
            try (GlobalArray a = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, rows);
                    GlobalArray b = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, columns);
                    GlobalArray c = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.HOST, columns)) {
                String text = assertThrows(IllegalArgumentException.class, () -> c.gemm(MatrixAlgorithm.SUMMA, 1, a, b, 0))
                        .getMessage();
                assertTrue(text.contains("rows of a and columns of b over the grid"), text);
                text = assertThrows(IllegalArgumentException.class, () -> c.gemm(MatrixAlgorithm.CANNON, 1, a, b, 0))
                        .getMessage();
                assertTrue(text.contains("a square grid"), text);
                rank.barrier();
            }
        });
    }
}
