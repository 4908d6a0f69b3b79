package org.pgas4j.examples.reduction;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.examples.common.Workload;

/** The vector, {@code value(i)} for all i, an equal number on each rank's device, and its sum, whichever way it is found. */
abstract class Summation implements Workload {

    private static final long NONE = -1;

    final Rank rank;
    final Buffer values;
    private long sum;

    Summation(Rank rank, long count) {
        this.rank = rank;
        this.values = rank.device().alloc(ElementType.LONG, count);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_LONG, count);
            for (long i = 0; i < count; i++) {
                host.setAtIndex(ValueLayout.JAVA_LONG, i, value(rank.rank() * count + i));
            }
            rank.stream().copy(values, Buffer.ofHost(host, ElementType.LONG));
            rank.stream().sync();
        }
    }

    /** The sum of all ranks' values; others than rank 0 may return anything. Collective. */
    abstract long add();

    static long value(long index) {
        return index * 48271 % 65521;
    }

    /** Sum of values first..last-1 in memory. */
    static long sum(MemorySegment values, long first, long last) {
        return LongStream.range(first, last).map(i -> values.getAtIndex(ValueLayout.JAVA_LONG, i)).sum();
    }

    /** The sum of the last run; rank 0. */
    long sum() {
        return sum;
    }

    @Override
    public void reset() {
        sum = NONE;
    }

    @Override
    public void run() {
        sum = add();
    }

    @Override
    public long wrong() {
        return rank.rank() != 0 || sum == LongStream.range(0, values.length() * rank.ranks()).map(Summation::value).sum() ? 0 : 1;
    }

    @Override
    public void close() {
        values.close();
    }
}
