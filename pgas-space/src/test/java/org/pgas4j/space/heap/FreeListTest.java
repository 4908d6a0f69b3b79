package org.pgas4j.space.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class FreeListTest {

    private static final long GRANULE = FreeList.GRANULE;
    private static final int GRANULES = 64;
    private static final long SEED = 20261121;

    /** One flag for each granule. */
    private static final class Model {
        private final boolean[] taken = new boolean[GRANULES];

        /** The lowest place of a free run, or -1. */
        int find(int granules, int limit) {
            for (int at = 0; at + granules <= limit; at++) {
                if (gap(at) >= granules) {
                    return at;
                }
            }
            return -1;
        }

        int gap(int at) {
            int end = at;
            while (end < GRANULES && !taken[end]) {
                end++;
            }
            return end - at;
        }

        int largestBelow(int limit) {
            int largest = 0;
            for (int at = 0; at < limit; at++) {
                largest = Math.max(largest, Math.min(gap(at), limit - at));
            }
            return largest;
        }

        int top() {
            int top = GRANULES;
            while (top > 0 && !taken[top - 1]) {
                top--;
            }
            return top;
        }

        int count() {
            int count = 0;
            for (boolean each : taken) {
                count += each ? 1 : 0;
            }
            return count;
        }

        void set(int at, int granules, boolean value) {
            Arrays.fill(taken, at, at + granules, value);
        }
    }

    private record Run(int at, int granules) {
    }

    @Test
    void shouldDoAsAModelOfGranules() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 100; trial++) {
            FreeList list = new FreeList(GRANULES * GRANULE + random.nextInt((int) GRANULE));
            Model model = new Model();
            List<Run> living = new ArrayList<>();
            long highWater = 0;
            for (int step = 0; step < 200; step++) {
                String where = "trial " + trial + " step " + step;
                if (!living.isEmpty() && random.nextInt(5) < 2) {
                    Run run = living.remove(random.nextInt(living.size()));
                    assertEquals(run.granules * GRANULE, list.release(run.at * GRANULE), where);
                    model.set(run.at, run.granules, false);
                } else {
                    int granules = 1 + random.nextInt(12);
                    int limit = random.nextInt(GRANULES + 1);
                    int wanted = model.find(granules, limit);
                    long found = list.find(granules * GRANULE, limit * GRANULE);
                    assertEquals(wanted < 0 ? -1 : wanted * GRANULE, found, where);
                    if (wanted >= 0) {
                        list.take(found, granules * GRANULE);
                        model.set(wanted, granules, true);
                        living.add(new Run(wanted, granules));
                    }
                }
                highWater = Math.max(highWater, model.count() * GRANULE);
                int limit = random.nextInt(GRANULES + 1);
                assertEquals(model.largestBelow(limit) * GRANULE, list.largestBelow(limit * GRANULE), where);
                assertEquals(model.top() * GRANULE, list.top(), where);
                assertEquals(model.count() * GRANULE, list.usedBytes(), where);
                assertEquals(highWater, list.highWaterBytes(), where);
            }
        }
    }

    @Test
    void shouldMergeNeighboursInWhateverOrderTheyAreFreed() {
        Random random = new Random(SEED);
        for (int trial = 0; trial < 20; trial++) {
            FreeList list = new FreeList(GRANULES * GRANULE);
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < GRANULES; i++) {
                list.take(i * GRANULE, GRANULE);
                all.add(i * GRANULE);
            }
            assertEquals(-1, list.find(GRANULE, list.capacity()));
            assertEquals(0, list.largestBelow(list.capacity()));

            Collections.shuffle(all, random);
            all.forEach(list::release);

            assertEquals(0, list.find(list.capacity(), list.capacity()));
            assertEquals(0, list.top());
        }
    }

    @Test
    void shouldRefuseToReleaseWhatIsNotAllocated() {
        FreeList list = new FreeList(4 * GRANULE);
        list.take(0, 2 * GRANULE);

        assertEquals(-1, list.release(GRANULE));
        assertEquals(-1, list.release(2 * GRANULE));
        assertEquals(2 * GRANULE, list.release(0));
        assertEquals(-1, list.release(0));
    }

    @Test
    void shouldCountRetiredAsFreeAndNotGiveItOut() {
        FreeList list = new FreeList(4 * GRANULE);
        list.take(0, 3 * GRANULE);

        list.retire(0);
        list.retire(0);
        list.retire(3 * GRANULE);

        assertEquals(0, list.usedBytes());
        assertEquals(3 * GRANULE, list.find(GRANULE, list.capacity()));
        assertEquals(3 * GRANULE, list.release(0));
        assertEquals(0, list.usedBytes());
        assertEquals(0, list.find(4 * GRANULE, list.capacity()));
    }

    @Test
    void shouldForgetThatAPlaceWasRetiredWhenItIsGivenOutAgain() {
        FreeList list = new FreeList(GRANULE);
        list.take(0, GRANULE);
        list.retire(0);
        list.release(0);

        list.take(0, GRANULE);
        list.release(0);

        assertEquals(0, list.usedBytes());
    }

    @Test
    void shouldRoundUpToWholeGranules() {
        assertEquals(GRANULE, FreeList.rounded(0));
        assertEquals(GRANULE, FreeList.rounded(1));
        assertEquals(GRANULE, FreeList.rounded(GRANULE));
        assertEquals(2 * GRANULE, FreeList.rounded(GRANULE + 1));
        assertEquals(Long.MAX_VALUE / GRANULE * GRANULE, FreeList.rounded(Long.MAX_VALUE - GRANULE));
        assertEquals(-1, FreeList.rounded(Long.MAX_VALUE - GRANULE + 1));
        assertEquals(-1, FreeList.rounded(Long.MAX_VALUE));
    }

    @Test
    void shouldHaveNoRoomInLessThanAGranule() {
        FreeList list = new FreeList(GRANULE - 1);

        assertEquals(0, list.capacity());
        assertEquals(-1, list.find(GRANULE, Long.MAX_VALUE));
        assertEquals(0, list.top());
        assertEquals(0, list.largestBelow(0));
    }
}
