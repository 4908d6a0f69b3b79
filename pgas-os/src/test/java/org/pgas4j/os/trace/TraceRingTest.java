package org.pgas4j.os.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TraceRingTest {

    private static final int CAPACITY = 64;

    private final TraceRing ring = new TraceRing(1, "t", 3, CAPACITY, Thread.currentThread());

    private void add(long number) {
        ring.add(number, number, TraceKind.PUT, 7, 3, -2, -9, number, number);
    }

    private static long[] links(TraceTrack track) {
        return IntStream.range(0, track.count()).mapToLong(i -> TraceRecord.link(track.words(), i * TraceRecord.WORDS)).toArray();
    }

    @Test
    void shouldKeepEveryField() {
        ring.add(-5, 9, TraceKind.SEEN, (1 << 24) - 1, Integer.MAX_VALUE, -1, -3, Long.MIN_VALUE, 12);

        long[] words = ring.look().words();
        assertEquals(-5, TraceRecord.beginNs(words, 0));
        assertEquals(9, TraceRecord.endNs(words, 0));
        assertEquals(TraceKind.SEEN, TraceRecord.kind(words, 0));
        assertEquals((1 << 24) - 1, TraceRecord.name(words, 0));
        assertEquals(Integer.MAX_VALUE, TraceRecord.rank(words, 0));
        assertEquals(-1, TraceRecord.peer(words, 0));
        assertEquals(-3, TraceRecord.tag(words, 0));
        assertEquals(Long.MIN_VALUE, TraceRecord.bytes(words, 0));
        assertEquals(12, TraceRecord.link(words, 0));
    }

    @Test
    void shouldDropTheOldestAndCountThem() {
        for (int i = 0; i < CAPACITY - 1; i++) {
            add(i);
        }
        assertEquals(0, ring.look().dropped());
        assertEquals(CAPACITY - 1, ring.look().count());

        add(CAPACITY - 1);
        add(CAPACITY);

        assertEquals(2, ring.look().dropped());
        assertArrayEquals(IntStream.rangeClosed(2, CAPACITY).asLongStream().toArray(), links(ring.look()));
    }

    @Test
    void shouldShowWholeEventsOnlyWhileOthersAreWritten() throws InterruptedException {
        Thread writer = Thread.ofPlatform().daemon().start(() -> {
            for (long number = 0; !Thread.currentThread().isInterrupted(); number++) {
                add(number);
                for (int i = 0; i < 50; i++) {
                    Thread.onSpinWait();
                }
            }
        });
        try {
            TraceTrack track = ring.look();
            for (int looks = 0; looks < 5_000 || track.count() < CAPACITY - 1; looks++) { // its thread may start late
                track = ring.look();
                for (int i = 0; i < track.count(); i++) {
                    int at = i * TraceRecord.WORDS;
                    assertEquals(track.dropped() + i, TraceRecord.link(track.words(), at));
                    assertEquals(track.dropped() + i, TraceRecord.beginNs(track.words(), at));
                    assertEquals(track.dropped() + i, TraceRecord.bytes(track.words(), at));
                }
            }
        } finally {
            writer.interrupt();
            writer.join();
        }
        assertEquals(CAPACITY - 1, ring.look().count());
    }

    @Test
    void shouldPassOnTheRingOfAnEndedThreadOfTheSameName() throws InterruptedException {
        Thread ended = Thread.ofPlatform().start(() -> { });
        ended.join();
        TraceRing of = new TraceRing(1, "t", 3, CAPACITY, ended);

        assertFalse(ring.inherit("t", 3, Thread.currentThread()), "its thread is alive");
        assertFalse(of.inherit("other", 3, Thread.currentThread()));
        assertFalse(of.inherit("t", 4, Thread.currentThread()));
        assertTrue(of.inherit("t", 3, Thread.currentThread()));
        assertFalse(of.inherit("t", 3, Thread.currentThread()), "it has a new one now");
    }

    @Test
    void shouldRefuseACapacityThatIsNoPowerOfTwo() {
        assertThrows(IllegalArgumentException.class, () -> new TraceRing(1, "t", 0, 65, Thread.currentThread()));
    }

    @Test
    void shouldFindKindsByTheirCodes() {
        for (TraceKind kind : TraceKind.values()) {
            assertEquals(kind, TraceKind.of(kind.code()));
        }
        assertThrows(IllegalArgumentException.class, () -> TraceKind.of(0));
        assertThrows(IllegalArgumentException.class, () -> TraceKind.of(200));
    }
}
