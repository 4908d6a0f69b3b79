package org.pgas4j.space.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ProcessLayout;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.NodeIdentity;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.node.SegmentEntry;

/** JVMs without sockets: a question goes straight to who answers it. */
@Timeout(60)
class AddressBookTest {

    private static final long SECOND_NS = 1_000_000_000L;
    private static final long GENERATION = 3;

    /** A job of JVMs that answer each other. */
    private static final class House {

        final ProcessLayout layout;
        final Map<Integer, Bootstrap.Service> services = new HashMap<>();
        final AtomicInteger questions = new AtomicInteger();
        volatile CountDownLatch gate = new CountDownLatch(0);

        House(int processes, int ranks) {
            layout = new ProcessLayout(processes, ranks);
        }

        AddressBook book(int process, NodeDirectory directory, long timeoutNs) {
            Jvm jvm = new Jvm(this, process);
            Nodes nodes = Nodes.agree(jvm, "nodes", NodeIdentity.current(null, null), 0);
            AddressBook book = new AddressBook(jvm, nodes, directory, timeoutNs);
            List<SegmentEntry> entries = new ArrayList<>();
            for (int rank = jvm.firstRank(process); rank < jvm.firstRank(process + 1); rank++) {
                entries.add(entry(rank, MemoryKind.HOST, GENERATION));
                entries.add(entry(rank, MemoryKind.DEVICE, GENERATION));
            }
            book.open(GENERATION, entries);
            return book;
        }
    }

    private static SegmentEntry entry(int rank, MemoryKind kind, long generation) {
        return new SegmentEntry(rank, kind, kind == MemoryKind.HOST ? "shm" : "host", 0,
                kind == MemoryKind.HOST ? "/proc/1/fd/" + rank
                : "", new byte[] {1}, 8192, kind == MemoryKind.HOST ? 4096 : 0, 4096, generation, 1);
    }

    private record Jvm(House house, int process) implements Bootstrap {

        @Override
        public String jobId() {
            return "house";
        }

        @Override
        public int processes() {
            return house.layout.processes();
        }

        @Override
        public int ranks() {
            return house.layout.ranks();
        }

        @Override
        public int processOf(int rank) {
            return house.layout.processOf(rank);
        }

        @Override
        public int firstRank(int of) {
            return house.layout.firstRank(of);
        }

        @Override
        public byte[][] allGather(String key, byte[] mine, long deadlineNs) {
            byte[][] all = new byte[processes()][];
            java.util.Arrays.fill(all, mine);
            return all;
        }

        @Override
        public void serve(int service, Service handler) {
            house.services.put(process, handler);
        }

        @Override
        public byte[] call(int target, int service, byte[] request, long deadlineNs) {
            throw new AssertionError("addresses are looked up");
        }

