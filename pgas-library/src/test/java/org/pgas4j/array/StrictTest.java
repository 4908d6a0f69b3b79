package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;

/** Litmus programs of strict accesses, and the same with relaxed ones, which may show what is forbidden: broken twins do. */
@Timeout(120)
class StrictTest {

    private static final int ROUND_STRIDE = 32; // ints between the rounds of two ranks, so that they do not share a cache line

    private enum View { RELAXED, ARRAY, POINTERS, BYTES }

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

        static Access of(View view, Rank rank, SharedLongs array) {
            return switch (view) {
                case RELAXED -> relaxed(array);
                case ARRAY -> strict(rank, array);
                case POINTERS -> byPointers(rank, array);
                case BYTES -> bytes(rank, array);
            };
        }

        static Access byPointers(Rank rank, SharedLongs array) {
            StrictRma strict = StrictRma.of(rank);
            return new Access() {
                @Override
                public long get(long index) {
                    return strict.getLong(array.pointer(index));
                }

                @Override
                public void put(long index, long value) {
                    strict.putLong(array.pointer(index), value);
                }
            };
        }

        /** Of the lowest byte of each. */
        static Access bytes(Rank rank, SharedLongs array) {
            StrictRma strict = StrictRma.of(rank);
            return new Access() {
                @Override
                public long get(long index) {
                    return strict.getByte(array.pointer(index).cast(0, 1));
                }

                @Override
                public void put(long index, long value) {
                    strict.putByte(array.pointer(index).cast(0, 1), (byte) value);
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

        /** Relaxed accesses of which one read was made early, as any may that no strict access or fence orders. */
        static Access early(SharedLongs array, long index, long read) {
            Access relaxed = relaxed(array);
            return new Access() {
                @Override
                public long get(long at) {
                    return at == index ? read : relaxed.get(at);
                }

                @Override
                public void put(long at, long value) {
                    relaxed.put(at, value);
                }
            };
        }
    }

    /** Programs; x of a round is its element of the first half, on the first ranks, y that of the second half. */
    private enum Litmus {
        /** Both ranks write one and read the other: one of them reads what was written. */
        DEKKER(2, 2) {
            @Override
            long run(int rank, Access relaxed, Access access, long x, long y) {
                access.put(rank == 0 ? x : y, 1);
                return access.get(rank == 0 ? y : x);
            }

            @Override
            long last(int rank, long x, long y) {
                return rank == 0 ? y : x;
            }

            @Override
            boolean isForbidden(long... results) {
                return results[0] == 0 && results[1] == 0;
            }
        },
        /** Data, then a flag: whoever has seen the flag sees the data. */
        MESSAGE(2, 1) {
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
            long last(int rank, long x, long y) {
                return x;
            }

            @Override
            boolean isForbidden(long... results) {
                return results[1] == 2;
            }
        },
        /** Independent reads of independent writes: two readers see two writes in the same order. */
        IRIW(4, 2) {
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
            long last(int rank, long x, long y) {
                return rank == 2 ? y : x;
            }

            @Override
            boolean isForbidden(long... results) {
                return results[2] == 2 && results[3] == 2;
            }
        };

        final int ranks;
        /** The first ranks, which write. */
        final int writers;

        Litmus(int ranks, int writers) {
            this.ranks = ranks;
            this.writers = writers;
        }

        abstract long run(int rank, Access relaxed, Access access, long x, long y);

        /** Element that a rank reads last, if it reads. */
        abstract long last(int rank, long x, long y);

        abstract boolean isForbidden(long... results);
    }

    /** Number of rounds with a forbidden result. */
    private static int forbidden(Litmus litmus, View view, MemoryKind kind, String route, int rounds) {
        long[][] results = new long[litmus.ranks][rounds];
        AtomicIntegerArray round = new AtomicIntegerArray(ROUND_STRIDE * litmus.ranks); // so that all are in the same round
        Pgas.run(GlobalArrayTest.config(litmus.ranks, route), rank -> {
            SharedLongs cells = cells(rank, kind, rounds);
            Access relaxed = Access.relaxed(cells);
            Access access = Access.of(view, rank, cells);
            Random random = new Random(rank.rank());
            rank.barrier();
            for (int i = 0; i < rounds; i++) {
                awaitAll(rank, round, random, i);
                results[rank.rank()][i] = litmus.run(rank.rank(), relaxed, access, i, (long) rounds + i);
            }
            rank.barrier();
        });
        return count(litmus, results);
    }

    private static int count(Litmus litmus, long[][] results) {
        int count = 0;
        for (int i = 0; i < results[0].length; i++) {
            long[] seen = new long[litmus.ranks];
            for (int rank = 0; rank < litmus.ranks; rank++) {
                seen[rank] = results[rank][i];
            }
            count += litmus.isForbidden(seen) ? 1 : 0;
        }
        return count;
    }

    /** The twin: relaxed accesses, and what a rank reads last was read before any rank wrote. Readers follow the writers. */
    private static int forbiddenOfTwin(Litmus litmus, MemoryKind kind, String route, int rounds) {
        long[][] results = new long[litmus.ranks][rounds];
        Pgas.run(GlobalArrayTest.config(litmus.ranks, route), rank -> {
            SharedLongs cells = cells(rank, kind, rounds);
            rank.barrier();
            for (int i = 0; i < rounds; i++) {
                long last = litmus.last(rank.rank(), i, (long) rounds + i);
                Access twin = Access.early(cells, last, cells.get(last));
                rank.barrier();
                if (rank.rank() >= litmus.writers) {
                    rank.barrier();
                }
                results[rank.rank()][i] = litmus.run(rank.rank(), twin, twin, i, (long) rounds + i);
                if (rank.rank() < litmus.writers) {
                    rank.barrier();
                }
            }
        });
        return count(litmus, results);
    }

    /** Two zeros for each round. */
    private static SharedLongs cells(Rank rank, MemoryKind kind, int rounds) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            SharedLongs cells = rank.allAllocLongs(Layout.even(), 2L * rounds);
            cells.forAllLocal(i -> cells.put(i, 0));
            return cells;
        }
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
        assertEquals(0, forbidden(litmus, View.ARRAY, kind, route, rounds));
    }

