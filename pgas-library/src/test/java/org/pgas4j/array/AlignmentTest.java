package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedLongs;

@Timeout(60)
class AlignmentTest {

    private static final int LENGTH = 203;

    private static PgasConfig config(int ranks, String route) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).set(PgasKey.ROUTE, route);
    }

    private static List<Layout> layouts(Rank rank) {
        return List.of(Layout.cyclic(), Layout.blocked(3), Layout.blocked(5), Layout.blocked(64), Layout.even(),
                Layout.onRank(rank.ranks() - 1), Layout.replicated());
    }

    private static long value(long index) {
        return 1000 + 7 * index;
    }

    private static SharedLongs filled(Rank rank, MemoryKind kind, Layout layout, int length) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            SharedLongs array = rank.allAllocLongs(layout, length);
            array.forAllLocal(i -> array.put(i, value(i)));
            return array;
        }
    }

    @ParameterizedTest
    @CsvSource({"1, auto, HOST", "3, auto, HOST", "4, auto, DEVICE", "3, fastpath, HOST", "2, rendezvous, DEVICE"})
    void shouldReadTheElementsThatAnotherArrayHasHere(int ranks, String route, MemoryKind kind) {
        Pgas.run(config(ranks, route), rank -> {
            for (Layout of : layouts(rank)) {
                SharedLongs array = filled(rank, kind, of, LENGTH);
                for (Layout with : layouts(rank)) {
                    SharedBytes bytes = rank.allAllocBytes(with, LENGTH);
                    rank.barrier();
                    same(rank, array, bytes, 0);
                    same(rank, array.slice(10, 150), bytes.slice(53, 150), 10);
                    same(rank, array.slice(10, 2), bytes.slice(2, 2), 10);
                    same(rank, array.slice(10, 0), bytes.slice(53, 0), 10);
                    rank.allFree(bytes);
                }
                rank.allFree(array);
            }
        });
    }

    private static void same(Rank rank, SharedLongs array, SharedBytes with, int start) {
        List<Long> expected = new ArrayList<>();
        with.forAllLocal(i -> expected.add(value(start + i)));
        expected.add(-1L);
        long[] found = new long[expected.size()];
        found[found.length - 1] = -1; // must stay
        Alignment.get(rank, array, with, MemorySegment.ofArray(found));
        assertEquals(expected, LongStream.of(found).boxed().toList(), array + " from " + start + " by " + with);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 700,  3",
        "700, 1,  3",
        "1,   64, 48",
        "64,  1,  6",
        "7,   1,  6",
    })
    void shouldReadInFewTransfers(int of, int with, int most) {
        Pgas.run(config(3, "auto"), rank -> {
            SharedLongs array = filled(rank, MemoryKind.HOST, Layout.blocked(of), 2100);
            SharedBytes bytes = rank.allAllocBytes(Layout.blocked(with), 2100);
            rank.barrier();
            long[] found = new long[700 + 64];
            RankCounters before = rank.diagnostics().counters();
            Alignment.get(rank, array, bytes, MemorySegment.ofArray(found));
            long calls = rank.diagnostics().counters().minus(before).calls();
            assertTrue(calls <= most, () -> calls + " transfers of blocks of " + of + " by blocks of " + with);
            rank.barrier();
        });
    }

    @Test
    void shouldRefuseOtherLengths() {
        Pgas.run(config(2, "auto"), rank -> {
            SharedLongs array = filled(rank, MemoryKind.HOST, Layout.cyclic(), 10);
            SharedLongs other = filled(rank, MemoryKind.HOST, Layout.even(), 10);
            rank.barrier();
            long[] found = new long[4];
            MemorySegment into = MemorySegment.ofArray(found);
            assertThrows(IllegalArgumentException.class, () -> Alignment.get(rank, array.slice(0, 9), other, into));
            assertThrows(IndexOutOfBoundsException.class, () -> Alignment.get(rank, array, other, into));
            assertArrayEquals(new long[4], found);
            rank.barrier();
        });
    }
}
