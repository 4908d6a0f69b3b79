package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.RemoteCall;
import org.pgas4j.RemoteCallException;
import org.pgas4j.RemoteCalls;
import org.pgas4j.RemoteFunction;
import org.pgas4j.RemoteFunctions;
import org.pgas4j.testkit.Testkit;

/** Remote calls between ranks that are threads of this JVM; ProcessContractTest has them between JVMs and nodes. */
@Timeout(60)
class RemoteCallsTest {

    private static final RemoteFunction NOTHING = (_, _, _) -> 0;
    private static final RemoteFunction INCREMENT = (_, arguments, result) -> {
        result.set(ElementType.LAYOUT_LONG, 0, arguments.get(ElementType.LAYOUT_LONG, 0) + 1);
        return Long.BYTES;
    };

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST);
    }

    @ParameterizedTest
    @CsvSource({"1, shm, auto", "2, shm, auto", "4, shm, fastpath", "3, loopback, auto", "2, shm, rendezvous"})
    void shouldKeepTheContract(int ranks, String conduit, String route) {
        List<String> words = List.of("contract", "remote");

        Pgas.run(Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.CONDUIT, conduit).set(PgasKey.ROUTE, route),
                words, Testkit::run);
    }

    /** Finds no race where calls order accesses. */
    @Test
    void shouldKeepTheContractUnderFullChecks() {
        List<String> words = List.of("contract", "remote");

        Pgas.run(Testkit.config(words).ranks(3).device(Backend.HOST).set(PgasKey.CHECK, "full"), words, Testkit::run);
    }

    @Test
    void shouldCompleteAsHandlesAndFuturesDo() {
        Pgas.run(config(2), rank -> {
            try (RemoteCalls calls = rank.remote(new RemoteFunctions().add("increment", INCREMENT))) {
                RemoteCall call = calls.call(1 - rank.rank(), "increment", 41);
                List<Long> seen = new ArrayList<>();
                rank.rma().whenComplete(call, () -> seen.add(call.longResult()));
                CompletableFuture<Void> future = rank.rma().future(call);
                rank.rma().syncAll(call);
                rank.progress();
                assertEquals(List.of(42L), seen);
                assertTrue(future.isDone() && call.trySync());
                RemoteCall three = calls.call(0, "increment", 1);
                assertEquals(2, three.longResult());
                assertTrue(three.result().isReadOnly());
            }
        });
    }

    @Test
    void shouldGiveBackTheMemory() {
        Pgas.run(config(2), rank -> {
            long before = rank.memory().stats(MemoryKind.HOST).usedBytes();
            rank.barrier();
            RemoteCalls calls = rank.remote(new RemoteFunctions().add("nothing", NOTHING).maxBytes(1000).capacity(1));
            calls.send(1 - rank.rank(), "nothing");
            RemoteCall open = calls.call(1 - rank.rank(), "nothing");
            calls.close();
            calls.close();
            assertTrue(open.trySync(), "close() waits for open calls");
            assertEquals(0, open.result().byteSize());
            assertThrows(IllegalStateException.class, open::longResult);
            rank.barrier();
            assertEquals(before, rank.memory().stats(MemoryKind.HOST).usedBytes());
            String why = assertThrows(IllegalStateException.class, () -> calls.send(0, "nothing")).getMessage();
            assertEquals("send of rank " + rank.rank() + ": the remote calls are closed", why);
            assertThrows(IllegalStateException.class, calls::quiesce);
        });
    }

    @Test
    void shouldBringBackWhatAFunctionThrows() {
        Pgas.run(config(2), rank -> {
            RemoteFunctions functions = new RemoteFunctions().maxBytes(60).add("throw", (_, _, _) -> {
                throw new AssertionError("x".repeat(100));
            }).add("too much", (_, _, _) -> 61).add("nothing", NOTHING);
            try (RemoteCalls calls = rank.remote(functions)) {
                RemoteCall call = calls.call(1, "throw");
                CompletableFuture<Void> future = rank.rma().future(call);
                RemoteCallException failure = assertThrows(RemoteCallException.class, call::sync);
                assertThrows(RemoteCallException.class, call::trySync);

                assertEquals(1, failure.rank());
                assertEquals("throw", failure.function());
                String thrown = "java.lang.AssertionError: " + "x".repeat(100); // longer than maxBytes
                assertEquals(thrown, failure.getCause().toString());
                assertEquals("call of throw by rank " + rank.rank() + " on rank 1 failed: " + thrown, failure.getMessage());
                assertThrows(RemoteCallException.class, () -> calls.call(0, "too much").sync());
                assertEquals(0, calls.call(1, "nothing").result().byteSize());
                rank.progress();
                assertEquals(failure, assertThrows(ExecutionException.class, future::get).getCause());
                assertThrows(RemoteCallException.class, () -> rank.rma().whenComplete(call, () -> { }));
            }
        });
    }

    private static void fail(String message) {
        throw new IllegalArgumentException(message, new UncheckedIOException("no disk", new IOException("full")));
    }

    @Test
    void shouldShowTheStackTraceOfTheOtherRank() {
        Pgas.run(config(2), rank -> {
            try (RemoteCalls calls = rank.remote(new RemoteFunctions().add("fail", (_, _, _) -> {
                fail("bad");
                return 0;
            }))) {
                Throwable thrown = assertThrows(RemoteCallException.class, calls.call(1, "fail")::sync).getCause();
                String trace = Arrays.toString(thrown.getStackTrace());

                assertEquals("java.lang.IllegalArgumentException: bad", thrown.toString());
                assertTrue(trace.matches("\\[rank 1//org.pgas4j.runtime.RemoteCallsTest.fail\\(RemoteCallsTest.java:\\d+\\), "
                        + "rank 1//\\S+\\(RemoteCallsTest.java:\\d+\\)]"), "to where the runtime calls it: " + trace);
                assertEquals("java.io.UncheckedIOException: no disk", thrown.getCause().toString());
                assertEquals("java.io.IOException: full", thrown.getCause().getCause().toString());
                assertNull(thrown.getCause().getCause().getCause());
            }
        });
    }

    @Test
    void shouldSayThatALongMessageIsCut() {
        Pgas.run(config(2), rank -> {
            try (RemoteCalls calls = rank.remote(new RemoteFunctions().add("fail", (_, _, _) -> {
                fail("\u00e9".repeat(5000));
                return 0;
            }))) {
                RemoteCallException failure = assertThrows(RemoteCallException.class, calls.call(1, "fail")::sync);

                String text = "java.lang.IllegalArgumentException: " + "\u00e9".repeat((4096 - 36) / 2) + "... (cut: 4096 of 10036 bytes)";
                assertEquals(text, failure.getCause().toString());
                assertTrue(failure.getMessage().endsWith(" failed: " + text), failure::getMessage);
            }
        });
    }

    /** More than have areas: the others have as much as a result has room for. */
    @Test
    void shouldBringBackManyFailuresAtOnce() {
        Pgas.run(config(2), rank -> {
            try (RemoteCalls calls = rank.remote(new RemoteFunctions().maxBytes(50).add("fail", (_, _, _) -> {
                fail("x".repeat(100));
                return 0;
            }))) {
                for (int round = 0; round < 3; round++) {
                    List<RemoteCall> made = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        made.add(calls.call(1 - rank.rank(), "fail"));
                    }
                    calls.quiesce(); // all have run
                    for (RemoteCall call : made) {
                        String text = assertThrows(RemoteCallException.class, call::sync).getCause().toString();
                        String whole = "java.lang.IllegalArgumentException: " + "x".repeat(100);
                        assertTrue(text.equals(whole) || text.equals(whole.substring(0, 41) + "... (cut: 41 of 136 bytes)"), text);
                    }
                }
            }
        });
    }

    @Test
    void shouldFailTheJobWhereAFunctionThrowsThatWasSent() {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            try (RemoteCalls calls = rank.remote(new RemoteFunctions().add("throw", (_, _, _) -> {
                throw new IllegalStateException("no");
            }))) {
                if (rank.rank() == 0) {
                    calls.send(1, "throw");
                }
                rank.barrier();
            }
        }));

        assertTrue(failure.toString().contains("remote function throw of rank 1, sent by rank 0, failed")
                || failure.getCause().toString().contains("remote function throw of rank 1, sent by rank 0, failed"),
                failure::toString);
    }

    /** The other rank computes and runs nothing: what it holds and what is waited for are bounded. */
    @Test
    @Execution(ExecutionMode.CONCURRENT) // waits
    void shouldNameTheRankThatHasNoRoom() {
        AtomicBoolean computes = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        Pgas.run(config(2).set(PgasKey.TIMEOUT, "3s"), rank -> {
            RemoteCalls calls = rank.remote(new RemoteFunctions().add("nothing", NOTHING).capacity(2));
            if (rank.rank() == 0) {
                await(computes); // until then it is in a barrier, and runs calls
                String why;
                try {
                    calls.send(1, "nothing");
                    calls.send(1, "nothing");
                    why = assertThrows(PgasTimeoutException.class, () -> calls.send(1, "nothing")).getMessage();
                } finally {
                    over.set(true);
                }
                assertTrue(why.contains("waiting for room on rank 1, which has not run 2 of 2 calls"), why);
            } else {
                computes.set(true);
                await(over);
            }
            calls.quiesce();
        });
    }

    private static void await(AtomicBoolean flag) {
        while (!flag.get()) {
            Thread.yield();
        }
    }

    @Test
    void shouldNotWaitInFunctions() {
        Pgas.run(config(1), rank -> {
            List<RemoteCalls> opened = new ArrayList<>();
            List<Throwable> refused = new ArrayList<>();
            RemoteFunctions functions = new RemoteFunctions().capacity(2).add("nothing", NOTHING).add("wait", (_, _, _) -> {
                RemoteCalls calls = opened.getFirst();
                refused.add(assertThrows(IllegalStateException.class, () -> calls.call(0, "nothing")));
                refused.add(assertThrows(IllegalStateException.class, calls::quiesce));
                for (int i = 0; i < 3; i++) { // a slot of the ring is this function's own
                    calls.send(0, "nothing");
                }
                refused.add(assertThrows(IllegalStateException.class, () -> calls.send(0, "nothing")));
                return 0;
            });
            try (RemoteCalls calls = rank.remote(functions)) {
                opened.add(calls);
                calls.call(0, "wait").sync();
                assertEquals(3, refused.size());
                assertTrue(refused.get(2).getMessage().contains("raise the capacity"), refused::toString);
            }
        });
    }

    @Test
    void shouldRefuseOtherThreadsAndWrongArguments() {
        Pgas.run(config(1), rank -> {
            try (RemoteCalls calls = rank.remote(new RemoteFunctions().add("nothing", NOTHING))) {
                assertThrows(ExecutionException.class, () -> CompletableFuture.runAsync(() -> calls.send(0, "nothing")).get());
                assertThrows(NullPointerException.class, () -> calls.send(0, "nothing", (MemorySegment) null));
            }
            assertThrows(IllegalArgumentException.class, () -> new RemoteFunctions().add("a", NOTHING).add("a", NOTHING));
            assertThrows(NullPointerException.class, () -> new RemoteFunctions().add("a", null));
            assertThrows(IllegalArgumentException.class, () -> new RemoteFunctions().maxBytes(0));
            assertThrows(IllegalArgumentException.class, () -> new RemoteFunctions().capacity(1 << 17));
        });
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(2),
                rank -> rank.remote(new RemoteFunctions().add("name " + rank.rank(), NOTHING))));
        assertTrue(failure instanceof CollectiveMismatchException || failure.getCause() instanceof CollectiveMismatchException,
                failure::toString);
        assertTrue(failure.toString().contains("[name 0]") && failure.toString().contains("[name 1]"), failure::toString);
    }
}
