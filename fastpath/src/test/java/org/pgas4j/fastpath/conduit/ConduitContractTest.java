package org.pgas4j.fastpath.conduit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.UsageException;
import org.pgas4j.fastpath.Conduits;

/** Contract of every conduit, between two ranks of one JVM. */
@Timeout(120)
class ConduitContractTest {

    private static final long SEGMENT_BYTES = 4 << 20;
    private static final byte GUARD = 0x5a;
    private static final long[] SIZES = {0, 1, 7, 8, 9, 63, 4095, 4096, 4097, (1 << 20) + 3};
    private static final int MESSAGES = 100_000;
    private static final int MIN_MESSAGES = 100;
    private static final int ADDS = 5_000;

    enum Kind {
        LOOPBACK("loopback", "auto", "none"),
        SHM("shm", "auto", "none"),
        UCX_SHM("ucx", "shm", "none"),
        UCX_TCP("ucx", "tcp", "none"),
        UCX_TCP_PEER("ucx", "tcp", "peer"),
        UCX_RC("ucx", "rc", "none"),
        ONE_OF_TWO_NODES("auto", "tcp", "none", _ -> true),
        BETWEEN_NODES("auto", "tcp", "none", _ -> false),
        BETWEEN_NODES_CHOSEN_BY_UCX("auto", "auto", "none", _ -> false);

        private final String conduit;
        private final String tls;
        private final String errors;

        private final IntPredicate onThisNode; // null for a job on one node

        Kind(String conduit, String tls, String errors) {
            this(conduit, tls, errors, null);
        }

        Kind(String conduit, String tls, String errors, IntPredicate onThisNode) {
            this.conduit = conduit;
            this.tls = tls;
            this.errors = errors;
            this.onThisNode = onThisNode;
        }

        private boolean isUcx() {
            return conduit.equals("ucx") || onThisNode != null;
        }

        /**
         * Skips the test where UCX is not installed, unless {@code test.require.ucx} is true; over RDMA always,
         * unless {@code test.require.rdma} is true.
         */
        Conduit open() {
            Assumptions.assumeTrue(this != UCX_RC || Boolean.getBoolean("test.require.rdma"),
                    "needs an RDMA device; -Dtest.require.rdma=true says that there is one");
            try {
                long timeoutNs = TimeUnit.SECONDS.toNanos(20);
                return Conduits.open(conduit, onThisNode == null
                        ? new ConduitOptions(1, 2, timeoutNs, () -> { }, tls, errors)
                        : new ConduitOptions(2, 2, timeoutNs, () -> { }, tls, errors, 2, onThisNode));
            } catch (UsageException e) {
                if (isUcx() && !Boolean.getBoolean("test.require.ucx")) {
                    Assumptions.abort(e.getMessage());
                }
                throw e;
            }
        }
    }

    /** Two ranks, their segments, and a thread that moves on what each waits for. */
    private static final class Ranks implements AutoCloseable {

        private final Conduit conduit;
        private final HostSegment[] segments = new HostSegment[2];
        private final Endpoint[][] endpoints = new Endpoint[2][2];
        private final Thread helper;
        private volatile boolean done;

        Ranks(Kind kind) throws IOException {
            conduit = kind.open();
            for (int rank = 0; rank < 2; rank++) {
                segments[rank] = conduit.create(rank, "test segment", SEGMENT_BYTES);
            }
            for (int from = 0; from < 2; from++) {
                for (int to = 0; to < 2; to++) {
                    endpoints[from][to] = conduit.connect(from, to, segments[to].address());
                }
            }
            helper = Thread.ofPlatform().name("helper").start(() -> {
                while (!done && conduit.needsProgress()) {
                    if (!(conduit.progress(0) | conduit.progress(1))) {
                        Thread.yield();
                    }
                }
            });
        }

        Endpoint endpoint(int from, int to) {
            return endpoints[from][to];
        }

        MemorySegment memory(int rank) {
            return segments[rank].memory();
        }

        @Override
        public void close() {
            done = true;
            try {
                helper.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            conduit.close();
            conduit.close();
        }
    }

    private static byte[] random(long bytes) {
        byte[] data = new byte[(int) bytes];
        RandomGenerator.of("L64X128MixRandom").nextBytes(data);
        return data;
    }

    private static void assertGuarded(MemorySegment memory, long offset, byte[] expected) {
        assertEquals(GUARD, memory.get(ValueLayout.JAVA_BYTE, offset - 1), "before");
        assertEquals(GUARD, memory.get(ValueLayout.JAVA_BYTE, offset + expected.length), "after");
        assertArrayEquals(expected, memory.asSlice(offset, expected.length).toArray(ValueLayout.JAVA_BYTE));
    }

