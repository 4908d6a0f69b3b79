package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.AtomicOp;
import org.pgas4j.Backend;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Scope;
import org.pgas4j.SharedLock;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.StalePointerException;
import org.pgas4j.testkit.Testkit;

/** Atomic operations and locks of ranks that are threads of this JVM; more of them is in ContractTest. */
@Timeout(60)
class AtomicsAndLocksTest {

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST);
    }

    @ParameterizedTest
    @CsvSource({"atomic, auto", "lock, auto", "pointers, auto"})
    void shouldKeepTheContract(String contract, String route) {
        List<String> words = List.of("contract", contract);

        Pgas.run(Testkit.config(words).ranks(3).device(Backend.HOST).set(PgasKey.ROUTE, route).set(PgasKey.HOST_DEVICES, "2"), words,
                Testkit::run);
    }

    @ParameterizedTest
    @CsvSource({"atomic, messages", "lock, fastpath", "pointers, messages"})
    @Tag("slow")
    void shouldKeepTheContractByMessages(String contract, String route) {
        shouldKeepTheContract(contract, route);
    }

    @ParameterizedTest
    @CsvSource({"1, --blocks 3", "3, --blocks 4"})
    void shouldAgreeAmongBlocksAndHosts(int ranks, String options) {
        List<String> words = new ArrayList<>(List.of("block-atomics", "--rounds", "100"));
        words.addAll(List.of(options.split(" ")));

        Pgas.run(Testkit.config(words).ranks(ranks).device(Backend.HOST), words, Testkit::run);
    }

    @Test
    @Tag("slow")
    void shouldRefuseAtomicsOfBlocksThroughTheHost() {
        shouldAgreeAmongBlocksAndHosts(2, "--blocks 2 --proxy");
    }

    @Test
    void shouldFailWhereARankEndsWithALock() {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank -> {
            SharedLock lock = rank.locks().allAlloc();
            if (rank.rank() == 1) {
                lock.lock();
            }
        }));

        assertTrue(String.valueOf(failure.getCause()).contains("rank 1 ends its program and has 1 lock"), failure::toString);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // waits
    void shouldNameTheRankBeforeWhereALockDoesNotCome() {
        PgasException failure = assertThrows(PgasException.class,
                () -> Pgas.run(config(2).set(PgasKey.TIMEOUT, "3s"), rank -> {
                    SharedLock lock = rank.locks().allAlloc();
                    SharedLongs held = rank.allAllocLongs(Layout.cyclic(), 1);
                    rank.atomics().set(held.pointer(0), 0);
                    rank.barrier();
                    if (rank.rank() == 0) {
                        lock.lock();
                        rank.atomics().set(held.pointer(0), 1);
                        while (true) {
                            rank.progress(); // ends by the failure of the other
                        }
                    }
                    while (rank.atomics().get(held.pointer(0)) == 0) {
                        rank.progress();
                    }
                    lock.lock();
                }));

        assertTrue(failure.getMessage().contains("lock of") && failure.getMessage().contains("by rank 1, which comes after rank 0"),
                failure::toString);
    }

    @Test
    void shouldGiveTheMemoryOfARankOfTheNode() {
        Pgas.run(config(2), rank -> {
            SharedLongs words = rank.allAllocLongs(Layout.cyclic(), 2);
            SharedPointer theirs = words.pointer(1 - rank.rank());
            assertTrue(rank.memory().isCastable(theirs));
            MemorySegment memory = rank.memory().cast(theirs);
            assertEquals(8, memory.byteSize());
            memory.set(ValueLayout.JAVA_LONG, 0, 40 + rank.rank());
            rank.barrier();
            assertEquals(41 - rank.rank(), words.get(rank.rank()));
            try (Scope _ = rank.onDevice()) {
                SharedPointer device = rank.allAlloc(2, 8);
                assertFalse(rank.memory().isCastable(device));
                assertThrows(IllegalStateException.class, () -> rank.memory().cast(device.onRank(1 - rank.rank())));
            }
            rank.allFree(words);
            assertThrows(StalePointerException.class, () -> rank.memory().cast(theirs));
        });
    }

    @Test
    void shouldNoticeDomainsThatDiffer() {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(2), rank ->
                rank.atomics().domain(ElementType.LONG, rank.rank() == 0 ? Set.of(AtomicOp.ADD) : Set.of(AtomicOp.GET))));

        assertEquals(CollectiveMismatchException.class, failure instanceof CollectiveMismatchException ? failure.getClass()
                : failure.getCause().getClass());
        assertTrue(failure.toString().contains("atomic domain") || failure.getCause().toString().contains("atomic domain"),
                failure::toString);
    }
}