    @ParameterizedTest
    @CsvSource({"DEKKER, POINTERS, HOST, auto, 5000", "MESSAGE, POINTERS, DEVICE, auto, 1000", "DEKKER, BYTES, HOST, auto, 5000",
        "MESSAGE, BYTES, HOST, auto, 5000", "IRIW, BYTES, HOST, auto, 2000", "MESSAGE, BYTES, DEVICE, auto, 1000",
        "DEKKER, BYTES, HOST, fastpath, 300", "MESSAGE, POINTERS, HOST, rendezvous, 300"})
    void shouldSeeOneOrderOfStrictAccessesByPointers(Litmus litmus, View view, MemoryKind kind, String route, int rounds) {
        assertEquals(0, forbidden(litmus, view, kind, route, rounds));
    }

    @ParameterizedTest
    @CsvSource({"HOST, auto, 100", "DEVICE, auto, 50", "HOST, fastpath, 50"})
    void shouldNoticeRelaxedAccessesOutOfOrder(MemoryKind kind, String route, int rounds) {
        for (Litmus litmus : Litmus.values()) {
            assertEquals(rounds, forbiddenOfTwin(litmus, kind, route, rounds), litmus::toString);
        }
    }

    /** Reports only: relaxed accesses may be seen in another order, and need not be. */
    @ParameterizedTest
    @EnumSource(Litmus.class)
    @Tag("slow")
    void shouldReportHowOftenRelaxedAccessesAreReordered(Litmus litmus) {
        int rounds = 100_000;
        int count = forbidden(litmus, View.RELAXED, MemoryKind.HOST, "auto", rounds);
        System.out.println(litmus + " with relaxed accesses: " + count + " of " + rounds + " rounds forbidden under strict ones");
    }

    /** The owner looks at its memory, and only once it knows that the call has returned. */
    @ParameterizedTest
    @CsvSource({"ARRAY, auto", "ARRAY, fastpath", "POINTERS, fastpath", "BYTES, fastpath", "BYTES, rendezvous"})
    void shouldBeAtItsOwnerWhenAWriteReturns(View view, String route) {
        AtomicInteger returned = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        Pgas.run(GlobalArrayTest.config(2, route), rank -> {
            SharedLongs words = rank.allAllocLongs(Layout.cyclic(), 2);
            words.put(rank.rank(), 0);
            rank.barrier();
            MemorySegment mine = words.local().segment();
            Access access = Access.of(view, rank, words);
            for (int round = 1; round <= 100; round++) {
                if (rank.rank() == 0) {
                    access.put(1, round);
                    returned.set(round);
                    while (seen.get() < round) {
                        rank.progress();
                    }
                } else {
                    while (returned.get() < round) {
                        rank.progress();
                    }
                    assertEquals(round, mine.get(ValueLayout.JAVA_LONG, 0));
                    seen.set(round);
                }
            }
        });
    }

    /** The data of a node is written before the pointer to it, each on another rank than the one that reads. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "fastpath"})
    void shouldSeeWhatAStrictPointerPointsTo(String route) {
        int ranks = 3;
        int rounds = 300;
        Pgas.run(GlobalArrayTest.config(ranks, route), rank -> {
            SharedLongs nodes = rank.allAllocLongs(Layout.even(), (long) ranks * rounds);
            try (SharedPointers heads = SharedPointers.into(rank, nodes, Layout.cyclic(), ranks)) {
                StrictPointers strict = StrictPointers.of(rank, heads);
                int next = (rank.rank() + 1) % ranks;
                for (int round = 0; round < rounds; round++) {
                    long node = (long) ((rank.rank() + 2) % ranks) * rounds + round;
                    nodes.put(node, 7 * node);
                    strict.put(next, nodes.pointer(node));
                    SharedPointer came;
                    while ((came = strict.get(rank.rank())) == null) {
                        rank.progress();
                    }
                    long index = came.minus(nodes.pointer());
                    assertEquals((long) next * rounds + round, index);
                    assertEquals(7 * index, nodes.get(index));
                    assertEquals(came, strict.compareSwap(rank.rank(), came, null));
                    assertNull(strict.swap(rank.rank(), null));
                    rank.barrier();
                }
                assertEquals("StrictPointers[" + heads + "]", strict.toString());
            }
            try (SharedPointers any = SharedPointers.allocate(rank, Layout.cyclic(), ranks)) {
                assertThrows(IllegalArgumentException.class, () -> StrictPointers.of(rank, any));
            }
        });
    }
}
