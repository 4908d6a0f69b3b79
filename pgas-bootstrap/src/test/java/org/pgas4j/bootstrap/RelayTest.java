package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.RefusedException;

@Timeout(60)
@Tag("slow")
class RelayTest {

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final CoordinatorOptions QUICK = CoordinatorOptions.loopback()
            .withHeartbeat(Duration.ofMillis(200), Duration.ofMillis(1_500));

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<CompletableFuture<byte[][]>> gatherAll(List<NettyBootstrap> jvms, String key) {
        return jvms.stream().map(jvm -> CompletableFuture.supplyAsync(() ->
                jvm.allGather(key, text(key + jvm.process()), TestJob.deadline(10_000)), THREADS)).toList();
    }

    /** Two nodes, and a JVM that is connected to the top. */
    @Test
    void shouldGatherOverTwoNodesAndTheTop() throws Exception {
        try (TestJob job = new TestJob(6, 12, CoordinatorOptions.loopback().withTls(true));
                TestNode one = new TestNode(job, 1, 3); TestNode two = new TestNode(job, 3, 6)) {
            List<NettyBootstrap> jvms = new ArrayList<>(one.connectAll());
            jvms.addAll(two.connectAll());
            jvms.add(job.connect(0));

            for (String key : List.of("first", "second")) {
                for (CompletableFuture<byte[][]> gathered : gatherAll(jvms, key)) {
                    byte[][] all = gathered.get();
                    for (int process = 0; process < 6; process++) {
                        assertArrayEquals(text(key + process), all[process]);
                    }
                }
            }
            assertTrue(two.sees("joined 5"));
            assertTrue(job.sees("node 3-6 joined"));
        }
    }

    @Test
    void shouldGatherThroughARelayOfARelay() throws Exception {
        try (TestJob job = new TestJob(4, 4); TestNode rack = new TestNode(job, 1, 4);
                TestNode node = new TestNode(job, rack.relay.at("127.0.0.1", "the rack"), 2, 4,
                        CoordinatorOptions.loopback())) {
            List<NettyBootstrap> jvms = new ArrayList<>(node.connectAll());
            jvms.add(rack.connect(1));
            jvms.add(job.connect(0));

            for (CompletableFuture<byte[][]> gathered : gatherAll(jvms, "key")) {
                assertArrayEquals(text("key3"), gathered.get()[3]);
                assertArrayEquals(text("key0"), gathered.get()[0]);
            }
        }
    }

    @Test
    void shouldGatherFromNodesAndJvmsThatComeLater() throws Exception {
        try (TestJob job = new TestJob(4, 4); TestNode one = new TestNode(job, 0, 2)) {
            var early = gatherAll(List.of(one.connect(0)), "key");
            Thread.sleep(300); // its share has gone up alone
            try (TestNode two = new TestNode(job, 2, 4)) {
                var late = gatherAll(two.connectAll(), "key");
                var last = gatherAll(List.of(one.connect(1)), "key");

                assertArrayEquals(early.getFirst().get(), late.getFirst().get());
                assertArrayEquals(early.getFirst().get(), last.getFirst().get());
            }
        }
    }

    @Test
    void shouldNameTheOneThatIsMissingOnAnotherNode() throws Exception {
        try (TestJob job = new TestJob(4, 8); TestNode one = new TestNode(job, 0, 2);
                TestNode two = new TestNode(job, 2, 4)) {
            gatherAll(List.of(one.connect(1), two.connect(2)), "key");
            NettyBootstrap zero = one.connect(0);

            var timeout = assertThrows(PgasTimeoutException.class, () ->
                    zero.allGather("key", new byte[0], TestJob.deadline(10_000))); // waited for in full

            assertTrue(timeout.getMessage().contains("missing process 3 (ranks 6-7); pgas.timeout"),
                    timeout.getMessage());
        }
    }

    @Test
    void shouldCallJvmsOfTheSameAndOfOtherNodes() {
        try (TestJob job = new TestJob(4, 4); TestNode one = new TestNode(job, 0, 2);
                TestNode two = new TestNode(job, 2, 4)) {
            List<NettyBootstrap> here = one.connectAll();
            two.connect(2).serve(7, request -> text(new String(request, StandardCharsets.UTF_8) + " answered"));
            here.get(1).serve(7, request -> text("from here"));

            assertArrayEquals(text("asked answered"), here.get(0).call(2, 7, text("asked"), TestJob.deadline(10_000)));
            assertArrayEquals(text("from here"), here.get(0).call(1, 7, text("asked"), TestJob.deadline(10_000)));
            var notThere = assertThrows(org.pgas4j.PgasException.class, () ->
                    here.get(0).call(3, 7, new byte[0], TestJob.deadline(10_000)));
            assertTrue(notThere.getMessage().contains("process 3 (rank 3) has not started yet"), notThere.getMessage());
        }
    }

