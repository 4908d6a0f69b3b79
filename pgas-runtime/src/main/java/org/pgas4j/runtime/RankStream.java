package org.pgas4j.runtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.pgas4j.AtomicOp;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Gemm;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.OwnThread;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Prepared;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SourceWindow;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.device.KernelValues;
import org.pgas4j.device.product.GemmCheck;
import org.pgas4j.device.product.GemmEpilogue;
import org.pgas4j.kernel.DoubleCombiner;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.DoubleKernel2;
import org.pgas4j.kernel.DoubleKernel3;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.IndexKernel2;
import org.pgas4j.kernel.IndexKernel3;
import org.pgas4j.kernel.IndexSpace;
import org.pgas4j.kernel.LongCombiner;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.LongKernel2;
import org.pgas4j.kernel.LongKernel3;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.kernel.runtime.DoubleScan;
import org.pgas4j.kernel.runtime.JavaKernels;
import org.pgas4j.kernel.runtime.Launches;
import org.pgas4j.kernel.runtime.LongScan;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.runtime.notify.DeviceStreamOps;
import org.pgas4j.runtime.notify.ProxiedStreamOps;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.OpenBlocks;
import org.pgas4j.space.transfer.Transfers;
import org.pgas4j.space.transfer.Unscoped;

/** A rank's view of a stream of its device: checks arguments, and adds transfers to other ranks. */
final class RankStream implements Stream {

    /** Longest wait of a close for work that may fail; that of the host device takes as long. */
    private static final long CLOSE_NS = 10_000_000_000L;

    private final RankDevice device;
    private final Transfers transfers;
    private final Thread thread = Thread.currentThread();
    private AcceleratorStream stream;
    private final List<Runnable> captured; // checks of what a graph uses; null if this is no graph's stream
    private ProxiedStreamOps communications;
    private DeviceStreamOps byDevice;
    private final JavaKernels.Queue kernels = new KernelQueue();
    private boolean transferPending;
    private boolean failureSeen; // by the program
    private boolean closed;

    /** The device makes the stream when the first operation comes. */
    RankStream(RankDevice device, Transfers transfers) {
        this.device = device;
        this.transfers = transfers;
        this.captured = null;
    }

    /** A stream that the device has made already. */
    static RankStream around(RankDevice device, Transfers transfers, AcceleratorStream made) {
        RankStream stream = new RankStream(device, transfers);
        stream.stream = made;
        return stream;
    }

    /** Writes down what {@code graph}, which an accelerator's stream captures, is to do. */
    private RankStream(RankDevice device, Transfers transfers, AcceleratorStream graph) {
        this.device = device;
        this.transfers = transfers;
        this.captured = new ArrayList<>();
        this.stream = graph;
        this.byDevice = device.communications().byDevice(graph, true);
    }

    private void requireNotCaptured(String what) {
        if (captured != null) {
            throw new IllegalStateException(what + " of rank " + device.rank()
                    + " cannot be captured: it takes a host; captured are "
                    + "copies and fills of device memory, kernels, and puts, signalSet, putNotifySet and awaitValue where the device "
                    + "reaches the target");
        }
    }

    private void requireOwnThread() {
        OwnThread.require(thread, device.rank(), "a stream", "");
    }

    private AcceleratorStream stream() {
        requireOwnThread();
        if (closed) {
            throw new IllegalStateException("stream of rank " + device.rank() + " is closed");
        }
        if (stream == null) {
            stream = device.accelerator().newStream();
        }
        return stream;
    }

    /** As {@link #stream}, for one more operation. */
    private AcceleratorStream queue() {
        AcceleratorStream open = stream();
        transfers.completions().ahead().keepUp(open);
        return open;
    }

    /** The device's stream behind a program's. */
    static AcceleratorStream accelerated(Stream stream) {
        RankStream own = own(stream);
        own.requireNotCaptured("a launch of blocks");
        return own.stream();
    }

    /** The puts and notifications of a program's stream, which queues one. */
    static ProxiedStreamOps notifying(Stream stream) {
        RankStream own = own(stream);
        own.transferPending = true;
        return own.communications("a notification of a block");
    }