    @ParameterizedTest
    @EnumSource
    void memoryIsZeroedAndPageAligned(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind)) {
            MemorySegment memory = ranks.memory(0);
            assertEquals(SEGMENT_BYTES, memory.byteSize());
            assertEquals(0, memory.address() % 4096);
            assertEquals(-1, memory.mismatch(MemorySegment.ofArray(new byte[(int) SEGMENT_BYTES])));
            assertTrue(ranks.segments[0].address().key().length <= SegmentAddress.MAX_KEY_BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource
    void putsWriteTheirBytesAndNoOthers(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofConfined()) {
            MemorySegment src = arena.allocate((1 << 20) + 64);
            for (int to = 0; to < 2; to++) {
                Endpoint endpoint = ranks.endpoint(0, to);
                for (long size : SIZES) {
                    long offset = 4096 + size % 5;
                    for (boolean heap : new boolean[] {false, true}) {
                        byte[] data = random(size);
                        MemorySegment.copy(data, 0, src, ValueLayout.JAVA_BYTE, 3, data.length);
                        endpoint.fill(0, offset + size + 4096, GUARD);
                        if (heap) {
                            endpoint.put(offset, MemorySegment.ofArray(data), 0, size);
                        } else {
                            endpoint.put(offset, src, 3, size);
                        }
                        endpoint.flush();
                        assertGuarded(ranks.memory(to), offset, data);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void sourceOfAPutIsFreeAtReturn(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofConfined()) {
            MemorySegment src = arena.allocate(100_000);
            for (int i = 0; i < 30; i++) {
                src.fill((byte) i);
                ranks.endpoint(0, 1).put(i * 100_000L, src, 0, 100_000);
            }
            src.fill((byte) -1);
            ranks.endpoint(0, 1).flush();
            for (int i = 0; i < 3_000_000; i++) {
                assertEquals((byte) (i / 100_000), ranks.memory(1).get(ValueLayout.JAVA_BYTE, i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void getsReadTheirBytesAndWriteNoOthers(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofConfined()) {
            for (int to = 0; to < 2; to++) {
                byte[] content = random(SEGMENT_BYTES);
                ranks.memory(to).copyFrom(MemorySegment.ofArray(content));
                for (long size : SIZES) {
                    for (boolean heap : new boolean[] {false, true}) {
                        MemorySegment dst = heap ? MemorySegment.ofArray(new byte[(int) size + 64])
                                : arena.allocate(size + 64);
                        dst.fill(GUARD);
                        ranks.endpoint(0, to).get(dst, 5, 77, size);
                        byte[] expected = new byte[(int) size];
                        System.arraycopy(content, 77, expected, 0, expected.length);
                        assertGuarded(dst, 5, expected);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void startedOperationsComplete(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofConfined()) {
            Endpoint endpoint = ranks.endpoint(0, 1);
            int count = 200;
            long size = 5_001;
            MemorySegment src = arena.allocate(count * size);
            MemorySegment dst = arena.allocate(count * size);
            src.copyFrom(MemorySegment.ofArray(random(count * size)));
            long[] tickets = new long[count];
            for (int i = 0; i < count; i++) {
                tickets[i] = endpoint.startPut(i * size, src, i * size, size);
            }
            await(endpoint, tickets);
            endpoint.flush();
            assertEquals(-1, src.mismatch(ranks.memory(1).asSlice(0, count * size)));
            for (int i = 0; i < count; i++) {
                tickets[i] = endpoint.startGet(dst, i * size, i * size, size);
            }
            await(endpoint, tickets);
            assertEquals(-1, src.mismatch(dst));
        }
    }

    private static void await(Endpoint endpoint, long[] tickets) {
        for (long ticket : tickets) {
            while (!endpoint.isComplete(ticket)) {
                Thread.onSpinWait();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void fillSetsItsBytesAndNoOthers(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind)) {
            for (int to = 0; to < 2; to++) {
                ranks.memory(to).fill(GUARD);
                ranks.endpoint(0, to).fill(9, 1_000_001, (byte) 7);
                ranks.endpoint(0, to).fill(2_000_000, 0, (byte) 7);
                ranks.endpoint(0, to).flush();
                byte[] expected = new byte[1_000_001];
                java.util.Arrays.fill(expected, (byte) 7);
                assertGuarded(ranks.memory(to), 9, expected);
                assertEquals(GUARD, ranks.memory(to).get(ValueLayout.JAVA_BYTE, 2_000_000));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void wordsAreReadWrittenComparedAndAdded(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind)) {
            for (int to = 0; to < 2; to++) {
                Endpoint endpoint = ranks.endpoint(0, to);
                endpoint.putWordRelease(64, 0x0123456789abcdefL);
                endpoint.flush();
                assertEquals(0x0123456789abcdefL, endpoint.getWordAcquire(64));
                assertEquals(0x0123456789abcdefL, ranks.memory(to).get(ValueLayout.JAVA_LONG, 64));
                assertFalse(endpoint.compareAndSetWord(64, 1, 2));
                assertTrue(endpoint.compareAndSetWord(64, 0x0123456789abcdefL, -5));
                assertEquals(-5, endpoint.getWordAcquire(64));
                assertEquals(-5, endpoint.fetchAndAddWord(64, 12));
                assertEquals(7, endpoint.fetchAndAddWord(64, -8));
                assertEquals(-1, endpoint.getWordAcquire(64));
                assertEquals(0, endpoint.getWordAcquire(56));
                assertEquals(0, endpoint.getWordAcquire(72));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void atomicsOfBothRanksOnOneWordAddUp(Kind kind) throws Exception {
        int adds = kind == Kind.UCX_RC ? ADDS / 50 : ADDS;
        try (Ranks ranks = new Ranks(kind)) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> add(ranks.endpoint(1, 1), adds));
            add(ranks.endpoint(0, 1), adds);
            get(other);
            assertEquals(2 * adds, ranks.endpoint(0, 1).getWordAcquire(0));
            assertEquals(2 * adds, ranks.endpoint(1, 1).getWordAcquire(8));
        }
    }

    private static void add(Endpoint endpoint, int adds) {
        for (int i = 0; i < adds; i++) {
            endpoint.fetchAndAddWord(0, 1);
            long old = endpoint.getWordAcquire(8);
            while (!endpoint.compareAndSetWord(8, old, old + 1)) {
                old = endpoint.getWordAcquire(8);
            }
        }
    }

    /** Data, then a flag behind it, and an answer; each message overwrites the one before. */
    @ParameterizedTest
    @EnumSource
    void dataIsThereWhenTheWordBehindItIs(Kind kind) throws Exception {
        int messages = switch (kind) {
            case LOOPBACK, SHM, UCX_SHM, ONE_OF_TWO_NODES -> MESSAGES;
            case UCX_TCP, UCX_TCP_PEER, BETWEEN_NODES, BETWEEN_NODES_CHOSEN_BY_UCX -> MESSAGES / 10;
            case UCX_RC -> MESSAGES / 100;
        };
        // On a busy machine each hand-over takes a time slice: fewer messages then.
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        AtomicLong last = new AtomicLong(messages);
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofShared()) {
            CompletableFuture<Void> receiver = CompletableFuture.runAsync(() -> {
                MemorySegment message = arena.allocate(48, 8);
                for (long i = 1; i <= last.get(); i++) {
                    await(ranks, 1, i);
                    ranks.endpoint(1, 1).get(message, 0, 8, 48);
                    for (int at = 0; at < 48; at += 8) {
                        assertEquals(i, message.get(ValueLayout.JAVA_LONG, at), "message " + i + ", byte " + at);
                    }
                    ranks.endpoint(1, 0).putWordRelease(0, i);
                }
            });
            MemorySegment message = arena.allocate(48, 8);
            for (long i = 1; i <= last.get(); i++) {
                if (i >= MIN_MESSAGES && i < messages && System.nanoTime() - endNs > 0) {
                    last.set(i);
                }
                for (int at = 0; at < 48; at += 8) {
                    message.set(ValueLayout.JAVA_LONG, at, i);
                }
                ranks.endpoint(0, 1).put(8, message, 0, 48);
                ranks.endpoint(0, 1).putWordRelease(0, i);
                await(ranks, 0, i);
                if (receiver.isCompletedExceptionally()) {
                    break;
                }
            }
            get(receiver);
        }
    }

    private static void await(Ranks ranks, int rank, long expected) {
        Endpoint own = ranks.endpoint(rank, rank);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        for (int i = 0; own.getWordAcquire(0) != expected; i++) {
            if (!ranks.conduit.progress(rank) && i > 100) {
                Thread.yield();
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("rank " + rank + " waits for " + expected + ", has "
                            + own.getWordAcquire(0));
                }
            }
        }
    }

    private static void get(CompletableFuture<?> future) throws Exception {
        try {
            future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError(e.getCause() == null ? e : e.getCause());
        }
    }

    @ParameterizedTest
    @EnumSource
    void ownMemoryIsMapped(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind)) {
            assertNotNull(ranks.endpoint(0, 0).mapped());
            assertEquals(ranks.memory(0).address(), ranks.endpoint(0, 0).mapped().address());
            assertEquals(kind.isUcx() && kind != Kind.ONE_OF_TWO_NODES, ranks.endpoint(0, 1).mapped() == null);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rangesOutsideTheMemoryAreRefused(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(64);
            for (int to = 0; to < 2; to++) {
                Endpoint endpoint = ranks.endpoint(0, to);
                refused(endpoint, it -> it.put(SEGMENT_BYTES - 8, buffer, 0, 9));
                refused(endpoint, it -> it.put(-1, buffer, 0, 8));
                refused(endpoint, it -> it.put(0, buffer, 60, 8));
                refused(endpoint, it -> it.put(SEGMENT_BYTES - 8, MemorySegment.ofArray(new byte[9]), 0, 9));
                refused(endpoint, it -> it.put(0, MemorySegment.ofArray(new byte[9]), 2, 8));
                refused(endpoint, it -> it.get(MemorySegment.ofArray(new byte[9]), 0, SEGMENT_BYTES - 8, 9));
                refused(endpoint, it -> it.startPut(SEGMENT_BYTES - 8, buffer, 0, 9));
                refused(endpoint, it -> it.startGet(buffer, 60, 0, 8));
                refused(endpoint, it -> it.get(buffer, 0, SEGMENT_BYTES - 8, 9));
                refused(endpoint, it -> it.get(buffer, 60, 0, 8));
                refused(endpoint, it -> it.fill(SEGMENT_BYTES - 8, 9, (byte) 1));
                refused(endpoint, it -> it.putWordRelease(SEGMENT_BYTES, 1));
                refused(endpoint, it -> it.getWordAcquire(-8));
                refused(endpoint, it -> it.fetchAndAddWord(SEGMENT_BYTES, 1));
            }
        }
    }

    private static void refused(Endpoint endpoint, Consumer<Endpoint> operation) {
        assertThrows(IndexOutOfBoundsException.class, () -> operation.accept(endpoint));
    }

    @ParameterizedTest
    @EnumSource
    void segmentsComeAndGo(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind); Arena arena = Arena.ofConfined()) {
            MemorySegment src = arena.allocate(100);
            for (int i = 0; i < 50; i++) {
                src.fill((byte) i);
                HostSegment more = ranks.conduit.create(1, "another", 10_000);
                Endpoint endpoint = ranks.conduit.connect(0, 1, more.address());
                endpoint.put(9_900, src, 0, 100);
                endpoint.flush();
                assertEquals((byte) i, more.memory().get(ValueLayout.JAVA_BYTE, 9_999));
                assertEquals(0, more.memory().get(ValueLayout.JAVA_BYTE, 9_899));
                ranks.conduit.disconnect(endpoint);
                ranks.conduit.disconnect(endpoint);
                ranks.conduit.release(more);
                ranks.conduit.release(more);
                assertThrows(IOException.class, () -> ranks.conduit.connect(0, 1, more.address()));
                assertFalse(more.memory().scope().isAlive());
            }
            ranks.endpoint(0, 1).putWordRelease(0, 5);
            assertEquals(5, ranks.endpoint(0, 1).getWordAcquire(0));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UCX_SHM", "UCX_TCP", "UCX_RC", "BETWEEN_NODES"})
    void aKeyThatIsNotOneIsRefused(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind)) {
            SegmentAddress good = ranks.segments[1].address();
            byte[] key = good.key();
            refused(ranks, new byte[0], good.bytes());
            refused(ranks, new byte[SegmentAddress.MAX_KEY_BYTES], good.bytes());
            refused(ranks, new byte[1 << 20], good.bytes());
            refused(ranks, java.util.Arrays.copyOf(key, key.length - 1), good.bytes());
            refused(ranks, java.util.Arrays.copyOf(key, key.length + 1), good.bytes());
            refused(ranks, key, good.bytes() - 1);
            for (int i = 0; i < key.length; i++) {
                byte[] bad = key.clone();
                bad[i] ^= 0x10;
                refused(ranks, bad, good.bytes());
            }
            assertThrows(IOException.class, () -> ranks.conduit.connect(1, 0, good), "of another rank");
        }
    }

    private static void refused(Ranks ranks, byte[] key, long bytes) {
        assertThrows(IOException.class, () -> ranks.conduit.connect(0, 1, new SegmentAddress("", bytes, key)));
    }

    @ParameterizedTest
    @EnumSource
    void describesItself(Kind kind) throws IOException {
        try (Ranks ranks = new Ranks(kind)) {
            String text = ranks.conduit.describe();
            assertTrue(text.startsWith(ranks.conduit.name() + ": "), text);
            if (kind.isUcx()) {
                assertEquals(kind != Kind.ONE_OF_TWO_NODES, text.contains("rank 0 to rank 1: lane[0]"), text);
                assertTrue(text.contains("errors: " + kind.errors), text);
            }
        }
    }
}
