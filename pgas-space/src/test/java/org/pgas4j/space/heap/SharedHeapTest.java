package org.pgas4j.space.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.HeapStats;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.space.FakeBootstrap;

/** Heaps of two processes with two ranks each, which call each other directly. */
@Timeout(10)
class SharedHeapTest {

    private static final int RANKS = 4;
    private static final long BYTES = 16 * FreeList.GRANULE;
    private static final MemoryKind HOST = MemoryKind.HOST;
    private static final byte FIND = 6;

    private final List<FakeBootstrap> job = FakeBootstrap.job(2, RANKS);
    private final List<Long> ended = new ArrayList<>();
    private final SharedHeap first = heap(0, false);
    private final SharedHeap second = heap(1, false);

    private SharedHeap heap(int process, boolean guarded) {
        SharedHeap heap = new SharedHeap(job.get(process), BYTES, BYTES, 1_000_000_000L, guarded,
                lease -> ended.add(lease.generation()));
        job.get(process).serve(SharedHeap.SERVICE, heap::answer);
        return heap;
    }

    private static SharedPointer pointer(Lease lease, int rank) {
        return PgasUnsafe.pointer(lease, lease.kind(), rank, RANKS, 0, lease.start(), 0, 1);
    }

    private static SharedPointer unchecked(MemoryKind kind, int rank, long start) {
        return PgasUnsafe.pointer(kind, rank, RANKS, 0, start, 0, 1);
    }

    @Test
    void shouldLetOtherProcessesFindAnAllocation() {
        Lease own = second.allocateLocal(HOST, 3, 100, false);
        Lease all = second.allocateGlobal(HOST, 100, false);

        Lease found = first.find(HOST, 3, own.generation());
        assertEquals(own.start(), found.start());
        assertEquals(100, found.bytes());
        assertSame(found, first.find(HOST, 3, own.generation()));
        assertNull(first.find(HOST, 2, own.generation()));
        assertEquals(Lease.EVERY_RANK, first.find(HOST, 1, all.generation()).rank());
    }

    @Test
    void shouldEndTheLeasesOfAllProcessesBeforeTheMemoryIsGivenOutAgain() {
        Lease own = second.allocateLocal(HOST, 3, BYTES, false);
        Lease found = first.find(HOST, 3, own.generation());

        SharedHeap.Freed freed = first.end(pointer(found, 3), false);

        assertFalse(own.isLive() || found.isLive());
        assertEquals(List.of(own.generation(), own.generation()), ended);
        assertNull(second.allocateLocal(HOST, 3, 1, false));
        first.release(freed);
        Lease next = second.allocateLocal(HOST, 3, 1, false);
        assertNotNull(next);
        assertNotEquals(own.generation(), next.generation());
    }

    @Test
    void shouldRefuseASecondFreeAlsoAfterThePlaceWasGivenOutAgain() {
        Lease old = second.allocateLocal(HOST, 3, 100, false);
        SharedPointer stale = pointer(old, 3);
        second.release(second.end(stale, false));
        assertNull(second.end(stale, false));
        Lease next = second.allocateLocal(HOST, 3, 100, false);
        assertEquals(old.start(), next.start());

        assertNull(second.end(stale, false));
        assertNull(first.end(stale, false));

        assertTrue(next.isLive());
    }

    @Test
    void shouldRefuseToFreeInsideAnAllocation() {
        Lease lease = first.allocateLocal(HOST, 0, 100, false);

        assertNull(first.end(pointer(lease, 0).plus(1), false));
        assertNull(first.end(pointer(lease, 0).onRank(1), false));
        assertTrue(lease.isLive());
    }

    /** A pointer without a generation frees what begins there: the rank's own, or on rank 0 the global one. */
    @Test
    void shouldFreeByPlace() {
        Lease own = second.allocateLocal(HOST, 2, 100, false);
        Lease all = second.allocateGlobal(MemoryKind.DEVICE, 100, false);

        assertNotNull(first.end(unchecked(HOST, 2, own.start()), false));
        assertNull(first.end(unchecked(MemoryKind.DEVICE, 1, all.start()), false));
        assertNotNull(second.end(unchecked(MemoryKind.DEVICE, 0, all.start()), false));
        assertFalse(own.isLive() || all.isLive());
    }

