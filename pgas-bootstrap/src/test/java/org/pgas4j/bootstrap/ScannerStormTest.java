package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ScannerStormTest {

    private static final int CONNECTIONS = 1_000;
    private static final long SEED = 20_261_121;

    @Test
    void shouldWireUpAJobWhileScannersConnect() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor(); TestJob job = new TestJob(3, 6)) {
            CompletableFuture<Void> storm = CompletableFuture.runAsync(() -> storm(job.coordinator.port()), threads);
            List<CompletableFuture<byte[][]>> shares = new ArrayList<>();
            for (int process = 0; process < 3; process++) {
                int number = process;
                shares.add(CompletableFuture.supplyAsync(() -> job.connect(number)
                        .allGather("addresses", new byte[] {(byte) number}, TestJob.deadline(30_000)), threads));
            }

            for (CompletableFuture<byte[][]> share : shares) {
                byte[][] all = share.get();
                assertEquals(3, all.length);
                assertEquals(2, all[2][0]);
            }
            storm.get();
            assertJoined(3, job);
            assertEquals(3, job.events.size(), () -> job.events.toString());
            assertTrue(job.log.size() <= 2 * RefusalLog.LINES_PER_SECOND * 60);
        }
    }

    private static void storm(int port) {
        try (Storm storm = new Storm(port, SEED)) {
            storm.scan(CONNECTIONS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Silent connections come faster than a JVM proves the secret: it is let in all the same. */
    @Test
    void shouldLetInJvmsThroughACrowd() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor(); TestJob job = new TestJob(8, 8)) {
            AtomicBoolean ended = new AtomicBoolean();
            List<CompletableFuture<Void>> crowd = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                crowd.add(CompletableFuture.runAsync(() -> silence(job.coordinator.port(), ended), threads));
            }
            try {
                for (int process = 0; process < 8; process++) {
                    assertEquals(process, job.connect(process).process());
                }
            } finally {
                ended.set(true);
                CompletableFuture.allOf(crowd.toArray(new CompletableFuture<?>[0])).get();
            }
            assertJoined(8, job);
        }
    }

    /** Waits for the events: a JVM is let in before they are told. */
    private static void assertJoined(int processes, TestJob job) throws InterruptedException {
        for (int process = 0; process < processes; process++) {
            assertTrue(job.sees("joined " + process), () -> job.events.toString());
        }
        assertEquals(processes, job.events.stream().filter(event -> event.startsWith("joined")).count());
    }

    private static void silence(int port, AtomicBoolean ended) {
        ArrayDeque<RawClient> open = new ArrayDeque<>();
        try {
            while (!ended.get()) {
                open.add(new RawClient(port));
                if (open.size() > HalfOpenConnections.MAX) {
                    open.remove().reset();
                }
            }
            for (RawClient client : open) {
                client.reset();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldDropWhoHasNotSaidHelloFirst() throws IOException {
        try (TestJob job = new TestJob(1, 1); RawClient greeted = new RawClient(job.coordinator.port())) {
            byte[] nonce = greeted.greet();
            List<RawClient> crowd = new ArrayList<>();
            for (int i = 0; i < 2 * HalfOpenConnections.MAX; i++) {
                crowd.add(new RawClient(job.coordinator.port()));
            }
            assertEquals(Refusal.CROWDED, crowd.getFirst().readRefusal());
            greeted.send(RawClient.proofFrame(job.secret, nonce, job.identity(0)));

            assertEquals(Identity.ACCEPTED, greeted.readFrame()[0]);
            for (RawClient client : crowd) {
                client.close();
            }
        }
    }

    /** 64 connections of which each sends a byte from time to time, and which nobody drops for being late. */
    @Test
    void shouldStartAJobBesideSlowSenders() throws Exception {
        byte[] hello = RawClient.frame(Identity.hello(Identity.VERSION));
        List<RawClient> slow = new ArrayList<>();
        try (TestJob job = new TestJob(3, 6, CoordinatorOptions.loopback().withHandshake(Duration.ofSeconds(300)))) {
            for (int i = 0; i < HalfOpenConnections.MAX; i++) {
                slow.add(new RawClient(job.coordinator.port()));
                slow.getLast().send(new byte[] {hello[0]});
            }
            for (int process = 0; process < 3; process++) {
                job.connect(process);
                for (RawClient client : slow) {
                    client.trySend(new byte[] {hello[1 + process]}); // some are dropped: that is the point
                }
            }
            assertJoined(3, job);
            assertEquals(3, job.events.size(), () -> job.events.toString());
            for (RawClient client : slow) {
                client.close();
            }
        }
    }

    @Test
    void shouldTellOfTwentyRefusalsASecondAndCountAll() {
        List<String> lines = new ArrayList<>();
        RefusalLog log = new RefusalLog(lines::add);

        for (int i = 0; i < 100; i++) {
            log.refused(Refusal.NOT_PGAS, "here", 1_000_000L * i);
        }
        log.refused(Refusal.SECRET, "here", 1_500_000_000L);

        assertEquals(RefusalLog.LINES_PER_SECOND + 1, lines.size());
        assertTrue(lines.getLast().endsWith("(and 80 more since)"), lines.getLast());
        assertEquals(101, log.total());
        assertEquals(100, log.count(Refusal.NOT_PGAS));
    }
}
