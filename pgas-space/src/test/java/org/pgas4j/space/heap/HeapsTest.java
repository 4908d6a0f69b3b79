package org.pgas4j.space.heap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.MemoryKind;

/** The global heap from the bottom of every segment and the ranks' own from the top: they never meet. */
@Timeout(20)
class HeapsTest {

    private static final long GRANULE = FreeList.GRANULE;
    private static final long CAPACITY = 48 * GRANULE;
    private static final int RANKS = 3;
    private static final long SEED = 20261121;

    /** On rank -1, in every rank's segment. */
    private record Run(int rank, long at, long bytes) {

        boolean meets(Run other) {
            return (rank < 0 || other.rank < 0 || rank == other.rank) && at < other.at + other.bytes
                    && other.at < at + bytes;
        }
    }

    private static LocalHeap local(GlobalHeap global, int rank) {
        return new LocalHeap(CAPACITY, bytes -> global.reserve(MemoryKind.HOST, rank, bytes));
    }

    @Test
    void shouldNeverOverlap() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 40; trial++) {
            GlobalHeap global = new GlobalHeap(CAPACITY, 0);
            LocalHeap[] locals = new LocalHeap[RANKS];
            for (int rank = 0; rank < RANKS; rank++) {
                locals[rank] = local(global, rank);
            }
            List<Run> living = new ArrayList<>();
            for (int step = 0; step < 200; step++) {
                if (!living.isEmpty() && random.nextInt(5) < 2) {
                    Run run = living.remove(random.nextInt(living.size()));
                    assertTrue(run.rank < 0 ? global.free(MemoryKind.HOST, run.at) : locals[run.rank].free(run.at));
                } else {
                    int rank = random.nextInt(RANKS + 1) - 1;
                    long bytes = 1 + random.nextInt((int) (10 * GRANULE));
                    long at = rank < 0 ? global.allocate(MemoryKind.HOST, bytes) : locals[rank].allocate(bytes);
                    if (at >= 0) {
                        Run made = new Run(rank, at, bytes);
                        assertTrue(at % GRANULE == 0 && at + bytes <= CAPACITY, made.toString());
                        living.forEach(other -> assertFalse(made.meets(other), made + " and " + other));
                        living.add(made);
                    }
                }
            }
            living.forEach(run -> assertTrue(run.rank < 0 ? global.free(MemoryKind.HOST, run.at)
                    : locals[run.rank].free(run.at)));
            assertEquals(0, global.allocate(MemoryKind.HOST, CAPACITY), "all is free again, trial " + trial);
        }
    }

    @Test
    void shouldGrowFromBothEnds() {
        GlobalHeap global = new GlobalHeap(CAPACITY, 0);
        LocalHeap local = local(global, 0);

        assertEquals(0, global.allocate(MemoryKind.HOST, 1));
        assertEquals(GRANULE, global.allocate(MemoryKind.HOST, GRANULE));
        assertEquals(CAPACITY - GRANULE, local.allocate(1));
        assertEquals(CAPACITY - 3 * GRANULE, local.allocate(GRANULE + 1));
        assertEquals(-1, local.allocate(CAPACITY - 4 * GRANULE));
        assertEquals(-1, global.allocate(MemoryKind.HOST, CAPACITY - 4 * GRANULE));
        assertEquals(CAPACITY - 5 * GRANULE, local.largestFree(2 * GRANULE));
        assertEquals(2 * GRANULE, local.allocate(CAPACITY - 5 * GRANULE));
    }

    @Test
    void shouldGiveTheGlobalHeapWhatTheDeepestRankFreed() {
        GlobalHeap global = new GlobalHeap(CAPACITY, 0);
        LocalHeap shallow = local(global, 0);
        LocalHeap deep = local(global, 1);
        shallow.allocate(4 * GRANULE);
        long at = deep.allocate(40 * GRANULE);
        assertEquals(-1, global.allocate(MemoryKind.HOST, 9 * GRANULE));

        assertTrue(deep.free(at));

        assertEquals(CAPACITY - 4 * GRANULE, global.stats(MemoryKind.HOST)[2]);
        assertEquals(0, global.allocate(MemoryKind.HOST, CAPACITY - 4 * GRANULE));
    }

    @Test
    void shouldKeepTheKindsApart() {
        GlobalHeap global = new GlobalHeap(2 * GRANULE, GRANULE);

        assertEquals(0, global.allocate(MemoryKind.DEVICE, GRANULE));
        assertEquals(-1, global.allocate(MemoryKind.DEVICE, 1));
        assertEquals(0, global.allocate(MemoryKind.HOST, 2 * GRANULE));
        assertTrue(global.free(MemoryKind.HOST, 0));
        assertEquals(-1, global.allocate(MemoryKind.DEVICE, 1));
        assertArrayEquals(new long[] {GRANULE, GRANULE, 0, GRANULE}, global.stats(MemoryKind.DEVICE));
        assertArrayEquals(new long[] {0, 2 * GRANULE, 2 * GRANULE, 0}, global.stats(MemoryKind.HOST));
    }

    @Test
    void shouldRefuseWhatDoesNotFitALong() {
        GlobalHeap global = new GlobalHeap(CAPACITY, 0);
        LocalHeap local = local(global, 0);

        assertEquals(-1, global.allocate(MemoryKind.HOST, Long.MAX_VALUE));
        assertEquals(-1, local.allocate(Long.MAX_VALUE));
        assertEquals(-1, local.allocate(CAPACITY + 1));
        assertEquals(0, local.usedBytes());
    }

    @Test
    void shouldRefuseADoubleFree() {
        GlobalHeap global = new GlobalHeap(CAPACITY, 0);
        LocalHeap local = local(global, 0);
        long own = local.allocate(1);
        long all = global.allocate(MemoryKind.HOST, 1);

        assertTrue(local.free(own));
        assertFalse(local.free(own));
        assertTrue(global.free(MemoryKind.HOST, all));
        assertFalse(global.free(MemoryKind.HOST, all));
    }

    @Test
    void shouldNotGiveOutWhatIsRetired() {
        GlobalHeap global = new GlobalHeap(CAPACITY, 0);
        LocalHeap local = local(global, 0);
        long own = local.allocate(GRANULE);
        long all = global.allocate(MemoryKind.HOST, GRANULE);

        local.retire(own);
        local.retire(all); // another's
        global.retire(MemoryKind.HOST, all);

        assertEquals(0, local.usedBytes());
        assertEquals(GRANULE, local.highWaterBytes());
        assertEquals(0, global.stats(MemoryKind.HOST)[0]);
        assertEquals(own - GRANULE, local.allocate(GRANULE));
        assertEquals(GRANULE, global.allocate(MemoryKind.HOST, GRANULE));
    }
}