    @Test
    void shouldTellOtherNodesWhoHasLeft() throws Exception {
        try (TestJob job = new TestJob(3, 3); TestNode one = new TestNode(job, 0, 1);
                TestNode two = new TestNode(job, 1, 3)) {
            NettyBootstrap zero = one.connect(0);
            two.connectAll().get(1).close();

            var lost = assertThrows(PeerLostException.class, () ->
                    zero.allGather("key", new byte[0], TestJob.deadline(20_000)));

            assertTrue(lost.getMessage().contains("process 2 (rank 2) ended without taking part"), lost.getMessage());
            assertTrue(job.sees("left 2"));
            assertNull(job.coordinator.aborted());
        }
    }

    @Test
    void shouldLetOneFailureWinEverywhere() throws Exception {
        try (TestJob job = new TestJob(4, 4); TestNode one = new TestNode(job, 0, 2);
                TestNode two = new TestNode(job, 2, 4)) {
            List<NettyBootstrap> jvms = new ArrayList<>(one.connectAll());
            jvms.addAll(two.connectAll());

            List<CompletableFuture<Abort>> reports = jvms.stream().map(jvm -> CompletableFuture.supplyAsync(() ->
                    jvm.abort(new Abort(jvm.process(), "here", Phase.PROGRAM, "failure of " + jvm.process(), 1, false)),
                    THREADS)).toList();

            Abort winner = reports.getFirst().get();
            for (CompletableFuture<Abort> report : reports) {
                assertEquals(winner, report.get());
            }
            assertEquals(winner, job.coordinator.aborted());
            assertTrue(one.sees("aborted " + winner.rank()));
            assertTrue(two.sees("aborted " + winner.rank()));
            assertEquals(winner, two.relay.abort(new Abort(3, "late", Phase.PROGRAM, "too late", 1, false)));
        }
    }

    @Test
    void shouldPassOnAFailureThatTheNodeReports() throws Exception {
        try (TestJob job = new TestJob(2, 2); TestNode one = new TestNode(job, 0, 1);
                TestNode two = new TestNode(job, 1, 2)) {
            NettyBootstrap zero = one.connect(0);

            Abort reported = two.relay.abort(new Abort(1, "two", Phase.RUNNING, "killed", 137, true));

            assertEquals("killed", reported.message());
            assertTrue(job.sees("aborted 1"));
            assertTrue(one.sees("aborted 1"));
            assertThrows(PeerLostException.class, () -> zero.allGather("key", new byte[0], TestJob.deadline(10_000)));
        }
    }

    @Test
    void shouldEndTheJobOfALostNodeAndNameIt() throws Exception {
        try (TestJob job = new TestJob(4, 8); TestNode one = new TestNode(job, 0, 2)) {
            NettyBootstrap zero = one.connect(0);
            TestNode two = new TestNode(job, 2, 4);
            two.relay.close(); // without its JVMs having left

            assertTrue(job.sees("aborted 4"));
            Abort cause = job.coordinator.aborted();
            assertEquals(12, cause.exitCode());
            assertTrue(cause.line().contains(Place.process() + " ranks 4-7"), cause.line());
            assertTrue(cause.line().contains("the node was lost"), cause.line());
            assertTrue(one.sees("aborted 4"));
            assertThrows(PeerLostException.class, () -> zero.allGather("key", new byte[0], TestJob.deadline(10_000)));
        }
    }

    @Test
    void shouldNotMissANodeWhoseJvmsHaveLeft() throws Exception {
        try (TestJob job = new TestJob(2, 2); TestNode one = new TestNode(job, 0, 1)) {
            one.connect(0);
            TestNode two = new TestNode(job, 1, 2);
            two.connect(1);
            two.close();

            assertTrue(job.sees("node 1-2 left"));
            assertNull(job.coordinator.aborted());
        }
    }

    @Test
    void shouldEndTheNodeOfALostLauncher() throws Exception {
        TestJob job = new TestJob(2, 4);
        try (TestNode node = new TestNode(job, 1, 2)) {
            NettyBootstrap jvm = node.connect(1);
            job.coordinator.close();

            assertTrue(node.sees("aborted -1"));
            assertTrue(node.relay.aborted().message().contains("the connection to the launcher"),
                    node.relay.aborted().line());
            assertThrows(PeerLostException.class, () -> jvm.allGather("key", new byte[0], TestJob.deadline(10_000)));
        }
    }

