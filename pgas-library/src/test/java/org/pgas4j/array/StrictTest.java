package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;

/** Litmus programs of strict accesses, and the same with relaxed ones, which may show what is forbidden. */
@Timeout(120)
class StrictTest {

    private static final int ROUND_STRIDE = 32; // ints between the rounds of two ranks, so that they do not share a cache line

    /** A way to read and write elements. */
    private interface Access {

        long get(long index);

        void put(long index, long value);

        static Access relaxed(SharedLongs array) {
            return new Access() {
                @Override
                public long get(long index) {
                    return array.get(index);
                }

                @Override
                public void put(long index, long value) {
                    array.put(index, value);
                }
            };
        }

        static Access strict(Rank rank, SharedLongs array) {
            Strict strict = Strict.of(rank, array);
            return new Access() {
                @Override
                public long get(long index) {
                    return strict.getLong(index);
                }

                @Override
                public void put(long index, long value) {
                    strict.putLong(index, value);
                }
            };
        }
    }

    /** Programs; x of a round is its element of the first half, on the first ranks, y that of the second half. */
    private enum Litmus {
        /** Both ranks write one and read the other: one of them reads what was written. */
        DEKKER(2) {
            @Override
            long run(int rank, Access relaxed, Access access, long x, long y) {
                access.put(rank == 0 ? x : y, 1);
                return access.get(rank == 0 ? y : x);
            }

            @Override
            boolean isForbidden(long... results) {
                return results[0] == 0 && results[1] == 0;
            }
        },
        /** Data, then a flag: whoever has seen the flag sees the data. */
        MESSAGE(2) {
            @Override
            long run(int rank, Access relaxed, Access access, long x, long y) {
                if (rank == 0) {
                    relaxed.put(x, 1);
                    access.put(y, 1);
                    return 0;
                }
                return 2 * access.get(y) + relaxed.get(x);
            }

            @Override
            boolean isForbidden(long... results) {
                return results[1] == 2;
            }
        },
        /** Independent reads of independent writes: two readers see two writes in the same order. */
        IRIW(4) {
            @Override
            long run(int rank, Access relaxed, Access access, long x, long y) {
                if (rank < 2) {
                    access.put(rank == 0 ? x : y, 1);
                    return 0;
                }
                long first = access.get(rank == 2 ? x : y);
                return 2 * first + access.get(rank == 2 ? y : x);
            }

            @Override
            boolean isForbidden(long... results) {
                return results[2] == 2 && results[3] == 2;
            }
        };

        final int ranks;

        Litmus(int ranks) {
            this.ranks = ranks;
        }

        abstract long run(int rank, Access relaxed, Access access, long x, long y);

        abstract boolean isForbidden(long... results);
    }

    /** Number of rounds with a forbidden result. */
    private static int forbidden(Litmus litmus, boolean strict, MemoryKind kind, String route, int rounds) {
        long[][] results = new long[litmus.ranks][rounds];
        AtomicIntegerArray round = new AtomicIntegerArray(ROUND_STRIDE * litmus.ranks); // so that all are in the same round
        Pgas.run(GlobalArrayTest.config(litmus.ranks, route), rank -> {
            SharedLongs cells;
            try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
                cells = rank.allAllocLongs(Layout.even(), 2L * rounds);
            }
            cells.forAllLocal(i -> cells.put(i, 0));
            Access relaxed = Access.relaxed(cells);
            Access access = strict ? Access.strict(rank, cells) : relaxed;
            Random random = new Random(rank.rank());
            rank.barrier();
            for (int i = 0; i < rounds; i++) {
                awaitAll(rank, round, random, i);
                results[rank.rank()][i] = litmus.run(rank.rank(), relaxed, access, i, (long) rounds + i);
            }
            rank.barrier();
        });
        int count = 0;
        for (int i = 0; i < rounds; i++) {
            long[] seen = new long[litmus.ranks];
            for (int rank = 0; rank < litmus.ranks; rank++) {
                seen[rank] = results[rank][i];
            }
            count += litmus.isForbidden(seen) ? 1 : 0;
        }
        return count;
    }

    /** Waits for all ranks, and then for a random time of up to a few hundred nanoseconds, as ranks leave one after the other. */
    private static void awaitAll(Rank rank, AtomicIntegerArray round, Random random, int i) {
        int jitter = random.nextInt(256);
        round.set(ROUND_STRIDE * rank.rank(), i);
        for (int other = 0; other < rank.ranks(); other++) {
            for (int spins = 1; round.get(ROUND_STRIDE * other) < i; spins++) {
                if (spins % 256 == 0) {
                    rank.progress();
                    Thread.yield();
                }
            }
        }
        for (int spin = 0; spin < jitter; spin++) {
            round.get(ROUND_STRIDE * rank.rank());
        }
    }

    @ParameterizedTest
    @CsvSource({"DEKKER, HOST, auto, 10000", "MESSAGE, HOST, auto, 10000", "IRIW, HOST, auto, 5000",
        "DEKKER, DEVICE, auto, 2000", "MESSAGE, DEVICE, auto, 2000", "IRIW, DEVICE, auto, 1000",
        "DEKKER, HOST, fastpath, 1000", "MESSAGE, HOST, fastpath, 1000", "IRIW, HOST, rendezvous, 300"})
    void shouldSeeOneOrderOfStrictAccesses(Litmus litmus, MemoryKind kind, String route, int rounds) {
        assertEquals(0, forbidden(litmus, true, kind, route, rounds));
    }

    /** Reports only: relaxed accesses may be seen in another order, and need not be. */
    @ParameterizedTest
    @EnumSource(Litmus.class)
    @Tag("slow")
    void shouldReportHowOftenRelaxedAccessesAreReordered(Litmus litmus) {
        int rounds = 100_000;
        int count = forbidden(litmus, false, MemoryKind.HOST, "auto", rounds);
        System.out.println(litmus + " with relaxed accesses: " + count + " of " + rounds + " rounds forbidden under strict ones");
    }

    @Test
    void shouldReadAndWriteEveryType() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            int next = (rank.rank() + 1) % 2;
            Strict ints = Strict.of(rank, rank.allAllocInts(Layout.cyclic(), 2));
            Strict floats = Strict.of(rank, rank.allAllocFloats(Layout.cyclic(), 2));
            SharedLongs array = rank.allAllocLongs(Layout.cyclic(), 2);
            Strict longs = Strict.of(rank, array);
            Strict doubles = Strict.of(rank, rank.allAllocDoubles(Layout.cyclic(), 2));
            ints.putInt(next, -7 - next);
            longs.putLong(next, Long.MIN_VALUE + next);
            floats.putFloat(next, 0.5f + next);
            doubles.putDouble(next, Math.PI + next);
            assertEquals(-7 - next, ints.getInt(next));
            assertEquals(Long.MIN_VALUE + next, longs.getLong(next));
            assertEquals(0.5f + next, floats.getFloat(next));
            assertEquals(Math.PI + next, doubles.getDouble(next));
            assertEquals("Strict[" + array + "]", longs.toString());
            assertThrows(IndexOutOfBoundsException.class, () -> longs.getLong(2));
            assertThrows(IndexOutOfBoundsException.class, () -> longs.putLong(-1, 0));
            assertThrows(IllegalArgumentException.class, () -> longs.getDouble(0));
            assertThrows(IllegalArgumentException.class, () -> Strict.of(rank, rank.allAllocBytes(Layout.cyclic(), 2)));
        });
    }
}