    /** A program's stream as one of this runtime. */
    static RankStream own(Stream stream) {
        if (stream instanceof RankStream own) {
            return own;
        }
        throw new IllegalArgumentException("not a stream of this runtime: " + stream);
    }

    @Override
    public void copy(Buffer dst, Buffer src) {
        if (dst.bytes() != src.bytes()) {
            throw new IllegalArgumentException("copy between blocks of different size: dst=" + dst.bytes() + " src="
                    + src.bytes() + " bytes");
        }
        if (src.bytes() == 0) {
            return;
        }
        if (dst.kind() == MemoryKind.HOST || src.kind() == MemoryKind.HOST) {
            requireNotCaptured("a copy of host memory");
        }
        if (dst.kind() == MemoryKind.HOST && src.kind() == MemoryKind.HOST) {
            sync();
            MemorySegment.copy(src.segment(), 0, dst.segment(), 0, src.bytes());
        } else if (dst.kind() == MemoryKind.HOST) {
            requireNative(dst);
            copyOut(HostBuffers.requireOpen(Unscoped.requireWritable(dst.segment()), "copy to the host"), requireOpen(src));
        } else if (src.kind() == MemoryKind.HOST) {
            requireNative(src);
            queue().copyIn(requireOpen(dst).deviceMemory(), dst.deviceOffset(),
                    HostBuffers.requireOpen(src.segment(), "copy from the host"), 0, src.bytes());
        } else {
            queue().copy(requireOpen(dst).deviceMemory(), dst.deviceOffset(), requireOpen(src).deviceMemory(),
                    src.deviceOffset(), src.bytes());
        }
    }

    private void copyOut(MemorySegment dst, Buffer src) {
        if (HostBuffers.isConfined(dst)) {
            sync(); // no other thread can be kept from writing there after this one has closed it
        }
        queue().copyOut(dst, 0, src.deviceMemory(), src.deviceOffset(), src.bytes());
    }

    private static void requireNative(Buffer block) {
        if (!block.segment().isNative()) {
            throw new IllegalArgumentException("a stream copies native memory only, this is a Java array; allocate the "
                    + "segment from an Arena, or use Rank.memput and Rank.memget");
        }
    }

    private Buffer requireOpen(Buffer block) {
        OpenBlocks.require("stream", device.rank(), block);
        if (captured != null) {
            captured.add(() -> OpenBlocks.require("graph", device.rank(), block));
        }
        return block;
    }

    @Override
    public void fill(Buffer dst, int value) {
        if (dst.kind() == MemoryKind.HOST) {
            requireNotCaptured("a fill of host memory");
            sync();
            dst.segment().asSlice(0, dst.bytes()).fill((byte) value);
        } else if (dst.bytes() > 0) {
            queue().fill(requireOpen(dst).deviceMemory(), dst.deviceOffset(), dst.bytes(), (byte) value);
        }
    }

    @Override
    public void gemm(Gemm gemm, Buffer a, Buffer b, Buffer c) {
        GemmCheck.check(gemm, a, b, c);
        requireNotCaptured("gemm");
        if (gemm.m() == 0 || gemm.n() == 0) {
            return;
        }
        queue().gemm(gemm, requireOpen(a), requireOpen(b), requireOpen(c));
        if (gemm.hasEpilogue()) {
            GemmEpilogue.launch(queue(), device.shape(gemm.m() * gemm.n()), gemm, c);
        }
    }

