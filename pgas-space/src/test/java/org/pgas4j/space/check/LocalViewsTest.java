package org.pgas4j.space.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;

@Timeout(10)
class LocalViewsTest {

    private final Arena arena = Arena.ofShared();
    private final MemorySegment heap = arena.allocate(4096, 64);
    private final LocalViews views = new LocalViews();

    @AfterEach
    void close() {
        arena.close();
    }

    private static Lease lease(long generation, long start, long bytes) {
        return new Lease(MemoryKind.HOST, generation, Lease.EVERY_RANK, start, bytes);
    }

    private MemorySegment view(Lease lease, int rank, long from) {
        return views.of(lease, rank, heap.asSlice(lease.start() + from, lease.bytes() - from));
    }

    private static void assertClosed(MemorySegment view) {
        assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void shouldCloseTheViewsOfFreedMemoryOnly() {
        MemorySegment one = view(lease(1, 0, 256), 0, 0);
        MemorySegment inside = view(lease(1, 0, 256), 0, 100);
        MemorySegment other = view(lease(2, 512, 256), 0, 0);
        one.set(ValueLayout.JAVA_BYTE, 100, (byte) 7);
        assertEquals(7, inside.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(7, heap.get(ValueLayout.JAVA_BYTE, 100));
        assertEquals(156, inside.byteSize());

        views.end(1);

        assertClosed(one);
        assertClosed(inside);
        assertEquals(0, other.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(7, heap.get(ValueLayout.JAVA_BYTE, 100), "the memory itself stays");
    }

    @Test
    void shouldEndWhatHasNoViews() {
        views.end(99);

        MemorySegment view = view(lease(99, 0, 8), 0, 0);
        views.end(99);
        views.end(99);

        assertClosed(view);
    }

    @Test
    void shouldLeaveTheMemoryOfALeaseThatHasEnded() {
        Lease lease = lease(1, 0, 256);
        lease.end();
        MemorySegment memory = heap.asSlice(0, 256);

        assertSame(memory, views.of(lease, 0, memory));
        assertNull(views.placeOf(heap.address()));
    }

    @Test
    void shouldFindTheSharedMemoryBehindAnAddress() {
        Lease one = lease(1, 256, 256);
        Lease other = lease(2, 512, 100);
        view(one, 3, 40);
        view(other, 2, 0);
        long start = heap.address();

        assertNull(views.placeOf(start + 255));
        assertEquals(new LocalViews.Place(one, 3, 256), views.placeOf(start + 256));
        assertEquals(new LocalViews.Place(one, 3, 511), views.placeOf(start + 511));
        assertEquals(new LocalViews.Place(other, 2, 611), views.placeOf(start + 611));
        assertNull(views.placeOf(start + 612));

        views.end(1);

        assertNull(views.placeOf(start + 256));
        assertEquals(new LocalViews.Place(other, 2, 512), views.placeOf(start + 512));
    }
}
