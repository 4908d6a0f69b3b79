package org.pgas4j.runtime.kernel;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.kernels.ApartPair;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;

/**
 * Launches a rank's kernels that are written in Java. All are translated first, on the host device as well, so that a program that a
 * GPU would refuse is refused everywhere. Used by the rank's thread.
 */
public final class JavaKernels implements AutoCloseable {

    private static final int THREADS = 256;
    private static final int BLOCKS_PER_PROCESSOR = 8;

    /** A stream as launches use it. */
    public interface Queue {

        /** Checks that memory may be used, and notes it in a graph that is captured. */
        void use(Buffer buffer);

        /** The stream, for one more operation. */
        AcceleratorStream stream();

        /** Waits for the stream. */
        void sync();
    }

    /** A kernel of this rank. */
    private static final class Known {

        private final TranslatedKernel translated;
        private final Kernel kernel;      // with the CUDA form alone
        private final int fault;          // number of its record
        private final long faultAddress;
        private Kernel overlapping;       // for memory that overlaps; made when it is needed
        private LaunchPlan plan;          // of the last launch; null if it cannot be used again

        private Known(TranslatedKernel translated, int fault, long faultAddress) {
            this.translated = translated;
            this.kernel = new Kernel(translated.name(), null, CudaCode.source(translated.cuda())
                    .withOptions(translated.options().toArray(String[]::new)));
            this.fault = fault;
            this.faultAddress = faultAddress;
        }

        /** The form of the kernel that its memory allows. */
        private Kernel kernelFor(Object[] captured) {
            for (ApartPair pair : translated.apart()) {
                if (KernelArguments.overlap(captured[pair.read()], captured[pair.written()])) {
                    if (overlapping == null) {
                        overlapping = kernel.withOptions(TranslatedKernel.OVERLAPPING);
                    }
                    return overlapping;
                }
            }
            return kernel;
        }
    }

    private final int rank;
    private final Accelerator accelerator;
    private final Peers peers;
    private final int ranks;
    private final IntPredicate isOnThisNode;
    private final boolean isHost;
    private final KernelFaults faults;
    private final HostKernels host; // null on a GPU
    private final KernelExplanations explanations;
    private final Map<KernelForm, Map<Class<?>, Known>> known = new EnumMap<>(KernelForm.class);
    private final JavaBlocks blocks;
    private RankSegments segments;
    private PinnedMemory results;

    /**
     * @param isOnThisNode of a rank: only such are asked for their memory
     * @param explained    kernels to print at their first launch: {@code none}, {@code all}, or a part of their names
     */
    public JavaKernels(int rank, int ranks, Accelerator accelerator, Peers peers, IntPredicate isOnThisNode, String explained) {
        this.rank = rank;
        this.ranks = ranks;
        this.accelerator = accelerator;
        this.peers = peers;
        this.isOnThisNode = isOnThisNode;
        this.isHost = accelerator.backend().equals("host");
        this.faults = new KernelFaults(rank, accelerator);
        this.explanations = new KernelExplanations(explained, System.out);
        this.host = isHost ? new HostKernels(rank, accelerator, this::segments, faults) : null;
        this.blocks = new JavaBlocks(this::segments, isHost);
    }

    /** Block programs written in Java. */
    public JavaBlocks blocks() {
        return blocks;
    }

    private Known known(Serializable body, KernelForm form) {
        Map<Class<?>, Known> kernels = known.computeIfAbsent(form, _ -> new HashMap<>());
        Known kernel = kernels.get(body.getClass());
        if (kernel == null) {
            TranslatedKernel translated = KernelTranslator.translate(body, form);
            int fault = isHost ? -1 : faults.add(translated);
            kernel = new Known(translated, fault, isHost ? 0 : faults.address(fault));
            kernels.put(body.getClass(), kernel);
        }
        return kernel;
    }

    private RankSegments segments() {
        if (segments == null) {
            Peer[] reached = new Peer[ranks];
            for (int i = 0; i < ranks; i++) {
                Peer peer = i == rank || isOnThisNode.test(i) ? peers.get(i) : null;
                reached[i] = peer == null || peer.device() == null ? null : peer;
            }
            segments = new RankSegments(accelerator, reached);
        }
        return segments;
    }

    /** See {@link org.pgas4j.Stream#forAll}. */
    public void forAll(Queue queue, SharedArray affinity, long from, long to, long step, IndexKernel body) {
        LoopRange range = LoopRange.of(affinity, from, to, step);
        Known kernel = known(body, KernelForm.LOOP);
        Object[] captured = kernel.translated.captured(body);
        explain(kernel, captured, range, isHost ? host.shape(range.count()) : shape(Math.max(1, range.count())));
        if (isHost) {
            host.forAll(queue, kernel.translated, range, body);
            return;
        }
        if (range.count() > 0) {
            onDevice(queue, kernel, captured, range, shape(range.count()), List.of());
        } else {
            check(queue, kernel, captured);
        }
    }

    private void check(Queue queue, Known kernel, Object[] captured) {
        List<Buffer> buffers = new ArrayList<>();
        KernelArguments.append(kernel.translated.origin(), captured, segments(), new ArrayList<>(), buffers);
        buffers.forEach(queue::use);
    }

    private void explain(Known kernel, Object[] captured, LoopRange range, Kernel.Shape shape) {
        explanations.launched(kernel.translated, accelerator.backend() + ":" + accelerator.ordinal(), captured, range, shape);
    }

    private Kernel.Shape shape(long count) {
        return new Kernel.Shape((int) Math.min((long) accelerator.multiprocessors() * BLOCKS_PER_PROCESSOR,
                Math.ceilDiv(count, (long) THREADS)), THREADS);
    }

