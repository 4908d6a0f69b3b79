package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.IndexKernel;

/** Loops over the places of a rank, as the definition of their indices has them. */
class HostLoopsTest {

    private static final HostLoops LOOPS = HostLoops.of(HostLoopsTest.class);

    /** Indices of iterations in the order of the places. */
    private static List<Long> expected(LoopRange range, long from, long to) {
        return LongStream.range(from, to).map(range::index)
                .filter(index -> (index - range.first()) % range.stride() == 0).boxed().toList();
    }

    private static List<Long> visited(LoopRange range, long from, long to) {
        List<Long> visited = new ArrayList<>();
        LOOPS.forAll(visited::add, range, from, to);
        return visited;
    }

    @Test
    void shouldVisitTheIndicesOfItsPlaces() {
        for (LoopRange range : List.of(new LoopRange(0, 40, 40, 0, 1, 0, 0, 1), new LoopRange(3, 37, 5, 2, 3, 1, 4, 1),
                new LoopRange(2, 30, 1, 0, 4, 3, 11, 1), new LoopRange(5, 40, 7, 9, 2, 0, 1, 3),
                new LoopRange(8, 8, 4, 0, 2, 1, 0, 1), new LoopRange(4, 29, 6, 0, 1, 0, 4, 5))) {
            for (long from = range.from(); from <= range.to(); from += 3) {
                assertEquals(expected(range, from, range.to()), visited(range, from, range.to()), range + " from " + from);
            }
        }
    }

    @Test
    void shouldEndAfterAStepThatLeavesALong() {
        for (LoopRange range : List.of(new LoopRange(3, 100, 100, 0, 1, 0, 3, Long.MAX_VALUE),
                new LoopRange(0, 40, 5, 0, 3, 1, 7, Long.MAX_VALUE - 6), new LoopRange(0, 40, 5, 0, 3, 1, 0, Long.MAX_VALUE))) {
            for (long from = range.from(); from < range.to(); from++) {
                long first = from;
                List<Long> expected = expected(range, first, range.to());
                assertEquals(expected, visited(range, first, range.to()), range + " from " + first);
            }
        }
    }

    @Test
    void shouldCombineTheValuesOfItsPlaces() {
        LoopRange range = new LoopRange(3, 37, 5, 0, 3, 2, 0, 1);
        List<Long> all = expected(range, 3, 37);
        assertEquals(all.stream().mapToLong(i -> i * i).sum(), LOOPS.reduceLongs(i -> i * i, range, 3, 37, ReduceOp.SUM));
        assertEquals(all.getLast(), LOOPS.reduceLongs(i -> i, range, 3, 37, ReduceOp.MAX));
        assertEquals(all.getFirst() * 0.5, LOOPS.reduce(i -> i * 0.5, range, 3, 37, ReduceOp.MIN));
        assertEquals(all.stream().mapToDouble(i -> i * 0.5).sum(), LOOPS.reduce(i -> i * 0.5, range, 3, 37, ReduceOp.SUM));
    }

    @Test
    void shouldHaveAClassForTheKernelsOfEachPlace() {
        IndexKernel one = i -> { };
        IndexKernel other = i -> { };
        assertSame(HostLoops.of(one.getClass()), HostLoops.of(one.getClass()));
        assertNotSame(HostLoops.of(one.getClass()).getClass(), HostLoops.of(other.getClass()).getClass());
    }
}
