package org.pgas4j.runtime.kernel;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import org.pgas4j.ArrayView;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
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
    private static final int HOST_BLOCKS_PER_PROCESSOR = 4;

    /** A stream as launches use it. */
    public interface Queue {

        /** Checks that memory may be used, and notes it in a graph that is captured. */
        void use(Buffer buffer);

        /** The stream, for one more operation. */
        AcceleratorStream stream();

        /** Waits for the stream. */
        void sync();
    }

    /**
     * A kernel of this rank.
     *
     * @param kernel with the CUDA form alone
     * @param fault  number of its record
     */
    private record Known(TranslatedKernel translated, Kernel kernel, int fault) {
    }

    private final int rank;
    private final Accelerator accelerator;
    private final Peers peers;
    private final int ranks;
    private final IntPredicate isOnThisNode;
    private final IntPredicate hostReach;
    private final Scans scans;
    private final boolean isHost;
    private final KernelFaults faults;
    private final Map<TranslatedKernel, Known> known = new HashMap<>();
    private RankSegments segments;
    private PinnedMemory results;

    /**
     * Kernels of one rank.
     *
     * @param isOnThisNode of a rank: only such are asked for their memory
     * @param gather       gives words of all ranks, one rank's after the other's; collective
     * @param hostReach    registers a rank's host segment with the device; true if the device reaches it
     */
    public JavaKernels(int rank, int ranks, Accelerator accelerator, Peers peers, IntPredicate isOnThisNode, IntPredicate hostReach,
                       UnaryOperator<long[]> gather) {
        this.scans = new Scans(rank, ranks, gather);
        this.hostReach = hostReach;
        this.rank = rank;
        this.ranks = ranks;
        this.accelerator = accelerator;
        this.peers = peers;
        this.isOnThisNode = isOnThisNode;
        this.isHost = accelerator.backend().equals("host");
        this.faults = new KernelFaults(rank, accelerator);
    }

    private Known known(Serializable body, KernelForm form) {
        TranslatedKernel translated = KernelTranslator.translate(body, form);
        Known kernel = known.get(translated);
        if (kernel == null) {
            kernel = new Known(translated, new Kernel(translated.name(), null,
                    CudaCode.source(translated.cuda()).withOptions("--fmad=false")), isHost ? -1 : faults.add(translated));
            known.put(translated, kernel);
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

    /** Place of the segments of a kind among {@link #segments}; those of host memory are registered when they are first needed. */
    private int table(String kernel, MemoryKind kind, Object memory) {
        if (kind == MemoryKind.DEVICE) {
            return 0;
        }
        RankSegments all = segments();
        if (!all.hasHosts()) {
            MemorySegment[] heaps = new MemorySegment[ranks];
            for (int i = 0; i < ranks; i++) {
                heaps[i] = i == rank || isOnThisNode.test(i) ? heap(i) : null;
            }
            all.addHosts(heaps);
        }
        if (all.host(rank) == null) {
            throw new KernelRefusedException("kernel " + kernel + " uses " + memory + " in host memory, which " + accelerator
                    + " does not reach: the driver has not page-locked the host segment of rank " + rank
                    + " (expected: device memory; allocate it under rank.onDevice(), copy it there, or raise the limit of locked memory, ulimit -l)");
        }
        return ranks;
    }

    /** A rank's shared heap in host memory; null if the device does not reach it. */
    private MemorySegment heap(int of) {
        Peer peer = peers.get(of);
        MemorySegment mapped = peer.endpoint().mapped();
        return mapped == null || !isHost && !hostReach.test(of) ? null : mapped.asSlice(peer.heapStart(), peer.hostBytes());
    }

    /** See {@link org.pgas4j.Stream#forAll(SharedArray, long, long, long, IndexKernel)}. */
    public void forAll(Queue queue, SharedArray affinity, long from, long to, long step, IndexKernel body) {
        forAll(queue, LoopRange.of(affinity, from, to, step), body, KernelForm.LOOP, (_, _, i) -> body.at(i));
    }

    /** See {@link org.pgas4j.Stream#forAll(IndexSpace, IndexKernel)}. */
    public void forAll(Queue queue, IndexSpace space, IndexKernel body) {
        forAll(queue, SpaceRange.of(space, 1), body, KernelForm.SPACE_1, (_, _, i) -> body.at(i));
    }

    /** As {@link #forAll(Queue, IndexSpace, IndexKernel)}. */
    public void forAll(Queue queue, IndexSpace space, IndexKernel2 body) {
        forAll(queue, SpaceRange.of(space, 2), body, KernelForm.SPACE_2, (_, i, j) -> body.at(i, j));
    }

    /** As {@link #forAll(Queue, IndexSpace, IndexKernel)}. */
    public void forAll(Queue queue, IndexSpace space, IndexKernel3 body) {
        forAll(queue, SpaceRange.of(space, 3), body, KernelForm.SPACE_3, body::at);
    }

    private void forAll(Queue queue, KernelRange range, Serializable body, KernelForm form, KernelRange.Body onHost) {
        Known kernel = known(body, form);
        Object[] captured = kernel.translated.captured(body);
        if (isHost) {
            onHost(queue, kernel, captured, range, (memory, block, places) ->
                    memory.run(() -> range.forEach(places.from(), places.to(), onHost)));
        } else if (range.count() > 0) {
            onDevice(queue, kernel, captured, range, shape(range), List.of());
        } else {
            check(queue, kernel, captured);
        }
    }

    private void check(Queue queue, Known kernel, Object[] captured) {
        List<Buffer> buffers = new ArrayList<>();
        KernelArguments.append(kernel.translated.origin(), captured, null, this::table, new ArrayList<>(), buffers);
        buffers.forEach(queue::use);
    }

    private int maxBlocks() {
        return accelerator.multiprocessors() * BLOCKS_PER_PROCESSOR;
    }

    private Kernel.Shape shape(KernelRange range) {
        return new Kernel.Shape(range.blocks(maxBlocks(), THREADS), THREADS);
    }

    private void onDevice(Queue queue, Known kernel, Object[] captured, KernelRange range, Kernel.Shape shape,
                          List<Object> further) {
        List<Object> arguments = new ArrayList<>(32);
        List<Buffer> buffers = new ArrayList<>();
        arguments.add(faults.address(kernel.fault));
        arguments.add(segments().table());
        if (range != null) {
            range.append(captured, maxBlocks(), THREADS, arguments);
        }
        arguments.addAll(further);
        KernelArguments.append(kernel.translated.origin(), captured, range, this::table, arguments, buffers);
        buffers.forEach(queue::use);
        queue.stream().launch(kernel.kernel, shape, arguments.toArray());
    }

    // ---- the host device

    /** Places of a loop that one block of the host device goes through. */
    record Places(long from, long to) {

        static Places of(KernelRange range, int block, int blocks) {
            long each = Math.ceilDiv(range.count(), (long) blocks);
            long from = Math.min(range.count(), block * each);
            return new Places(from, Math.min(range.count(), from + each));
        }
    }

    /** Work of a block of the host device. */
    private interface HostLoop {
        void run(HostKernel memory, int block, Places places);
    }

    private int hostBlocks(KernelRange range) {
        return (int) Math.max(1, Math.min((long) accelerator.multiprocessors() * HOST_BLOCKS_PER_PROCESSOR, range.count()));
    }

    private void onHost(Queue queue, Known kernel, Object[] captured, KernelRange range, HostLoop loop) {
        onHost(queue, kernel, captured, hostBlocks(range), (at, memory) ->
                loop.run(memory, at.block(), Places.of(range, at.block(), at.shape().blocks())));
    }

    /** Runs one block of the host device. */
    private interface HostBlock {
        void run(Kernel.At at, HostKernel memory);
    }

    private void onHost(Queue queue, Known kernel, Object[] captured, int blocks, HostBlock body) {
        List<Object> arguments = new ArrayList<>(segments().buffers());
        List<Buffer> used = new ArrayList<>();
        KernelArguments.append(kernel.translated.origin(), captured, null, this::table, new ArrayList<>(), used);
        used.forEach(queue::use);
        List<Buffer> buffers = KernelArguments.buffersOf(captured);
        int first = arguments.size();
        arguments.addAll(buffers);
        RankSegments reached = segments();
        String origin = kernel.translated.origin();
        queue.stream().launch(new Kernel(origin, null, (at, args) -> {
            try {
                body.run(at, new HostKernel(args, reached, first, buffers));
            } catch (RuntimeException e) { // of the user's code: as on a GPU it ends what did it, not the stream
                faults.add(origin, at.block(), e);
            }
        }), new Kernel.Shape(blocks, 1), arguments.toArray());
    }

    // ---- grids

    /** See {@link org.pgas4j.Stream#launch(Kernel.Shape, ThreadKernel)}. */
    public void launch(Queue queue, Kernel.Shape shape, ThreadKernel body) {
        Known kernel = known(body, KernelForm.GRID);
        if (shape.grid().x() != shape.blocks() || shape.block().x() != shape.threads()) {
            throw new IllegalArgumentException("kernel " + kernel.translated.origin() + ": " + shape + " (expected: one dimension)");
        }
        Object[] captured = kernel.translated.captured(body);
        if (isHost) {
            onHost(queue, kernel, captured, shape.blocks(), (at, memory) -> HostGrid.runBlock(body, at.block(), shape.blocks(),
                    shape.threads(), kernel.translated.usesBlocks(), memory));
            return;
        }
        int bytes = Math.toIntExact(Math.max(shape.sharedBytes(), kernel.translated.blockBytes()));
        onDevice(queue, kernel, captured, null, shape.withShared(bytes), List.of());
    }

    // ---- reductions

    /** See {@link org.pgas4j.Stream#reduce(SharedArray, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, SharedArray affinity, ReduceOp op, DoubleKernel body) {
        return reduceDoubles(queue, all(affinity), op, body, KernelForm.REDUCE_DOUBLES, (_, _, i) -> body.at(i));
    }

    /** See {@link org.pgas4j.Stream#reduce(IndexSpace, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, IndexSpace space, ReduceOp op, DoubleKernel body) {
        return reduceDoubles(queue, SpaceRange.of(space, 1), op, body, KernelForm.SPACE_DOUBLES_1, (_, _, i) -> body.at(i));
    }

    /** As {@link #reduce(Queue, IndexSpace, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, IndexSpace space, ReduceOp op, DoubleKernel2 body) {
        return reduceDoubles(queue, SpaceRange.of(space, 2), op, body, KernelForm.SPACE_DOUBLES_2, (_, i, j) -> body.at(i, j));
    }

    /** As {@link #reduce(Queue, IndexSpace, ReduceOp, DoubleKernel)}. */
    public double reduce(Queue queue, IndexSpace space, ReduceOp op, DoubleKernel3 body) {
        return reduceDoubles(queue, SpaceRange.of(space, 3), op, body, KernelForm.SPACE_DOUBLES_3, body::at);
    }

    private static KernelRange all(SharedArray affinity) {
        return LoopRange.of(affinity, 0, affinity.length(), 1);
    }

    private double reduceDoubles(Queue queue, KernelRange range, ReduceOp op, Serializable body, KernelForm form,
                                 Reductions.DoubleBody onHost) {
        double value = Reductions.neutral(op);
        MemorySegment parts = reduce(queue, range, body, new Reduction<>(Reductions.code(op), value, form,
                places -> Reductions.combine(range, places, op, onHost), Double::doubleToRawLongBits));
        for (long i = 0; i < parts.byteSize() / Double.BYTES; i++) {
            value = Reductions.apply(op, value, parts.getAtIndex(ElementType.LAYOUT_DOUBLE, i));
        }
        return value;
    }

    /** See {@link org.pgas4j.Stream#reduceLongs(SharedArray, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, SharedArray affinity, ReduceOp op, LongKernel body) {
        return reduceLongs(queue, all(affinity), op, body, KernelForm.REDUCE_LONGS, (_, _, i) -> body.at(i));
    }

    /** See {@link org.pgas4j.Stream#reduceLongs(IndexSpace, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, IndexSpace space, ReduceOp op, LongKernel body) {
        return reduceLongs(queue, SpaceRange.of(space, 1), op, body, KernelForm.SPACE_LONGS_1, (_, _, i) -> body.at(i));
    }

    /** As {@link #reduceLongs(Queue, IndexSpace, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, IndexSpace space, ReduceOp op, LongKernel2 body) {
        return reduceLongs(queue, SpaceRange.of(space, 2), op, body, KernelForm.SPACE_LONGS_2, (_, i, j) -> body.at(i, j));
    }

    /** As {@link #reduceLongs(Queue, IndexSpace, ReduceOp, LongKernel)}. */
    public long reduceLongs(Queue queue, IndexSpace space, ReduceOp op, LongKernel3 body) {
        return reduceLongs(queue, SpaceRange.of(space, 3), op, body, KernelForm.SPACE_LONGS_3, body::at);
    }

    private long reduceLongs(Queue queue, KernelRange range, ReduceOp op, Serializable body, KernelForm form,
                             Reductions.LongBody onHost) {
        long value = Reductions.neutralLong(op);
        MemorySegment parts = reduce(queue, range, body, new Reduction<>(Reductions.code(op), value, form,
                places -> Reductions.combineLongs(range, places, op, onHost), bits -> bits));
        for (long i = 0; i < parts.byteSize() / Long.BYTES; i++) {
            value = Reductions.apply(op, value, parts.getAtIndex(ElementType.LAYOUT_LONG, i));
        }
        return value;
    }

    /** Combines the values of places of a loop. */
    private interface Combine<T> {
        T values(Places places);
    }

    /** Bits of a value. */
    private interface Bits<T> {
        long of(T value);
    }

    /**
     * A reduction.
     *
     * @param code     of the operation, for kernels
     * @param neutral  changes no other value
     * @param combined on the host device
     */
    private record Reduction<T>(int code, T neutral, KernelForm form, Combine<T> combined, Bits<T> bits) {
    }

    /** A value of each block. */
    private <T> MemorySegment reduce(Queue queue, KernelRange range, Serializable body, Reduction<T> reduction) {
        Known kernel = known(body, reduction.form);
        Object[] captured = kernel.translated.captured(body);
        if (range.count() == 0) {
            check(queue, kernel, captured);
            return MemorySegment.NULL;
        }
        Kernel.Shape shape = isHost ? new Kernel.Shape(hostBlocks(range), 1) : shape(range);
        MemorySegment parts = results(shape.blocks());
        if (isHost) {
            onHost(queue, kernel, captured, range, (memory, block, places) -> memory.run(() ->
                    parts.setAtIndex(ValueLayout.JAVA_LONG, block, reduction.bits.of(reduction.combined.values(places)))));
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
        int first = table("in CUDA C++", array.kind(), array);
        Buffer table = segments().table();
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
        int max = accelerator.multiprocessors() * (isHost ? HOST_BLOCKS_PER_PROCESSOR : BLOCKS_PER_PROCESSOR);
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
                    onHost(queue, kernel, captured, blocks.count(), (at, memory) -> memory.run(() ->
                            runBlock(scan, blocks, at.block(), writes, started, parts)));
                } else {
                    onDevice(queue, kernel, captured, null, new Kernel.Shape(blocks.count(), THREADS), List.of(
                            Scans.struct(scan, blocks, writes, started, tables), parts.address(), scan.first()));
                }
                queue.sync();
            }
        });
    }

    private static void runBlock(Scan scan, Scans.Blocks blocks, int block, boolean writes, boolean started, MemorySegment parts) {
        if (writes) {
            scan.write(blocks.from(block), blocks.to(block), started || block > 0, parts.getAtIndex(ValueLayout.JAVA_LONG, block));
        } else {
            parts.setAtIndex(ValueLayout.JAVA_LONG, block, scan.total(blocks.from(block), blocks.to(block)));
        }
    }

    /** Places of the segments of a scan's arrays, which are checked. */
    private int[] arrays(Queue queue, Known kernel, Scan scan) {
        SharedArray[] arrays = scan.of() == null ? new SharedArray[] {scan.into()} : new SharedArray[] {scan.into(), scan.of()};
        int[] tables = new int[arrays.length];
        for (int i = 0; i < arrays.length; i++) {
            tables[i] = table(kernel.translated.origin(), arrays[i].kind(), arrays[i]);
            Buffer local = arrays[i].local();
            if (local.kind() == MemoryKind.DEVICE) {
                queue.use(local);
            }
        }
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
        if (segments != null) {
            segments.close();
        }
    }
}
