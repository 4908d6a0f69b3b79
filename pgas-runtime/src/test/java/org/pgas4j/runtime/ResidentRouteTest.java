package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.SharedPointer;
import org.pgas4j.Window;

/** Transfers between host and device memory by resident blocks, between ranks that are threads of this JVM. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ResidentRouteTest {

    private static final long MAX_BYTES = 1024;

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20)
                .set(PgasKey.ROUTE, "resident").set(PgasKey.RESIDENT_BYTES, Long.toString(MAX_BYTES));
    }

    private static SharedPointer allocate(Rank rank, long bytes) {
        try (var _ = rank.onDevice()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    private static long calls(Rank rank, String route) {
        return rank.diagnostics().counters().traffic().stream().filter(line -> line.route().equals(route))
                .mapToLong(RankCounters.Traffic::calls).sum();
    }

    /** Puts until the block has carried some out: it may take time to start, and ends when the machine leaves it none. */
    private static void putUntilServed(Rank rank, SharedPointer to, long calls) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 8);
            while (calls(rank, "resident") < calls) {
                rank.memput(to, value, 8);
            }
        }
    }

    @Test
    void shouldCarrySmallTransfersOfBothKinds() {
        Pgas.run(config(2), rank -> {
            SharedPointer memory = allocate(rank, 4096);
            SharedPointer there = memory.onRank(1 - rank.rank());
            putUntilServed(rank, there, 10);
            long[] values = {3 + rank.rank(), 4};
            long[] seen = new long[2];
            long before = calls(rank, "resident") + calls(rank, "direct-device");
            rank.memput(there, MemorySegment.ofArray(values), 16);
            rank.memget(MemorySegment.ofArray(seen), there, 16);
            assertArrayEquals(values, seen);
            assertEquals(3 + rank.rank(), rank.atomics().fetchAdd(there, 10));
            assertEquals(13 + rank.rank(), rank.atomics().fetchAdd(there, 10));
            assertEquals(before + 4, calls(rank, "resident") + calls(rank, "direct-device"));
            rank.barrier();
        });
    }

    /** Puts to one place take effect in the order in which they were started, whoever carries them out. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldKeepTheOrderOfTransfersOfAllSizes(int ranks) {
        Pgas.run(config(ranks), rank -> {
            SharedPointer memory = allocate(rank, 64 << 10);
            SharedPointer there = memory.onRank((rank.rank() + 1) % ranks);
            byte[] seen = new byte[64 << 10];
            long[] sizes = {8, 100, 1000, 4096, 8, 50_000, 113, 8, 1};
            for (int round = 0; round < 50; round++) {
                for (int i = 0; i < sizes.length; i++) {
                    byte[] values = new byte[(int) sizes[i]];
                    Arrays.fill(values, (byte) (round + i));
                    rank.rma().put(there, Buffer.ofHost(MemorySegment.ofArray(values), ElementType.BYTE), Completion.IMPLICIT);
                }
                Handle get = rank.rma().get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.BYTE), there,
                        Completion.HANDLE);
                get.sync();
                assertEquals((byte) (round + 8), seen[0]);
                assertEquals((byte) (round + 7), seen[1]);
                assertEquals((byte) (round + 6), seen[112]);
                assertEquals((byte) (round + 5), seen[49_999]);
            }
            rank.rma().syncAll();
            rank.barrier();
        });
    }

    @Test
    void shouldCompleteStartedGets() {
        Pgas.run(config(2), rank -> {
            SharedPointer memory = allocate(rank, 4096);
            SharedPointer there = memory.onRank(1 - rank.rank());
            putUntilServed(rank, there, 1);
            rank.rma().putLong(there.plus(8), 70 + rank.rank());
            MemorySegment seen = MemorySegment.ofArray(new long[1]);
            Handle handle = rank.rma().get(Buffer.ofHost(seen, ElementType.LONG), there.plus(8), Completion.HANDLE);
            while (!handle.trySync()) {
                Thread.onSpinWait();
            }
            assertEquals(70 + rank.rank(), seen.get(ValueLayout.JAVA_LONG, 0));
            rank.barrier();
        });
    }

    /** A large put leaves its notification to the rank's stream; those of small ones after it must not overtake their bytes. */
    @Test
    void shouldNotifyBehindItsPuts() {
        Pgas.run(config(2), rank -> {
            SharedPointer memory = allocate(rank, 512 << 10);
            int other = 1 - rank.rank();
            MemorySegment large = MemorySegment.ofArray(new byte[512 << 10]);
            MemorySegment seen = MemorySegment.ofArray(new long[1]);
            try (Window window = rank.createWindow(rank.world(), memory.onRank(rank.rank()), 512 << 10);
                 Arena arena = Arena.ofConfined()) {
                MemorySegment source = arena.allocate(512 << 10, 8);
                MemorySegment value = arena.allocate(8, 8);
                for (int i = 1; i <= 100; i++) {
                    value.set(ValueLayout.JAVA_LONG, 0, i);
                    if (i % 50 == 1) {
                        source.copyFrom(large);
                        window.putNotify(other, 0, source, 512 << 10, 6);
                        rank.notifications().await(6, 1);
                    }
                    window.putNotify(other, 8, value, 8, 7);
                    rank.notifications().await(7, 1);
                    rank.memget(seen, memory.onRank(rank.rank()).cast(0, 1).plus(8), 8);
                    assertEquals(i, seen.get(ValueLayout.JAVA_LONG, 0));
                    rank.barrier();
                }
            }
        });
    }

    @Test
    void shouldGoOnAfterTheBlockHasEnded() {
        Pgas.run(config(2).set(PgasKey.RESIDENT_IDLE, "1us"), rank -> {
            SharedPointer memory = allocate(rank, 4096);
            SharedPointer there = memory.onRank(1 - rank.rank());
            MemorySegment value = MemorySegment.ofArray(new long[1]);
            MemorySegment seen = MemorySegment.ofArray(new long[1]);
            for (int i = 0; i < 300; i++) {
                value.set(ValueLayout.JAVA_LONG, 0, i);
                rank.memput(there, value, 8);
                rank.memget(seen, there, 8);
                assertEquals(i, seen.get(ValueLayout.JAVA_LONG, 0));
                if (i % 30 == 0) {
                    rank.free(rank.alloc(64));
                }
            }
            rank.barrier();
        });
    }

    @Test
    void shouldNameTheRoute() {
        Pgas.run(config(2), rank -> {
            SharedPointer there = allocate(rank, 4096).onRank(1 - rank.rank());
            assertEquals("resident", rank.diagnostics().route(MemoryKind.HOST, there, MAX_BYTES));
            assertEquals("direct-device", rank.diagnostics().route(MemoryKind.HOST, there, MAX_BYTES + 1));
            assertEquals("direct-device", rank.diagnostics().route(MemoryKind.DEVICE, there, 8));
            String text = rank.diagnostics().explain(MemoryKind.HOST, there, 8);
            assertTrue(text.contains("resident, a block that stays on the rank's device moves up to 1024 bytes"), text);
            rank.barrier();
        });
    }
}
