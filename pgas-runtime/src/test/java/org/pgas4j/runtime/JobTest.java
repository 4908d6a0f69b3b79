package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
import org.pgas4j.JobAbortedException;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.campaign.ManyRanks;

/** How a job runs and fails, with ranks as threads of this JVM. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobTest {

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    @Test
    void shouldRunEveryRankOnceAndReturn() {
        AtomicInteger sum = new AtomicInteger();

        Pgas.run(config(7), rank -> {
            assertEquals(7, rank.ranks());
            sum.addAndGet(1 << rank.rank());
        });

        assertEquals(127, sum.get());
    }

    @Test
    void shouldReportTheFirstFailureAndEndTheOthers() {
        AtomicInteger ended = new AtomicInteger();

        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(4), rank -> {
            try {
                if (rank.rank() == 2) {
                    throw new IllegalStateException("on purpose");
                }
                rank.barrier();
            } finally {
                ended.incrementAndGet();
            }
        }));

        assertInstanceOf(IllegalStateException.class, e.getCause());
        assertTrue(e.getMessage().contains("rank 2") && e.getMessage().contains("on purpose"), e.getMessage());
        assertEquals(4, ended.get());
        assertEquals(1, e.exitCode());
    }

    @Test
    void shouldEndWhenTheCallerIsInterrupted() {
        Thread caller = Thread.currentThread();

        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            if (rank.rank() == 0) {
                caller.interrupt();
            }
            if (rank.rank() == 1) {
                Thread.sleep(1500);
            }
            rank.barrier();
        }));

        assertTrue(e.getMessage().contains("interrupted"), e.getMessage());
        assertTrue(Thread.interrupted(), "the interrupt is kept for the caller");
    }

    @Test
    void shouldAbortTheJobFromACatch() {
        DeviceException cause = new DeviceException("found by the program");

        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(3), rank -> {
            if (rank.rank() == 1) {
                try {
                    throw cause;
                } catch (DeviceException caught) {
                    throw rank.abort(caught);
                }
            }
            rank.barrier();
        }));

        assertSame(cause, e);
    }

    @Test
    void shouldAbortWithAnyThrowableAndNotReturn() {
        IOException cause = new IOException("disk");
        AtomicReference<Throwable> seen = new AtomicReference<>();

        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(3), rank -> {
            if (rank.rank() == 2) {
                seen.set(assertThrows(JobAbortedException.class, () -> rank.abort(cause)));
                assertThrows(JobAbortedException.class, () -> rank.abort(new IllegalStateException("too late")));
                return;
            }
            rank.barrier();
        }));

        assertSame(cause, e.getCause());
        assertTrue(e.getMessage().matches("pgas4j: job ended by rank 2 .* in program: java.io.IOException: disk"),
                e.getMessage());
        assertEquals(e.getMessage(), seen.get().getMessage());
    }

    /** Loops that poll and never wait: each has to end by itself when rank 1 fails. */
    @ParameterizedTest
    @ValueSource(strings = {"progress", "trySyncAll", "get", "put", "block", "test"})
    void shouldEndRanksThatPoll(String how) {
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(3), rank -> {
            SharedLongs flags = rank.allAllocLongs(Layout.onRank(1), 2);
            try (Arena arena = Arena.ofConfined()) {
                Buffer block = Buffer.ofHost(arena.allocate(16, 8), ElementType.LONG);
                rank.barrier();
                if (rank.rank() == 1) {
                    throw new IllegalStateException("on purpose");
                }
                while (true) {
                    switch (how) {
                        case "progress" -> rank.progress();
                        case "trySyncAll" -> rank.rma().trySyncAll();
                        case "get" -> flags.get(0);
                        case "put" -> flags.put(1, 1);
                        case "block" -> rank.memget(block, flags.pointer());
                        case "test" -> rank.notifications().test(0, 1);
                        default -> throw new AssertionError(how);
                    }
                }
            }
        }));

        assertInstanceOf(IllegalStateException.class, e.getCause());
        assertEquals(0, e.getSuppressed().length, "ranks that did not end");
    }

    /** Exceptions of the program's classes that fail themselves, or never end, are reported by what is known of them. */
    @Test
    @Execution(ExecutionMode.CONCURRENT) // waits
    void shouldReportAFailureWhoseMessageCannotBeHad() {
        PgasException throwing = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            throw new EvilException(() -> {
                throw new UnsupportedOperationException();
            });
        }));
        assertTrue(throwing.getMessage().endsWith("EvilException: its message cannot be had: "
                + "java.lang.UnsupportedOperationException"), throwing.getMessage());

        PgasException blocking = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            throw new EvilException(() -> {
                LockSupport.park();
                return "late";
            });
        }));
        assertTrue(blocking.getMessage().contains("EvilException: its message did not come within"), blocking.getMessage());
    }

    private static final class EvilException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Supplier<String> message;

        EvilException(Supplier<String> message) {
            this.message = message;
        }

        @Override
        public String getMessage() {
            return message.get();
        }
    }

    @Test
    void shouldCutAndEscapeMessages() {
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            throw new IllegalStateException("\u001b[2J\u0007\u009bx" + "long ".repeat(1_000_000));
        }));

        assertTrue(e.getMessage().contains("IllegalStateException: \\u001b[2J\\u0007\\u009bxlong long"), e.getMessage());
        assertTrue(e.getMessage().length() < 1500 && e.getMessage().endsWith("..."), e.getMessage());
        assertInstanceOf(IllegalStateException.class, e.getCause());
    }

    /** All ranks fail at once: what is thrown is the failure that won, whichever it is, not a report of it. */
    @Test
    @Execution(ExecutionMode.CONCURRENT) // waits
    void shouldThrowTheWinnersOwnFailureWhenAllRanksFailTogether() {
        for (int round = 0; round < 200; round++) {
            PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(4), rank -> {
                rank.barrier();
                throw new IllegalStateException("failure of rank " + rank.rank());
            }));
            assertInstanceOf(IllegalStateException.class, e.getCause(), e.getMessage());
            assertTrue(e.getMessage().endsWith(e.getCause().getMessage()), e.getMessage());
        }
    }

    /** A barrier to which these ranks do not come: they wait for something else until the job has failed. */
    private static PgasTimeoutException barrierWithout(int ranks, int... absent) {
        CountDownLatch present = new CountDownLatch(ranks - absent.length);
        return assertThrows(PgasTimeoutException.class, () -> Pgas.run(config(ranks).timeout(Duration.ofSeconds(2)), rank -> {
            if (IntStream.of(absent).anyMatch(number -> number == rank.rank())) {
                rank.notifications().await(0, 1, Duration.ofMinutes(1));
            }
            present.countDown();
            present.await();
            rank.barrier();
        }));
    }

    @Test
    void shouldNameTheRanksABarrierMisses() {
        PgasTimeoutException e = barrierWithout(4, 1, 3);

        assertTrue(e.getMessage().contains("missing ranks [1, 3]") && e.getMessage().contains("pgas.timeout"),
                e.getMessage());
    }

    @Test
    void shouldNameTheRanksATreeBarrierMisses() {
        PgasTimeoutException e = barrierWithout(20, 13);

        assertTrue(e.getMessage().contains("missing ranks [13]"), e.getMessage());
    }

    /** The wait of a split barrier needs no help of ranks that have notified and compute on. */
    @Test
    void shouldLeaveASplitBarrierWhileOthersHaveOnlyNotified() {
        for (int ranks : new int[] {4, 20}) {
            AtomicInteger waited = new AtomicInteger();
            Pgas.run(config(ranks), rank -> {
                rank.collectives().beginBarrier();
                if (rank.rank() != 0) {
                    while (waited.get() == 0) {
                        Thread.sleep(1);
                    }
                } else {
                    rank.collectives().endBarrier();
                    waited.set(1);
                    return;
                }
                rank.collectives().endBarrier();
            });
            assertEquals(1, waited.get());
        }
    }

    @Test
    void shouldRefuseDifferentBarrierLabels() {
        for (int ranks : new int[] {2, 20}) {
            assertThrows(CollectiveMismatchException.class, () -> Pgas.run(config(ranks), rank ->
                    rank.barrier(rank.rank() == 1 ? 7 : 8)));
            Pgas.run(config(ranks), rank -> {
                if (rank.rank() == 0) {
                    rank.barrier();
                } else {
                    rank.barrier(5);
                }
            });
        }
    }

    @Test
    void shouldRefuseDifferentCollectiveAllocations() {
        CollectiveMismatchException e = assertThrows(CollectiveMismatchException.class, () -> Pgas.run(config(3), rank ->
                rank.allAlloc(10, rank.rank() == 1 ? 8 : 16)));
        assertEquals(13, e.exitCode());
    }

    @Test
    void shouldSayWhichSegmentIsFullAndWhichSettingToRaise() {
        SegmentMemoryException e = assertThrows(SegmentMemoryException.class, () -> Pgas.run(config(2), rank -> {
            rank.onDevice();
            rank.allAllocDoubles(Layout.replicated(), 1 << 20);
        }));

        assertTrue(e.getMessage().contains("DEVICE segment") && e.getMessage().contains("pgas.heap.device")
                && e.getMessage().contains("segmentBytes=1048576"), e.getMessage());
    }

    @Test
    void shouldRefuseAGpuThatIsNotThere() {
        org.junit.jupiter.api.Assumptions.assumeTrue(org.pgas4j.device.select.Devices.probeCuda().backend().isEmpty(),
                "this machine has a GPU");
        DeviceException e = assertThrows(DeviceException.class, () -> Pgas.run(config(2).device(Backend.CUDA), rank -> { }));
        assertEquals(1, e.getMessage().lines().count());
        assertEquals(14, e.exitCode());
        assertThrows(DeviceException.class, () -> Pgas.run(new PgasConfig().ranks(1).set(PgasKey.REQUIRE_GPU, "true"),
                rank -> { }));
    }

    @Test
    void shouldRefuseUnknownSettingsBeforeAnythingRuns() {
        AtomicInteger ran = new AtomicInteger();
        assertThrows(UsageException.class, () -> Pgas.run(new String[] {"--pgas.rankz=2"}, _ -> ran.incrementAndGet()));
        assertEquals(0, ran.get());
    }

    @Test
    void shouldEndUseOfSegmentsWithTheJob() {
        AtomicReference<MemorySegment> kept = new AtomicReference<>();
        Pgas.run(config(2), rank -> {
            SharedPointer pointer = rank.allAlloc(2, 64);
            if (rank.rank() == 0) {
                kept.set(rank.local(pointer));
            }
        });
        assertThrows(IllegalStateException.class, () -> kept.get().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void shouldExplainItsRoutes() {
        Pgas.run(config(2), rank -> assertTrue(rank.diagnostics().explain().contains("direct-host"),
                rank.diagnostics().explain()));
        Pgas.run(config(2).set(PgasKey.ROUTE, "fastpath"), rank -> {
            assertTrue(rank.diagnostics().explain().contains("messages"), rank.diagnostics().explain());
            SharedPointer there = PgasUnsafe.pointer(MemoryKind.DEVICE, 1 - rank.rank(), 2, 0, 0, 0, 1);
            assertEquals("fastpath", rank.diagnostics().route(MemoryKind.HOST, there, 8));
            assertTrue(rank.diagnostics().explain(MemoryKind.HOST, there, 8).contains("pgas.route=fastpath"),
                    rank.diagnostics().explain(MemoryKind.HOST, there, 8));
        });
    }

    @Test
    @Tag("slow")
    void shouldPassBarrierBroadcastAndRingWithAThousandRanks() {
        Pgas.run(new ManyRanks().config(), rank -> new ManyRanks().run(rank));
    }
}