    private LaunchPlan onDevice(Queue queue, Known kernel, Object[] captured, LoopRange range, Kernel.Shape shape, List<Object> further) {
        List<Object> arguments = new ArrayList<>(32);
        List<Buffer> buffers = new ArrayList<>();
        arguments.add(kernel.faultAddress);
        arguments.add(segments().table());
        if (range != null) {
            arguments.add(range.from());
            arguments.add(range.to());
            arguments.add(range.block());
            arguments.add(range.shift());
            arguments.add(range.ranks());
            arguments.add(range.rank());
            arguments.add(range.first());
            arguments.add(range.stride());
            arguments.add(KernelArguments.aligned(captured, range));
        }
        arguments.addAll(further);
        KernelArguments.append(kernel.translated.origin(), captured, segments(), arguments, buffers);
        LaunchPlan plan = new LaunchPlan(rank, kernel.kernelFor(captured), shape, arguments.toArray(), buffers.toArray(Buffer[]::new));
        plan.launch(queue);
        return plan;
    }

    // ---- grids

    /** See {@link org.pgas4j.Stream#launch(Kernel.Shape, ThreadKernel)}. */
    public void launch(Queue queue, Kernel.Shape shape, ThreadKernel body) {
        Known kernel = known(body, KernelForm.GRID);
        if (kernel.plan != null && kernel.plan.isFor(body, shape)) {
            kernel.plan.launch(queue);
            return;
        }
        if (shape.grid().x() != shape.blocks() || shape.block().x() != shape.threads()) {
            throw new IllegalArgumentException("kernel " + kernel.translated.origin() + ": " + shape + " (expected: one dimension)");
        }
        Object[] captured = kernel.translated.captured(body);
        explain(kernel, captured, null, shape);
        if (isHost) {
            host.launch(queue, kernel.translated, shape, body);
            return;
        }
        int bytes = Math.toIntExact(Math.max(shape.sharedBytes(), kernel.translated.blockBytes()));
        LaunchPlan plan = onDevice(queue, kernel, captured, null, shape.withShared(bytes), List.of());
        boolean isSteady = Stream.of(captured).noneMatch(SharedArray.class::isInstance); // which may be freed meanwhile
        kernel.plan = isSteady ? plan.of(body, shape) : null;
    }

    // ---- reductions

    /** See {@link org.pgas4j.Stream#reduce}. */
    public double reduce(Queue queue, SharedArray affinity, ReduceOp op, DoubleKernel body) {
        double value = Reductions.neutral(op);
        MemorySegment parts = reduce(queue, affinity, body, new Reduction(Reductions.code(op), value, KernelForm.REDUCE_DOUBLES,
                (kernel, range, results) -> host.reduce(queue, kernel, range, op, body, results)));
        for (long i = 0; i < parts.byteSize() / Double.BYTES; i++) {
            value = Reductions.apply(op, value, parts.getAtIndex(ElementType.LAYOUT_DOUBLE, i));
        }
        return value;
    }

    /** See {@link org.pgas4j.Stream#reduceLongs}. */
    public long reduceLongs(Queue queue, SharedArray affinity, ReduceOp op, LongKernel body) {
        long value = Reductions.neutralLong(op);
        MemorySegment parts = reduce(queue, affinity, body, new Reduction(Reductions.code(op), value, KernelForm.REDUCE_LONGS,
                (kernel, range, results) -> host.reduceLongs(queue, kernel, range, op, body, results)));
        for (long i = 0; i < parts.byteSize() / Long.BYTES; i++) {
            value = Reductions.apply(op, value, parts.getAtIndex(ElementType.LAYOUT_LONG, i));
        }
        return value;
    }

    /** A reduction on the host device, which puts a value of each part into the results. */
    private interface OnHost {
        void run(TranslatedKernel kernel, LoopRange range, MemorySegment results);
    }

    /**
     * A reduction.
     *
     * @param code    of the operation, for kernels
     * @param neutral changes no other value
     */
    private record Reduction(int code, Number neutral, KernelForm form, OnHost onHost) {
    }

    /** A value of each block. */
    private MemorySegment reduce(Queue queue, SharedArray affinity, Serializable body, Reduction reduction) {
        LoopRange range = LoopRange.of(affinity, 0, affinity.length(), 1);
        Known kernel = known(body, reduction.form);
        Object[] captured = kernel.translated.captured(body);
        if (range.count() == 0) {
            check(queue, kernel, captured);
            return MemorySegment.NULL;
        }
        Kernel.Shape shape = isHost ? host.shape(range.count()) : shape(range.count());
        explain(kernel, captured, range, shape);
        MemorySegment parts = results(shape.blocks());
        if (isHost) {
            reduction.onHost.run(kernel.translated, range, parts);
        } else {
            onDevice(queue, kernel, captured, range, shape, List.of(reduction.code, reduction.neutral, parts.address()));
        }
        queue.sync();
        return parts;
    }

    private MemorySegment results(int count) {
        long bytes = (long) Long.BYTES * count;
        if (results == null || results.segment().byteSize() < bytes) {
            if (results != null) {
                results.close(); // no kernel uses it: each reduction waits
            }
            results = accelerator.allocatePinned(Math.max(bytes, 4096));
        }
        return results.segment().asSlice(0, bytes);
    }

    /**
     * Reports a fault of a kernel that is complete.
     *
     * @throws org.pgas4j.KernelException if there was one
     */
    public void check() {
        faults.check();
    }

    @Override
    public void close() {
        faults.close();
        if (results != null) {
            results.close();
        }
        if (segments != null) {
            segments.close();
        }
    }
}
