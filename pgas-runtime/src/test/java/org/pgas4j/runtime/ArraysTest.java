package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBooleans;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedRecords;
import org.pgas4j.SharedShorts;

/** Bulk transfers and slices of shared arrays, and the points of completion of {@link org.pgas4j.Rma}. */
@Timeout(60)
class ArraysTest {

    private static final int RANKS = 3;

    @Test
    void shouldGiveTheValueOfEachRank() {
        List<Long> sums = Pgas.call(config("auto"), rank -> {
            long sum = rank.allReduce((long) rank.rank(), ReduceOp.SUM);
            return rank.rank() == 1 ? null : sum;
        });

        assertEquals(Arrays.asList(3L, null, 3L), sums);
    }

    @Test
    void shouldFreeAReplicatedArrayByEachRanksPointer() {
        Pgas.run(config("auto"), rank -> {
            long free = rank.memory().stats(MemoryKind.HOST).usedBytes();
            rank.allFree(rank.allAllocLongs(Layout.replicated(), 100).pointer());
            assertEquals(free, rank.memory().stats(MemoryKind.HOST).usedBytes());
        });
    }

    private static PgasConfig config(String route) {
        return new PgasConfig().ranks(RANKS).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20).set(PgasKey.ROUTE, route);
    }

    private static Stream<Arguments> layouts() {
        List<Arguments> all = new ArrayList<>();
        for (MemoryKind kind : MemoryKind.values()) {
            all.add(Arguments.of(Layout.blocked(7), 100L, kind));
            all.add(Arguments.of(Layout.blocked(1), 17L, kind));
            all.add(Arguments.of(Layout.even(), 50L, kind));
            all.add(Arguments.of(Layout.onRank(1), 20L, kind));
        }
        return all.stream();
    }

    private static Scope on(Rank rank, MemoryKind kind) {
        return kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice();
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldPutAndGetManyElementsAtOnce(Layout layout, long length, MemoryKind kind) {
        Pgas.run(config("auto"), rank -> {
            SharedLongs array;
            try (Scope _ = on(rank, kind)) {
                array = rank.allAllocLongs(layout, length);
            }
            if (rank.rank() == 2) {
                long[] values = new long[(int) length];
                for (int i = 0; i < length; i++) {
                    values[i] = 1000 + i;
                }
                array.put(0, values);
            }
            rank.barrier();

            long[] all = new long[(int) length];
            array.get(0, all);
            for (int i = 0; i < length; i++) {
                assertEquals(1000 + i, all[i], "element " + i);
                assertEquals(1000 + i, array.get(i), "element " + i + " alone");
            }
            long[] some = new long[5];
            array.get(length - 6, some);
            assertArrayEquals(new long[] {994 + length, 995 + length, 996 + length, 997 + length, 998 + length}, some);
            assertThrows(IndexOutOfBoundsException.class, () -> array.get(length - 4, some));
            assertThrows(IndexOutOfBoundsException.class, () -> array.put(-1, some));
            rank.barrier();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "auto,       HOST,   1, 0, 3000, 3",
        "auto,       DEVICE, 1, 0, 3000, 3",
        "fastpath,   HOST,   1, 0, 3000, 3",
        "fastpath,   DEVICE, 1, 0, 3000, 3",
        "rendezvous, HOST,   1, 0, 3000, 3",
        "rendezvous, DEVICE, 1, 0, 3000, 3",
        "auto,       HOST,   1, 7, 2900, 3",
        "auto,       HOST,   7, 5, 2001, 5",
        "fastpath,   HOST,   7, 5, 2001, 5",
        "auto,       DEVICE, 7, 5, 2001, 5",
        "auto,       HOST,   7, 7, 2100, 3",
        "auto,       HOST,   7, 8, 6,    1",
        "auto,       HOST,   7, 8, 4,    1",
        "auto,       HOST,   7, 8, 7,    2",
    })
    void shouldMoveTheBlocksOfAnOwnerAtOnce(String route, MemoryKind kind, int block, int from, int count, int transfers) {
        Pgas.run(config(route), rank -> {
            SharedLongs array;
            try (Scope _ = on(rank, kind)) {
                array = rank.allAllocLongs(Layout.blocked(block), 3000);
            }
            if (rank.rank() == 1) {
                long[] values = new Random(2).longs(count).toArray();
                RankCounters before = rank.diagnostics().counters();
                array.put(from, values);
                RankCounters between = rank.diagnostics().counters();
                long[] seen = new long[count];
                array.get(from, seen);
                RankCounters after = rank.diagnostics().counters();

                assertArrayEquals(values, seen);
                assertEquals(transfers, between.minus(before).calls());
                assertEquals(8L * count, between.minus(before).bytes());
                assertEquals(transfers, after.minus(between).calls());
                assertEquals(8L * count, after.minus(between).bytes());
            }
            rank.barrier();
        });
    }

    @Test
    void shouldRefuseRangesThatDoNotFit() {
        Pgas.run(config("auto"), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.cyclic(), 10);
            SharedLongs none = rank.allAllocLongs(Layout.even(), 0);
            MemorySegment memory = MemorySegment.ofArray(new long[4]);
            array.forAllLocal(i -> array.put(i, 5 + i));
            rank.barrier();

            none.get(0, 0, memory);
            array.put(10, 0, memory);
            String message = assertThrows(IndexOutOfBoundsException.class, () -> array.get(2, 5, memory)).getMessage();
            assertTrue(message.contains("count=5") && message.contains("localBytes=32"), message);
            assertThrows(IndexOutOfBoundsException.class, () -> array.put(2, 5, memory));
            assertThrows(IndexOutOfBoundsException.class, () -> array.get(7, 4, memory));
            assertThrows(IndexOutOfBoundsException.class, () -> array.get(7, -1, memory));
            assertArrayEquals(new long[4], memory.toArray(ValueLayout.JAVA_LONG));
            array.get(6, 4, memory);
            assertArrayEquals(new long[] {11, 12, 13, 14}, memory.toArray(ValueLayout.JAVA_LONG));
            rank.barrier();
        });
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldShowASliceAsAnArray(Layout layout, long length, MemoryKind kind) {
        Pgas.run(config("auto"), rank -> {
            SharedLongs array;
            try (Scope _ = on(rank, kind)) {
                array = rank.allAllocLongs(layout, length);
            }
            array.forAllLocal(i -> array.put(i, i));
            rank.barrier();

            SharedLongs slice = array.slice(3, length - 5).slice(2, length - 8);
            assertEquals(length - 8, slice.length());
            long[] mine = new long[1];
            slice.forAllLocal(i -> {
                assertEquals(rank.rank(), slice.rankOf(i));
                assertEquals(i + 5, slice.get(i));
                mine[0]++;
            });
            assertEquals(mine[0], slice.lengthOn(rank.rank()));
            Buffer local = slice.local();
            assertEquals(mine[0], local.length());
            long sum = 0;
            for (int r = 0; r < rank.ranks(); r++) {
                sum += slice.lengthOn(r);
            }
            assertEquals(slice.length(), sum);
            assertEquals(array.pointer(5), slice.pointer());
            assertThrows(IndexOutOfBoundsException.class, () -> slice.get(length - 8));
            assertThrows(IndexOutOfBoundsException.class, () -> array.slice(length - 1, 2));
            rank.barrier();
            if (rank.rank() == 0) {
                slice.put(0, new long[] {-1, -2});
                assertEquals(-2, array.get(6));
            }
            rank.barrier();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "fastpath", "rendezvous"})
    void shouldCompleteAsAsked(String route) {
        Pgas.run(config(route), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.blocked(4), 4L * RANKS);
            Buffer source = Buffer.ofHost(java.lang.foreign.MemorySegment.ofArray(new long[] {rank.rank() + 1}),
                    org.pgas4j.ElementType.LONG);
            long next = 4L * ((rank.rank() + 1) % RANKS);
            assertTrue(rank.rma().put(array.pointer(next), source, Completion.LOCAL).trySync());
            assertTrue(rank.rma().put(array.pointer(next + 1), source, Completion.REMOTE).trySync());
            Handle handle = rank.rma().put(array.pointer(next + 2), source, Completion.HANDLE);
            Handle all = rank.rma().put(array.pointer(next + 3), source, Completion.IMPLICIT);
            handle.sync();
            assertTrue(handle.trySync());
            all.sync();
            assertTrue(rank.rma().trySyncAll());
            rank.barrier();

            long[] seen = new long[4];
            array.get(4L * rank.rank(), seen);
            long previous = (rank.rank() + RANKS - 1) % RANKS + 1;
            assertArrayEquals(new long[] {previous, previous, previous, previous}, seen);
            rank.barrier();
        });
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldLoopOverTheElementsOfARankByRangeAndStep(Layout layout, long length, MemoryKind kind) {
        Pgas.run(config("auto"), rank -> {
            SharedLongs array;
            try (Scope _ = on(rank, kind)) {
                array = rank.allAllocLongs(layout, length);
            }
            for (SharedLongs each : List.of(array, array.slice(5, length - 7))) {
                for (long from : new long[] {0, 3, each.length() - 1}) {
                    for (long step : new long[] {1, 2, 7, Long.MAX_VALUE}) {
                        List<Long> expected = new ArrayList<>();
                        for (long i = from; i < each.length() - 1; i += Math.min(step, length)) {
                            if (each.rankOf(i) == rank.rank()) {
                                expected.add(i);
                            }
                        }
                        List<Long> seen = new ArrayList<>();
                        each.forAllLocal(from, each.length() - 1, step, seen::add);
                        assertEquals(expected, seen, each + " from " + from + " step " + step);
                    }
                }
                for (int r = 0; r < RANKS; r++) {
                    long first = -1;
                    for (long i = each.length() - 1; i >= 0; i--) {
                        first = each.rankOf(i) == r ? i : first;
                    }
                    assertEquals(first, each.firstOn(r), each + " on " + r);
                }
                assertThrows(IllegalArgumentException.class, () -> each.forAllLocal(0, 1, 0, _ -> { }));
                assertThrows(IndexOutOfBoundsException.class, () -> each.forAllLocal(0, length + 1, 1, _ -> { }));
            }
            rank.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldKeepSmallElements(MemoryKind kind) {
        Pgas.run(config("auto"), rank -> {
            SharedShorts shorts;
            SharedChars chars;
            SharedBooleans booleans;
            try (Scope _ = on(rank, kind)) {
                shorts = rank.allAllocShorts(Layout.blocked(3), 20);
                chars = rank.allAllocChars(Layout.even(), 20);
                booleans = rank.allAllocBooleans(Layout.cyclic(), 20);
            }
            shorts.forAllLocal(i -> shorts.put(i, (short) (-1000 * i)));
            chars.forAllLocal(i -> chars.put(i, (char) (0xff00 + i)));
            booleans.forAllLocal(i -> booleans.put(i, i % 3 == 0));
            rank.barrier();
            short[] s = new short[10];
            char[] c = new char[10];
            boolean[] b = new boolean[10];
            shorts.slice(4, 12).get(1, s);
            chars.slice(4, 12).get(1, c);
            booleans.slice(4, 12).get(1, b);
            for (int i = 0; i < 10; i++) {
                assertEquals((short) (-1000 * (i + 5)), s[i]);
                assertEquals((char) (0xff05 + i), c[i]);
                assertEquals((i + 5) % 3 == 0, b[i]);
                assertEquals(s[i], shorts.get(i + 5));
                assertEquals(c[i], chars.get(i + 5));
                assertEquals(b[i], booleans.get(i + 5));
            }
            assertEquals(2 * shorts.lengthOn(rank.rank()), shorts.local().bytes());
            rank.barrier();
            if (rank.rank() == 1) {
                shorts.put(17, new short[] {7, 8, 9});
                chars.put(17, new char[] {'x', 'y', 'z'});
                booleans.put(17, new boolean[] {true, false, true});
            }
            rank.barrier();
            assertEquals(9, shorts.get(19));
            assertEquals('y', chars.get(18));
            assertTrue(booleans.get(19) && !booleans.get(18));
            rank.allFree(shorts);
            assertThrows(IllegalArgumentException.class, () -> rank.allAllocShorts(Layout.even(), Long.MAX_VALUE));
            rank.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldKeepRecords(MemoryKind kind) {
        StructLayout record = MemoryLayout.structLayout(ValueLayout.JAVA_LONG.withName("key"),
                ValueLayout.JAVA_INT.withName("count"), MemoryLayout.paddingLayout(4));
        VarHandle key = record.arrayElementVarHandle(PathElement.groupElement("key"));
        VarHandle count = record.arrayElementVarHandle(PathElement.groupElement("count"));
        Pgas.run(config("auto"), rank -> {
            SharedRecords records;
            try (Scope _ = on(rank, kind); Arena arena = Arena.ofConfined()) {
                records = rank.allAllocRecords(record, Layout.blocked(2), 11);
                MemorySegment mine = arena.allocate(record, 11);
                if (rank.rank() == 0) {
                    for (int i = 0; i < 11; i++) {
                        key.set(mine, 0L, (long) i, 100L + i);
                        count.set(mine, 0L, (long) i, -i);
                    }
                    records.put(0, 11, mine);
                }
                rank.barrier();
                records.slice(2, 9).get(1, 5, mine);
                for (int i = 0; i < 5; i++) {
                    assertEquals(103L + i, (long) key.get(mine, 0L, (long) i));
                    assertEquals(-3 - i, (int) count.get(mine, 0L, (long) i));
                }
            }
            assertEquals(-7, rank.rma().getInt(records.field(7, PathElement.groupElement("count"))));
            assertEquals(records.rankOf(7), records.field(7, PathElement.groupElement("key")).rank());
            assertEquals(16 * records.lengthOn(rank.rank()), records.local().length());
            assertEquals(16, records.elementBytes());
            rank.barrier();
        });
    }
}
