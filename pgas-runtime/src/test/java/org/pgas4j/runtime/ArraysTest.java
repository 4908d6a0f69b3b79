package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
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
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;

/** Bulk transfers and slices of shared arrays, and the points of completion of {@link org.pgas4j.Rma}. */
@Timeout(60)
class ArraysTest {

    private static final int RANKS = 3;

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
}
