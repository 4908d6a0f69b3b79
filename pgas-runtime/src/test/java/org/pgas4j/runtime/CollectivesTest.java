package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.Collectives;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.KernelException;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.Scope;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamForm;
import org.pgas4j.StreamGraph;
import org.pgas4j.Sync;
import org.pgas4j.Team;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.program.Program;

/** Collective operations on vectors and arrays, with ranks as threads of this JVM. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
class CollectivesTest {

    private static final int COUNT = 4096;

    @ParameterizedTest(name = "{0}, ranks {1}, conduit {2}, route {3}, devices {4}")
    @CsvSource({
        "vectors, 1, shm,      auto,       1",
        "vectors, 3, shm,      auto,       2",
        "stream-collectives, 2, shm,      auto,       1",
        "stream-collectives, 3, loopback, auto,       3",
        "stream-collectives, 4, shm,      fastpath,   2",
        "arrays,  2, shm,      auto,       1",
        "arrays,  4, loopback, auto,       2",
        "sorts,   1, shm,      auto,       1",
        "sorts,   2, shm,      auto,       2",
        "sorts,   3, loopback, auto,       1",
        "sorts,   4, shm,      auto,       1",
        "teams,   1, shm,      auto,       1",
        "teams,   2, shm,      auto,       1",
        "teams,   5, loopback, auto,       1",
    })
    void shouldKeepTheContract(String contract, int ranks, String conduit, String route, int devices) {
        List<String> words = List.of("contract", contract);
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.CONDUIT, conduit)
                .set(PgasKey.ROUTE, route).set(PgasKey.HOST_DEVICES, Integer.toString(devices));

        Pgas.run(config, words, Testkit::run);
    }

    @ParameterizedTest(name = "{0}, ranks {1}, conduit {2}, route {3}, devices {4}")
    @CsvSource({
        "vectors, 2, shm,      auto,       1",
        "vectors, 4, shm,      fastpath,   2",
        "vectors, 7, shm,      auto,       3",
        "vectors, 3, shm,      rendezvous, 2",
        "vectors, 2, loopback, auto,       1",
        "stream-collectives, 1, shm,      auto,       1",
        "stream-collectives, 20, shm,     auto,       2",
        "arrays,  1, shm,      auto,       1",
        "arrays,  3, shm,      fastpath,   2",
        "arrays,  7, shm,      auto,       1",
        "sorts,   4, shm,      fastpath,   2",
        "sorts,   7, shm,      auto,       1",
        "teams,   4, shm,      fastpath,   2",
        "teams,   9, shm,      auto,       1",
    })
    @Tag("slow")
    void shouldKeepTheContractForMoreRanksAndRoutes(String contract, int ranks, String conduit, String route, int devices) {
        shouldKeepTheContract(contract, ranks, conduit, route, devices);
    }

    @ParameterizedTest
    @CsvSource({"auto, true", "fastpath, false"})
    void shouldQueueWhereDevicesReachEachOther(String route, boolean reach) {
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).set(PgasKey.ROUTE, route), rank -> {
            Executable make = () -> rank.collectives().onStreams().close();
            if (reach) {
                assertDoesNotThrow(make);
            } else {
                assertThrows(UnsupportedOperationException.class, make);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(StreamForm.class)
    void shouldQueueInTheOrderOfTheMembers(StreamForm form) {
        Pgas.run(new PgasConfig().ranks(3).device(Backend.HOST), rank -> {
            SharedLongs sources;
            SharedLongs targets;
            try (Scope _ = rank.onDevice()) {
                sources = rank.allAllocLongs(Layout.even(), 3);
                targets = rank.allAllocLongs(Layout.even(), 9);
            }
            sources.put(rank.rank(), rank.rank());
            try (Team team = rank.world().split(0, (rank.rank() + 1) % 3);
                 StreamCollectives all = team.collectives().onStreams(form)) {
                all.allGather(rank.stream(), targets.local(), sources.local());
                rank.stream().sync();
                rank.barrier();
                long[] gathered = new long[9];
                targets.get(0, gathered);
                assertArrayEquals(new long[] {2, 0, 1, 2, 0, 1, 2, 0, 1}, gathered);
                rank.barrier();
            }
        });
    }

    @Test
    void shouldStopAnOperationWhoseStreamIsClosed() {
        CountDownLatch stopped = new CountDownLatch(1);
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST), rank -> {
            StreamCollectives all = rank.collectives().onStreams(StreamForm.DIRECT);
            assertTrue(all.explain().contains("DIRECT"), all.explain());
            if (rank.rank() == 0) {
                try (Stream stream = rank.device().newStream()) {
                    all.barrier(stream); // rank 1 never queues it
                }
                assertTrue(assertThrows(IllegalStateException.class, () -> all.barrier(rank.stream())).getMessage()
                        .contains("stopped"));
                stopped.countDown();
            } else {
                assertTrue(stopped.await(60, TimeUnit.SECONDS));
            }
            all.close();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "operation, 'rank 0: call 2, allReduce(64 elements of LONG, SUM); rank 1: call 2, barrier()'",
        "type, 'rank 0: call 2, allReduce(64 elements of LONG, SUM); rank 1: call 2, allReduce(64 elements of DOUBLE, SUM)'",
        "length, 'rank 0: call 2, allReduce(64 elements of LONG, SUM); rank 1: call 2, allReduce(32 elements of LONG, SUM)'",
        "root, 'rank 0: call 2, broadcast(64 elements of LONG, root 0); "
                + "rank 1: call 2, broadcast(64 elements of LONG, root 1)'",
        "missing, 'rank 1 has not queued call 2, here rank 0: call 2, allReduce(64 elements of LONG, SUM)'",
    })
    void shouldNameCallsOnStreamsThatDiffer(String what, String expected) {
        PgasConfig config = new PgasConfig().ranks(2).device(Backend.HOST);
        if (what.equals("missing")) {
            config.set(PgasKey.TIMEOUT, "3s");
        }
        CountDownLatch noticed = new CountDownLatch(1);
        Class<? extends PgasException> type =
                what.equals("missing") ? PgasTimeoutException.class : CollectiveMismatchException.class;
        Pgas.run(config, rank -> {
            StreamCollectives all = rank.collectives().onStreams();
            try (Scope _ = rank.onDevice(); Stream stream = rank.device().newStream()) {
                Buffer whole = rank.allAllocLongs(Layout.even(), 128).local();
                all.barrier(stream);
                queue(all, stream, whole, rank.rank() == 0 ? "" : what, what.equals("root"));
                if (rank.rank() == 0) {
                    String message = assertThrows(type, stream::sync).getMessage();
                    assertTrue(message.contains(expected), message);
                    noticed.countDown();
                } else {
                    assertTrue(noticed.await(60, TimeUnit.SECONDS));
                }
            }
        });
    }

    private static void queue(StreamCollectives all, Stream stream, Buffer whole, String what, boolean isBroadcast) {
        switch (what) {
            case "operation" -> all.barrier(stream);
            case "missing" -> {
            }
            case "root" -> all.broadcast(stream, whole, 1);
            default -> {
                Buffer data = switch (what) {
                    case "type" -> Buffer.ofDevice(whole.deviceMemory(), whole.deviceOffset(), ElementType.DOUBLE, 64);
                    case "length" -> whole.slice(0, 32);
                    default -> whole;
                };
                if (isBroadcast) {
                    all.broadcast(stream, data, 0);
                } else {
                    all.allReduce(stream, data, data, ReduceOp.SUM);
                }
            }
        }
    }

    @Test
    void shouldRefuseAGraphOfClosedOperationsOnStreams() {
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST), rank -> {
            try (Stream stream = rank.device().newStream()) {
                StreamCollectives all = rank.collectives().onStreams();
                try (StreamGraph graph = stream.capture(all::barrier)) {
                    all.close();
                    assertTrue(assertThrows(IllegalStateException.class, () -> stream.launch(graph)).getMessage()
                            .contains("barrier() before them"));
                }
            }
        });
    }

    /** A stream that is closed while it waits sets the words that it waits for, and no others. */
    @Test
    void shouldLeaveMemoryOfClosedOperationsAlone() {
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(1 << 20), rank -> {
            Stream stream = rank.device().newStream();
            try (StreamCollectives all = rank.collectives().onStreams()) {
                all.barrier(stream);
                stream.sync();
            }
            long free = rank.collectives().allReduce(rank.memory().stats(MemoryKind.HOST).largestFreeBytes(), ReduceOp.MIN);
            MemorySegment mine = rank.allAllocLongs(Layout.even(), rank.ranks() * (free / Long.BYTES)).local().segment();
            mine.fill((byte) 7);
            rank.barrier();
            stream.awaitValue(5);
            stream.close();
            for (long at = 0; at < mine.byteSize(); at++) {
                assertEquals(7, mine.get(ValueLayout.JAVA_BYTE, at));
            }
        });
    }

    @Test
    void shouldGiveBackTheDeviceMemoryOfKernels() {
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST), rank -> {
            long before = rank.memory().stats(MemoryKind.DEVICE).usedBytes();
            try (StreamCollectives _ = rank.collectives().onStreams(StreamForm.PACKETS)) {
                assertTrue(rank.memory().stats(MemoryKind.DEVICE).usedBytes() > before);
            }
            rank.barrier();
            assertEquals(before, rank.memory().stats(MemoryKind.DEVICE).usedBytes());
        });
    }

    @Test
    void shouldRefuseAFormThatTooManyMembersAskFor() {
        Pgas.run(new PgasConfig().ranks(9).device(Backend.HOST), rank -> {
            Executable make = () -> rank.collectives().onStreams(StreamForm.PACKETS);
            assertTrue(assertThrows(UnsupportedOperationException.class, make).getMessage().contains("9 members"));
        });
    }

    /** Rank 1 goes on with its part when rank 0 has returned: with a meeting at the end neither would. */
    @Test
    void shouldNotWaitForOthersAtTheEndOfAPrefixReduceWithoutSync() {
        CountDownLatch returned = new CountDownLatch(1);
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.even(), 4);
            array.forAllLocal(i -> array.put(i, i));
            int[] calls = new int[1];
            Reduction sum = Reduction.ofLongs((a, b) -> {
                if (rank.rank() == 1 && calls[0]++ == 1) { // the first combines what rank 0 waits for
                    await(returned);
                }
                return a + b;
            });
            rank.collectives().prefixReduce(array, array, sum, Sync.NO);
            if (rank.rank() == 0) {
                returned.countDown();
            }
            rank.barrier();
            assertEquals(6, array.get(3));
        });
    }

    /** By devices where the heap of the host has no room, by the hosts where that of the device has none. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldCombinePrivateDeviceMemoryWhileAHeapIsFull(MemoryKind full) {
        PgasConfig config = new PgasConfig().ranks(3).device(Backend.HOST).set(PgasKey.HEAP_HOST, "4m")
                .set(PgasKey.HEAP_DEVICE, "4m");
        long[] expected = LongStream.range(0, 100_001).map(i -> 3 * i + 3).toArray();

        Pgas.run(config, rank -> {
            fill(rank, full);
            try (Arena arena = Arena.ofConfined(); Buffer mine = rank.device().alloc(ElementType.LONG, expected.length);
                    Buffer sum = rank.device().alloc(ElementType.LONG, expected.length)) {
                MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_LONG,
                        LongStream.range(0, expected.length).map(i -> i + rank.rank()).toArray());
                rank.stream().copy(mine, Buffer.ofHost(memory, ElementType.LONG));
                rank.stream().sync();
                rank.collectives().allReduce(sum, mine, ReduceOp.SUM);
                rank.stream().copy(Buffer.ofHost(memory, ElementType.LONG), sum);
                rank.stream().sync();
                assertArrayEquals(expected, memory.toArray(ValueLayout.JAVA_LONG));
            }
        });
    }

    /** On the device, where a function's exception is a fault of a kernel, and on the host for a function that a device refuses. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldReportWhatAFunctionThrows(MemoryKind kind) {
        Reduction divides = Reduction.ofLongs((a, b) -> a / b);
        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST), rank -> {
            try (Scope _ = Program.in(rank, kind)) {
                Buffer zeros = rank.allAllocLongs(Layout.even(), 2L * COUNT).local();
                Buffer results = rank.allAllocLongs(Layout.even(), 2L * COUNT).local();
                RuntimeException e = assertThrows(RuntimeException.class,
                        () -> rank.collectives().allReduce(results, zeros, divides));
                assertEquals(kind == MemoryKind.DEVICE ? KernelException.class : ArithmeticException.class, e.getClass());
                assertTrue(e.getMessage().contains("/ by zero"), e::getMessage);
            }
        });
    }

    /** The same for elements of arrays: each rank's own, or ranges of indices. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldReportWhatAFunctionThrowsForElementsOfArrays(MemoryKind kind) {
        Reduction.OfLongs divides = Reduction.ofLongs((a, b) -> a / b);
        Class<?> expected = kind == MemoryKind.DEVICE ? KernelException.class : ArithmeticException.class;
        List<Layout> layouts = List.of(Layout.even(), Layout.cyclic());
        for (Layout layout : layouts) {
            for (int call = 0; call < 3; call++) {
                int number = call;
                Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST), rank -> {
                    try (Scope _ = Program.in(rank, kind)) {
                        SharedLongs zeros = rank.allAllocLongs(layout, 2L * COUNT);
                        RuntimeException e = assertThrows(RuntimeException.class, () -> {
                            if (number == 2) {
                                rank.collectives().prefixReduce(zeros, zeros, divides);
                            } else {
                                rank.collectives().reduce(zeros.pointer(), zeros, number == 1 ? divides.commutative() : divides);
                            }
                        });
                        assertEquals(expected, e.getClass());
                        assertTrue(e.getMessage().contains("/ by zero"), e::getMessage);
                    }
                });
            }
        }
    }

    private static void fill(Rank rank, MemoryKind kind) {
        try (Scope _ = Program.in(rank, kind)) {
            for (long bytes = 4 << 20; bytes >= 512; ) {
                try {
                    rank.allAlloc(rank.ranks(), bytes);
                } catch (SegmentMemoryException e) {
                    bytes /= 2;
                }
            }
        }
    }

    @Test
    void shouldGiveBackTheMemoryOfClosedTeams() {
        Pgas.run(new PgasConfig().ranks(3).device(Backend.HOST), rank -> {
            long before = usedByAll(rank);
            for (int i = 0; i < 1000; i++) {
                try (Team team = rank.world().split(rank.rank() % 2)) {
                    assertEquals(rank.rank() % 2 == 0 ? 2 : 1, team.ranks());
                    if (i % 100 == 0) {
                        copyPrivateMemory(team);
                        try (Team part = team.split(i)) {
                            part.barrier();
                            assertTrue(rank.memory().stats(MemoryKind.HOST).usedBytes() > before);
                        }
                    }
                }
            }
            assertEquals(before, usedByAll(rank));
            Team closed = rank.world().split(0);
            Team part = closed.split(0);
            Buffer sums = vector();
            sums.segment().set(ElementType.LAYOUT_LONG, 0, 1);
            Handle started = closed.collectives().nonBlocking().allReduce(sums, sums, ReduceOp.SUM);
            closed.close();
            assertTrue(started.trySync(), "close() completes what was started");
            assertEquals(3, sums.segment().get(ElementType.LAYOUT_LONG, 0));
            assertEquals(3, part.collectives().allReduce(1L, ReduceOp.SUM));
            part.close();
            Collectives refused = closed.collectives();
            assertThrows(IllegalStateException.class, () -> refused.allReduce(1L, ReduceOp.SUM));
            assertThrows(IllegalStateException.class, () -> copyPrivateMemory(closed));
            assertThrows(IllegalStateException.class, () -> refused.nonBlocking().broadcast(vector(), 0));
            assertThrows(IllegalStateException.class, () -> closed.split(0));
            assertEquals(before, usedByAll(rank));
        });
    }

    @Test
    void shouldGiveBackTheDeviceMemoryOfClosedTeams() {
        Pgas.run(new PgasConfig().ranks(3).device(Backend.HOST), rank -> {
            long before = rank.memory().stats(MemoryKind.DEVICE).usedBytes();
            for (int i = 0; i < 20; i++) {
                try (Team team = rank.world().split(rank.rank() % 2); Buffer mine = rank.device().alloc(ElementType.LONG, COUNT)) {
                    team.collectives().allReduce(mine, mine, ReduceOp.SUM);
                    assertTrue(rank.memory().stats(MemoryKind.DEVICE).usedBytes() > before);
                    rank.barrier();
                }
            }
            rank.barrier();
            assertEquals(before, rank.memory().stats(MemoryKind.DEVICE).usedBytes());
            rank.barrier();
        });
    }

    private static long usedByAll(Rank rank) {
        rank.barrier();
        long used = rank.memory().stats(MemoryKind.HOST).usedBytes();
        rank.barrier();
        return used;
    }

    private static Buffer vector() {
        return Buffer.ofHost(MemorySegment.ofArray(new long[COUNT]), ElementType.LONG);
    }

    private static void copyPrivateMemory(Team team) {
        team.collectives().scan(vector(), vector(), ReduceOp.MAX);
    }

    /** Rank 0 comes to a barrier with a rendezvous under way that rank 1 will serve late: the rank waits in its port then. */
    @Test
    void shouldNotEnterThePortItWaitsIn() {
        CountDownLatch rank1Started = new CountDownLatch(1);
        PgasConfig config = new PgasConfig().ranks(2).device(Backend.HOST).set(PgasKey.ROUTE, "rendezvous")
                .set(PgasKey.HELPER, "off").set(PgasKey.TIMEOUT, "10s");

        Pgas.run(config, rank -> {
            int me = rank.rank();
            SharedDoubles all;
            try (Scope _ = rank.onDevice()) {
                all = rank.allAllocDoubles(Layout.blocked(COUNT), 2L * COUNT);
            }
            all.put((long) me * COUNT, me + 1);
            rank.barrier();
            if (me == 0) {
                await(rank1Started);
            }
            try (Arena arena = Arena.ofConfined()) {
                Buffer gathered = Buffer.ofHost(arena.allocate(2L * COUNT * Double.BYTES, Double.BYTES), ElementType.DOUBLE);
                Handle handle = rank.collectives().nonBlocking().allGather(gathered, all.local());
                if (me == 1) {
                    rank1Started.countDown();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200)); // serves nobody
                }
                rank.barrier();
                handle.sync();
                assertEquals(1, gathered.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, 0));
                assertEquals(2, gathered.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, COUNT));
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(10, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
