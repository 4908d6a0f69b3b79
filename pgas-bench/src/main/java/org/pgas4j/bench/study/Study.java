package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * A study as one rank takes part in it; rank 0 measures and has the rows. Studies of pairs run on all pairs of ranks at once, and
 * those of them that measure one rank's part alone have rank 0's, under the load of the other pairs.
 */
abstract class Study {

    static final int WARP = 32;

    final Rank rank;
    final StudyOptions options;
    final boolean first;
    /** Rank of the same pair: ranks 2 i and 2 i + 1 are one. */
    final int other;
    /** True for the lower rank of a pair, which does what is timed. */
    final boolean leads;
    final boolean gpu;
    private final Consumer<Row> out;

    Study(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.first = rank.rank() == 0;
        this.other = rank.rank() ^ 1;
        this.leads = other > rank.rank();
        this.gpu = rank.device().backend() == Backend.CUDA;
    }

    /** Passes a row on, on rank 0. */
    final void add(Row row) {
        if (first) {
            out.accept(row);
        }
    }

    final Turns turns() {
        return new Turns(rank, options);
    }

    /** Collective: bytes of each rank's device. */
    final SharedBytes device(long bytes) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAllocBytes(Layout.replicated(), bytes);
        }
    }

    /** Collective: the same as a shared pointer. */
    final SharedPointer onDevice(long bytes) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAlloc(rank.ranks(), bytes);
        }
    }

    /** Collective: multiprocessors of a rank, which are fewer than the device's where ranks share one. */
    final int multiprocessors() {
        try (DeviceGrid usual = rank.createGrid(DeviceGrid.Options.of(0, WARP))) { // a block for each
            return usual.perRank();
        }
    }

    /** Nanoseconds that the leader of a pair takes for something; 0 on the others, which do not do it. */
    final long timed(Runnable action) {
        if (!leads) {
            return 0;
        }
        long begin = System.nanoTime();
        action.run();
        return System.nanoTime() - begin;
    }

    /** The same with a barrier after it. */
    final long timedThenBarrier(Runnable action) {
        long ns = timed(action);
        rank.barrier();
        return ns;
    }

    /** On rank 0, a histogram of {@code count} nanoseconds that a kernel wrote. */
    final Histogram samples(Buffer buffer, int count) {
        Histogram histogram = SampleTimes.histogram();
        if (first) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment segment = PatternBytes.read(rank, buffer, arena);
                for (int i = 0; i < count; i++) {
                    SampleTimes.record(histogram, segment.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
                }
            }
        }
        rank.barrier();
        return histogram;
    }

    static int[] ints(List<Long> sizes) {
        return sizes.stream().mapToInt(Math::toIntExact).toArray();
    }
}
