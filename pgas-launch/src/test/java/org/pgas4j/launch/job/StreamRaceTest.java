package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.DataRaceException;
import org.pgas4j.Event;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamGraph;

/** For {@code pgas.check=full}, collective operations on streams order a member when it knows that its stream is through. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StreamRaceTest {

    private static final int BYTES = 64;

    /** Ways to know that a stream's barrier is through. */
    private enum Way {
        SYNC {
            @Override
            void meet(Rank rank, StreamCollectives all, Stream stream) {
                all.barrier(stream);
                stream.sync();
            }
        },
        IDLE {
            @Override
            void meet(Rank rank, StreamCollectives all, Stream stream) {
                all.barrier(stream);
                while (!stream.isIdle()) {
                    rank.progress();
                }
            }
        },
        EVENT {
            @Override
            void meet(Rank rank, StreamCollectives all, Stream stream) {
                all.barrier(stream);
                try (Event event = stream.record()) {
                    event.sync();
                }
            }
        },
        OTHER_STREAM {
            @Override
            void meet(Rank rank, StreamCollectives all, Stream stream) {
                all.barrier(stream);
                try (Event event = stream.record(); Stream other = rank.device().newStream()) {
                    other.await(event);
                    other.sync();
                }
            }
        },
        GRAPH {
            @Override
            void meet(Rank rank, StreamCollectives all, Stream stream) {
                try (StreamGraph graph = stream.capture(all::barrier)) {
                    stream.launch(graph);
                    stream.sync();
                }
            }
        };

        abstract void meet(Rank rank, StreamCollectives all, Stream stream);
    }

    private final CountDownLatch put = new CountDownLatch(1);

    private static PgasConfig config() {
        return new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20).set(PgasKey.CHECK, "full")
                .timeout(Duration.ofSeconds(60));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldFindNothingBehindAStreamsBarrier(Way way) {
        Pgas.run(config(), rank -> {
            SharedPointer there = rank.allAlloc(2, BYTES).cast(0, 1).onRank(1);
            MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);
            try (StreamCollectives all = rank.collectives().onStreams(); Stream stream = rank.device().newStream()) {
                for (int round = 1; round < 4; round++) {
                    if (rank.rank() == 0) {
                        rank.memput(there, memory.fill((byte) round), BYTES);
                        way.meet(rank, all, stream);
                    } else {
                        way.meet(rank, all, stream);
                        rank.memget(memory, there, BYTES);
                        assertEquals((byte) round, memory.get(ValueLayout.JAVA_BYTE, BYTES - 1));
                    }
                    way.meet(rank, all, stream); // before the next put
                }
            }
        });
    }

    /** A latch of Java's makes the get the later one: the checks do not see it. */
    @Test
    void shouldFindAUseBeforeTheStreamIsKnownToBeThrough() {
        DataRaceException race = assertThrows(DataRaceException.class, () -> Pgas.run(config(), rank -> {
            SharedPointer there = rank.allAlloc(2, BYTES).cast(0, 1).onRank(1);
            MemorySegment memory = Arena.ofAuto().allocate(BYTES, 8);
            try (StreamCollectives all = rank.collectives().onStreams(); Stream stream = rank.device().newStream()) {
                if (rank.rank() == 0) {
                    rank.memput(there, memory, BYTES);
                    all.barrier(stream);
                    put.countDown();
                } else {
                    all.barrier(stream);
                    assertTrue(put.await(60, TimeUnit.SECONDS));
                    rank.memget(memory, there, BYTES);
                }
                stream.sync();
            }
        }));

        assertTrue(race.getMessage().contains("rank 1 reads bytes") && race.getMessage().contains("StreamRaceTest.java:"),
                race.getMessage());
    }
}
