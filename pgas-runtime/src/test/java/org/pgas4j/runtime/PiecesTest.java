package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
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
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Indexed;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Pieces;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Strided;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.program.RandomPieces;

/** Transfers of many pieces by every route and between all kinds of memory, accumulates, single values and handles. */
@Timeout(120)
class PiecesTest {

    private static final int RANKS = 3;
    private static final int BYTES = 4096;

    private static PgasConfig config(String route) {
        return new PgasConfig().ranks(RANKS).device(Backend.HOST).hostHeap(1 << 23).deviceHeap(1 << 23).set(PgasKey.ROUTE, route);
    }

    private static Stream<Arguments> cases() {
        List<Arguments> all = new ArrayList<>();
        for (String route : List.of("auto", "fastpath", "rendezvous")) {
            for (MemoryKind shared : MemoryKind.values()) {
                for (MemoryKind local : MemoryKind.values()) {
                    all.add(Arguments.of(route, shared, local));
                }
            }
        }
        return all.stream();
    }

    private static SharedPointer allocate(Rank rank, MemoryKind kind, long bytes) {
        try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    private static Buffer local(Rank rank, MemoryKind kind, byte[] content) {
        Buffer host = Buffer.ofHost(MemorySegment.ofArray(content), ElementType.BYTE);
        if (kind == MemoryKind.HOST) {
            return host;
        }
        Buffer device = rank.device().alloc(ElementType.BYTE, content.length);
        SharedPointer through = rank.alloc(content.length);
        rank.memput(through, host);
        rank.memget(device, through);
        rank.free(through);
        return device;
    }

    private static byte[] content(Rank rank, Buffer buffer) {
        byte[] bytes = new byte[(int) buffer.bytes()];
        SharedPointer through = rank.alloc(bytes.length);
        rank.memput(through, buffer);
        rank.memget(MemorySegment.ofArray(bytes), through, bytes.length);
        rank.free(through);
        return bytes;
    }

    private static byte[] random(Random random, int bytes) {
        byte[] all = new byte[bytes];
        random.nextBytes(all);
        return all;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldMovePiecesAsAPlainLoopWould(String route, MemoryKind shared, MemoryKind local) {
        Pgas.run(config(route), rank -> {
            SharedPointer base = allocate(rank, shared, BYTES);
            SharedPointer other = allocate(rank, local, BYTES);
            Random random = new Random(7 + rank.rank());
            for (int trial = 0; trial < 12; trial++) {
                int next = (rank.rank() + 1 + trial) % RANKS;
                byte[] theirs = random(random, BYTES);
                byte[] mine = random(random, BYTES);
                SharedPointer there = base.onRank(next);
                rank.barrier();
                rank.memput(there, MemorySegment.ofArray(theirs), BYTES);
                Pieces pieces = RandomPieces.next(random, BYTES);
                Completion how = Completion.values()[random.nextInt(4)];

                Buffer source = local(rank, local, mine);
                rank.rma().put(there, source, pieces, how);
                rank.rma().syncAll();
                rank.rma().flush(next);
                RandomPieces.move(pieces, theirs, mine);
                byte[] seen = new byte[BYTES];
                rank.memget(MemorySegment.ofArray(seen), there, BYTES);
                assertArrayEquals(theirs, seen, () -> "put " + pieces);

                Buffer target = local(rank, local, mine);
                Handle handle = rank.rma().get(target, there, pieces, Completion.HANDLE);
                handle.sync();
                assertTrue(handle.trySync());
                RandomPieces.move(pieces, mine, theirs);
                assertArrayEquals(mine, content(rank, target), () -> "get " + pieces);

                SharedPointer third = other.onRank((next + 1) % RANKS);
                rank.barrier();
                rank.memput(third, MemorySegment.ofArray(mine), BYTES);
                rank.fence();
                rank.rma().copy(third, there, pieces, Completion.REMOTE);
                RandomPieces.move(pieces, mine, theirs);
                rank.memget(MemorySegment.ofArray(seen), third, BYTES);
                assertArrayEquals(mine, seen, () -> "copy " + pieces);
                rank.barrier();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldMoveMoreThanAPieceOfPageLockedMemoryHolds(String route, MemoryKind shared, MemoryKind local) {
        int rows = 600;
        int run = 3000;
        int stride = 4000;
        Pgas.run(config(route), rank -> {
            SharedPointer base = allocate(rank, shared, (long) rows * stride);
            if (rank.rank() == 0) {
                byte[] mine = random(new Random(3), rows * run);
                Strided shape = Strided.rows(run, rows, stride, run);
                rank.rma().put(base.onRank(1), local(rank, local, mine), shape, Completion.REMOTE);
                byte[] seen = new byte[rows * stride];
                rank.memget(MemorySegment.ofArray(seen), base.onRank(1), seen.length);
                for (int row = 0; row < rows; row++) {
                    for (int i = 0; i < run; i++) {
                        assertEquals(mine[row * run + i], seen[row * stride + i]);
                    }
                }
                Buffer back = local(rank, local, new byte[rows * run]);
                rank.rma().get(back, base.onRank(1), shape.reversed(), Completion.LOCAL);
                assertArrayEquals(mine, content(rank, back));
            }
        });
    }

    private static Stream<Arguments> messages() {
        return cases().filter(arguments -> !arguments.get()[0].equals("auto"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldSendPiecesThatTheOtherSideHasTogetherAsOneMessage(String route, MemoryKind shared, MemoryKind local) {
        int pieces = 1000;
        Pgas.run(config(route), rank -> {
            SharedPointer base = allocate(rank, shared, 8L * pieces);
            if (rank.rank() == 0) {
                byte[] mine = random(new Random(5), 24 * pieces);
                Strided shape = Strided.rows(8, pieces, 8, 24);
                Buffer source = local(rank, local, mine);
                Buffer target = local(rank, local, new byte[24 * pieces]);
                long before = rank.diagnostics().counters().calls();
                rank.rma().put(base.onRank(1), source, shape, Completion.REMOTE);
                rank.rma().get(target, base.onRank(1), shape.reversed(), Completion.LOCAL);
                assertEquals(2, rank.diagnostics().counters().calls() - before);
                byte[] seen = content(rank, target);
                for (int i = 0; i < mine.length; i++) {
                    assertEquals(i % 24 < 8 ? mine[i] : 0, seen[i], "byte " + i);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "fastpath", "rendezvous"})
    void shouldPutAndGetListsToManyRanks(String route) {
        Pgas.run(config(route), rank -> {
            SharedPointer first = allocate(rank, MemoryKind.HOST, 64);
            SharedPointer second = allocate(rank, MemoryKind.DEVICE, 64);
            if (rank.rank() == 1) {
                List<SharedPointer> to = new ArrayList<>();
                List<Buffer> from = new ArrayList<>();
                List<Buffer> back = new ArrayList<>();
                for (int r = 0; r < RANKS; r++) {
                    for (SharedPointer each : List.of(first, second)) {
                        to.add(each.onRank(r));
                        from.add(Buffer.ofHost(MemorySegment.ofArray(new long[] {r, to.size()}), ElementType.LONG));
                        back.add(Buffer.ofHost(MemorySegment.ofArray(new long[2]), ElementType.LONG));
                    }
                }
                rank.rma().putList(to, from, Completion.REMOTE);
                rank.rma().syncAll(rank.rma().getList(back, to, Completion.HANDLE));
                for (int i = 0; i < back.size(); i++) {
                    assertEquals(-1, from.get(i).segment().mismatch(back.get(i).segment()), "buffer " + i);
                }
                assertThrows(IllegalArgumentException.class, () -> rank.rma().putList(to, from.subList(1, 3), Completion.LOCAL));
                shouldMoveNothingIfAnEntryLeavesItsMemory(rank, to, from.subList(0, 2).reversed());
            }
        });
    }

    /** @param from others than those that were put to the first two of {@code to} */
    private static void shouldMoveNothingIfAnEntryLeavesItsMemory(Rank rank, List<SharedPointer> to, List<Buffer> from) {
        Buffer before = Buffer.ofHost(MemorySegment.ofArray(new long[2]), ElementType.LONG);
        Buffer after = Buffer.ofHost(MemorySegment.ofArray(new long[2]), ElementType.LONG);
        rank.rma().get(before, to.getFirst(), Completion.LOCAL);
        List<SharedPointer> beyond = List.of(to.getFirst(), to.get(1).plus(1 << 20));

        String message = assertThrows(IndexOutOfBoundsException.class, () -> rank.rma().putList(beyond, from, Completion.REMOTE))
                .getMessage();
        assertTrue(message.startsWith("putList entry 1 out of bounds"), message);
        rank.rma().get(after, to.getFirst(), Completion.LOCAL);
        assertEquals(-1, before.segment().mismatch(after.segment()), "written by an earlier entry");
        assertThrows(IndexOutOfBoundsException.class, () -> rank.rma().getList(List.of(after, before), beyond, Completion.LOCAL));
        List<Strided> pieces = List.of(Strided.contiguous(16), Strided.contiguous(16));
        message = assertThrows(IndexOutOfBoundsException.class, () -> rank.rma().copyList(List.of(to.getFirst(), to.get(1)),
                beyond.reversed(), pieces, Completion.LOCAL)).getMessage();
        assertTrue(message.startsWith("copyList entry 0 out of bounds"), message);
        rank.rma().get(after, to.getFirst(), Completion.LOCAL);
        assertEquals(-1, before.segment().mismatch(after.segment()), "written by an entry");
        assertThrows(IllegalArgumentException.class, () -> rank.rma().copyList(to, to, pieces, Completion.LOCAL));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldLoseNoAdditionOfAnyRank(String route, MemoryKind shared, MemoryKind local) {
        int count = 40;
        int rounds = 20;
        Pgas.run(config(route), rank -> {
            for (ElementType type : List.of(ElementType.INT, ElementType.LONG, ElementType.FLOAT, ElementType.DOUBLE)) {
                SharedPointer sums = allocate(rank, shared, type.bytes(2L * count));
                rank.memset(sums.onRank(rank.rank()), 0, type.bytes(2L * count));
                rank.barrier();
                MemorySegment terms = MemorySegment.ofArray(new byte[(int) type.bytes(count)]);
                for (int i = 0; i < count; i++) {
                    set(terms, type, i, i + 1);
                }
                byte[] bytes = terms.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                Buffer plain = local(rank, local, bytes);
                Buffer source = plain.as(type);
                Strided everySecond = Strided.of(type.bytes(), new long[] {count}, new long[] {type.bytes(2)},
                        new long[] {type.bytes(1)});
                for (int round = 0; round < rounds; round++) {
                    rank.rma().accumulate(sums.onRank(1), source, everySecond, 2, Completion.IMPLICIT);
                    rank.rma().accumulate(sums.onRank(1), source.slice(0, 1), -1, Completion.LOCAL);
                }
                rank.rma().syncAll();
                rank.barrier();
                if (rank.rank() == 0) {
                    MemorySegment seen = MemorySegment.ofArray(new byte[(int) type.bytes(2L * count)]);
                    rank.memget(seen, sums.onRank(1), seen.byteSize());
                    for (int i = 0; i < count; i++) {
                        long expected = 2L * (i + 1) * rounds * RANKS - (i == 0 ? rounds * RANKS : 0);
                        assertEquals(expected, value(seen, type, 2 * i), type + " " + i);
                        assertEquals(0, value(seen, type, 2 * i + 1), type + " between " + i);
                    }
                    assertThrows(IllegalArgumentException.class, () -> rank.rma().accumulate(sums.cast(0, 1).plus(1), source, 1,
                            Completion.LOCAL));
                }
                rank.barrier();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"HOST, HOST", "HOST, DEVICE", "DEVICE, HOST", "DEVICE, DEVICE"})
    void shouldAddListsLongerThanPageLockedMemoryHolds(MemoryKind shared, MemoryKind local) {
        int entries = 100_000;
        int elements = 1000;
        Pgas.run(config("auto"), rank -> {
            SharedPointer sums = allocate(rank, shared, 8L * elements);
            rank.memset(sums.onRank(rank.rank()), 0, 8L * elements);
            rank.barrier();
            Random random = new Random(rank.rank());
            long[] dst = random.ints(entries, 0, elements).mapToLong(i -> 8L * i).toArray();
            long[] src = random.ints(entries, 0, elements).mapToLong(i -> 8L * i).toArray();
            long[] terms = LongStream.range(0, elements).toArray();
            Buffer source = local(rank, local, bytes(terms)).as(ElementType.LONG);
            rank.rma().accumulate(sums.onRank(0), source, Indexed.of(8, dst, src), 3, Completion.LOCAL);

            long[] expected = new long[elements];
            for (int i = 0; i < entries; i++) {
                expected[(int) dst[i] / 8] += 3 * terms[(int) src[i] / 8];
            }
            long[] all = new long[elements];
            for (int i = 0; i < elements; i++) {
                all[i] = rank.allReduce(expected[i], ReduceOp.SUM);
            }
            long[] seen = new long[elements];
            rank.memget(MemorySegment.ofArray(seen), sums.onRank(0), 8L * elements);
            assertArrayEquals(all, seen);
            rank.barrier();
        });
    }

    private static byte[] bytes(long[] values) {
        return MemorySegment.ofArray(values).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }

    private static void set(MemorySegment memory, ElementType type, int index, int value) {
        long at = type.bytes(index);
        switch (type) {
            case INT -> memory.set(ElementType.LAYOUT_INT, at, value);
            case LONG -> memory.set(ElementType.LAYOUT_LONG, at, value);
            case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, at, value);
            default -> memory.set(ElementType.LAYOUT_DOUBLE, at, value);
        }
    }

    private static long value(MemorySegment memory, ElementType type, int index) {
        long at = type.bytes(index);
        return switch (type) {
            case INT -> memory.get(ElementType.LAYOUT_INT, at);
            case LONG -> memory.get(ElementType.LAYOUT_LONG, at);
            case FLOAT -> (long) memory.get(ElementType.LAYOUT_FLOAT, at);
            default -> (long) memory.get(ElementType.LAYOUT_DOUBLE, at);
        };
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldRefusePiecesOutOfBounds(MemoryKind kind) {
        Pgas.run(config("auto"), rank -> {
            SharedPointer base = allocate(rank, kind, 256);
            Buffer mine = Buffer.ofHost(MemorySegment.ofArray(new byte[100]), ElementType.BYTE);
            assertThrows(IndexOutOfBoundsException.class,
                    () -> rank.rma().put(base, mine, Strided.rows(10, 3, 124, 10), Completion.LOCAL));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> rank.rma().put(base, mine, Strided.rows(10, 3, 10, 46), Completion.LOCAL));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> rank.rma().get(mine, base, Indexed.of(8, new long[] {93}, new long[] {0}), Completion.LOCAL));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> rank.rma().accumulate(base, Buffer.ofHost(mine.segment(), ElementType.INT), Strided.rows(4, 2, 256, 4),
                    1, Completion.LOCAL));
            rank.rma().put(base, mine, Strided.rows(10, 0, 1000, 1000), Completion.LOCAL);
            rank.barrier();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "fastpath", "rendezvous"})
    void shouldPutSingleValuesAndTellOfHandles(String route) {
        Pgas.run(config(route), rank -> {
            SharedPointer base = allocate(rank, MemoryKind.HOST, 64).cast(0, 1);
            SharedPointer next = base.onRank((rank.rank() + 1) % RANKS);
            rank.rma().putInt(next, 5);
            rank.rma().putFloat(next.plus(4), 1.5f);
            rank.rma().putLong(next.plus(8), Long.MIN_VALUE + 1);
            rank.rma().putDouble(next.plus(16), -0.0);
            rank.rma().flush(next.rank());
            assertEquals(5, rank.rma().getInt(next));
            assertEquals(1.5f, rank.rma().getFloat(next.plus(4)));
            assertEquals(Long.MIN_VALUE + 1, rank.rma().getLong(next.plus(8)));
            assertEquals(Double.doubleToRawLongBits(-0.0), Double.doubleToRawLongBits(rank.rma().getDouble(next.plus(16))));

            Buffer word = Buffer.ofHost(MemorySegment.ofArray(new long[1]), ElementType.LONG);
            Handle[] handles = new Handle[4];
            for (int i = 0; i < handles.length; i++) {
                handles[i] = rank.rma().get(word, next.plus(8), Completion.HANDLE);
            }
            int any = rank.rma().syncAny(handles);
            assertTrue(handles[any].trySync());
            int[] some = rank.rma().syncSome(handles);
            assertTrue(some.length > 0);
            List<Integer> ran = new ArrayList<>();
            for (int i = 0; i < handles.length; i++) {
                int number = i;
                rank.rma().whenComplete(handles[i], () -> ran.add(number));
            }
            CompletableFuture<Void> future = rank.rma().future(handles[3]);
            rank.rma().syncAll(handles);
            assertEquals(List.of(0, 1, 2, 3), ran.stream().sorted().toList());
            assertTrue(future.isDone());

            Never never = new Never();
            rank.rma().whenComplete(never, () -> ran.add(9));
            rank.progress();
            assertFalse(ran.contains(9));
            never.done = true;
            rank.progress();
            assertTrue(ran.contains(9));
            assertThrows(IllegalArgumentException.class, () -> rank.rma().syncAny());
            rank.barrier();
        });
    }

    @Test
    void shouldRunAnActionOnceWhereTheOneBeforeWaits() {
        Pgas.run(config("auto"), rank -> {
            Never first = new Never();
            Never second = new Never();
            List<Integer> ran = new ArrayList<>();
            rank.rma().whenComplete(first, () -> {
                ran.add(1);
                rank.progress();
            });
            rank.rma().whenComplete(second, () -> ran.add(2));
            first.done = true;
            second.done = true;
            rank.progress();
            assertEquals(List.of(1, 2), ran);
            assertThrows(NullPointerException.class, () -> rank.rma().whenComplete(first, null));
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldMovePiecesWhereTransfersAreWatched(MemoryKind kind) {
        Pgas.run(config("auto").set(PgasKey.CHECK, "full"), rank -> {
            SharedPointer base = allocate(rank, kind, 100);
            long[] mine = {rank.rank(), rank.rank() + 10};
            Buffer words = Buffer.ofHost(MemorySegment.ofArray(mine), ElementType.LONG);
            SharedPointer next = base.onRank((rank.rank() + 1) % RANKS);
            rank.rma().put(next, words, Strided.rows(8, 2, 40, 8), Completion.REMOTE);
            rank.rma().accumulate(next, words, Strided.rows(8, 2, 40, 8), 2, Completion.REMOTE);
            rank.barrier();
            rank.rma().get(words, base.onRank(rank.rank()), Strided.rows(8, 2, 8, 40), Completion.LOCAL);
            long previous = (rank.rank() + RANKS - 1) % RANKS;
            assertArrayEquals(new long[] {3 * previous, 3 * (previous + 10)}, mine);
            rank.barrier();
            rank.rma().accumulate(base.onRank(0), words.slice(0, 1), 1, Completion.LOCAL); // all at once: no race
            rank.barrier();
        });
    }

    /** An operation that completes when the test says so. */
    private static final class Never implements Handle {

        private boolean done;

        @Override
        public void sync() {
            done = true;
        }

        @Override
        public boolean trySync() {
            return done;
        }
    }

    @ParameterizedTest(name = "ranks {0}, conduit {1}, route {2}")
    @CsvSource({"1, shm, auto", "3, shm, auto", "3, loopback, fastpath", "4, shm, rendezvous"})
    void shouldMoveRangesOfArrays(int ranks, String conduit, String route) {
        List<String> words = List.of("contract", "ranges");
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.CONDUIT, conduit)
                .set(PgasKey.ROUTE, route);

        Pgas.run(config, words, Testkit::run);
    }
}
