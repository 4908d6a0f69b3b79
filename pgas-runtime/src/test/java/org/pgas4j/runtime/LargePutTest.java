package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.UsageException;

/** A large put to a rank that serves nobody, without helpers: it returns once its bytes are copied, by whichever route. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LargePutTest {

    private static final int BYTES = 16 << 20;
    private static final long HEAP = BYTES + (1 << 20);

    private enum From {
        HOST, SEGMENT, DEVICE;

        void put(Rank rank, SharedPointer there, SharedPointer own, byte value) {
            try (Arena arena = Arena.ofConfined()) {
                switch (this) {
                    case HOST -> {
                        MemorySegment memory = arena.allocate(BYTES).fill(value);
                        rank.memput(there, memory, BYTES);
                        memory.fill((byte) 0); // may be used again
                    }
                    case SEGMENT -> {
                        MemorySegment memory = rank.local(own);
                        memory.asSlice(0, BYTES).fill(value);
                        rank.memput(there, memory, BYTES);
                        memory.asSlice(0, BYTES).fill((byte) 0);
                    }
                    case DEVICE -> {
                        Buffer buffer = rank.device().alloc(ElementType.BYTE, BYTES);
                        rank.stream().fill(buffer, value);
                        rank.stream().sync();
                        rank.memput(there, buffer);
                        rank.stream().fill(buffer, 0);
                        rank.stream().sync();
                        buffer.close();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "rendezvous, HOST,    HOST",
        "rendezvous, SEGMENT, HOST",
        "rendezvous, DEVICE,  HOST",
        "rendezvous, HOST,    DEVICE",
        "rendezvous, DEVICE,  DEVICE",
        "messages,   HOST,    HOST",
        "messages,   DEVICE,  DEVICE",
        "direct,     HOST,    HOST",
        "direct,     SEGMENT, DEVICE",
        "direct,     DEVICE,  DEVICE",
        "auto,       DEVICE,  HOST",
    })
    void shouldReturnWhileItsOwnerServesNobody(String route, From from, MemoryKind kind) {
        putToAnOwnerThatServesNobody(config().set(PgasKey.ROUTE, route), from, kind);
    }

    /** Over sockets of the kernel that hold less than the put and that the owner does not empty. */
    @ParameterizedTest
    @EnumSource(From.class)
    void shouldReturnOverTcp(From from) {
        try {
            Pgas.run(overTcp(), _ -> { });
        } catch (UsageException e) {
            Assumptions.assumeTrue(Boolean.getBoolean("test.require.ucx"), e.getMessage());
            throw e;
        }
        putToAnOwnerThatServesNobody(overTcp(), from, MemoryKind.HOST);
    }

    private static PgasConfig overTcp() {
        return config().set(PgasKey.CONDUIT, "ucx").set(PgasKey.UCX_TLS, "tcp");
    }

    private static PgasConfig config() {
        return new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(HEAP).deviceHeap(HEAP).set(PgasKey.HELPER, "off");
    }

    private static void putToAnOwnerThatServesNobody(PgasConfig config, From from, MemoryKind kind) {
        CountDownLatch returned = new CountDownLatch(1);
        Pgas.run(config, rank -> {
            SharedPointer own = rank.allAlloc(2, BYTES).cast(0, 1).onRank(rank.rank());
            if (kind == MemoryKind.DEVICE) {
                rank.onDevice();
            }
            SharedPointer there = kind == MemoryKind.HOST ? own.onRank(1) : rank.allAlloc(2, BYTES).cast(0, 1).onRank(1);
            if (rank.rank() == 0) {
                rank.memset(there, 5, 8); // makes the pair
                rank.fence();
            }
            rank.barrier();
            if (rank.rank() == 0) {
                from.put(rank, there, own, (byte) 3);
                returned.countDown();
            } else {
                assertTrue(returned.await(30, TimeUnit.SECONDS), "the put waits for its owner");
            }
            rank.barrier();
            if (rank.rank() == 1) {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment seen = arena.allocate(BYTES);
                    rank.memget(seen, there, BYTES);
                    assertEquals(-1, seen.mismatch(arena.allocate(BYTES).fill((byte) 3)));
                }
            }
            rank.barrier();
        });
    }
}
