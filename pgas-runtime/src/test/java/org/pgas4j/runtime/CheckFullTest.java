package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.MemoryKind;
import org.pgas4j.OverwrittenMemoryException;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.RankProgram;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.Testkit;

/** Errors that {@code pgas.check=full} finds; in programs that are right it finds none. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class CheckFullTest {

    private static final long HEAP = 256 << 10;

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(HEAP).deviceHeap(HEAP).timeout(Duration.ofSeconds(60))
                .set(PgasKey.CHECK, "full");
    }

    private static OverwrittenMemoryException overwritten(int ranks, RankProgram program) {
        OverwrittenMemoryException e = assertThrows(OverwrittenMemoryException.class, () -> Pgas.run(config(ranks), program));
        assertEquals(16, e.exitCode());
        return e;
    }

    private static void assertNames(Exception e, String... parts) {
        for (String part : parts) {
            assertTrue(e.getMessage().matches("(?s).*" + part + ".*"), part + " in: " + e.getMessage());
        }
    }

    /**
     * Writes beside what a pointer may reach, as a wrong kernel or a plain store does: 77, and 78 where 77 belongs by chance.
     *
     * @return what was written, as messages show it
     */
    private static String scribble(Rank rank, SharedPointer pointer, int target, long offset, int bytes) {
        SharedPointer place = PgasUnsafe.pointer(pointer.kind(), target, rank.ranks(), 0, pointer.addrField() + offset, 0, 1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(bytes);
            rank.memget(memory, place, bytes);
            for (long i = 0; i < bytes; i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) (memory.get(ValueLayout.JAVA_BYTE, i) == 0x77 ? 0x78 : 0x77));
            }
            rank.memput(place, memory, bytes);
            rank.fence();
            return HexFormat.ofDelimiter(" ").formatHex(memory.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static void from(Rank rank, MemoryKind kind) {
        if (kind == MemoryKind.DEVICE) {
            rank.onDevice();
        }
    }

    @ParameterizedTest(name = "{0} at {1}")
    @CsvSource({"HOST, 1000", "HOST, 1063", "HOST, -1", "HOST, -256", "DEVICE, 1003", "DEVICE, -8"})
    void shouldFindWritesBesideAnAllocation(MemoryKind kind, long offset) {
        AtomicReference<String> written = new AtomicReference<>();
        OverwrittenMemoryException e = overwritten(2, rank -> {
            from(rank, kind);
            rank.alloc(64);
            SharedPointer shared = rank.allAlloc(2, 1000);
            rank.barrier();
            if (rank.rank() == 0) {
                written.set(scribble(rank, shared, 1, offset, 1));
            }
            for (int i = 0; i < 16; i++) { // guards of devices are looked at in every sixteenth
                rank.barrier();
            }
        });

        assertNames(e, "kind=" + kind + " rank=1", "allocation of 1000 bytes",
                "allocated by rank [01] at CheckFullTest\\.java:\\d+",
                "found by rank 1 at CheckFullTest\\.java", offset < 0 ? "before its start, byte " + offset
                        : "behind its end, byte " + offset + " of 1000", "seen " + written);
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFindWritesBesideWhatOneRankAllocatedOnAll(MemoryKind kind) {
        OverwrittenMemoryException e = overwritten(3, rank -> {
            from(rank, kind);
            if (rank.rank() == 1) {
                SharedPointer global = rank.memory().globalAlloc(3, 100);
                scribble(rank, global, 2, 100, 8);
                rank.free(global);
            }
            rank.barrier();
        });

        assertNames(e, "rank=2", "found by rank 1", "at free", "behind its end, byte 100 of 100");
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFindWritesToMemoryThatOneRankFreed(MemoryKind kind) {
        AtomicReference<String> written = new AtomicReference<>();
        OverwrittenMemoryException e = overwritten(2, rank -> {
            from(rank, kind);
            if (rank.rank() == 0) {
                SharedPointer own = rank.alloc(3000);
                rank.free(own);
                written.set(scribble(rank, own, 0, 2992, 8));
            }
        });

        assertNames(e, "freed memory was written to, byte 2992", "seen " + written,
                "freed by rank 0 at CheckFullTest\\.java:\\d+", "allocated by rank 0 at CheckFullTest\\.java:\\d+");
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFindWritesToFreedMemoryBeforeItIsGivenOutAgain(MemoryKind kind) {
        OverwrittenMemoryException e = overwritten(2, rank -> {
            from(rank, kind);
            SharedPointer shared = rank.allAlloc(2, 5000);
            rank.allFree(shared);
            rank.barrier();
            if (rank.rank() == 0) {
                scribble(rank, shared, 1, 0, 4);
            }
            rank.barrier();
            for (int i = 0; i < 10; i++) {
                rank.allFree(rank.allAlloc(2, 5000));
            }
            throw new IllegalStateException("not found");
        });

        assertNames(e, "rank=1", "freed memory was written to, byte 0", "freed by rank 1", "at the end of its quarantine");
    }

    @Test
    void shouldCloseLocalViewsOfFreedMemory() {
        Pgas.run(config(2), rank -> {
            SharedPointer shared = rank.allAlloc(2, 512);
            SharedPointer kept = rank.allAlloc(2, 512);
            MemorySegment view = rank.local(shared.onRank(rank.rank()));
            MemorySegment other = rank.local(kept.onRank(rank.rank()));
            view.set(ValueLayout.JAVA_INT, 0, 42);
            rank.allFree(shared);
            assertThrows(IllegalStateException.class, () -> view.set(ValueLayout.JAVA_INT, 0, 43));
            assertThrows(IllegalStateException.class, () -> rank.memput(kept.onRank(rank.rank()), view, 8));
            other.set(ValueLayout.JAVA_INT, 0, 44);
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldGiveOutMemoryAgain(MemoryKind kind) {
        Pgas.run(config(3), rank -> {
            from(rank, kind);
            long used = rank.memory().stats(kind).usedBytes();
            long most = HEAP / 20;
            for (int i = 0; i < 30; i++) {
                rank.free(rank.alloc(most));
                rank.allFree(rank.allAlloc(3, most + i));
                rank.barrier();
                if (rank.rank() == i % 3) {
                    rank.free(rank.memory().globalAlloc(3, most));
                }
                rank.barrier();
            }
            assertEquals(used, rank.memory().stats(kind).usedBytes());
            rank.barrier();
            // Freed memory that is kept makes room for an allocation that would not fit beside it.
            rank.allFree(rank.allAlloc(3, HEAP - HEAP / 100));
            rank.allFree(rank.allAlloc(3, 4000));
            rank.allFree(rank.allAlloc(3, HEAP - HEAP / 100));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"allocation", "atomic", "launch", "lock", "pointers", "stream", "window"})
    void shouldFindNothingInTheContract(String contract) {
        List<String> words = List.of("contract", contract);

        Pgas.run(Testkit.config(words).ranks(3).device(Backend.HOST).set(PgasKey.CHECK, "full"), words, Testkit::run);
    }
}
