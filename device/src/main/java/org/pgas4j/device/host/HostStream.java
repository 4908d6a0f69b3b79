package org.pgas4j.device.host;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.device.RecordedStream;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.device.StreamOperation;
import org.pgas4j.device.StreamOperation.Copy;
import org.pgas4j.device.StreamOperation.CopyAndWrite;
import org.pgas4j.device.StreamOperation.CopyIn;
import org.pgas4j.device.StreamOperation.CopyOut;
import org.pgas4j.device.StreamOperation.Fill;
import org.pgas4j.device.StreamOperation.Launch;
import org.pgas4j.device.StreamOperation.LaunchBlocks;
import org.pgas4j.device.StreamOperation.LaunchGraph;
import org.pgas4j.device.StreamOperation.Product;
import org.pgas4j.device.StreamOperation.TakeNonZero;
import org.pgas4j.device.StreamOperation.WaitValue;
import org.pgas4j.device.StreamOperation.WriteDeviceValue;
import org.pgas4j.device.StreamOperation.WriteValue;

/**
 * An in-order stream of the host device. Work is done by a thread of its own ({@link HostWorker}); while nothing is queued or
 * running, the calling thread does small copies at once, which saves the hand-over. After a failure the rest is skipped, and
 * every later call reports it.
 */
final class HostStream implements AcceleratorStream {

    /** Largest copy that costs less than waking a thread. */
    private static final long INLINE_BYTES = 256 * 1024;
    private static final long CLOSE_TIMEOUT_MS = 10_000;
    private static final int SPINS = 200;
    private static final int WORD_YIELDS = 2_000;
    private static final long WORD_PARK_NS = 50_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle WORD32 = ValueLayout.JAVA_INT.varHandle();
    private static final Consumer<RuntimeException> HOLDS_NOTHING = _ -> { };

    private final HostAccelerator device;
    private final HostWorker worker;
    private volatile BlockThreads blocks; // that run now, or did

    HostStream(HostAccelerator device) {
        this.device = device;
        this.worker = new HostWorker(device);
    }

