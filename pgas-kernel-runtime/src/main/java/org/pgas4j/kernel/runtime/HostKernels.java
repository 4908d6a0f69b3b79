package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.GlobalElements;
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

    /** As {@link Part}, with memory for further views. */
    private interface MemoryPart<T> {

        void run(KernelMemory memory, Supplier<T> bodies, int part, int parts);
    }

    private final int rank;
    private final Accelerator accelerator;
    private final KernelReach reach;
    private final KernelFaults faults;

    HostKernels(int rank, Accelerator accelerator, KernelReach reach, KernelFaults faults) {
        this.rank = rank;
        this.accelerator = accelerator;
        this.reach = reach;
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

    /**
     * Runs nested loops.
     *
     * @param at what a copy of the body does in an iteration
     */
    <T extends Serializable> void forAll(JavaKernels.Queue queue, TranslatedKernel kernel, SpaceRange range, Class<T> type, T body,
                                         Function<T, SpaceRange.Body> at) {
        launch(queue, kernel, type, body, parts(range.count()), (bodies, part, parts) ->
                range.forEach(range.start(part, parts), range.start(part + 1, parts), at.apply(bodies.get())));
    }

    /** As {@link #forAll}; puts a value of each part into {@code results}. */
    <T extends Serializable> void reduce(JavaKernels.Queue queue, TranslatedKernel kernel, SpaceRange range, ReduceOp op,
                                         Class<T> type, T body, Function<T, SpaceRange.DoubleBody> at, MemorySegment results) {
        launch(queue, kernel, type, body, parts(range.count()), (bodies, part, parts) ->
                results.setAtIndex(ValueLayout.JAVA_DOUBLE, part,
                        range.reduce(range.start(part, parts), range.start(part + 1, parts), op, at.apply(bodies.get()))));
    }

    /** As {@link #reduce}. */
    <T extends Serializable> void reduceLongs(JavaKernels.Queue queue, TranslatedKernel kernel, SpaceRange range, ReduceOp op,
                                              Class<T> type, T body, Function<T, SpaceRange.LongBody> at, MemorySegment results) {
        launch(queue, kernel, type, body, parts(range.count()), (bodies, part, parts) ->
                results.setAtIndex(ValueLayout.JAVA_LONG, part,
                        range.reduceLongs(range.start(part, parts), range.start(part + 1, parts), op, at.apply(bodies.get()))));
    }

    /** Runs one of the two launches of a scan, a part for each of its blocks. */
    void scan(JavaKernels.Queue queue, TranslatedKernel kernel, Scan scan, Scans.Blocks blocks, boolean writes, boolean started,
              MemorySegment values) {
        launchOn(queue, kernel, Serializable.class, scan.body(), blocks.count(), (memory, bodies, part, _) -> {
            Scan own = scan.with(bodies.get(), memory);
            if (writes) {
                own.write(blocks.from(part), blocks.to(part), started || part > 0, values.getAtIndex(ValueLayout.JAVA_LONG, part));
            } else {
                values.setAtIndex(ValueLayout.JAVA_LONG, part, own.total(blocks.from(part), blocks.to(part)));
            }
        });
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
            HostThread self = shape.threads() == 1 ? new HostThread.Lone(rank, blocks)
                    : new HostThread(0, blocks, 0, shape.threads(), new HostThread.Block(rank, 1));
            ThreadKernel own = wait ? null : bodies.get();
            for (int block = start(blocks, part, parts); block < start(blocks, part + 1, parts); block++) {
                int number = block;
                guarded(kernel, block, () -> {
                    if (wait) {
                        HostGrid.runBlock(bodies, rank, number, blocks, shape.threads());
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
        } catch (RuntimeException | Error e) { // of the user's code: as on a GPU it ends what did it, not the stream
            faults.add(kernel.origin(), block, e);
        }
    }

    private <T extends Serializable> void launch(JavaKernels.Queue queue, TranslatedKernel kernel, Class<T> type, T body,
                                                 int parts, Part<T> part) {
        launchOn(queue, kernel, type, body, parts, (_, bodies, number, count) -> part.run(bodies, number, count));
    }

    private <T extends Serializable> void launchOn(JavaKernels.Queue queue, TranslatedKernel kernel, Class<T> type, T body,
                                                   int parts, MemoryPart<T> part) {
        List<Buffer> used = new ArrayList<>();
        KernelArguments.append(kernel.origin(), kernel.captured(body), null, reach, new ArrayList<>(), used);
        used.forEach(queue::use);
        Object[] values = kernel.values(body);
        RankSegments segments = reach.segments();
        List<Object> arguments = new ArrayList<>(segments.buffers());
        int first = arguments.size();
        arguments.addAll(KernelArguments.buffersOf(values));
        Launches.launch(rank, queue.stream(), new Kernel(kernel.origin(), null, (at, args) -> guarded(kernel, at.block(), () -> {
            KernelMemory memory = memory(args, segments);
            part.run(memory, () -> type.cast(kernel.with(views(values, memory, args, first))), at.block(), parts);
        })), new Kernel.Shape(parts, 1), arguments.toArray());
    }

    /** Captured values with views of the memory that a launch has been given. */
    static Object[] views(Object[] values, KernelMemory memory, Kernel.Args args, int first) {
        Object[] views = values.clone();
        int next = first;
        for (int i = 0; i < views.length; i++) {
            switch (views[i]) {
                case Buffer buffer -> views[i] = memory.view(buffer, args.segment(next++).address());
                case SharedArray array -> views[i] = memory.view(array);
                case GlobalElements elements -> views[i] = memory.view(elements);
                case null, default -> {
                }
            }
        }
        return views;
    }

    /** The ranks' segments that a launch has been given. */
    static KernelMemory memory(Kernel.Args args, RankSegments segments) {
        int[] places = segments.places();
        long[] addresses = new long[places.length];
        for (int rank = 0; rank < places.length; rank++) {
            addresses[rank] = places[rank] < 0 ? 0 : args.segment(places[rank]).address();
        }
        return new KernelMemory(ALL, addresses, segments.hosts());
    }
}
