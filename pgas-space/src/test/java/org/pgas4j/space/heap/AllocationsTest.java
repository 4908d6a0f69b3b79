package org.pgas4j.space.heap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;

@Timeout(10)
class AllocationsTest {

    private static final long[] NONE = {0};

    private final Allocations allocations = new Allocations(2, 4);

    private long add(int rank, long start) {
        return allocations.add(MemoryKind.HOST, rank, start, 100, 2, false);
    }

    @Test
    void shouldFindALivingAllocationByItsGenerationOnly() {
        long generation = add(5, 256);

        assertArrayEquals(new long[] {256, 100}, allocations.find(MemoryKind.HOST, 5, generation, 0));
        assertArrayEquals(NONE, allocations.find(MemoryKind.HOST, 6, generation, 0));
        assertArrayEquals(NONE, allocations.find(MemoryKind.DEVICE, 5, generation, 0));
        assertArrayEquals(NONE, allocations.find(MemoryKind.HOST, 5, generation + 1, 0));
    }

    @Test
    void shouldNameThoseWhoHoldALeaseWhenItEnds() {
        long generation = add(5, 256);
        allocations.find(MemoryKind.HOST, 5, generation, 0);
        allocations.find(MemoryKind.HOST, 6, generation, 1);

        assertArrayEquals(new long[] {generation, 0, 2}, allocations.end(MemoryKind.HOST, 5, 256, generation));
    }

    @Test
    void shouldNameEveryProcessOfAnAllocationThatAllGot() {
        long generation = allocations.add(MemoryKind.DEVICE, Lease.EVERY_RANK, 0, 1, 2, true);

        assertArrayEquals(new long[] {generation, 0, 1, 2, 3},
                allocations.end(MemoryKind.DEVICE, Lease.EVERY_RANK, 0, 0));
    }

    @Test
    void shouldEndOnce() {
        long generation = add(5, 256);
        allocations.end(MemoryKind.HOST, 5, 256, generation);

        assertArrayEquals(NONE, allocations.end(MemoryKind.HOST, 5, 256, generation));
        assertArrayEquals(NONE, allocations.end(MemoryKind.HOST, 5, 256, 0));
        assertArrayEquals(NONE, allocations.find(MemoryKind.HOST, 5, generation, 0));
    }

    /** The same place was given out again: a pointer of before must not free it. */
    @Test
    void shouldRefuseToEndByAnOlderGeneration() {
        long old = add(5, 256);
        allocations.end(MemoryKind.HOST, 5, 256, old);
        long generation = add(5, 256);

        assertNotEquals(old, generation);
        assertArrayEquals(NONE, allocations.end(MemoryKind.HOST, 5, 256, old));
        assertArrayEquals(new long[] {256, 100}, allocations.find(MemoryKind.HOST, 5, generation, 2));
        assertEquals(generation, allocations.end(MemoryKind.HOST, 5, 256, 0)[0], "whatever lives there");
    }

    @Test
    void shouldEndAtItsStartOnly() {
        long generation = add(5, 256);

        assertArrayEquals(NONE, allocations.end(MemoryKind.HOST, 5, 257, generation));
        assertArrayEquals(NONE, allocations.end(MemoryKind.HOST, 5, 0, 0));
        assertArrayEquals(NONE, allocations.end(MemoryKind.DEVICE, 5, 256, generation));
        assertArrayEquals(NONE, allocations.end(MemoryKind.HOST, Lease.EVERY_RANK, 256, generation));
        assertEquals(generation, allocations.end(MemoryKind.HOST, 5, 256, generation)[0]);
    }

    @Test
    void shouldGiveEachAllocationOfTheJobAGenerationOfItsOwn() {
        Set<Long> seen = new HashSet<>();
        for (int process = 0; process < 4; process++) {
            Allocations of = new Allocations(process, 4);
            for (int i = 0; i < 100; i++) {
                long local = of.add(MemoryKind.HOST, 1, i, 1, process, false);
                assertFalse(Allocations.isGlobal(local));
                assertTrue(local > 0 && seen.add(local), "generation " + local);
            }
        }
        long global = new Allocations(0, 4).add(MemoryKind.HOST, Lease.EVERY_RANK, 0, 1, 0, false);
        assertTrue(Allocations.isGlobal(global) && seen.add(global), "generation " + global);
    }
}