    /** Process 0 requests the lease; the free by the owner arrives before the answer does. */
    @Test
    void shouldHaveNoLeaseIfAFreeOvertakesTheAnswer() {
        Lease own = second.allocateLocal(HOST, 3, 100, false);
        SharedPointer pointer = pointer(own, 3);
        job.get(1).serve(SharedHeap.SERVICE, request -> {
            byte[] answer = second.answer(request);
            if (request[0] == FIND) {
                second.end(pointer, false);
            }
            return answer;
        });

        assertNull(first.find(HOST, 3, own.generation()));
    }

    /** By an address in it, or its end, and the low bits of its generation; process 0 is asked of what every rank has. */
    @Test
    void shouldFindTheLeaseAtAnAddress() {
        Lease own = second.allocateLocal(HOST, 3, 100, false);
        Lease all = second.allocateGlobal(HOST, 100, false);

        assertSame(own, second.findAt(HOST, 3, own.start() + 99, own.generation(), 20));
        Lease found = first.findAt(HOST, 3, own.start() + 100, own.generation(), 20);
        assertEquals(own.generation(), found.generation());
        assertEquals(all.generation(), first.findAt(HOST, 3, all.start(), all.generation(), 20).generation());
        assertEquals(own.generation(), first.findAt(HOST, 3, own.start(), 0, 0).generation());
        assertNull(first.findAt(HOST, 3, own.start(), own.generation() + 1, 20));
        assertNull(first.findAt(HOST, 2, own.start(), own.generation(), 20));
        assertNull(first.findAt(MemoryKind.DEVICE, 3, own.start(), own.generation(), 20));
        second.end(pointer(own, 3), false);
        assertFalse(found.isLive());
        assertNull(first.findAt(HOST, 3, own.start(), own.generation(), 20));
    }

    /** The end of one allocation is the start of the next: the generation decides, and without one the start. */
    @Test
    void shouldTellTheEndOfOneAllocationFromTheNext() {
        Lease upper = second.allocateLocal(HOST, 3, FreeList.GRANULE, false);
        Lease lower = second.allocateLocal(HOST, 3, FreeList.GRANULE, false);

        assertEquals(upper.start(), lower.start() + lower.bytes());
        for (SharedHeap asked : List.of(first, second)) {
            assertEquals(lower.generation(), asked.findAt(HOST, 3, upper.start(), lower.generation(), 20).generation());
            assertEquals(upper.generation(), asked.findAt(HOST, 3, upper.start(), upper.generation(), 20).generation());
            assertEquals(upper.generation(), asked.findAt(HOST, 3, upper.start(), 0, 0).generation());
        }
    }

    /** All ranks free together: each process ends its own lease, without a call to the others. */
    @Test
    void shouldEndOtherLeasesByForgetIfAllFreeTogether() {
        Lease all = first.allocateGlobal(HOST, 100, true);
        Lease learnt = second.learn(HOST, Lease.EVERY_RANK, all.start(), 100, all.generation());

        SharedHeap.Freed freed = first.end(pointer(all, 0), true);

        assertTrue(learnt.isLive());
        second.forget(freed.generation());
        assertFalse(learnt.isLive());
    }

    @Test
    void shouldKeepGlobalAndLocalAllocationsOfAllProcessesApart() {
        Lease all = second.allocateGlobal(HOST, 10 * FreeList.GRANULE, false);

        assertEquals(0, all.start());
        assertNull(first.allocateLocal(HOST, 0, 7 * FreeList.GRANULE, false));
        assertNull(second.allocateLocal(HOST, 3, 7 * FreeList.GRANULE, false));
        assertEquals(10 * FreeList.GRANULE, second.allocateLocal(HOST, 3, 6 * FreeList.GRANULE, false).start());
        assertNull(first.allocateGlobal(HOST, 1, false));
    }

