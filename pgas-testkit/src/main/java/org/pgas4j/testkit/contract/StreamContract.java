package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.Stream;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.testkit.program.Tally;

/** Kernels, matrix products, events between streams, and transfers ordered after all of them. */
final class StreamContract extends Contract {

    private static final int COUNT = 10_000;
    private static final int ROUNDS = 20;

    StreamContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        kernels();
        ring();
        for (int[] shape : new int[][] {{1, 1, 1}, {3, 5, 7}, {64, 32, 16}, {33, 65, 17}}) {
            products(shape[0], shape[1], shape[2]);
        }
        check.refuses(IllegalArgumentException.class, "does not fit: 2 x 3", () -> rank.stream().gemm(2, 2, 3,
                rank.device().allocDoubles(5), rank.device().allocDoubles(6), rank.device().allocDoubles(4)), "odd shapes");
    }

    private void write(Stream stream, Buffer block, double[] values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(values.length * 8L, 8);
            MemorySegment.copy(values, 0, host, ElementType.LAYOUT_DOUBLE, 0, values.length);
            stream.copy(block, Buffer.ofHost(host, ElementType.DOUBLE));
            stream.sync();
        }
    }

    private double[] read(Stream stream, Buffer block) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(block.bytes(), 8);
            stream.copy(Buffer.ofHost(host, ElementType.DOUBLE), block);
            stream.sync();
            return host.toArray(ElementType.LAYOUT_DOUBLE);
        }
    }

    /** Multiplies each {@code step}-th number by a factor and adds to it. */
    private static ThreadKernel scale(Buffer x, double factor, float add, int step) {
        return self -> {
            long i = self.global() * step;
            if (i < x.length()) {
                x.putDouble(i, x.getDouble(i) * factor + add);
            }
        };
    }

    /** Two streams take turns on one block, held in order by events alone. */
    private void kernels() {
        Buffer block = rank.device().allocDoubles(COUNT);
        double[] values = new double[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = i + rank.rank();
        }
        Stream first = rank.stream();
        try (Stream second = rank.device().newStream()) {
            write(first, block, values);
            Event start = first.record();
            Event last = start;
            for (int round = 0; round < ROUNDS; round++) {
                Stream stream = round % 2 == 0 ? second : first;
                stream.await(last);
                stream.launch(Kernel.Shape.covering(COUNT / 2, 128), scale(block, 1.5, 1f, 2));
                Event next = stream.record();
                if (last != start) {
                    last.close();
                }
                last = next;
            }
            last.sync();
            check.that(last.isDone() && last.millisSince(start) >= 0, "event after " + ROUNDS + " kernels");
            last.close();
            start.close();
            double[] seen = read(second, block);
            for (int i = 0; i < COUNT; i++) {
                double expected = values[i];
                for (int round = 0; round < ROUNDS && i % 2 == 0; round++) {
                    expected = expected * 1.5 + 1f;
                }
                if (Math.abs(seen[i] - expected) > 1e-12 * Math.abs(expected)) {
                    check.same(expected, seen[i], "element " + i + " after " + ROUNDS + " kernels on two streams");
                    break;
                }
            }
            first.sync();
            second.sync();
            check.that(second.isIdle() && first.isIdle(), "streams are idle after they were synchronised");
        }
        block.close();
    }

    /** A kernel's result goes to the next rank, ordered by the stream and completed by the barrier. */
    private void ring() {
        SharedDoubles all;
        try (Scope _ = rank.onDevice()) {
            all = rank.allAllocDoubles(Layout.blocked(COUNT), (long) COUNT * rank.ranks());
        }
        Buffer mine = rank.device().allocDoubles(COUNT);
        double[] values = new double[COUNT];
        for (int round = 1; round <= ROUNDS; round++) {
            Arrays.fill(values, rank.rank() + round);
            write(rank.stream(), mine, values);
            rank.stream().launch(Kernel.Shape.covering(COUNT, 256), scale(mine, 2.0, 0f, 1));
            rank.stream().memput(all.pointer((long) target(1) * COUNT), mine);
            rank.barrier();
            double expected = 2.0 * (target(-1) + round);
            double[] seen = read(rank.stream(), all.local());
            check.same(expected, seen[0], "first element put by a stream in round " + round);
            check.same(expected, seen[COUNT - 1], "last element put by a stream in round " + round);
            rank.barrier();
        }
        mine.close();
        rank.allFree(all);
    }

    private void products(int m, int n, int k) {
        double[] a = new double[m * k];
        double[] b = new double[k * n];
        for (int i = 0; i < a.length; i++) {
            a[i] = i % 13 - 6;
        }
        for (int i = 0; i < b.length; i++) {
            b[i] = i % 7 - 3 + rank.rank();
        }
        Buffer blockA = rank.device().allocDoubles(a.length);
        Buffer blockB = rank.device().allocDoubles(b.length);
        Buffer blockC = rank.device().allocDoubles((long) m * n);
        write(rank.stream(), blockA, a);
        write(rank.stream(), blockB, b);
        rank.stream().gemm(m, n, k, blockA, blockB, blockC);
        double[] seen = read(rank.stream(), blockC);
        for (int column = 0; column < n; column++) {
            for (int row = 0; row < m; row++) {
                double expected = 0;
                for (int inner = 0; inner < k; inner++) {
                    expected += a[inner * m + row] * b[column * k + inner];
                }
                // Small integers: every product and sum is exact in any order.
                check.same(expected, seen[column * m + row] + 0.0, "product " + m + "x" + k + "x" + n + " at " + row + ","
                        + column);
            }
        }
        blockA.close();
        blockB.close();
        blockC.close();
    }
}
