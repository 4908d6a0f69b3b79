package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.ExitCode;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;

@Timeout(30)
class NettyBootstrapTest {

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static CompletableFuture<byte[][]> gather(NettyBootstrap jvm, String key, byte[] mine) {
        return CompletableFuture.supplyAsync(() -> jvm.allGather(key, mine, TestJob.deadline(10_000)), THREADS);
    }

    @Test
    void shouldGatherInOrderOfTheJvms() throws Exception {
        try (TestJob job = new TestJob(3, 7)) {
            NettyBootstrap[] jvms = job.connectAll();
            for (String key : new String[] {"first", "second"}) {
                var two = gather(jvms[2], key, text("two"));
                var zero = gather(jvms[0], key, text("zero"));
                var one = gather(jvms[1], key, new byte[0]);

                for (byte[][] all : new byte[][][] {zero.get(), one.get(), two.get()}) {
                    assertArrayEquals(new byte[][] {text("zero"), new byte[0], text("two")}, all);
                }
            }
        }
    }

    @Test
    void shouldGatherFromAJvmThatConnectsLater() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            var early = gather(job.connect(0), "key", text("early"));
            Thread.sleep(100);
            var late = gather(job.connect(1), "key", text("late"));

            assertArrayEquals(early.get(), late.get());
        }
    }

    @Test
    void shouldGatherMoreThanAFrame() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            byte[] large = new byte[3 * Message.MAX_FRAME + 7];
            new Random(7).nextBytes(large);

            var one = gather(jvms[0], "large", large);
            var other = gather(jvms[1], "large", new byte[Message.MAX_FRAME - 2]);

            assertArrayEquals(large, other.get()[0]);
            assertEquals(Message.MAX_FRAME - 2, one.get()[1].length);
        }
    }

    @Test
    void shouldRefuseAMessageThatIsData() {
        try (TestJob job = new TestJob(1, 1)) {
            NettyBootstrap jvm = job.connect(0);

            var refused = assertThrows(IllegalArgumentException.class, () ->
                    jvm.allGather("data", new byte[Message.MAX_MESSAGE + 1], TestJob.deadline(30_000)));

            assertTrue(refused.getMessage().contains("exchange addresses by it, not data"));
        }
    }

    @Test
    void shouldNameWhoDidNotCome() {
        try (TestJob job = new TestJob(3, 7)) {
            NettyBootstrap[] jvms = job.connectAll();
            assertThrows(PgasTimeoutException.class, () -> jvms[0].allGather("key", new byte[0], TestJob.deadline(0)));
            jvms[1].serve(4, request -> request);
            jvms[0].call(1, 4, new byte[0], TestJob.deadline(30_000)); // comes behind the share

            var timeout = assertThrows(PgasTimeoutException.class, () ->
                    jvms[1].allGather("key", new byte[0], TestJob.deadline(300)));

            assertTrue(timeout.getMessage().contains("missing process 2 (ranks 5-6); pgas.timeout"),
                    timeout.getMessage());
        }
    }

    @Test
    void shouldNotWaitForAJvmThatHasLeft() {
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            jvms[1].close();

            var lost = assertThrows(PeerLostException.class, () ->
                    jvms[0].allGather("key", new byte[0], TestJob.deadline(10_000)));
            var call = assertThrows(PeerLostException.class, () ->
                    jvms[0].call(1, 5, new byte[0], TestJob.deadline(10_000)));

            assertTrue(lost.getMessage().contains("process 1 (rank 1) ended without taking part"), lost.getMessage());
            assertTrue(call.getMessage().contains("has ended"), call.getMessage());
        }
    }

    @Test
    void shouldUseAKeyOnce() {
        try (TestJob job = new TestJob(1, 1)) {
            NettyBootstrap jvm = job.connect(0);
            jvm.allGather("key", new byte[0], TestJob.deadline(30_000));

            assertThrows(IllegalArgumentException.class, () ->
                    jvm.allGather("key", new byte[0], TestJob.deadline(30_000)));
        }
    }

    @Test
    void shouldCallOthersAndItself() {
        try (TestJob job = new TestJob(3, 3)) {
            NettyBootstrap[] jvms = job.connectAll();
            for (NettyBootstrap jvm : jvms) {
                jvm.serve(4, request -> text(jvm.process() + ":" + new String(request, StandardCharsets.UTF_8)));
            }

            for (int target = 0; target < 3; target++) {
                byte[] answer = jvms[1].call(target, 4, text("hello"), TestJob.deadline(30_000));
                assertArrayEquals(text(target + ":hello"), answer);
            }
        }
    }

    @Test
    void shouldBringTheFailureOfAServiceBack() {
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            jvms[1].serve(4, _ -> {
                throw new PgasException("heap is full");
            });

            var failure = assertThrows(PgasException.class, () ->
                    jvms[0].call(1, 4, new byte[0], TestJob.deadline(30_000)));
            var missing = assertThrows(PgasException.class, () ->
                    jvms[0].call(1, 5, new byte[0], TestJob.deadline(30_000)));

            assertTrue(failure.getMessage().contains("service 4 on process 1 (rank 1) failed: heap is full"));
            assertTrue(missing.getMessage().contains("no service 5 on process 1"));
        }
    }

    @Test
    void shouldNameServiceAndJvmIfNoAnswerComes() {
        CountDownLatch release = new CountDownLatch(1);
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            jvms[1].serve(4, request -> {
                assertTrue(waitFor(release));
                return request;
            });

            var timeout = assertThrows(PgasTimeoutException.class, () ->
                    jvms[0].call(1, 4, new byte[0], TestJob.deadline(200)));

            assertTrue(timeout.getMessage().startsWith("call of service 4 on process 1 (rank 1) timed out after"),
                    timeout.getMessage());
            release.countDown();
        }
    }

    private static boolean waitFor(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldLetTheFirstFailureWinEverywhere() throws Exception {
        try (TestJob job = new TestJob(3, 3)) {
            NettyBootstrap[] jvms = job.connectAll();
            AtomicInteger seen = new AtomicInteger();
            CountDownLatch all = new CountDownLatch(3);
            for (NettyBootstrap jvm : jvms) {
                jvm.onAbort(_ -> {
                    seen.incrementAndGet();
                    all.countDown();
                });
            }
            assertNull(jvms[0].aborted());
            Abort first = new Abort(1, "here", Phase.BARRIER, "it broke", 13, false);

            assertEquals(first, jvms[1].abort(first));
            assertTrue(all.await(30, TimeUnit.SECONDS));
            Abort second = jvms[2].abort(new Abort(2, "there", Phase.MAIN, "broke too", 1, false));

            assertEquals(first, second);
            assertEquals(first, jvms[0].aborted());
            assertEquals(first, job.coordinator.aborted());
            assertEquals(3, seen.get());
            CountDownLatch late = new CountDownLatch(1);
            jvms[0].onAbort(_ -> late.countDown());
            assertEquals(0, late.getCount());
        }
    }

    /** A rank sees that another is not there; who watches it knows why, a little later. */
    @Test
    void shouldLetWhoWatchesSayWhatBecameOfALostJvm() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            Abort missed = new Abort(0, "here", Phase.PROGRAM, "memory of rank 1 cannot be reached",
                    ExitCode.PEER_LOST.number(), false);
            Abort killed = new Abort(1, "pid 5", Phase.RUNNING, "process killed by signal 9", 137, true);
            CompletableFuture<Abort> seen = new CompletableFuture<>();
            Thread reports = Thread.ofPlatform().start(() -> seen.complete(jvms[0].abort(missed, 60_000)));
            while (reports.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1); // until it waits for others
            }
            job.coordinator.abort(killed);

            assertEquals(killed, seen.get(30, TimeUnit.SECONDS));
        }
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            Abort missed = new Abort(0, "here", Phase.PROGRAM, "memory of rank 1 cannot be reached",
                    ExitCode.PEER_LOST.number(), false);

            assertEquals(missed, jvms[0].abort(missed));
            assertEquals(missed, job.coordinator.aborted());
        }
    }

    @Test
    void shouldEndWaitsWithTheFailure() {
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap[] jvms = job.connectAll();
            var waiting = gather(jvms[0], "never", new byte[0]);
            job.coordinator.abort(new Abort(1, "pid 5", Phase.RUNNING, "process killed by signal 9", 137, true));

            Throwable cause = assertThrows(ExecutionException.class, () -> waiting.get(30, TimeUnit.SECONDS)).getCause();
            assertEquals(PeerLostException.class, cause.getClass());
            assertEquals("pgas4j: job ended by rank 1 (pid 5) in running: process killed by signal 9",
                    cause.getMessage());
            assertThrows(PeerLostException.class, () -> jvms[1].call(0, 1, new byte[0], TestJob.deadline(30_000)));
        }
    }

    @Test
    void shouldTellALateJvmThatTheJobHasFailed() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            Abort cause = job.connect(0).abort(new Abort(0, "here", Phase.MAIN, "gone", 1, false));
            NettyBootstrap late = job.connect(1);

            var ended = assertThrows(JobAbortedException.class, () ->
                    late.allGather("key", new byte[0], TestJob.deadline(10_000)));
            assertEquals(1, ended.exitCode());
            assertEquals(cause, late.aborted());
        }
    }

    @Test
    void shouldFailIfTheCoordinatorVanishes() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            NettyBootstrap jvm = job.connect(1);
            CompletableFuture<Abort> seen = new CompletableFuture<>();
            jvm.onAbort(seen::complete);
            job.coordinator.close();

            Abort cause = seen.get(30, TimeUnit.SECONDS);
            assertEquals(12, cause.exitCode());
            assertEquals(1, cause.rank());
            assertSame(cause, jvm.aborted());
        }
    }

    @Test
    void shouldDistinguishLeaveFromLoss() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            job.connect(0).close();
            assertTrue(job.sees("disconnected 0"));
            assertTrue(job.events.contains("left 0"));
            try (RawClient dying = new RawClient(job.coordinator.port())) {
                dying.send(RawClient.proofFrame(job.secret, dying.greet(), job.identity(1)));
                dying.readFrame();
            }
            assertTrue(job.sees("disconnected 1"));
            assertTrue(!job.events.contains("left 1"));
        }
    }

    @Test
    void shouldReportAMemberThatSpeaksForAnother() throws Exception {
        try (TestJob job = new TestJob(2, 2); RawClient member = new RawClient(job.coordinator.port())) {
            member.send(RawClient.proofFrame(job.secret, member.greet(), job.identity(1)));
            member.readFrame();
            var forged = Message.encode(new Message.Gather("key", 0, new byte[0]));
            member.send(io.netty.buffer.ByteBufUtil.getBytes(forged));

            assertTrue(job.sees("broken 1 protocol violation: process 1 sends as process 0"),
                    () -> job.events.toString());
        }
    }

    @Test
    void shouldRefuseUseAfterClose() {
        try (TestJob job = new TestJob(1, 1)) {
            NettyBootstrap jvm = job.connect(0);
            jvm.close();
            jvm.close();

            assertThrows(IllegalStateException.class, () -> jvm.allGather("k", new byte[0], TestJob.deadline(100)));
        }
    }

    @Test
    void shouldDealOutRanksInContiguousRuns() {
        for (int ranks = 1; ranks <= 20; ranks++) {
            for (int processes = 1; processes <= ranks; processes++) {
                ProcessLayout layout = new ProcessLayout(processes, ranks);
                int[] owners = new int[ranks];
                for (int process = 0; process < processes; process++) {
                    int count = layout.firstRank(process + 1) - layout.firstRank(process);
                    assertTrue(count == ranks / processes || count == ranks / processes + 1);
                    Arrays.fill(owners, layout.firstRank(process), layout.firstRank(process + 1), process);
                }
                for (int rank = 0; rank < ranks; rank++) {
                    assertEquals(owners[rank], layout.processOf(rank));
                }
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new ProcessLayout(3, 2));
    }
}
