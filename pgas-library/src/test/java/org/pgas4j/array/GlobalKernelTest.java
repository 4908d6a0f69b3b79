package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalDoubles;
import org.pgas4j.GlobalFloats;
import org.pgas4j.GlobalInts;
import org.pgas4j.GlobalLongs;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Team;
import org.pgas4j.kernel.IndexSpace;

/** Kernels over global arrays, on the host device. */
@Timeout(120)
class GlobalKernelTest {

    private static final int ROWS = 23;
    private static final int COLUMNS = 17;

    private static void meet(Rank rank) {
        rank.stream().sync();
        rank.barrier();
    }

    /** A step of Jacobi's method in place of an exchange of ghost cells: neighbours are read where they are. */
    private static void relax(Rank rank, Distribution distribution, long... ghosts) {
        try (GlobalArray first = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.DEVICE, distribution, ghosts);
                GlobalArray second = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.DEVICE, distribution, ghosts)) {
            GlobalDoubles a = first.doubles();
            GlobalDoubles b = second.doubles();
            first.forAll((i, j) -> a.put(i, j, i * i + j));
            second.forAll((i, j) -> b.put(i, j, 0));
            meet(rank);
            second.section(Range.of(1, ROWS - 1), Range.of(1, COLUMNS - 1)).forAll(rank.stream(),
                    (i, j) -> b.put(i, j, a.get(i - 1, j) + a.get(i + 1, j) + a.get(i, j - 1) + a.get(i, j + 1) - 4 * a.get(i, j)));
            double sum = second.all().reduce(rank.stream(), ReduceOp.SUM, (i, j) -> b.get(i, j));
            assertEquals(2.0 * (ROWS - 2) * (COLUMNS - 2), sum);
            assertEquals(ROWS - 2L, second.all().reduceLongs(rank.stream(), ReduceOp.MAX, (i, j) -> b.get(i, j) == 0 ? 0 : i));
            assertEquals(2.0, b.get(1, 1));
            assertEquals(0.0, b.get(0, 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldReadNeighboursOfAnyDistribution(int ranks) {
        Pgas.run(GlobalArrayTest.config(ranks, "auto"), rank -> {
            relax(rank, Distribution.blocks(ranks, ROWS, COLUMNS), 0, 0);
            relax(rank, Distribution.blocks(ranks, ROWS, COLUMNS), 1, 2);
            relax(rank, Distribution.of(Axis.cyclic(ROWS, 1), Axis.blockCyclic(COLUMNS, ranks, 3)), 0, 0);
        });
    }

    @Test
    void shouldLoopOverOneAndThreeDimensions() {
        Pgas.run(GlobalArrayTest.config(3, "auto"), rank -> {
            Distribution line = Distribution.of(Axis.cyclic(100, 3));
            Distribution cube = Distribution.blocks(3, 4, 9, 5);
            try (GlobalArray first = GlobalArray.allocate(rank, ElementType.LONG, MemoryKind.DEVICE, line);
                    GlobalArray second = GlobalArray.allocate(rank, ElementType.INT, MemoryKind.DEVICE, cube);
                    GlobalArray third = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE, cube, 0, 1, 0)) {
                GlobalLongs a = first.longs();
                GlobalInts b = second.ints();
                GlobalFloats c = third.floats();
                first.forAll(i -> a.put(i, 0));
                second.forAll((i, j, k) -> b.put(i, j, k, (int) (i * 100 + j * 10 + k)));
                meet(rank);
                third.forAll((i, j, k) -> c.put(i, j, k, b.get(3 - i, j, k)));
                second.forAll((i, j, k) -> a.addTo(b.get(i, j, k) % 100, 1));
                meet(rank);
                assertEquals(4.0 * 9 * 5, first.all().reduce(rank.stream(), ReduceOp.SUM, i -> a.get(i)));
                assertEquals(304, c.get(0, 0, 4));
                assertEquals(384.0f, third.all().reduce(rank.stream(), ReduceOp.MAX, (i, j, k) -> c.get(i, j, k)));
            }
        });
    }

    @Test
    void shouldKeepToTheMembersOfATeam() {
        Pgas.run(GlobalArrayTest.config(4, "auto"), rank -> {
            try (Team odd = rank.world().split(rank.rank() % 2);
                    GlobalArray array = GlobalArray.allocate(rank, odd, ElementType.LONG, MemoryKind.DEVICE,
                            Distribution.of(Axis.block(8, 2), Axis.whole(3)), 0, 0)) {
                GlobalLongs a = array.longs();
                int own = rank.rank() % 2;
                array.forAll((i, j) -> a.put(i, j, a.rankOf(i, j) * 10 + own));
                rank.stream().sync();
                odd.barrier();
                assertEquals((4L * 3) * (own + 2 + own) * 10 + 24L * own,
                        array.all().reduceLongs(rank.stream(), ReduceOp.SUM, (i, j) -> a.get(7 - i, j)));
            }
        });
    }

    @Test
    void shouldChangeElementsInOneStep() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            try (GlobalArray first = GlobalArray.allocate(rank, ElementType.INT, MemoryKind.DEVICE, Distribution.blocks(2, 3, 4));
                    GlobalArray second = GlobalArray.allocate(rank, ElementType.FLOAT, MemoryKind.DEVICE,
                            Distribution.blocks(2, 2, 3, 4))) {
                GlobalInts a = first.ints();
                GlobalFloats b = second.floats();
                int me = rank.rank();
                first.forAll((i, j) -> a.put(i, j, -1));
                second.forAll((i, j, k) -> b.put(i, j, k, 0.25f));
                meet(rank);
                rank.stream().forAll(IndexSpace.of(3, 4), (i, j) -> {
                    a.atomic(i, j, AtomicOp.UNSIGNED_MIN, (int) (100 * me + i * 10 + j));
                    b.atomic(1, i, j, AtomicOp.MAX, me + 0.5f);
                    b.atomic(0, i, j, AtomicOp.MULTIPLY, 2);
                });
                meet(rank);
                assertEquals(23, a.get(2, 3));
                assertEquals(1.5f, b.get(1, 2, 3));
                assertEquals(1.0f, b.get(0, 2, 3));
                rank.barrier();
                rank.stream().forAll(IndexSpace.of(3, 4), (i, j) -> a.compareAndExchange(i, j, (int) (i * 10 + j), 7 + me));
                meet(rank);
                assertEquals(0, first.all().reduceLongs(rank.stream(), ReduceOp.SUM,
                        (i, j) -> a.get(i, j) == 7 || a.get(i, j) == 8 ? 0 : 1));
            }
        });
    }

    @Test
    void shouldRefuseOperationsThatElementsLack() {
        Pgas.run(GlobalArrayTest.config(1, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.DOUBLE, MemoryKind.DEVICE, Distribution.blocks(1, 4))) {
                GlobalDoubles a = array.doubles();
                assertThrows(IllegalStateException.class, () -> a.atomic(0, AtomicOp.ADD, 1));
                assertThrows(KernelRefusedException.class, () -> array.forAll(i -> a.atomic(i, AtomicOp.XOR, 1)));
                assertThrows(KernelRefusedException.class, () -> array.forAll(i -> a.atomic(i, AtomicOp.COMPARE_SWAP, 1)));
            }
        });
    }

    @Test
    void shouldRefuseOtherTypesAndDimensions() {
        Pgas.run(GlobalArrayTest.config(1, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocate(rank, ElementType.LONG, MemoryKind.DEVICE, Distribution.blocks(1, 2, 3));
                    GlobalArray four = GlobalArray.allocate(rank, ElementType.INT, MemoryKind.HOST,
                            Distribution.blocks(1, 2, 2, 2, 2))) {
                GlobalLongs a = array.longs();
                assertThrows(IllegalArgumentException.class, array::doubles);
                assertThrows(IllegalArgumentException.class, four::ints);
                assertThrows(IllegalArgumentException.class, () -> array.forAll(i -> a.put(i, 0, 1)));
                assertThrows(IllegalStateException.class, () -> a.getAndAdd(0, 0, 1));
                assertThrows(IndexOutOfBoundsException.class, () -> a.get(2, 0));
                assertThrows(IndexOutOfBoundsException.class, () -> a.get(0));
            }
        });
    }
}