    @Test
    void shouldCountGlobalAndOwnBytesOfARank() {
        second.allocateGlobal(HOST, 2 * FreeList.GRANULE, false);
        Lease own = second.allocateLocal(HOST, 3, FreeList.GRANULE, false);
        SharedHeap.Freed freed = second.end(pointer(own, 3), false);

        second.retire(freed);

        HeapStats stats = second.stats(HOST, 3);
        assertEquals(2 * FreeList.GRANULE, stats.usedBytes());
        assertEquals(3 * FreeList.GRANULE, stats.highWaterBytes());
        assertEquals(13 * FreeList.GRANULE, stats.largestFreeBytes());
        assertEquals(2 * FreeList.GRANULE, first.stats(HOST, 0).highWaterBytes());
    }

    @Test
    void shouldNameTheKeyToRaiseWhenMemoryIsOut() {
        second.allocateGlobal(HOST, 10 * FreeList.GRANULE, false);

        String why = second.outOfMemory("alloc", HOST, 3, 9999).getMessage();

        assertTrue(why.contains("rank 3") && why.contains("9999 bytes") && why.contains("free=" + 6 * FreeList.GRANULE)
                && why.contains("pgas.heap.host"), why);
    }

    @Test
    void shouldLeaveRoomForGuards() {
        SharedHeap guarded = heap(0, true);

        Lease one = guarded.allocateLocal(HOST, 0, 100, false);
        Lease other = guarded.allocateLocal(HOST, 0, 100, false);

        assertEquals(one.start() - SharedHeap.GUARD_BEFORE, other.start() + 100 + SharedHeap.guardAfter(100));
        assertNull(guarded.allocateLocal(HOST, 0, Long.MAX_VALUE, false));
        assertNull(guarded.allocateGlobal(HOST, Long.MAX_VALUE, false));
        guarded.release(guarded.end(pointer(other, 0), false));
        assertEquals(other.start(), guarded.allocateLocal(HOST, 0, 100, false).start());
    }

    @Test
    void shouldEndEveryLeaseWhenTheJobIsOver() {
        Lease own = second.allocateLocal(HOST, 3, 100, false);

        second.close();

        assertFalse(own.isLive());
    }

    private static byte[] request(int operation, int kind, int rank, int process, long value) {
        return ByteBuffer.allocate(26).put((byte) operation).put((byte) kind).putInt(rank).putInt(process)
                .putLong(value)
                .putLong(0).array();
    }

    /** Operation, kind, rank, process and value; all of a request to process 1, which owns ranks 2 and 3. */
    @ParameterizedTest
    @CsvSource({"6,2,2,0,0", "6,-1,2,0,0", "6,0,4,0,0", "6,0,-2,0,0", "6,0,2,2,0", "6,0,2,-1,0", "6,0,1,0,0",
        "5,0,0,0,0",
        "2,0,-1,0,0", "8,0,1,0,0", "1,0,2,0,100", "3,0,2,0,100", "4,0,2,0,0", "9,0,1,0,0", "9,0,-1,0,0", "10,0,2,0,0", "0,0,2,0,0"})
    void shouldRefuseRequestsThatAreNotForThisProcess(int operation, int kind, int rank, int process, long value) {
        assertThrows(PgasException.class, () -> second.answer(request(operation, kind, rank, process, value)));
    }

    @Test
    void shouldRefuseMalformedRequests() {
        assertThrows(PgasException.class, () -> second.answer(new byte[0]));
        assertThrows(PgasException.class, () -> second.answer(new byte[25]));
        assertThrows(PgasException.class, () -> second.answer(new byte[27]));
        assertThrows(PgasException.class, () -> first.answer(request(1, 0, 0, 1, -1)));
        assertThrows(PgasException.class, () -> first.answer(request(10, 0, 0, 1, 0)));
    }
}
