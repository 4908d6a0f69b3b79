package org.pgas4j.runtime.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;
import org.pgas4j.fastpath.conduit.MappedEndpoint;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.transfer.HostRoute;

@Timeout(20)
class DescriptorRingTest {

    private static final int CAPACITY = 4;

    private final AtomicLong gate = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger done = new AtomicInteger();
    private final List<Long> performed = new ArrayList<>();
    private final MappedEndpoint endpoint = new MappedEndpoint(Arena.ofAuto().allocate(8, 8)) {
        @Override
        public void put(long offset, MemorySegment src, long srcOffset, long bytes) {
            performed.add(offset);
        }
    };

    private final HostRoute route = new HostRoute(0, new Peer(1, endpoint, 0, Long.MAX_VALUE, null, 0, 0, true));

    private DescriptorRing ring(int capacity) {
        return new DescriptorRing(capacity, new DescriptorEngine(null, null, null), gate::get, done::incrementAndGet);
    }

    /** A put to an offset, by which it is known again. */
    private long submit(DescriptorRing ring, long offset) {
        Descriptor next = ring.next();
        next.route = route;
        next.rma.remote(1, MemoryKind.HOST, offset, null, Long.BYTES).local(MemorySegment.NULL, 0);
        next.noTag();
        return ring.submit();
    }

    @Test
    void shouldPerformInOrder() {
        DescriptorRing ring = ring(CAPACITY);
        for (long round = 0; round < 5; round++) {
            for (long i = 0; i < 3; i++) {
                assertEquals(3 * round + i + 1, submit(ring, 3 * round + i));
            }
            assertTrue(ring.isUrgent());
            assertTrue(ring.poll());
            assertFalse(ring.isUrgent());
        }

        assertEquals(LongStream.range(0, 15).boxed().toList(), performed);
        assertEquals(15, ring.performed());
        assertEquals(15, done.get());
    }

    @Test
    void shouldDoNothingWithoutDescriptors() {
        DescriptorRing ring = ring(CAPACITY);

        assertFalse(ring.isUrgent());
        assertFalse(ring.poll());
        assertEquals(0, done.get());
    }

    @Test
    void shouldBeFullUntilOneIsPerformed() {
        DescriptorRing ring = ring(CAPACITY);
        gate.set(0);
        for (int i = 0; i < CAPACITY; i++) {
            assertFalse(ring.isFull());
            submit(ring, i);
        }
        assertTrue(ring.isFull());

        gate.set(1);
        ring.poll();

        assertFalse(ring.isFull());
        submit(ring, CAPACITY);
        assertTrue(ring.isFull());
        gate.set(Long.MAX_VALUE);
        ring.poll();
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), performed);
    }

    @Test
    void shouldPerformAsFarAsTheGateIsOpen() {
        DescriptorRing ring = ring(CAPACITY);
        gate.set(0);
        submit(ring, 10);
        submit(ring, 11);
        submit(ring, 12);
        assertFalse(ring.poll());
        assertTrue(ring.isUrgent());

        gate.set(2);
        assertTrue(ring.poll());
        assertFalse(ring.poll());

        assertEquals(List.of(10L, 11L), performed);
        assertEquals(2, ring.performed());
        assertEquals(3, ring.submitted());
    }

    /** The thread that polls has other services to poll. */
    @Test
    void shouldPerformSomeAtATime() {
        DescriptorRing ring = ring(128);
        for (int i = 0; i < 100; i++) {
            submit(ring, i);
        }

        assertTrue(ring.poll());
        assertEquals(64, performed.size());
        assertTrue(ring.poll());

        assertEquals(LongStream.range(0, 100).boxed().toList(), performed);
    }

    @Test
    void shouldUseItsDescriptorsAgain() {
        DescriptorRing ring = ring(CAPACITY);
        Descriptor first = ring.next();
        assertSame(first, ring.next(), "before it is submitted");
        for (int i = 0; i < CAPACITY; i++) {
            submit(ring, i);
        }
        ring.poll();

        assertSame(first, ring.next());
    }

    @Test
    void shouldPassDescriptorsFromThreadToThread() throws Exception {
        int count = 5_000;
        DescriptorRing ring = ring(CAPACITY);
        Thread service = Thread.ofPlatform().start(() -> {
            while (ring.performed() < count) {
                if (!ring.poll()) {
                    Thread.yield();
                }
            }
        });
        for (int i = 0; i < count; i++) {
            while (ring.isFull()) {
                Thread.yield();
            }
            submit(ring, i);
        }
        service.join();

        assertEquals(LongStream.range(0, count).boxed().toList(), performed);
    }
}
