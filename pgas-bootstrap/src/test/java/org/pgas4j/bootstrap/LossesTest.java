package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasTimeoutException;

/** The loss of JVMs of a job that goes on. */
@Timeout(60)
class LossesTest {

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final CoordinatorOptions GOES_ON = CoordinatorOptions.loopback().goingOn(true);

    private static Abort killed(int rank) {
        return new Abort(rank, "node pid 5 rank " + rank, Phase.BARRIER, "process killed by signal 9 (SIGKILL)", 137, true);
    }

    private static CompletableFuture<byte[][]> gather(NettyBootstrap jvm, String key) {
        return CompletableFuture.supplyAsync(() ->
                jvm.gatherLiving(key, new byte[] {(byte) jvm.process()}, TestJob.deadline(20_000)), THREADS);
    }

    private static void awaitLoss(NettyBootstrap jvm, int count) throws InterruptedException {
        while (jvm.losses().count() < count) { // the test's own deadline ends this
            Thread.sleep(5);
        }
    }

    @Test
    void shouldGoOnWithoutALostJvm() throws Exception {
        try (TestJob job = new TestJob(3, 6, GOES_ON)) {
            NettyBootstrap[] jvms = job.connectAll();
            CompletableFuture<byte[][]> first = gather(jvms[0], "living");
            CompletableFuture<byte[][]> second = gather(jvms[1], "living");
            job.coordinator.lost(killed(4));
            for (CompletableFuture<byte[][]> gathered : List.of(first, second)) {
                byte[][] values = gathered.get(20, TimeUnit.SECONDS);
                assertArrayEquals(new byte[] {1}, values[1]);
                assertNull(values[2]);
            }
            awaitLoss(jvms[0], 1);
            assertThrows(PeerLostException.class, () -> jvms[0].call(2, 7, new byte[0], TestJob.deadline(20_000)));
            assertTrue(jvms[1].losses().has(2));
            assertEquals("rank 4 (node pid 5 rank 4) was lost in barrier: process killed by signal 9 (SIGKILL)",
                    jvms[1].losses().all().getFirst().cause().loss());
            assertNull(job.coordinator.aborted());
            assertThrows(PeerLostException.class, () -> jvms[0].allGather("all", new byte[0], TestJob.deadline(20_000)));
        }
    }

    @Test
    void shouldEndCallsOfALostJvm() throws Exception {
        try (TestJob job = new TestJob(2, 2, GOES_ON)) {
            NettyBootstrap[] jvms = job.connectAll();
            CompletableFuture<Void> asked = new CompletableFuture<>();
            CompletableFuture<Void> over = new CompletableFuture<>();
            jvms[1].serve(7, request -> {
                asked.complete(null);
                over.join(); // answers when nobody waits any more
                return request;
            });
            CompletableFuture<Throwable> caller = CompletableFuture.supplyAsync(() -> assertThrows(PeerLostException.class, () ->
                    jvms[0].call(1, 7, new byte[0], TestJob.deadline(20_000))), THREADS);
            asked.get(20, TimeUnit.SECONDS);
            job.coordinator.lost(killed(1));

            assertTrue(caller.get(20, TimeUnit.SECONDS).getMessage().startsWith("rank 1 (node pid 5 rank 1) was lost"));
            over.complete(null);
        }
    }

    @Test
    void shouldCountEachLossOnce() throws Exception {
        try (TestJob job = new TestJob(4, 4, GOES_ON)) {
            NettyBootstrap[] jvms = job.connectAll();
            job.coordinator.lost(killed(2));
            job.coordinator.lost(killed(2));
            job.coordinator.lost(killed(3));
            awaitLoss(jvms[0], 2);

            assertEquals(List.of(2, 3), jvms[0].losses().all().stream().map(Losses.Loss::first).toList());
            assertArrayEquals(new byte[] {1}, gather(jvms[1], "living").thenCombine(gather(jvms[0], "living"), (one, _) -> one)
                    .get(20, TimeUnit.SECONDS)[1]);
        }
    }

    /** All others see a share that a JVM has given before it was lost, or none does. */
    @Test
    void shouldKeepWhatALostJvmHasGiven() throws Exception {
        try (TestJob job = new TestJob(4, 4, GOES_ON); TestNode one = new TestNode(job, job.at(), 0, 2, GOES_ON);
                TestNode two = new TestNode(job, job.at(), 2, 4, GOES_ON)) {
            List<NettyBootstrap> here = one.connectAll();
            List<NettyBootstrap> there = two.connectAll();
            gather(there.get(1), "living");
            Thread.sleep(20); // most often its share is at its node by now, and waits there for that of the other JVM
            two.relay.lost(killed(3));
            List<CompletableFuture<byte[][]>> living = List.of(gather(here.get(0), "living"), gather(here.get(1), "living"),
                    gather(there.get(0), "living"));

            byte[] seen = living.getFirst().get(20, TimeUnit.SECONDS)[3];
            for (CompletableFuture<byte[][]> each : living) {
                assertArrayEquals(seen, each.get(20, TimeUnit.SECONDS)[3]);
            }
            awaitLoss(here.get(0), 1);
            assertEquals(3, here.get(0).losses().all().getFirst().first());
        }
    }

    @Test
    void shouldLoseAWholeNode() throws Exception {
        try (TestJob job = new TestJob(4, 8, GOES_ON); TestNode one = new TestNode(job, job.at(), 0, 2, GOES_ON)) {
            List<NettyBootstrap> here = one.connectAll();
            TestNode two = new TestNode(job, job.at(), 2, 4, GOES_ON);
            two.relay.close();

            awaitLoss(here.get(1), 1);
            assertTrue(here.get(1).losses().has(2));
            assertTrue(here.get(1).losses().has(3));
            byte[][] living = gather(here.get(0), "living").thenCombine(gather(here.get(1), "living"), (values, _) -> values)
                    .get(20, TimeUnit.SECONDS);
            assertArrayEquals(new byte[][] {{0}, {1}, null, null}, living);
            assertNull(job.coordinator.aborted());
        }
    }

    @Test
    void shouldNameTheLivingWhoDoNotCome() {
        try (TestJob job = new TestJob(3, 3, GOES_ON)) {
            NettyBootstrap[] jvms = job.connectAll();
            job.coordinator.lost(killed(2));

            var late = assertThrows(PgasTimeoutException.class, () ->
                    jvms[0].gatherLiving("living", new byte[0], TestJob.deadline(500)));

            assertTrue(late.getMessage().contains("missing process 1 (rank 1)"), late.getMessage());
        }
    }

    /** Process 0 has the table of the shared heaps. */
    @Test
    void shouldEndWithProcessZero() throws Exception {
        try (TestJob job = new TestJob(2, 2, GOES_ON)) {
            NettyBootstrap[] jvms = job.connectAll();
            job.coordinator.lost(killed(0));

            assertTrue(job.sees("aborted 0"));
            assertThrows(PeerLostException.class, () -> jvms[1].gatherLiving("living", new byte[0], TestJob.deadline(20_000)));
        }
    }

    @Test
    void shouldEndWithAnyUnlessToldOtherwise() throws Exception {
        try (TestJob job = new TestJob(2, 2)) {
            job.connectAll();
            job.coordinator.lost(killed(1));

            assertTrue(job.sees("aborted 1"));
        }
    }
}