        @Override
        public byte[] lookup(int target, int service, byte[] request, long deadlineNs) {
            house.questions.incrementAndGet();
            try {
                if (!house.gate.await(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new PgasTimeoutException("call of service " + service + " timed out");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return house.services.get(target).answer(request);
        }

        @Override
        public Abort abort(Abort cause) {
            throw new AssertionError(cause.line());
        }

        @Override
        public Abort aborted() {
            return null;
        }

        @Override
        public void onAbort(Consumer<Abort> listener) {
            throw new AssertionError();
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    @Test
    void shouldKnowOnlyWhatWasReached() {
        int processes = 1_000;
        int perJvm = 64;
        int ranks = processes * perJvm;
        House house = new House(processes, ranks);
        AddressBook mine = house.book(0, null, 10 * SECOND_NS);
        Set<Integer> blocks = new HashSet<>();
        for (int rank = 0; rank < perJvm; rank++) { // as its collectives do
            for (int bit = 1; bit < ranks; bit <<= 1) {
                int peer = rank ^ bit;
                int process = house.layout.processOf(Math.min(peer, ranks - 1));
                if (peer >= perJvm && peer < ranks) {
                    if (!house.services.containsKey(process)) {
                        house.book(process, null, SECOND_NS);
                    }
                    assertEquals("/proc/1/fd/" + peer, mine.find(peer).host().path());
                    blocks.add(peer / AddressBook.FEW);
                }
            }
        }

        assertEquals(blocks.size(), house.questions.get());
        long known = java.util.stream.IntStream.range(0, ranks).filter(rank -> mine.known(rank) != null).count();
        assertEquals(perJvm + (long) blocks.size() * AddressBook.FEW, known);
        assertTrue(known < ranks / 50, known + " of " + ranks);
    }

    /** Four questions for few, then one for all of a JVM. */
    @Test
    void shouldAskForMoreOfAJvmThatIsReachedAllOver() {
        int perJvm = 1_000;
        House house = new House(2, 2 * perJvm);
        AddressBook mine = house.book(0, null, 10 * SECOND_NS);
        house.book(1, null, SECOND_NS);

        for (int i = 0; i < perJvm; i++) {
            int rank = perJvm + i * 457 % perJvm;
            assertEquals(rank, mine.find(rank).device().rank());
        }
        assertEquals(5, house.questions.get());
    }

    @Test
    void shouldAskOnceForAllRanksThatWait() throws Exception {
        House house = new House(2, 128);
        AddressBook mine = house.book(0, null, 20 * SECOND_NS);
        house.book(1, null, SECOND_NS);
        house.gate = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<AddressBook.Addresses>> all = new ArrayList<>();
            for (int rank = 64; rank < 128; rank++) {
                int wanted = rank;
                all.add(CompletableFuture.supplyAsync(() -> mine.find(wanted), threads));
            }
            house.gate.countDown();
            for (int i = 0; i < all.size(); i++) {
                assertEquals(64 + i, all.get(i).get(20, TimeUnit.SECONDS).host().rank());
            }
        }
        assertEquals(2, house.questions.get());
    }

    @Test
    void shouldNameTheRankOfWhichNobodyAnswersAndAskAgain() {
        House house = new House(2, 4);
        AddressBook mine = house.book(0, null, SECOND_NS / 10);
        house.book(1, null, SECOND_NS);
        house.gate = new CountDownLatch(1);

        String why = assertThrows(PgasTimeoutException.class, () -> mine.find(3)).getMessage();

        assertTrue(why.contains("rank 3"), why);
        house.gate.countDown();
        assertEquals(3, mine.find(3).device().rank());
    }

    @Test
    void shouldRefuseQuestionsThatMakeNoSense() {
        House house = new House(2, 128);
        house.book(1, null, SECOND_NS);
        for (byte[] request : List.of(new byte[0], new byte[16], new byte[17], request(GENERATION, 65, AddressBook.FEW),
                request(GENERATION + 1, 64, AddressBook.FEW), request(GENERATION, 64, 64), request(GENERATION, 64, -1),
                request(GENERATION, 96 - AddressBook.MANY, AddressBook.MANY), request(GENERATION, 128, AddressBook.FEW))) {
            assertThrows(PgasException.class, () -> house.services.get(1).answer(request));
        }
        assertNotNull(house.services.get(1).answer(request(GENERATION, 64, AddressBook.FEW)));
        assertNotNull(house.services.get(1).answer(request(GENERATION, 64, AddressBook.MANY)));
    }

    private static byte[] request(long generation, int first, int length) {
        return ByteBuffer.allocate(16).putLong(generation).putInt(first).putInt(length).array();
    }

    @Test
    void shouldTakeWhatTheDirectorySaysOfThisRunOnly() {
        House house = new House(2, 4);
        NodeDirectory directory = new NodeDirectory() {
            @Override
            public boolean publish(SegmentEntry entry) {
                return true;
            }

            @Override
            public Optional<SegmentEntry> lookup(int rank, MemoryKind kind) {
                return Optional.of(entry(rank, kind, rank == 2 ? GENERATION : GENERATION - 1));
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
        AddressBook mine = house.book(0, directory, SECOND_NS);
        house.book(1, null, SECOND_NS);

        assertEquals(2, mine.find(2).host().rank());
        assertEquals(0, house.questions.get());
        assertNull(mine.known(3));
        assertEquals(GENERATION, mine.find(3).host().generation());
        assertEquals(1, house.questions.get());
    }
}
