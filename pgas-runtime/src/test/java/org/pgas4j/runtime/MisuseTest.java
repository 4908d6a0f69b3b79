package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.testkit.contract.Misuse;
import org.pgas4j.testkit.contract.PointerFuzz;
import org.pgas4j.testkit.program.Tally;

/** Programs that are wrong: a typed exception at the caller, untouched memory, a process that lives on. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@Tag("slow")
class MisuseTest {

    private static final long FUZZED = 1_000_000;

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(16 << 10).deviceHeap(16 << 10)
                .timeout(Duration.ofSeconds(60));
    }

    @ParameterizedTest(name = "route {0}")
    @ValueSource(strings = {"auto", "fastpath"})
    void shouldRefuseEveryWrongUseAndTouchNothing(String route) {
        AtomicLong cases = new AtomicLong();

        Pgas.run(config(2).set(PgasKey.ROUTE, route), rank -> {
            Tally check = new Tally(rank);
            cases.addAndGet(new Misuse(rank, check).run());
            check.finish("misuse");
        });

        System.out.println("misuse: " + cases + " cases refused, route=" + route);
        assertTrue(cases.get() >= 40, "cases: " + cases);
    }

    @Test
    void shouldRefusePointersOfAJobThatHasEnded() {
        AtomicReference<Rank> old = new AtomicReference<>();
        AtomicReference<SharedPointer> pointer = new AtomicReference<>();
        AtomicReference<SharedLongs> array = new AtomicReference<>();
        MemorySegment local = Arena.ofAuto().allocate(64);
        Pgas.run(config(1), rank -> {
            old.set(rank);
            pointer.set(rank.alloc(64));
            array.set(rank.allAllocLongs(Layout.even(), 4));
        });

        Pgas.run(config(1), rank -> {
            SharedPointer same = rank.alloc(64);
            assertEquals(pointer.get().addrField(), same.addrField());
            assertThrows(StalePointerException.class, () -> rank.memput(pointer.get(), local, 8));
            assertThrows(StalePointerException.class, () -> rank.memory().pointer(pointer.get().words()));
            assertThrows(IllegalArgumentException.class, () -> rank.free(pointer.get()));
        });

        assertThrows(StalePointerException.class, () -> old.get().memput(pointer.get(), local, 8));
        assertThrows(StalePointerException.class, () -> old.get().memget(local, pointer.get(), 8));
        assertThrows(StalePointerException.class, () -> old.get().local(pointer.get()));
        assertThrows(StalePointerException.class, () -> array.get().put(0, 1));
        assertThrows(StalePointerException.class, () -> array.get().get(0));
    }

    @Test
    void shouldEndWithOperationsInFlight() {
        Pgas.run(config(2), rank -> {
            SharedPointer shared = rank.allAlloc(2, 4096);
            MemorySegment local = Arena.ofAuto().allocate(4096);
            for (int i = 0; i < 100; i++) {
                rank.rma().put(shared.cast(0, 1).onRank(1 - rank.rank()), local, 4096, Completion.IMPLICIT);
            }
        });
    }

    private interface Calls {
        void run(Rank rank, boolean odd, SharedPointer a, SharedPointer b);
    }

    /** Collective calls of which rank 1 makes another; what each looks like in the message. */
    private enum Mismatch {
        ALLOC_SIZE("allAlloc\\(2 blocks of 8 bytes, HOST\\)", "allAlloc\\(2 blocks of 16 bytes, HOST\\)",
                (rank, odd, a, b) -> rank.allAlloc(2, odd ? 16 : 8)),
        ALLOC_KIND("allAlloc\\(.*HOST\\)", "allAlloc\\(.*DEVICE\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.onDevice();
            }
            rank.allAlloc(2, 8);
        }),
        FREE_OTHER("allFree\\(.*\\)", "allFree\\(.*\\)", (rank, odd, a, b) -> rank.allFree(odd ? b : a)),
        FREE_GENERATION("allFree\\(.*, generation [1-9]\\d*\\)", "allFree\\(.*, generation 0\\)", (rank, odd, a, b) ->
                rank.allFree(odd ? PgasUnsafe.pointer(a.kind(), 0, rank.ranks(), 0, a.addrField(), 0, 1) : a)),
        BROADCAST_BYTES("broadcast\\(.*, 8 bytes\\)", "broadcast\\(.*, 16 bytes\\)",
                (rank, odd, a, b) -> rank.collectives().broadcast(a, b, odd ? 16 : 8)),
        BROADCAST_ROOT("broadcast\\(.*src=HOST\\[rank=0 .*\\)", "broadcast\\(.*src=HOST\\[rank=1 .*\\)",
                (rank, odd, a, b) -> rank.collectives().broadcast(a, b.onRank(odd ? 1 : 0), 8)),
        REDUCE_OPERATION("reduce\\(.*, INT, 1 elements, SUM\\)", "reduce\\(.*, INT, 1 elements, MAX\\)",
                (rank, odd, a, b) -> rank.collectives().reduce(a, b, ElementType.INT, 1, odd ? ReduceOp.MAX : ReduceOp.SUM)),
        REDUCE_TYPE("reduce\\(.*, INT, .*\\)", "reduce\\(.*, FLOAT, .*\\)",
                (rank, odd, a, b) -> rank.collectives().reduce(a, b, odd ? ElementType.FLOAT : ElementType.INT, 1, ReduceOp.SUM)),
        GATHER_TARGET("gather\\(dst=HOST\\[rank=0 .*\\)", "gather\\(dst=HOST\\[rank=1 .*\\)",
                (rank, odd, a, b) -> rank.collectives().gather(a.onRank(odd ? 1 : 0), b, 8)),
        EXCHANGE_BYTES("exchange\\(.*, 4 bytes\\)", "exchange\\(.*, 5 bytes\\)",
                (rank, odd, a, b) -> rank.collectives().exchange(a, b, odd ? 5 : 4)),
        VECTOR_OPERATION("allReduce\\(Buffer\\[HOST 4 x LONG\\], MIN\\)", "allReduce\\(Buffer\\[HOST 4 x LONG\\], MAX\\)",
                (rank, odd, a, b) -> rank.collectives().allReduce(longs(4), longs(4), odd ? ReduceOp.MAX : ReduceOp.MIN)),
        VECTOR_LENGTH("scan\\(Buffer\\[HOST 400 x LONG\\], SUM\\)", "scan\\(Buffer\\[HOST 4000 x LONG\\], SUM\\)",
                (rank, odd, a, b) -> rank.collectives().scan(longs(odd ? 4000 : 400), longs(odd ? 4000 : 400), ReduceOp.SUM)),
        VECTOR_ROOT("broadcast\\(Buffer\\[HOST 4 x LONG\\], root 0\\)", "broadcast\\(Buffer\\[HOST 4 x LONG\\], root 1\\)",
                (rank, odd, a, b) -> rank.collectives().broadcast(longs(4), odd ? 1 : 0)),
        STARTED("allGather\\(.*\\)", "exchange\\(.*\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.collectives().nonBlocking().exchange(a, b, 4).sync();
            } else {
                rank.collectives().nonBlocking().allGather(a, b, 4).sync();
            }
        }),
        OPERATION("gather\\(.*\\)", "broadcast\\(.*\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.collectives().broadcast(a, b, 8);
            } else {
                rank.collectives().gather(a, b, 8);
            }
        }),
        ARRAY_LAYOUT("allAllocInts\\(OnRank\\[rank=0\\], 4 .*\\)", "allAllocInts\\(OnRank\\[rank=1\\], 4 .*\\)",
                (rank, odd, a, b) -> rank.allAllocInts(Layout.onRank(odd ? 1 : 0), 4)),
        ARRAY_EVEN("allAllocInts\\(Blocked.*\\)", "allAllocInts\\(Even.*\\)",
                (rank, odd, a, b) -> rank.allAllocInts(odd ? Layout.even() : Layout.cyclic(), rank.ranks())),
        ARRAY_LENGTH("allAllocInts\\(Blocked.*, 11 elements, HOST\\)", "allAllocInts\\(Blocked.*, 10 elements, HOST\\)",
                (rank, odd, a, b) -> rank.allAllocInts(Layout.blocked(12), odd ? 10 : 11)),
        ARRAY_TYPE("allAllocFloats\\(.*\\)", "allAllocInts\\(.*\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.allAllocInts(Layout.even(), 12);
            } else {
                rank.allAllocFloats(Layout.even(), 12);
            }
        }),
        VALUE_TYPE("allReduce\\(double, SUM\\)", "allReduce\\(long, SUM\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.allReduce(1L, ReduceOp.SUM);
            } else {
                rank.allReduce(1.0, ReduceOp.SUM);
            }
        }),
        VALUE_OPERATION("allReduce\\(long, SUM\\)", "allReduce\\(long, MAX\\)",
                (rank, odd, a, b) -> rank.allReduce(1L, odd ? ReduceOp.MAX : ReduceOp.SUM)),
        VALUE_ROOT("broadcast\\(long, root 0\\)", "broadcast\\(long, root 1\\)",
                (rank, odd, a, b) -> rank.collectives().broadcast(1, odd ? 1 : 0)),
        VALUE_OR_VALUE("allReduce\\(long, SUM\\)", "broadcast\\(long, root 0\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.collectives().broadcast(1, 0);
            } else {
                rank.allReduce(1L, ReduceOp.SUM);
            }
        }),
        VALUE_OR_ARRAY("allReduce\\(long, SUM\\)", "allAllocInts\\(.*\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.allAllocInts(Layout.even(), 3);
            } else {
                rank.allReduce(1L, ReduceOp.SUM);
            }
        }),
        VALUE_OR_SPLIT("allReduce\\(long, SUM\\)", "split\\(color 0, key 0, HOST\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.collectives().split(0);
            } else {
                rank.allReduce(1L, ReduceOp.SUM);
            }
        }),
        VALUE_OR_WINDOW("allReduce\\(long, SUM\\)", "createWindow\\(\\), window 0 of the team", (rank, odd, a, b) -> {
            if (odd) {
                rank.createWindow(rank.world(), a.onRank(1), 8);
            } else {
                rank.allReduce(1L, ReduceOp.SUM);
            }
        }),
        WINDOWS("createWindow\\(\\), window 1 of the team", "close\\(\\) of window 0 of the team", (rank, odd, a, b) -> {
            Window window = rank.createWindow(rank.world(), a.onRank(rank.rank()), 8);
            if (odd) {
                window.close();
            } else {
                rank.createWindow(rank.world(), a.onRank(rank.rank()), 8);
            }
        }),
        TEAM("barrier\\(\\) of a team", "createWindow\\(\\), window 0 of the team", (rank, odd, a, b) -> {
            Team team = rank.collectives().split(0);
            if (odd) {
                rank.createWindow(team, a.onRank(1), 8);
            } else {
                team.barrier();
            }
        }),
        BARRIER_LABEL("barrier\\(1\\)", "barrier\\(2\\)", (rank, odd, a, b) -> rank.barrier(odd ? 2 : 1)),
        BARRIER_OR_VALUE("allReduce\\(long, SUM\\)", "barrier\\(\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.barrier();
            } else {
                rank.allReduce(1L, ReduceOp.SUM);
            }
        }),
        BARRIER_OR_ARRAY("barrier\\(7\\)", "allAllocInts\\(.*\\)", (rank, odd, a, b) -> {
            if (odd) {
                rank.allAllocInts(Layout.even(), 3);
            } else {
                rank.barrier(7);
            }
        }),
        BARRIER_OR_TEAM("barrier\\(\\)", "barrier\\(\\) of a team", (rank, odd, a, b) -> {
            Team team = rank.collectives().split(0);
            if (odd) {
                team.barrier();
            } else {
                rank.barrier();
            }
        });

        private final String most;
        private final String odd;
        private final Calls calls;

        Mismatch(String most, String odd, Calls calls) {
            this.most = most;
            this.odd = odd;
            this.calls = calls;
        }
    }

    private static Stream<Arguments> mismatches() {
        return Arrays.stream(Mismatch.values()).flatMap(mismatch -> Stream.of(Arguments.of(mismatch, 2),
                Arguments.of(mismatch, 9)));
    }

    private static Buffer longs(int count) {
        return Buffer.ofHost(MemorySegment.ofArray(new long[count]), ElementType.LONG);
    }

    private static void assertNames(CollectiveMismatchException e, String one, String other) {
        assertEquals(13, e.exitCode());
        assertTrue(e.getMessage().matches("the collective calls of the ranks differ; rank \\d: " + one + "; rank \\d: " + other),
                e.getMessage());
    }

    @ParameterizedTest(name = "{0}, ranks {1}")
    @MethodSource("mismatches")
    void shouldNameCollectivesThatDiffer(Mismatch mismatch, int ranks) {
        CollectiveMismatchException e = assertThrows(CollectiveMismatchException.class, () -> Pgas.run(config(ranks), rank -> {
            SharedPointer a = rank.allAlloc(2, 64);
            SharedPointer b = rank.allAlloc(2, 64);
            mismatch.calls.run(rank, rank.rank() == 1, a, b);
            rank.barrier();
        }));

        String line = " at MisuseTest\\.java:\\d+";
        String message = e.getMessage();
        // Rank 0 is named with rank 1, or whichever rank found out with the one that it waited for.
        assertTrue(message.contains("; rank 1: "), message);
        boolean first = message.contains("differ; rank 1: ");
        assertNames(e, (first ? mismatch.odd : mismatch.most) + line, (first ? mismatch.most : mismatch.odd) + line);
    }

    /** Calls that rank 1 leaves out, and ends. */
    private enum Missed {
        BARRIER("barrier\\(\\)", Rank::barrier),
        LABELLED("barrier\\(7\\)", rank -> rank.barrier(7)),
        SPLIT("barrier\\(\\)", rank -> {
            rank.collectives().beginBarrier();
            rank.collectives().endBarrier();
        }),
        TWO("barrier\\(\\)", rank -> {
            rank.barrier();
            rank.barrier();
        }),
        WORLD("barrier\\(\\)", rank -> rank.world().barrier()),
        VALUE("allReduce\\(long, SUM\\)", rank -> rank.allReduce(1L, ReduceOp.SUM)),
        ARRAY("allAllocInts\\(Even\\[\\], 3 elements, HOST\\)", rank -> rank.allAllocInts(Layout.even(), 3));

        private final String call;
        private final Consumer<Rank> calls;

        Missed(String call, Consumer<Rank> calls) {
            this.call = call;
            this.calls = calls;
        }
    }

    private static Stream<Arguments> missed() {
        return Arrays.stream(Missed.values()).flatMap(missed -> Stream.of(Arguments.of(missed, 2), Arguments.of(missed, 3),
                Arguments.of(missed, 9)));
    }

    @ParameterizedTest(name = "{0}, ranks {1}")
    @MethodSource("missed")
    void shouldNameARankThatEndsInPlaceOfACollective(Missed missed, int ranks) {
        CollectiveMismatchException e = assertThrows(CollectiveMismatchException.class, () -> Pgas.run(config(ranks), rank -> {
            if (rank.rank() != 1) {
                missed.calls.accept(rank);
            }
        }));

        String line = " at MisuseTest\\.java:\\d+";
        String end = "the end of its program";
        boolean first = e.getMessage().contains("differ; rank 1: ");
        assertTrue(e.getMessage().contains("rank 1: " + end), e.getMessage());
        assertNames(e, first ? end : missed.call + line, first ? missed.call + line : end);
    }

    /** One that ends while another has only notified has no line to name, and says so within a moment. */
    @Test
    void shouldNameARankThatEndsWhileAnotherHasNotified() {
        CollectiveMismatchException e = assertThrows(CollectiveMismatchException.class, () -> Pgas.run(config(2), rank -> {
            if (rank.rank() == 0) {
                rank.collectives().beginBarrier(5);
                while (true) {
                    rank.progress();
                    Thread.sleep(1);
                }
            }
        }));

        assertNames(e, "barrier\\(5\\)", "the end of its program");
    }

    @Test
    void shouldNameTheEndThatABegunBarrierMisses() {
        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            rank.collectives().beginBarrier();
        }));

        assertTrue(e.toString().matches("(?s).*rank \\d has begun a barrier at MisuseTest.java:\\d+ and ends its program: endBarrier\\(\\)"
                + " comes first.*"), e::toString);
    }

    /** A call, and its name in messages. */
    private enum Between {
        BARRIER("barrier\\(\\)", (rank, _) -> rank.barrier()),
        BEGIN("barrier\\(3\\)", (rank, _) -> rank.collectives().beginBarrier(3)),
        VALUE("allReduce\\(long, SUM\\)", (rank, _) -> rank.allReduce(1L, ReduceOp.SUM)),
        BROADCAST("broadcast\\(long, root 1\\)", (rank, _) -> rank.collectives().broadcast(1L, 1)),
        BUFFER("broadcast", (rank, array) -> rank.collectives().broadcast(array.local(), 0)),
        STARTED("broadcast", (rank, array) -> rank.collectives().nonBlocking().broadcast(array.local(), 0)),
        SORT("sort", (rank, array) -> rank.collectives().sort(array)),
        ALLOCATION("allAllocInts", (rank, _) -> rank.allAllocInts(Layout.even(), 3)),
        FREE(".*", Rank::allFree),
        TEAM(".*", (rank, _) -> rank.world().barrier()),
        SPLIT("split", (rank, _) -> rank.collectives().split(0)),
        WINDOW(".*", (rank, array) -> rank.createWindow(rank.world(), array.local()));

        private final String text;
        private final BiConsumer<Rank, SharedInts> call;

        Between(String text, BiConsumer<Rank, SharedInts> call) {
            this.text = text;
            this.call = call;
        }
    }

    /** As UPC forbids them: what the ranks wait for would depend on who is in which half. */
    @ParameterizedTest
    @EnumSource(Between.class)
    void shouldRefuseCollectivesBetweenTheHalvesOfABarrier(Between between) {
        Pgas.run(config(2), rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 10);
            for (int round = 0; round < 2; round++) {
                rank.collectives().beginBarrier();
                IllegalStateException e = assertThrows(IllegalStateException.class, () -> between.call.accept(rank, array));
                assertTrue(e.getMessage().matches("rank \\d has begun a barrier at MisuseTest.java:\\d+ and calls " + between.text
                        + " at MisuseTest.java:\\d+: endBarrier\\(\\) comes first"), e::getMessage);
                rank.collectives().endBarrier();
            }
            assertEquals(2L, rank.allReduce(1L, ReduceOp.SUM));
        });
    }

    /** Operations that were started before go on, and may be waited for. */
    @Test
    void shouldLetStartedCollectivesEndBetweenTheHalvesOfABarrier() {
        Pgas.run(config(2), rank -> {
            SharedInts array = rank.allAllocInts(Layout.even(), 10);
            array.local().putInt(0, rank.rank() + 5);
            Handle started = rank.collectives().nonBlocking().broadcast(array.local(), 1);
            rank.collectives().beginBarrier();
            started.sync();
            assertEquals(6, array.local().getInt(0));
            rank.collectives().endBarrier();
        });
    }

    @Test
    void shouldLetARankThatHasEndedWaitForOthersThatCompute() {
        Pgas.run(config(2).timeout(Duration.ofMillis(200)), rank -> {
            if (rank.rank() == 0) {
                Thread.sleep(800);
            }
        });
    }

    @Test
    void shouldRefuseCollectivesOfOtherThreads() {
        Pgas.run(config(2), rank -> {
            Map<String, Runnable> calls = Map.of("barrier", rank::barrier, "notify", rank.collectives()::beginBarrier,
                    "wait", rank.collectives()::endBarrier, "value", () -> rank.allReduce(1L, ReduceOp.SUM), "array",
                    () -> rank.allAllocInts(Layout.even(), 3),
                    "world", () -> rank.world().barrier(), "split", () -> rank.collectives().split(0));
            if (rank.rank() == 1) {
                for (Map.Entry<String, Runnable> call : calls.entrySet()) {
                    AtomicReference<RuntimeException> refused = new AtomicReference<>();
                    Thread other = Thread.ofPlatform().name("other").start(() -> refused.set(
                            assertThrows(IllegalStateException.class, () -> call.getValue().run())));
                    other.join();
                    assertTrue(refused.get() != null && refused.get().getMessage().contains("thread other")
                            && refused.get().getMessage().contains("rank-1"), call.getKey() + ": " + refused);
                }
            }
            rank.barrier();
            assertEquals(2L, rank.allReduce(1L, ReduceOp.SUM));
        });
    }

    /** The pointer of a replicated array is the caller's own. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldTakeReplicatedArraysInCollectives(MemoryKind kind) {
        Pgas.run(config(3), rank -> {
            if (kind == MemoryKind.DEVICE) {
                rank.onDevice();
            }
            SharedLongs table = rank.allAllocLongs(Layout.replicated(), 3);
            SharedLongs sums = rank.allAllocLongs(Layout.onRank(2), 3);
            SharedLongs all = rank.allAllocLongs(Layout.onRank(1), 3);
            for (int i = 0; i < 3; i++) {
                table.put(i, 10L * rank.rank() + i);
            }
            rank.collectives().reduce(sums.pointer(), table.pointer(), ElementType.LONG, 3, ReduceOp.SUM);
            rank.collectives().gather(all.pointer(), table.pointer(), 8);
            assertEquals(33, sums.get(1));
            assertEquals(20, all.get(2));
            rank.collectives().broadcast(table.pointer(), table.pointer().onRank(2), 24);
            assertEquals(21, table.get(1));
        });
    }

    @ParameterizedTest(name = "ranks {0}")
    @ValueSource(ints = {1, 3})
    void shouldTellGoodPointersFromRandomOnes(int ranks) {
        long seed = System.nanoTime();
        long count = ranks == 1 ? FUZZED / 10 : FUZZED;
        AtomicLong good = new AtomicLong();
        AtomicLong refused = new AtomicLong();

        Pgas.run(config(ranks).hostHeap(PointerFuzz.HEAP_BYTES).deviceHeap(PointerFuzz.HEAP_BYTES), rank -> {
            PointerFuzz fuzz = new PointerFuzz(count, seed);
            fuzz.run(rank);
            good.addAndGet(fuzz.applied());
            refused.addAndGet(fuzz.refused());
        });

        assertEquals(count, good.get() + refused.get(), "seed " + seed);
        assertTrue(good.get() >= count / 200, "good pointers: " + good + ", seed " + seed);
    }
}
