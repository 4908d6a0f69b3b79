package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;

/** Answers that never change are asked for once by each coordinator. */
@Timeout(60)
class LookupTest {

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final int SERVICE = 9;

    private static byte[] lookup(NettyBootstrap from, int process, byte... request) {
        return from.lookup(process, SERVICE, request, TestJob.deadline(10_000));
    }

    /** JVMs 0-2 and 3-5 are nodes, 6 is connected to the top. */
    private static List<NettyBootstrap> connect(TestJob job, TestNode one, TestNode two) {
        List<NettyBootstrap> jvms = new ArrayList<>(one.connectAll());
        jvms.addAll(two.connectAll());
        jvms.add(job.connect(6));
        return jvms;
    }

    @Test
    void shouldAskTheOwnerOnce() {
        try (TestJob job = new TestJob(7, 7); TestNode one = new TestNode(job, 0, 3); TestNode two = new TestNode(job, 3, 6)) {
            List<NettyBootstrap> jvms = connect(job, one, two);
            AtomicInteger asked = new AtomicInteger();
            jvms.get(1).serve(SERVICE, request -> {
                asked.incrementAndGet();
                return new byte[] {request[0], 7};
            });

            for (int from : new int[] {3, 4, 6, 0, 5, 2}) {
                assertArrayEquals(new byte[] {1, 7}, lookup(jvms.get(from), 1, (byte) 1));
            }
            assertEquals(1, asked.get());
            assertArrayEquals(new byte[] {2, 7}, lookup(jvms.get(3), 1, (byte) 2));
            assertEquals(2, asked.get());
            jvms.get(3).call(1, SERVICE, new byte[] {1}, TestJob.deadline(10_000));
            assertEquals(3, asked.get()); // a call is no lookup
        }
    }

    @Test
    void shouldGiveOneAnswerToAllWhoWaitForIt() throws Exception {
        try (TestJob job = new TestJob(7, 7); TestNode one = new TestNode(job, 0, 3); TestNode two = new TestNode(job, 3, 6)) {
            List<NettyBootstrap> jvms = connect(job, one, two);
            AtomicInteger asked = new AtomicInteger();
            CountDownLatch answer = new CountDownLatch(1);
            jvms.get(1).serve(SERVICE, _ -> {
                asked.incrementAndGet();
                await(answer);
                return new byte[] {7};
            });

            List<CompletableFuture<byte[]>> all = new ArrayList<>();
            for (int from : new int[] {3, 3, 4, 6, 0, 5, 2}) {
                all.add(CompletableFuture.supplyAsync(() -> lookup(jvms.get(from), 1), THREADS));
            }
            PgasTimeoutException late = assertThrows(PgasTimeoutException.class, () ->
                    jvms.get(4).lookup(1, SERVICE, new byte[0], TestJob.deadline(500)));
            assertTrue(late.getMessage().contains("process 1 (rank 1)"), late.getMessage());
            answer.countDown();
            for (CompletableFuture<byte[]> each : all) {
                assertArrayEquals(new byte[] {7}, each.get(30, TimeUnit.SECONDS));
            }
            assertEquals(1, asked.get());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldNotKeepFailuresNorAnswersOfWhoHasLeft() {
        try (TestJob job = new TestJob(7, 7); TestNode one = new TestNode(job, 0, 3); TestNode two = new TestNode(job, 3, 6)) {
            List<NettyBootstrap> jvms = connect(job, one, two);
            AtomicInteger asked = new AtomicInteger();
            jvms.get(1).serve(SERVICE, _ -> {
                if (asked.incrementAndGet() == 1) {
                    throw new PgasException("not yet");
                }
                return new byte[0];
            });

            assertTrue(assertThrows(PgasException.class, () -> lookup(jvms.get(3), 1)).getMessage().contains("not yet"));
            assertEquals(0, lookup(jvms.get(3), 1).length);
            jvms.get(1).close();
            String why = assertThrows(PgasException.class, () -> untilItFails(jvms.get(4))).getMessage();
            assertTrue(why.contains("has ended"), why);
        }
    }

    /** The news that a JVM has left takes its time. */
    private static void untilItFails(NettyBootstrap from) {
        long deadlineNs = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (System.nanoTime() - deadlineNs < 0) {
            lookup(from, 1);
        }
    }

    @Test
    void shouldForgetTheLeastUsedWhenMemoryIsShort() {
        LookupCache answers = new LookupCache();
        int size = 1 << 20;
        for (int i = 0; i < 40; i++) {
            Message.Call call = new Message.Call(i, 0, 1, SERVICE, true, new byte[] {(byte) i});
            assertNull(answers.find(call));
            assertFalse(answers.joins(call));
            assertEquals(List.of(), answers.answered(new Message.Reply(i, 1, 0, Message.Outcome.ANSWERED, new byte[size])));
            assertTrue(answers.bytes() <= LookupCache.MAX_BYTES);
        }
        assertNull(answers.find(new Message.Call(90, 0, 1, SERVICE, true, new byte[] {0})));
        assertEquals(size, answers.find(new Message.Call(91, 0, 1, SERVICE, true, new byte[] {39})).length);
    }
}