    @Override
    public void launch(Kernel kernel, Kernel.Shape shape, Object... args) {
        Objects.requireNonNull(kernel, "kernel");
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case Buffer buffer when buffer.isDeviceAccessible() -> requireOpen(buffer);
                case Integer _, Long _, Float _, Double _, Byte _, Short _, Boolean _, Character _, Record _, MemorySegment _ -> {
                }
                case null, default -> throw KernelValues.refused(kernel.name(), i, args[i]);
            }
        }
        Launches.launch(device.rank(), queue(), kernel, shape, args);
    }

    @Override
    public void forAll(SharedArray affinity, long from, long to, long step, IndexKernel body) {
        device.kernels().forAll(kernels, affinity, from, to, step, body);
    }

    @Override
    public double reduce(SharedArray affinity, ReduceOp op, DoubleKernel body) {
        return device.kernels().reduce(kernels, affinity, op, body);
    }

    @Override
    public long reduceLongs(SharedArray affinity, ReduceOp op, LongKernel body) {
        return device.kernels().reduceLongs(kernels, affinity, op, body);
    }

    @Override
    public void forAll(IndexSpace space, IndexKernel body) {
        device.kernels().forAll(kernels, space, body);
    }

    @Override
    public void forAll(IndexSpace space, IndexKernel2 body) {
        device.kernels().forAll(kernels, space, body);
    }

    @Override
    public void forAll(IndexSpace space, IndexKernel3 body) {
        device.kernels().forAll(kernels, space, body);
    }

    @Override
    public double reduce(IndexSpace space, ReduceOp op, DoubleKernel body) {
        return device.kernels().reduce(kernels, space, op, body);
    }

    @Override
    public double reduce(IndexSpace space, ReduceOp op, DoubleKernel2 body) {
        return device.kernels().reduce(kernels, space, op, body);
    }

    @Override
    public double reduce(IndexSpace space, ReduceOp op, DoubleKernel3 body) {
        return device.kernels().reduce(kernels, space, op, body);
    }

    @Override
    public long reduceLongs(IndexSpace space, ReduceOp op, LongKernel body) {
        return device.kernels().reduceLongs(kernels, space, op, body);
    }

    @Override
    public long reduceLongs(IndexSpace space, ReduceOp op, LongKernel2 body) {
        return device.kernels().reduceLongs(kernels, space, op, body);
    }

    @Override
    public long reduceLongs(IndexSpace space, ReduceOp op, LongKernel3 body) {
        return device.kernels().reduceLongs(kernels, space, op, body);
    }

    @Override
    public void scan(SharedDoubles into, ReduceOp op, boolean exclusive, DoubleKernel body) {
        device.kernels().scan(kernels, new DoubleScan(into, op, exclusive, body));
    }

    @Override
    public void scan(SharedDoubles into, SharedDoubles of, boolean exclusive, double first, DoubleCombiner op) {
        device.kernels().scan(kernels, new DoubleScan(into, of, exclusive, first, op));
    }

    @Override
    public void scan(SharedLongs into, ReduceOp op, boolean exclusive, LongKernel body) {
        device.kernels().scan(kernels, new LongScan(into, op, exclusive, body));
    }

    @Override
    public void scan(SharedLongs into, SharedLongs of, boolean exclusive, long first, LongCombiner op) {
        device.kernels().scan(kernels, new LongScan(into, of, exclusive, first, op));
    }

    @Override
    public void launch(Kernel.Shape shape, ThreadKernel body) {
        device.kernels().launch(kernels, shape, body);
    }

    /** This stream as kernels use it. */
    private final class KernelQueue implements JavaKernels.Queue {

        @Override
        public void use(Buffer buffer) {
            requireOpen(buffer);
        }

        @Override
        public AcceleratorStream stream() {
            return queue();
        }

        @Override
        public void sync() {
            RankStream.this.sync();
        }
    }

    @Override
    public void memput(SharedPointer dst, Buffer src) {
        AcceleratorStream on = forTransfer("memput", dst, src);
        transferPending |= transfers.put(dst, src, on) != Completions.COMPLETE;
    }

    @Override
    public void memget(Buffer dst, SharedPointer src) {
        AcceleratorStream on = forTransfer("memget", src, dst);
        transferPending |= transfers.get(dst, src, on) != Completions.COMPLETE;
    }

    @Override
    public void atomic(SharedPointer word, AtomicOp op, long operand, long comparand, Buffer result) {
        if (result != null && (result.kind() != MemoryKind.DEVICE || result.bytes() < Long.BYTES)) {
            throw new IllegalArgumentException("result of an atomic operation on a stream: " + result
                    + " (expected: 8 bytes of this rank's device)");
        }
        if (transfers.hasDeviceAtomics(word)) {
            transfers.queueAtomic(word, op, operand, comparand, result == null ? null : requireOpen(result), queue());
            if (captured != null) {
                captured.add(() -> transfers.checkAtomic(word, op));
            }
            transferPending = true;
            return;
        }
        requireNotCaptured("an atomic operation on memory where this rank's device has none");
        sync();
        long old = transfers.fetch(word, ElementType.LONG, op, operand, comparand);
        if (result != null) {
            try (Arena arena = Arena.ofShared()) { // the stream may copy it on a thread of its own
                MemorySegment there = arena.allocate(Long.BYTES, Long.BYTES);
                there.set(ValueLayout.JAVA_LONG, 0, old);
                queue().copyIn(requireOpen(result).deviceMemory(), result.deviceOffset(), there, 0, Long.BYTES);
                sync();
            }
        }
    }

    /** The stream for a transfer; the host carries out one between host memories, after what is queued. */
    private AcceleratorStream forTransfer(String call, SharedPointer shared, Buffer local) {
        requireNotCaptured(call);
        if (shared.kind() == MemoryKind.HOST && local.kind() == MemoryKind.HOST) {
            sync();
        }
        return stream();
    }

    private ProxiedStreamOps communications(String what) {
        requireNotCaptured(what);
        AcceleratorStream open = queue();
        if (communications == null) {
            communications = device.communications().of(open);
        }
        return communications;
    }

    /** Operations that the device does by itself, behind those given to the service. */
    private DeviceStreamOps byDevice() {
        AcceleratorStream open = queue();
        if (byDevice == null) {
            byDevice = device.communications().byDevice(open, false);
        }
        if (communications != null) {
            communications.precede();
        }
        return byDevice;
    }

    /** Operations for a collective one on {@code uses}, behind what is queued here. */
    DeviceStreamOps collective(Buffer... uses) {
        DeviceStreamOps queue = byDevice();
        for (Buffer buffer : uses) {
            requireOpen(buffer);
        }
        transferPending = true;
        return queue;
    }

    @Override
    public void put(Window window, int target, long offset, Buffer src) {
        if (captured == null || !byDevice().put(window, target, offset, uses(src))) {
            communications("put").put(window, target, offset, src);
        }
        shows(window, target, offset, src);
        transferPending = true;
    }

    /** A graph looks at its windows at each launch, as a put does. */
    private void shows(Window window, int target, long offset, Buffer src) {
        if (captured != null) {
            captured.add(() -> DeviceStreamOps.check(window, target, offset, src));
        }
    }

    private Buffer uses(Buffer src) {
        if (src.kind() == MemoryKind.DEVICE) {
            return requireOpen(src);
        }
        requireNotCaptured("a put of host memory");
        return src;
    }

    @Override
    public void putNotify(Window window, int target, long offset, Buffer src, int tag) {
        communications("putNotify without a value").putNotify(window, target, offset, src, tag);
        transferPending = true;
    }

    @Override
    public void putNotifySet(Window window, int target, long offset, Buffer src, int tag, long value) {
        if (!byDevice().putNotifySet(window, target, offset, uses(src), tag, value)) {
            communications("putNotify").putNotifySet(window, target, offset, src, tag, value);
        }
        shows(window, target, offset, src);
        transferPending = true;
    }

    @Override
    public void signal(int target, int tag) {
        communications("notify without a value").signal(target, tag);
    }

    @Override
    public void signalSet(int target, int tag, long value) {
        if (!byDevice().signalSet(target, tag, value)) {
            communications("notify").signalSet(target, tag, value);
        }
    }

    @Override
    public void awaitNotifications(int tag, long count) {
        communications("awaitNotifications").awaitNotifications(tag, count);
    }

    @Override
    public void awaitNotifications(SourceWindow window, int source, int tag, long count) {
        communications("awaitNotifications").awaitNotifications(window, source, tag, count);
    }

    @Override
    public void awaitValue(int tag) {
        byDevice().awaitValue(tag);
    }

    @Override
    public void trigger(Prepared prepared) {
        communications("trigger").trigger(prepared);
        transferPending = true;
    }

    @Override
    public StreamGraph capture(Consumer<Stream> work) {
        requireNotCaptured("a capture");
        RankStream[] given = new RankStream[1];
        AcceleratorGraph graph = stream().capture(on -> {
            given[0] = new RankStream(device, transfers, on);
            try {
                work.accept(given[0]);
            } finally {
                given[0].closed = true;
            }
        });
        return device.keep(new RankGraph(device, graph, given[0].byDevice, List.copyOf(given[0].captured)));
    }

    @Override
    public void launch(StreamGraph graph) {
        requireNotCaptured("a launch of a graph");
        if (!(graph instanceof RankGraph own)) {
            throw new IllegalArgumentException("not a graph of this runtime: " + graph);
        }
        own.check(device);
        byDevice().launches(own.byDevice());
        stream().launch(own.graph());
        transferPending = true;
    }

    /** Completes transfers queued here, for a fence. */
    void completeTransfers() {
        if (transferPending) {
            sync();
        }
    }

    @Override
    public Event record() {
        requireNotCaptured("an event");
        return new StreamPoint(queue().record(), transfers.completions(), byDevice == null ? List.of() : byDevice.meetings());
    }

    @Override
    public void await(Event event) {
        requireNotCaptured("a wait for an event");
        StreamPoint point = StreamPoint.of(event);
        queue().await(point.event());
        if (!point.meetings().isEmpty()) {
            byDevice().follows(point.meetings());
        }
    }

    @Override
    public long nativeHandle() {
        requireNotCaptured("the handle of a stream");
        AcceleratorStream open = stream();
        long handle = open.handle();
        transfers.completions().ahead().handOverAll(open);
        return handle;
    }

    @Override
    public boolean isIdle() {
        requireNotCaptured("isIdle");
        requireOwnThread();
        try {
            if (stream != null && (!stream.isIdle() || communications != null && !communications.isIdle())) {
                return false;
            }
            completed();
            return true;
        } catch (RuntimeException e) {
            failureSeen = true;
            throw e;
        }
    }

    @Override
    public void sync() {
        requireNotCaptured("sync");
        requireOwnThread();
        try {
            awaitEnd();
            completed();
        } catch (RuntimeException e) {
            failureSeen = true;
            throw e;
        }
    }

    private void awaitEnd() {
        if (byDevice != null) {
            byDevice.compareCalls(); // the last member that comes here notices, before it waits for others that wait
        }
        if (stream != null) {
            try {
                transfers.completions().syncStream(stream());
            } catch (PgasTimeoutException e) {
                throw differing(late(e));
            } catch (DeviceException e) {
                throw differing(e);
            }
            if (communications != null) {
                communications.complete();
            }
            device.checkKernels();
        }
    }

    private void completed() {
        transferPending = false;
        if (byDevice != null) {
            byDevice.completed();
            byDevice.compareCalls();
        }
    }

    /** The cause of an error of the stream: collective calls that differ, or else the error itself. */
    private PgasException differing(PgasException error) {
        if (byDevice != null) {
            try {
                byDevice.compareCalls();
            } catch (CollectiveMismatchException e) {
                e.addSuppressed(error);
                return e;
            }
        }
        return error;
    }

    /** Says what the stream waits for. */
    private PgasTimeoutException late(PgasTimeoutException timeout) {
        PgasTimeoutException late = communications == null ? timeout : communications.late(timeout);
        return late != timeout || byDevice == null ? late : byDevice.late(timeout);
    }

    /** Throws what has failed of the work that is done, unless the program has seen it. */
    void requireNoFailure() {
        if (stream != null && !failureSeen) {
            stream.isIdle();
        }
    }

    /** The same for all work, if nothing in it waits for others. */
    private void awaitFailure() {
        if (ExceptionalExit.isTaken()) {
            return;
        }
        if (communications != null || byDevice != null) {
            requireNoFailure();
        } else if (stream != null && !failureSeen) {
            stream.sync(System.nanoTime() + CLOSE_NS);
        }
    }

    @Override
    public void close() {
        requireNotCaptured("close");
        requireOwnThread();
        if (!closed) {
            device.forget(this);
            if (stream != null) {
                transfers.completions().ahead().forget(stream);
            }
            closed = true;
            CloseHelper.closeAll(Arrays.<AutoCloseable>asList(this::awaitFailure, communications, byDevice, stream,
                    communications == null ? null : communications::free));
        }
    }
}
