package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;

/** Global arrays over ranks as threads, on the host device. */
@Timeout(120)
class GlobalArrayTest {

    static PgasConfig config(int ranks, String route) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 22).deviceHeap(1 << 22).set(PgasKey.ROUTE, route);
    }

    @ParameterizedTest
    @CsvSource({"HOST, 3, auto", "DEVICE, 3, auto", "HOST, 2, fastpath", "DEVICE, 2, rendezvous"})
    void shouldDoRandomOperationsAsAPlainArrayDoes(MemoryKind kind, int ranks, String route) {
        Pgas.run(config(ranks, route), rank -> new RandomArrays(rank, 42 + ranks).run(kind, 20));
    }

    @ParameterizedTest
    @CsvSource({"HOST, 1, auto", "HOST, 2, auto", "HOST, 4, auto", "HOST, 3, fastpath", "HOST, 3, rendezvous",
        "DEVICE, 1, auto", "DEVICE, 2, auto", "DEVICE, 4, auto", "DEVICE, 3, fastpath", "DEVICE, 3, rendezvous"})
    @Tag("slow")
    void shouldDoMoreRandomOperationsAsAPlainArrayDoes(MemoryKind kind, int ranks, String route) {
        Pgas.run(config(ranks, route), rank -> new RandomArrays(rank, 42 + ranks).run(kind, 30));
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldExchangeFacesAndCorners(MemoryKind kind) {
        Pgas.run(config(4, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.INT, kind, Distribution.blocks(4, 7, 5), 2, 1)) {
                array.fill(-1);
                fillGhosts(rank, array, -7);
                array.forAllLocal(index -> rank.rma().putInt(array.locate(index), (int) (10 * index[0] + index[1])));
                array.exchangeGhosts(true, false);
                int[] cells = cells(rank, array);
                LocalPart local = array.local();
                long top = array.distribution().axis(0).index(array.distribution().coordinates(rank.rank())[0], 0);
                long left = array.distribution().axis(1).index(array.distribution().coordinates(rank.rank())[1], 0);
                for (long i = -2; i < local.length(0) + 2; i++) {
                    for (long j = -1; j < local.length(1) + 1; j++) {
                        long row = Math.floorMod(top + i, 7L);
                        long column = left + j;
                        assertEquals(column < 0 || column >= 5 ? -7 : 10 * row + column, cells[(int) local.at(i, j)],
                                "cell " + i + "," + j + " of rank " + rank.rank());
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldWrapGhostsThatAreWiderThanABlock(MemoryKind kind) {
        Pgas.run(config(3, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.INT, kind, Distribution.blocks(3, 4), 5)) {
                array.forAllLocal(index -> rank.rma().putInt(array.locate(index), (int) index[0]));
                array.exchangeGhosts(true);
                LocalPart local = array.local();
                int[] cells = cells(rank, array);
                long first = 2L * rank.rank();
                for (long i = -5; local.count() > 0 && i < local.length(0) + 5; i++) {
                    assertEquals(Math.floorMod(first + i, 4L), cells[(int) local.at(i)], "cell " + i + " of rank " + rank.rank());
                }
            }
        });
    }

    /** The other dimension has no ghost cells, and its indices do not follow each other. */
    @ParameterizedTest
    @CsvSource({"HOST, 1", "DEVICE, 1", "HOST, 2", "DEVICE, 2", "HOST, 3"})
    void shouldExchangeGhostsBesideADimensionThatIsDealt(MemoryKind kind, long block) {
        Pgas.run(config(4, "auto"), rank -> {
            Distribution distribution = Distribution.of(Axis.blockCyclic(11, 2, block), Axis.block(6, 2));
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.INT, kind, distribution, 0, 2)) {
                array.forAllLocal(index -> rank.rma().putInt(array.locate(index), (int) (10 * index[0] + index[1])));
                array.exchangeGhosts(false, true);
                int[] coordinates = distribution.coordinates(rank.rank());
                int[] cells = cells(rank, array);
                LocalPart local = array.local();
                for (long i = 0; i < local.length(0); i++) {
                    for (long j = -2; j < local.length(1) + 2; j++) {
                        long column = Math.floorMod(distribution.axis(1).index(coordinates[1], 0) + j, 6L);
                        assertEquals(10 * distribution.axis(0).index(coordinates[0], i) + column, cells[(int) local.at(i, j)],
                                "cell " + i + "," + j + " of rank " + rank.rank());
                    }
                }
            }
        });
    }

    /** Parts so large that what a rank keeps is copied on a stream of its own. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldCopyLargeMatricesBetweenDistributions(MemoryKind kind) {
        long n = 800;
        Distribution rows = Distribution.of(Axis.block(n, 2), Axis.whole(n));
        List<Distribution> others = List.of(Distribution.of(Axis.whole(n), Axis.block(n, 2)),
                Distribution.of(Axis.cyclic(n, 2), Axis.whole(n)), Distribution.of(Axis.whole(n), Axis.cyclic(n, 2)),
                Distribution.of(Axis.blockCyclic(n, 2, 8), Axis.whole(n)));
        Pgas.run(config(2, "auto").hostHeap(1 << 24).deviceHeap(1 << 24), rank -> {
            try (GlobalArray from = GlobalArray.allocate(rank, rank.world(), ElementType.DOUBLE, kind, rows)) {
                Section mine = from.section(Range.of(rank.rank() * n / 2, (rank.rank() + 1) * n / 2), Range.of(0, n));
                mine.put(Buffer.ofHost(MemorySegment.ofArray(numbers(rank.rank() * n / 2 * n, n * n / 2)), ElementType.DOUBLE));
                rank.barrier();
                for (Distribution other : others) {
                    try (GlobalArray to = GlobalArray.allocate(rank, ElementType.DOUBLE, kind, other)) {
                        from.copyTo(to);
                        double[] all = new double[(int) (n * n)];
                        to.section(Range.of(0, n), Range.of(0, n)).get(Buffer.ofHost(MemorySegment.ofArray(all),
                                ElementType.DOUBLE));
                        assertArrayEquals(numbers(0, n * n), all, () -> "copy to " + other);
                        rank.barrier();
                    }
                }
            }
        });
    }

    private static double[] numbers(long first, long count) {
        return LongStream.range(first, first + count).asDoubleStream().toArray();
    }

    /** All cells of the rank's memory. */
    private static int[] cells(Rank rank, GlobalArray array) {
        Buffer buffer = array.local().buffer();
        int[] cells = new int[(int) buffer.length()];
        rank.memget(MemorySegment.ofArray(cells), array.pointer(rank.rank(), 0), buffer.bytes());
        return cells;
    }

    private static void fillGhosts(Rank rank, GlobalArray array, int value) {
        int[] cells = new int[(int) array.local().buffer().length()];
        java.util.Arrays.fill(cells, value);
        rank.memput(array.pointer(rank.rank(), 0), MemorySegment.ofArray(cells), 4L * cells.length);
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldSumAccumulatesOfAllRanks(MemoryKind kind) {
        Pgas.run(config(4, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.DOUBLE, kind,
                    Distribution.of(Axis.cyclic(6, 2), Axis.blockCyclic(7, 2, 2)))) {
                array.fill(1);
                Buffer ones = Buffer.ofHost(MemorySegment.ofArray(new double[] {1, 2, 3, 4, 5, 6}), ElementType.DOUBLE);
                for (int round = 0; round < 10; round++) {
                    array.section(Range.of(1, 4), Range.of(3, 5)).accumulate(ones, 0.5);
                }
                rank.barrier();
                double[] seen = new double[42];
                array.all().get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.DOUBLE));
                for (int i = 0; i < 6; i++) {
                    for (int j = 0; j < 7; j++) {
                        boolean inside = i >= 1 && i < 4 && j >= 3 && j < 5;
                        assertEquals(inside ? 1 + 40 * 0.5 * (1 + 2 * (i - 1) + j - 3) : 1, seen[7 * i + j], i + "," + j);
                    }
                }
                rank.barrier();
            }
        });
    }

    @Test
    void shouldRefuseToCopyOntoItself() {
        Pgas.run(config(2, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.INT, MemoryKind.HOST,
                    Distribution.of(Axis.block(8, 2), Axis.whole(8)))) {
                array.copyTo(array);
                Section lower = array.section(Range.of(0, 6), Range.of(0, 8));
                lower.section(Range.of(0, 6, 2), Range.of(0, 8)).copyTo(array.section(Range.of(1, 7, 2), Range.of(0, 8)));
                for (Runnable call : List.<Runnable>of(() -> array.transposeTo(array),
                        () -> lower.copyTo(array.section(Range.of(2, 8), Range.of(0, 8))))) {
                    String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
                    assertTrue(message.contains(" overlaps it (expected: "), message);
                }
                rank.barrier();
            }
        });
    }

    /** Calls that the library makes for the program. */
    @Test
    void shouldNameTheLineOfTheProgramWhereCallsDiffer() {
        Pgas.run(config(2, "auto"), rank -> {
            CollectiveMismatchException e = assertThrows(CollectiveMismatchException.class, () -> {
                if (rank.rank() == 0) {
                    GlobalArray.allocate(rank, ElementType.LONG, MemoryKind.HOST, Distribution.of(Axis.block(8, 2)));
                } else {
                    rank.allReduce(1L, ReduceOp.SUM);
                }
            });

            assertTrue(e.getMessage().matches(".*rank 0: .* at GlobalArrayTest.java:\\d+; rank 1: allReduce.* at GlobalArrayTest.java:\\d+"),
                    e.getMessage());
        });
    }

    /** The same bytes on each rank, so that the allocation alone does not notice. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldRefuseDistributionsThatDiffer(MemoryKind kind) {
        Pgas.run(config(2, "auto"), rank -> {
            boolean odd = rank.rank() == 1;
            List<Distribution> differ = List.of(Distribution.of(Axis.block(odd ? 7 : 8, 2), Axis.whole(5)),
                    Distribution.of(odd ? Axis.block(8, 2) : Axis.cyclic(8, 2), Axis.whole(5)),
                    Distribution.of(Axis.block(8, 2), Axis.whole(5)));
            for (Distribution each : differ) {
                ElementType type = odd && each == differ.getLast() ? ElementType.DOUBLE : ElementType.LONG;
                assertThrows(CollectiveMismatchException.class, () -> GlobalArray.allocate(rank, type, kind, each));
            }
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldRefuseWhatDoesNotFit(MemoryKind kind) {
        Pgas.run(config(2, "auto"), rank -> {
            Distribution rows = Distribution.of(Axis.block(4, 2), Axis.whole(5));
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.LONG, kind, rows);
                    GlobalArray other = GlobalArray.allocate(rank, ElementType.LONG, kind, Distribution.of(Axis.cyclic(4, 2),
                            Axis.whole(5)))) {
                assertThrows(IndexOutOfBoundsException.class, () -> array.section(Range.of(0, 5), Range.of(0, 1)));
                assertThrows(IndexOutOfBoundsException.class, () -> array.section(Range.of(0, 1)));
                assertThrows(IndexOutOfBoundsException.class, () -> array.locate(4, 0));
                assertThrows(IndexOutOfBoundsException.class,
                        () -> array.section(Range.of(1, 3), Range.of(0, 2)).section(Range.of(0, 3), Range.of(0, 1)));
                Buffer small = Buffer.ofHost(MemorySegment.ofArray(new long[3]), ElementType.LONG);
                assertThrows(IllegalArgumentException.class, () -> array.section(Range.of(0, 2), Range.of(0, 2)).get(small));
                assertThrows(IllegalArgumentException.class, () -> array.add(1, array, 1, other));
                assertThrows(IllegalArgumentException.class, () -> array.transposeTo(other));
                Section square = array.section(Range.of(0, 4), Range.of(0, 4));
                Section target = other.section(Range.of(0, 4), Range.of(1, 5));
                for (int[] order : new int[][] {{0}, {0, 1, 2}, {0, 0}, {1, 1}, {0, 2}, {-1, 1}, {64, 1}}) {
                    String message = assertThrows(IllegalArgumentException.class, () -> square.copyTo(target, order)).getMessage();
                    assertTrue(message.contains("the dimensions in the order " + Arrays.toString(order)), message);
                }
                assertThrows(IllegalArgumentException.class, () -> array.exchangeGhosts(true));
                assertThrows(IllegalArgumentException.class,
                        () -> GlobalArray.allocate(rank, ElementType.LONG, kind, other.distribution(), 1, 0));
                assertThrows(IllegalArgumentException.class,
                        () -> GlobalArray.allocate(rank, ElementType.LONG, kind, Distribution.blocks(3, 9)));
                assertTrue(array.toString().contains("LONG"));
                rank.barrier();
            }
        });
    }
}