    /** The network between the two goes silent: no end of connection, no error, only no bytes. */
    @Test
    void shouldFindASilentNetworkOnBothSides() throws Exception {
        try (TestJob job = new TestJob(2, 2, QUICK); Hole wire = new Hole(job.coordinator.port());
                TestNode node = new TestNode(job, new MeetingPoint("127.0.0.1", wire.port(), false, "the launcher"), 1, 2,
                        QUICK)) {
            node.connect(1);

            wire.swallow();

            assertTrue(job.sees("aborted 1"));
            assertTrue(node.sees("aborted -1"));
            assertTrue(job.coordinator.aborted().message().contains("no sign of life for 1500 ms"),
                    job.coordinator.aborted().line());
            assertTrue(node.relay.aborted().message().contains("no sign of life for 1500 ms"),
                    node.relay.aborted().line());
        }
    }

    @Test
    void shouldNeedNoHeartbeatOfJvms() throws Exception {
        try (TestJob job = new TestJob(1, 1, QUICK)) {
            NettyBootstrap jvm = job.connect(0);
            Thread.sleep(2_500);

            assertNull(job.coordinator.aborted());
            assertEquals(1, jvm.allGather("key", new byte[0], TestJob.deadline(5_000)).length);
        }
    }

    @Test
    void shouldRefuseANodeOutsideTheJobOrTwice() {
        try (TestJob job = new TestJob(4, 4); TestNode one = new TestNode(job, 0, 2)) {
            one.connect(0);
            assertTrue(assertThrows(RefusedException.class, () -> new TestNode(job, 1, 3)).getMessage()
                    .contains("[DUPLICATE]"));
            assertTrue(assertThrows(RefusedException.class, () -> one.connect(2)).getMessage().contains("[RANGE]"));
            assertThrows(IndexOutOfBoundsException.class, () -> new TestNode(job, 3, 5));
            assertThrows(IllegalArgumentException.class, () -> new TestNode(job, 3, 3));
        }
    }

    /** A JVM may not speak for others, nor as a coordinator. */
    @Test
    void shouldEndAJvmThatSpeaksAsACoordinator() throws IOException, InterruptedException {
        for (Message forged : List.of(new Message.Heartbeat(), new Message.Left(1),
                new Message.Shares("key", List.of(new Message.Share(1, new byte[0]))))) {
            try (TestJob job = new TestJob(2, 2); RawClient jvm = new RawClient(job.coordinator.port())) {
                jvm.send(RawClient.proofFrame(job.secret, jvm.greet(), job.identity(0)));
                assertEquals(Identity.ACCEPTED, jvm.readFrame()[0]);
                jvm.send(io.netty.buffer.ByteBufUtil.getBytes(Message.encode(forged)));

                assertTrue(jvm.isClosedByPeer());
                assertTrue(job.sees("disconnected 0"));
                assertTrue(job.events.stream().anyMatch(event -> event.startsWith("broken 0 protocol violation")),
                        job.events.toString());
                assertFalse(job.events.contains("left 1"));
            }
        }
    }

    /** A connection through a port that can stop passing bytes on while all its sockets stay open. */
    private static final class Hole implements AutoCloseable {

        private final java.net.ServerSocket door = new java.net.ServerSocket(0, 1,
                java.net.InetAddress.getLoopbackAddress());
        private final List<java.net.Socket> sockets = new java.util.concurrent.CopyOnWriteArrayList<>();
        private volatile boolean swallows;

        Hole(int port) throws IOException {
            THREADS.execute(() -> {
                try {
                    sockets.add(door.accept());
                    sockets.add(new java.net.Socket(java.net.InetAddress.getLoopbackAddress(), port));
                    THREADS.execute(() -> copy(0, 1));
                    THREADS.execute(() -> copy(1, 0));
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
        }

        int port() {
            return door.getLocalPort();
        }

        void swallow() throws InterruptedException {
            swallows = true;
            TimeUnit.MILLISECONDS.sleep(1);
        }

        private void copy(int from, int to) {
            byte[] bytes = new byte[4096];
            try {
                for (int read = 0; read >= 0; read = sockets.get(from).getInputStream().read(bytes)) {
                    if (!swallows) {
                        sockets.get(to).getOutputStream().write(bytes, 0, read);
                    }
                }
            } catch (IOException _) {
                swallows = true; // closed by the test's end or by a side that has noticed
            }
        }

        @Override
        public void close() throws IOException {
            for (java.net.Socket socket : sockets) {
                socket.close();
            }
            door.close();
        }
    }
}
