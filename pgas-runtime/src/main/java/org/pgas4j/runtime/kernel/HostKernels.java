package org.pgas4j.runtime.kernel;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.KernelMemory;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.kernels.TranslatedKernel;

/**
 * Runs kernels that are written in Java on the host device. A launch is divided into parts, a few for each processor, and each
 * part runs a copy of the kernel's lambda that has captured views of the buffers and arrays ({@link KernelMemory}). Used by the
 * rank's thread.
 */
final class HostKernels {

    private static final int PARTS_PER_PROCESSOR = 4;
    private static final MemorySegment ALL = HostDeviceMemory.everything();

    /** One part of a launch. */
    private interface Part<T> {

        /** @param bodies gives a copy of the body for a thread */
        void run(Supplier<T> bodies, int part, int parts);
    }

    private final int rank;
    private final Accelerator accelerator;
    private final Supplier<RankSegments> segments;
    private final KernelFaults faults;

    HostKernels(int rank, Accelerator accelerator, Supplier<RankSegments> segments, KernelFaults faults) {
        this.rank = rank;
        this.accelerator = accelerator;
        this.segments = segments;
        this.faults = faults;
    }

    private int parts(long count) {
        return (int) Math.max(1, Math.min((long) accelerator.multiprocessors() * PARTS_PER_PROCESSOR, count));
    }

    /** Shape of the launch of a loop: a reduction leaves a value of each block. */
    Kernel.Shape shape(long count) {
        return new Kernel.Shape(parts(count), 1);
    }

    void forAll(JavaKernels.Queue queue, TranslatedKernel kernel, LoopRange range, IndexKernel body) {
        HostLoops loops = HostLoops.of(body.getClass());
        launch(queue, kernel, IndexKernel.class, body, parts(range.count()), (bodies, part, parts) ->
                loops.forAll(bodies.get(), range, start(range, part, parts), start(range, part + 1, parts)));
    }

    /** Puts a value of each part into {@code results}. */
    void reduce(JavaKernels.Queue queue, TranslatedKernel kernel, LoopRange range, ReduceOp op, DoubleKernel body,
                MemorySegment results) {
        HostLoops loops = HostLoops.of(body.getClass());
        launch(queue, kernel, DoubleKernel.class, body, parts(range.count()), (bodies, part, parts) ->
                results.setAtIndex(ValueLayout.JAVA_DOUBLE, part,
                        loops.reduce(bodies.get(), range, start(range, part, parts), start(range, part + 1, parts), op)));
    }

    /** As {@link #reduce}. */
    void reduceLongs(JavaKernels.Queue queue, TranslatedKernel kernel, LoopRange range, ReduceOp op, LongKernel body,
                     MemorySegment results) {
        HostLoops loops = HostLoops.of(body.getClass());
        launch(queue, kernel, LongKernel.class, body, parts(range.count()), (bodies, part, parts) ->
                results.setAtIndex(ValueLayout.JAVA_LONG, part,
                        loops.reduceLongs(bodies.get(), range, start(range, part, parts), start(range, part + 1, parts), op)));
    }

    /** The first place of a part, and the end of the one before it. */
    private static long start(LoopRange range, int part, int parts) {
        long each = Math.ceilDiv(range.count(), (long) parts);
        return part * each < range.count() ? range.from() + part * each : range.to();
    }

    void launch(JavaKernels.Queue queue, TranslatedKernel kernel, Kernel.Shape shape, ThreadKernel body) {
        HostLoops loops = HostLoops.of(body.getClass());
        int blocks = shape.blocks();
        boolean wait = kernel.usesBlocks() && shape.threads() > 1;
        launch(queue, kernel, ThreadKernel.class, body, parts(blocks), (bodies, part, parts) -> {
            HostThread self = shape.threads() == 1 ? new HostThread.Lone(blocks)
                    : new HostThread(0, blocks, 0, shape.threads(), new HostThread.Block(1));
            ThreadKernel own = wait ? null : bodies.get();
            for (int block = start(blocks, part, parts); block < start(blocks, part + 1, parts); block++) {
                int number = block;
                guarded(kernel, block, () -> {
                    if (wait) {
                        HostGrid.runBlock(bodies, number, blocks, shape.threads());
                    } else {
                        loops.block(own, self, number);
                    }
                });
            }
        });
    }

    private static int start(int blocks, int part, int parts) {
        return (int) ((long) blocks * part / parts);
    }

    private void guarded(TranslatedKernel kernel, int block, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) { // of the user's code: as on a GPU it ends what did it, not the stream
            faults.add(kernel.origin(), block, e);
        }
    }

    private <T extends Serializable> void launch(JavaKernels.Queue queue, TranslatedKernel kernel, Class<T> type, T body,
                                                 int parts, Part<T> part) {
        List<Buffer> used = new ArrayList<>();
        KernelArguments.append(kernel.origin(), kernel.captured(body), segments.get(), new ArrayList<>(), used);
        used.forEach(queue::use);
        Object[] values = kernel.values(body);
        int[] places = segments.get().places();
        List<Object> arguments = new ArrayList<>(segments.get().buffers());
        int first = arguments.size();
        arguments.addAll(KernelArguments.buffersOf(values));
        Launches.launch(rank, queue.stream(), new Kernel(kernel.origin(), null, (at, args) -> guarded(kernel, at.block(), () ->
                part.run(() -> type.cast(kernel.with(views(values, args, places, first))), at.block(), parts))),
                new Kernel.Shape(parts, 1), arguments.toArray());
    }

    /** Captured values with views of the memory that a launch has been given. */
    static Object[] views(Object[] values, Kernel.Args args, int[] places, int first) {
        KernelMemory memory = new KernelMemory(ALL, addresses(args, places));
        Object[] views = values.clone();
        int next = first;
        for (int i = 0; i < views.length; i++) {
            if (views[i] instanceof Buffer buffer) {
                views[i] = memory.view(buffer, args.segment(next++).address());
            } else if (views[i] instanceof SharedArray array) {
                views[i] = memory.view(array);
            }
        }
        return views;
    }

    private static long[] addresses(Kernel.Args args, int[] places) {
        long[] addresses = new long[places.length];
        for (int rank = 0; rank < places.length; rank++) {
            addresses[rank] = places[rank] < 0 ? 0 : args.segment(places[rank]).address();
        }
        return addresses;
    }
}
