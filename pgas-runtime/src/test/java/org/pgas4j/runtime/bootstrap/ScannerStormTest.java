package org.pgas4j.runtime.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
            long start = System.nanoTime();
            List<CompletableFuture<byte[][]>> shares = new ArrayList<>();
            for (int process = 0; process < 3; process++) {
                int number = process;
                shares.add(CompletableFuture.supplyAsync(() -> job.connect(number)
                        .allGather("addresses", new byte[] {(byte) number}, TestJob.deadline(10_000)), threads));
            }

            for (CompletableFuture<byte[][]> share : shares) {
                byte[][] all = share.get();
                assertEquals(3, all.length);
                assertEquals(2, all[2][0]);
            }
            assertTrue(System.nanoTime() - start < 10_000_000_000L);
            storm.get();
            assertEquals(3, job.events.stream().filter(event -> event.startsWith("joined")).count());
            assertEquals(3, job.events.size(), () -> job.events.toString());
            assertTrue(job.log.size() <= 2 * RefusalLog.LINES_PER_SECOND * 60);
        }
    }

    private static void storm(int port) {
        Random random = new Random(SEED);
        List<RawClient> silent = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                RawClient client = new RawClient(port);
                switch (random.nextInt(4)) {
                    case 0 -> client.close();
                    case 1 -> {
                        byte[] few = new byte[1 + random.nextInt(7)];
                        random.nextBytes(few);
                        client.send(few);
                        client.close();
                    }
                    case 2 -> {
                        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                        client.close();
                    }
                    default -> silent.add(client);
                }
            }
            for (RawClient client : silent) {
                client.close();
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
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
