package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.pgas4j.ArrayView;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.ElementType;
import org.pgas4j.GlobalElements;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.DoubleKernel2;
import org.pgas4j.kernel.DoubleKernel3;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.LongKernel2;
import org.pgas4j.kernel.LongKernel3;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.kernels.ApartPair;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;
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
        private final int fault;          // number of its record
        private final long faultAddress;
        private final CudaCode code;
        private final long translateNs;
        private final Map<List<String>, Kernel> kernels = new HashMap<>(); // of the CUDA form alone, by options of the compiler
        private final LaunchPlans plans = new LaunchPlans(); // that can be used again

        private Known(TranslatedKernel translated, long translateNs, int fault, long faultAddress) {
            this.translated = translated;
            this.translateNs = translateNs;
            this.code = CudaCode.source(translated.usesAtomics()
                    ? AtomicWords.CONSTANTS + AtomicWords.CUDA + translated.cuda() : translated.cuda());
            this.fault = fault;
            this.faultAddress = faultAddress;
        }

        /** The form of the kernel for blocks of so many threads that its memory allows, with {@code further} options. */
        private Kernel kernelFor(Object[] captured, int threads, List<String> further) {
            List<String> options = new ArrayList<>(translated.options(threads));
            options.addAll(further);
            if (translated.apart().stream().anyMatch(pair -> KernelArguments.overlap(captured[pair.read()], captured[pair.written()]))) {
                options.add(TranslatedKernel.OVERLAPPING);
            }
            return kernels.computeIfAbsent(options, all -> new Kernel(translated.name(), null, code.withOptions(all)));
        }
    }

    private final int rank;
    private final Accelerator accelerator;
    private final KernelReach reach;
    private final Scans scans;
    private final boolean isHost;
    private final KernelFaults faults;
    private final HostKernels host; // null on a GPU
    private final KernelExplanations explanations;
    private final Map<KernelForm, Map<Class<?>, Known>> known = new EnumMap<>(KernelForm.class);
    private final JavaBlocks blocks;
    private final CombiningFunctions functions;
    private PinnedMemory results;

    /**
     * Kernels of one rank.
     *
     * @param isOnThisNode of a rank: only such are asked for their memory
     * @param explained    kernels to print at their first launch: {@code none}, {@code all}, or a part of their names
     * @param hostReach    registers a rank's host segment with the device; true if the device reaches it
     * @param gather       gives words of all ranks, one rank's after the other's; collective
     */
    public JavaKernels(int rank, int ranks, Accelerator accelerator, Peers peers, IntPredicate isOnThisNode, String explained,
                       IntPredicate hostReach, UnaryOperator<long[]> gather) {
        this.rank = rank;
        this.accelerator = accelerator;
        this.reach = new KernelReach(rank, ranks, accelerator, peers, isOnThisNode, hostReach);
        this.scans = new Scans(rank, ranks, gather);
        this.isHost = accelerator.backend().equals("host");
        this.faults = new KernelFaults(rank, accelerator);
        this.explanations = new KernelExplanations(explained, System.out);
        this.host = isHost ? new HostKernels(rank, accelerator, reach, faults) : null;
        this.blocks = new JavaBlocks(reach, isHost);
        this.functions = new CombiningFunctions(accelerator, faults, explanations);
        accelerator.prepareCompiler();
    }

    /** Block programs written in Java. */
    public JavaBlocks blocks() {
        return blocks;
    }

    /** Functions of the program that combine elements in collective operations. */
    public CombiningFunctions functions() {
        return functions;
    }

    private Known known(Serializable body, KernelForm form) {
        Map<Class<?>, Known> kernels = known.computeIfAbsent(form, _ -> new HashMap<>());
        Known kernel = kernels.get(body.getClass());
        if (kernel == null) {
            long begin = System.nanoTime();
            TranslatedKernel translated = KernelTranslator.translate(body, form);
            long translateNs = System.nanoTime() - begin;
            int fault = isHost ? -1 : faults.add(translated);
            kernel = new Known(translated, translateNs, fault, isHost ? 0 : faults.address(fault));
            kernels.put(body.getClass(), kernel);
        }
        return kernel;
    }

    /** Work of a kernel on the host device. */
    private interface OnHost {
        void run(TranslatedKernel kernel);
    }

    // ---- loops

    /** See {@link org.pgas4j.Stream#forAll(SharedArray, long, long, long, IndexKernel)}. */
    public void forAll(Queue queue, SharedArray affinity, long from, long to, long step, IndexKernel body) {
        LoopRange range = LoopRange.of(affinity, from, to, step);
        loop(queue, range, body, KernelForm.LOOP, kernel -> host.forAll(queue, kernel, range, body));
    }

    /** See {@link org.pgas4j.Stream#forAll(IndexSpace, IndexKernel)}. */
    public void forAll(Queue queue, IndexSpace space, IndexKernel body) {
        forAll(queue, SpaceRange.of(space, 1), IndexKernel.class, body, KernelForm.SPACE_1, own -> (_, _, i) -> own.at(i));
    }

    /** As {@link #forAll(Queue, IndexSpace, IndexKernel)}. */
    public void forAll(Queue queue, IndexSpace space, IndexKernel2 body) {
        forAll(queue, SpaceRange.of(space, 2), IndexKernel2.class, body, KernelForm.SPACE_2, own -> (_, i, j) -> own.at(i, j));
    }

    /** As {@link #forAll(Queue, IndexSpace, IndexKernel)}. */
    public void forAll(Queue queue, IndexSpace space, IndexKernel3 body) {
        forAll(queue, SpaceRange.of(space, 3), IndexKernel3.class, body, KernelForm.SPACE_3, own -> own::at);
    }

    private <T extends Serializable> void forAll(Queue queue, SpaceRange range, Class<T> type, T body, KernelForm form,
                                                 Function<T, SpaceRange.Body> at) {
        loop(queue, range, body, form, kernel -> host.forAll(queue, kernel, range, type, body, at));
    }

    private void loop(Queue queue, KernelRange range, Serializable body, KernelForm form, OnHost onHost) {
        Known kernel = known(body, form);
        Object[] captured = kernel.translated.captured(body);
        Kernel.Shape shape = isHost ? host.shape(range.count()) : shape(range);
        explain(kernel, captured, range, shape);
        if (isHost) {
            onHost.run(kernel.translated);
        } else if (range.count() > 0) {
            onDevice(queue, kernel, captured, range, shape, List.of());
        } else {
            check(queue, kernel, captured);
        }
    }

    private void check(Queue queue, Known kernel, Object[] captured) {
        List<Buffer> buffers = new ArrayList<>();
        KernelArguments.append(kernel.translated.origin(), captured, null, reach, new ArrayList<>(), buffers);
        buffers.forEach(queue::use);
    }

    private String device() {
        return accelerator.backend() + ":" + accelerator.ordinal();
    }

    private void explain(Known kernel, Object[] captured, KernelRange range, Kernel.Shape shape) {
        explanations.launched(kernel.translated, device(), captured, range, shape);
    }

    private int maxBlocks() {
        return accelerator.multiprocessors() * BLOCKS_PER_PROCESSOR;
    }

    private Kernel.Shape shape(KernelRange range) {
        return new Kernel.Shape(Math.max(1, range.blocks(maxBlocks(), THREADS)), THREADS);
    }

    private LaunchPlan onDevice(Queue queue, Known kernel, Object[] captured, KernelRange range, Kernel.Shape shape,
                                List<Object> further) {
        List<Object> arguments = new ArrayList<>(32);
        List<Buffer> buffers = new ArrayList<>();
        arguments.add(kernel.faultAddress);
        arguments.add(reach.segments().table());
        if (range != null) {
            range.append(captured, maxBlocks(), THREADS, arguments);
        }
        arguments.addAll(further);
        KernelArguments.append(kernel.translated.origin(), captured, range, reach, arguments, buffers);
        Kernel compiled = kernel.kernelFor(captured, shape.threads(), explanations.options(kernel.translated));
        LaunchPlan plan = new LaunchPlan(rank, compiled, shape, arguments.toArray(), buffers.toArray(Buffer[]::new));
        if (explanations.isUntimed(kernel.translated)) {
            long begin = System.nanoTime();
            plan.launch(queue);
            explanations.timed(kernel.translated, kernel.translateNs, System.nanoTime() - begin);
        } else {
            plan.launch(queue);
        }
        return plan;
    }

    // ---- grids

    /** See {@link org.pgas4j.Stream#launch(Kernel.Shape, ThreadKernel)}. */
    public void launch(Queue queue, Kernel.Shape shape, ThreadKernel body) {
        Known kernel = known(body, KernelForm.GRID);
        LaunchPlan known = kernel.plans.find(body, shape);
        if (known != null) {
            known.launch(queue);
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
        boolean isSteady = Stream.of(captured).noneMatch(JavaKernels::isShared); // which may be freed meanwhile
        if (isSteady) {
            kernel.plans.keep(plan.of(body, shape));
        }
    }

    private static boolean isShared(Object captured) {
        return captured instanceof SharedArray || captured instanceof GlobalElements;
    }

    // ---- reductions

    /** See {@link org.pgas4j.Stream#reduce(SharedArray, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, SharedArray affinity, ReduceOp op, DoubleKernel body) {
        LoopRange range = LoopRange.of(affinity, 0, affinity.length(), 1);
        return reduceDoubles(queue, range, op, body, KernelForm.REDUCE_DOUBLES,
                (kernel, results) -> host.reduce(queue, kernel, range, op, body, results));
    }

    /** See {@link org.pgas4j.Stream#reduce(IndexSpace, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, IndexSpace space, ReduceOp op, DoubleKernel body) {
        SpaceRange range = SpaceRange.of(space, 1);
        return reduceDoubles(queue, range, op, body, KernelForm.SPACE_DOUBLES_1, (kernel, results) ->
                host.reduce(queue, kernel, range, op, DoubleKernel.class, body, own -> (_, _, i) -> own.at(i), results));
    }

    /** As {@link #reduce(Queue, IndexSpace, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, IndexSpace space, ReduceOp op, DoubleKernel2 body) {
        SpaceRange range = SpaceRange.of(space, 2);
        return reduceDoubles(queue, range, op, body, KernelForm.SPACE_DOUBLES_2, (kernel, results) ->
                host.reduce(queue, kernel, range, op, DoubleKernel2.class, body, own -> (_, i, j) -> own.at(i, j), results));
    }

    /** As {@link #reduce(Queue, IndexSpace, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, IndexSpace space, ReduceOp op, DoubleKernel3 body) {
        SpaceRange range = SpaceRange.of(space, 3);
        return reduceDoubles(queue, range, op, body, KernelForm.SPACE_DOUBLES_3, (kernel, results) ->
                host.reduce(queue, kernel, range, op, DoubleKernel3.class, body, own -> own::at, results));
    }

    private double reduceDoubles(Queue queue, KernelRange range, ReduceOp op, Serializable body, KernelForm form,
                                 ResultsOnHost onHost) {
        double value = Reductions.neutral(op);
        MemorySegment parts = reduce(queue, range, body, new Reduction(Reductions.code(op, ElementType.DOUBLE), value, form, onHost));
        for (long i = 0; i < parts.byteSize() / Double.BYTES; i++) {
            value = op.apply(value, parts.getAtIndex(ElementType.LAYOUT_DOUBLE, i));
        }
        return value;
    }

    /** See {@link org.pgas4j.Stream#reduceLongs(SharedArray, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, SharedArray affinity, ReduceOp op, LongKernel body) {
        LoopRange range = LoopRange.of(affinity, 0, affinity.length(), 1);
        return reduceLongs(queue, range, op, body, KernelForm.REDUCE_LONGS,
                (kernel, results) -> host.reduceLongs(queue, kernel, range, op, body, results));
    }

    /** See {@link org.pgas4j.Stream#reduceLongs(IndexSpace, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, IndexSpace space, ReduceOp op, LongKernel body) {
        SpaceRange range = SpaceRange.of(space, 1);
        return reduceLongs(queue, range, op, body, KernelForm.SPACE_LONGS_1, (kernel, results) ->
                host.reduceLongs(queue, kernel, range, op, LongKernel.class, body, own -> (_, _, i) -> own.at(i), results));
    }

    /** As {@link #reduceLongs(Queue, IndexSpace, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, IndexSpace space, ReduceOp op, LongKernel2 body) {
        SpaceRange range = SpaceRange.of(space, 2);
        return reduceLongs(queue, range, op, body, KernelForm.SPACE_LONGS_2, (kernel, results) ->
                host.reduceLongs(queue, kernel, range, op, LongKernel2.class, body, own -> (_, i, j) -> own.at(i, j), results));
    }

    /** As {@link #reduceLongs(Queue, IndexSpace, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, IndexSpace space, ReduceOp op, LongKernel3 body) {
        SpaceRange range = SpaceRange.of(space, 3);
        return reduceLongs(queue, range, op, body, KernelForm.SPACE_LONGS_3, (kernel, results) ->
                host.reduceLongs(queue, kernel, range, op, LongKernel3.class, body, own -> own::at, results));
    }

    private long reduceLongs(Queue queue, KernelRange range, ReduceOp op, Serializable body, KernelForm form,
                             ResultsOnHost onHost) {
        long value = Reductions.neutralLong(op);
        MemorySegment parts = reduce(queue, range, body, new Reduction(Reductions.code(op, ElementType.LONG), value, form, onHost));
        for (long i = 0; i < parts.byteSize() / Long.BYTES; i++) {
            value = op.apply(value, parts.getAtIndex(ElementType.LAYOUT_LONG, i));
        }
        return value;
    }

    /** A reduction on the host device, which puts a value of each part into the results. */
    private interface ResultsOnHost {
        void run(TranslatedKernel kernel, MemorySegment results);
    }

    /**
     * A reduction.
     *
     * @param code    of the operation, for kernels
     * @param neutral changes no other value
     */
    private record Reduction(int code, Number neutral, KernelForm form, ResultsOnHost onHost) {
    }

    /** A value of each block. */
    private MemorySegment reduce(Queue queue, KernelRange range, Serializable body, Reduction reduction) {
        Known kernel = known(body, reduction.form);
        Object[] captured = kernel.translated.captured(body);
        if (range.count() == 0) {
            check(queue, kernel, captured);
            return MemorySegment.NULL;
        }
        Kernel.Shape shape = isHost ? host.shape(range.count()) : shape(range);
        explain(kernel, captured, range, shape);
        MemorySegment parts = results(shape.blocks());
        if (isHost) {
            reduction.onHost.run(kernel.translated, parts);
        } else {
            onDevice(queue, kernel, captured, range, shape, List.of(reduction.code, reduction.neutral, parts.address()));
        }
        queue.sync();
        return parts;
    }

    // ---- views for CUDA C++

    /** See {@link org.pgas4j.Device#view}. */
    public ArrayView view(SharedArray array) {
        array.local(); // throws if it is freed
        int first = reach.table("in CUDA C++", array.kind(), array);
        Buffer table = reach.segments().table();
        SharedArray.Place place = array.place();
        long skipped = array.placesBefore(0);
        return new ArrayView(table.deviceMemory().address() + table.deviceOffset() + (long) Long.BYTES * first, place.offset(),
                place.length(), place.start(), place.block(), skipped, array.lengthOn(rank), place.ranks(), place.rank());
    }

    // ---- scans

    /** Runs this rank's part of a scan; all ranks call it. */
    public void scan(Queue queue, Scan scan) {
        Known kernel = known(scan.body(), scan.form());
        Object[] captured = kernel.translated.captured(scan.body());
        int max = isHost ? host.shape(Long.MAX_VALUE).blocks() : maxBlocks();
        explanations.scanned(kernel.translated, device(), captured, new Kernel.Shape(max, isHost ? 1 : THREADS));
        scans.run(scan, max, new Scans.Launches() {
            @Override
            public MemorySegment parts(int blocks) {
                return results(blocks);
            }

            @Override
            public void check() {
                arrays(queue, kernel, scan);
                JavaKernels.this.check(queue, kernel, captured);
            }

            @Override
            public void run(Scans.Blocks blocks, boolean writes, boolean started, MemorySegment parts) {
                int[] tables = arrays(queue, kernel, scan);
                if (isHost) {
                    host.scan(queue, kernel.translated, scan, blocks, writes, started, parts);
                } else {
                    onDevice(queue, kernel, captured, null, new Kernel.Shape(blocks.count(), THREADS), List.of(
                            Scans.struct(scan, blocks, writes, started, tables), parts.address(), scan.first()));
                }
                queue.sync();
            }
        });
    }

    /** Places of the segments of a scan's arrays, which are checked. */
    private int[] arrays(Queue queue, Known kernel, Scan scan) {
        SharedArray[] arrays = scan.of() == null ? new SharedArray[] {scan.into()} : new SharedArray[] {scan.into(), scan.of()};
        int[] tables = new int[arrays.length];
        List<Buffer> buffers = new ArrayList<>();
        for (int i = 0; i < arrays.length; i++) {
            tables[i] = reach.table(kernel.translated.origin(), arrays[i].kind(), arrays[i]);
            KernelArguments.use(arrays[i].local(), buffers);
        }
        buffers.forEach(queue::use);
        return tables;
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
        reach.close();
    }
}