    @Override
    public void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        copy("copy from host", dst, HostDeviceMemory.segmentOf(dst), dstOffset, null, src, srcOffset, bytes);
    }

    @Override
    public void copyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        copy("copy to host", null, dst, dstOffset, src, HostDeviceMemory.segmentOf(src), srcOffset, bytes);
    }

    @Override
    public void copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        copy("copy", dst, HostDeviceMemory.segmentOf(dst), dstOffset, src, HostDeviceMemory.segmentOf(src), srcOffset,
                bytes);
    }

    private void copy(String what, DeviceMemory dstMemory, MemorySegment dst, long dstOffset, DeviceMemory srcMemory,
                      MemorySegment src, long srcOffset, long bytes) {
        worker.requireUsable();
        boolean callersOnly = dstMemory == null && HostBuffers.isConfined(dst)
                || srcMemory == null && HostBuffers.isConfined(src);
        if (callersOnly && worker.isBusy()) {
            if (dstMemory == null) {
                awaitQueued(what + " of " + bytes + " bytes");
            } else {
                // The stream's thread gets a copy of memory that it may not read.
                MemorySegment snapshot = Arena.ofAuto().allocate(bytes).copyFrom(src.asSlice(srcOffset, bytes));
                copy(what, dstMemory, dst, dstOffset, null, snapshot, 0, bytes);
                return;
            }
        }
        if (bytes > INLINE_BYTES && !callersOnly || worker.isBusy()) {
            worker.submit(what, bytes, () -> what + " of " + bytes + " bytes",
                    () -> copyQueued(src, srcOffset, dst, dstOffset, bytes, srcMemory == null ? src : dst),
                    retain(dstMemory, srcMemory));
            return;
        }
        try {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
        } catch (RuntimeException e) {
            throw worker.fail(what + " of " + bytes + " bytes", e);
        }
    }

    private static void copyQueued(MemorySegment src, long srcOffset, MemorySegment dst, long dstOffset, long bytes,
                                   MemorySegment host) {
        try {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
        } catch (IllegalStateException e) { // what a device holds cannot be closed
            throw new IllegalStateException(HostBuffers.closed(host.byteSize()), e);
        }
    }

    /** Keeps memory from being freed until the consumer that it returns is called. */
    private static Consumer<RuntimeException> retain(DeviceMemory... memories) {
        HostDeviceMemory[] held = new HostDeviceMemory[memories.length];
        Arrays.setAll(held, i -> HostDeviceMemory.retain(memories[i]));
        return _ -> Arrays.stream(held).forEach(HostDeviceMemory::release);
    }

    /**
     * Waits for queued work before an operation of the calling thread; callers that serve peers in their waits wait
     * before.
     */
    private void awaitQueued(String what) {
        if (!sync(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS))) {
            throw new DeviceException(this + ": " + what + " in memory of a confined arena waits for what was queued before, "
                    + worker.left() + " operations are left after " + CLOSE_TIMEOUT_MS + " ms; call sync() first");
        }
    }

    @Override
    public void submit(StreamOperation operation) {
        worker.requireUsable();
        switch (operation) {
            case CopyIn copy -> copyIn(copy.dst(), copy.dstOffset(), copy.src(), copy.srcOffset(), copy.bytes());
            case CopyOut copy -> copyOut(copy.dst(), copy.dstOffset(), copy.src(), copy.srcOffset(), copy.bytes());
            case Copy copy -> copy(copy.dst(), copy.dstOffset(), copy.src(), copy.srcOffset(), copy.bytes());
            case WriteValue write -> writeValue(write.host(), write.offset(), write.value());
            case CopyAndWrite both -> {
                copy(both.dst(), both.dstOffset(), both.src(), both.srcOffset(), both.bytes());
                writeValue(both.host(), both.offset(), both.value());
            }
            case Fill fill -> fill(fill);
            case Product product -> multiply(product);
            case Launch launch -> launch(launch);
            case LaunchBlocks launch -> launchBlocks(launch);
            case LaunchGraph launch -> play(launch.graph());
            case WaitValue wait -> waitValue(wait);
            case TakeNonZero take -> takeNonZero(take);
            case WriteDeviceValue write -> write(write);
        }
    }

    private void fill(Fill fill) {
        MemorySegment dst = HostDeviceMemory.segmentOf(fill.dst());
        Runnable work = () -> dst.asSlice(fill.offset(), fill.bytes()).fill(fill.value());
        if (fill.bytes() > INLINE_BYTES || worker.isBusy()) {
            worker.submit("fill", fill.bytes(), fill::toString, work, retain(fill.dst()));
            return;
        }
        try {
            work.run();
        } catch (RuntimeException e) {
            throw worker.fail(fill.toString(), e);
        }
    }

    private void multiply(Product product) {
        OpenBlas.require(device.threads());
        HostProduct work = HostProduct.of(product); // before anything is held: it throws if memory is closed
        if (work != null) {
            worker.submit("product", 0, product::toString, work::run,
                    retain(product.a().deviceMemory(), product.b().deviceMemory(), product.c().deviceMemory()));
        }
    }

    private void launch(Launch launch) {
        Kernel kernel = launch.kernel();
        if (kernel.body() == null) {
            throw new DeviceException("kernel " + kernel.name() + " has no Java body, which " + device
                    + " needs; it has CUDA source only");
        }
        KernelArgs args = KernelArgs.of(kernel, 0, launch.args());
        worker.submit(kernel.name(), 0, launch::toString, () -> device.kernels().run(kernel, launch.shape(), args),
                _ -> args.release());
    }

    private void launchBlocks(LaunchBlocks launch) {
        BlockGrid grid = launch.grid();
        if (grid.body() == null) {
            throw new DeviceException("block program " + grid.kernel().name() + " has no Java form, which " + device
                    + " needs; it has CUDA source only");
        }
        if (grid.blocks() > HostAccelerator.MAX_BLOCKS) {
            throw new DeviceException("block program " + grid.kernel().name() + ": " + grid.blocks()
                    + " blocks cannot run at once on " + device + ", which takes " + HostAccelerator.MAX_BLOCKS);
        }
        KernelArgs args = KernelArgs.of(grid.kernel(), 1, grid.args());
        worker.submit(grid.kernel().name(), 0, launch::toString, () -> runBlocks(new BlockThreads(grid, toString()), args),
                _ -> args.release());
    }

    private void runBlocks(BlockThreads threads, KernelArgs args) {
        blocks = threads;
        threads.run(args);
    }

    private void play(AcceleratorGraph graph) {
        if (!(graph instanceof RecordedStream recorded)) {
            throw new IllegalArgumentException("graph: " + graph + " (expected: a graph of a host device)");
        }
        recorded.playOn(this, device);
    }

    private void waitValue(WaitValue wait) {
        if (worker.isBusy() || (long) WORD.getAcquire(wait.host(), wait.offset()) - wait.value() < 0) {
            worker.submit("wait for a word", 0, wait::toString,
                    () -> awaitWord(wait.host(), wait.offset(), word -> word - wait.value() >= 0), HOLDS_NOTHING);
        }
    }

    private void takeNonZero(TakeNonZero take) {
        if (!worker.isBusy() && (long) WORD.getAcquire(take.host(), take.offset()) != 0) {
            WORD.setRelease(take.host(), take.offset(), 0L);
            return;
        }
        worker.submit("wait for a word", 0, take::toString, () -> {
            awaitWord(take.host(), take.offset(), word -> word != 0);
            WORD.setRelease(take.host(), take.offset(), 0L);
        }, HOLDS_NOTHING);
    }

    @Override
    public void writeValue(MemorySegment host, long offset, long value) {
        worker.requireUsable();
        if (!worker.isBusy()) {
            set(host, offset, value, Long.BYTES);
        } else {
            worker.submit("write", Long.BYTES, new WriteValue(host, offset, value)::toString,
                    () -> set(host, offset, value, Long.BYTES), HOLDS_NOTHING);
        }
    }

    private void write(WriteDeviceValue write) {
        MemorySegment dst = HostDeviceMemory.segmentOf(write.dst());
        if (!worker.isBusy()) {
            set(dst, write.offset(), write.value(), write.bytes());
        } else {
            worker.submit("write", write.bytes(), write::toString,
                    () -> set(dst, write.offset(), write.value(), write.bytes()), retain(write.dst()));
        }
    }

    private static void set(MemorySegment segment, long offset, long value, int bytes) {
        // release: pairs with the acquire of the reader of the word
        if (bytes == Long.BYTES) {
            WORD.setRelease(segment, offset, value);
        } else {
            WORD32.setRelease(segment, offset, (int) value);
        }
    }

    /** Waits until the word has the value or the stream is closed, on the stream's own thread. */
    private void awaitWord(MemorySegment host, long offset, LongPredicate comes) {
        for (int idle = 0; !comes.test((long) WORD.getAcquire(host, offset)); idle++) {
            if (worker.isClosing()) {
                throw new DeviceException("the stream was closed while the word was " + (long) WORD.getAcquire(host, offset));
            }
            if (idle < SPINS) {
                Thread.onSpinWait();
            } else if (idle < WORD_YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, WORD_PARK_NS);
            }
        }
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        worker.requireUsable();
        RecordedStream recorded = new RecordedStream(device);
        work.accept(recorded);
        return recorded;
    }

    @Override
    public StreamEvent record() {
        worker.requireUsable();
        HostEvent event = new HostEvent(toString());
        if (!worker.isBusy()) {
            event.pass(null);
        } else {
            worker.submit("event", 0, () -> "event", () -> { }, event::pass);
        }
        return event;
    }

    @Override
    public void await(StreamEvent event) {
        worker.requireUsable();
        if (!(event instanceof HostEvent host)) {
            throw new IllegalArgumentException("event: " + event + " (expected: an event of a host device)");
        }
        if (!host.isDone()) {
            worker.submit("wait for an event", 0, () -> "wait for an event", host::join, HOLDS_NOTHING);
        }
    }

    @Override
    public int ahead() {
        return (int) Math.min(Integer.MAX_VALUE, worker.left());
    }

    @Override
    public boolean isIdle() {
        return worker.isIdle();
    }

    @Override
    public boolean isKnownIdle() {
        return !worker.isBusy() && worker.isUsable(); // in this order: the last piece of work may just have failed
    }

    @Override
    public boolean sync(long deadlineNs) {
        return worker.sync(deadlineNs);
    }

    @Override
    public void giveUp() {
        worker.giveUp();
        BlockThreads last = blocks;
        if (last != null) {
            last.interrupt();
        }
    }

    @Override
    public boolean isClosed() {
        return worker.isClosing();
    }

    @Override
    public void close() {
        if (!worker.isClosing()) {
            device.forget(this);
            worker.close();
        }
    }

    @Override
    public String toString() {
        return worker.toString();
    }
}
