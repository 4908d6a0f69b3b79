package org.pgas4j.device.host;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.device.StreamEvent;

/**
 * An in-order stream of the host device. Work is done by a thread of its own, started when something is queued for the
 * first time; while nothing is queued or running, the calling thread does small copies at once, which saves the
 * hand-over. After a failure the rest is skipped, and every later call reports it.
 */
final class HostStream implements AcceleratorStream {

    /** Largest copy that costs less than waking a thread. */
    private static final long INLINE_BYTES = 256 * 1024;
    private static final long STACK_BYTES = 512 * 1024;
    private static final long CLOSE_TIMEOUT_MS = 10_000;
    private static final int SPINS = 200;
    private static final int YIELDS = 20;
    private static final int WORD_YIELDS = 2_000;
    private static final long WORD_PARK_NS = 50_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle WORD32 = ValueLayout.JAVA_INT.varHandle();
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Queued work. */
    private interface Task {

        void run();

        /** Called after {@link #run}, or instead of it on a failed stream, with its failure. */
        void finish(RuntimeException failure);
    }

    private final HostAccelerator device;
    private final ConcurrentLinkedQueue<Task> queue = new ConcurrentLinkedQueue<>();
    private long submitted;
    private Thread worker;
    private volatile long completed;
    private volatile boolean workerParked;
    private volatile boolean closing;
    private volatile Thread waiter;
    private volatile RuntimeException failure;

    HostStream(HostAccelerator device) {
        this.device = device;
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
        requireUsable();
        boolean callersOnly = dstMemory == null && HostBuffers.isConfined(dst) || srcMemory == null && HostBuffers.isConfined(src);
        if (callersOnly && completed != submitted) {
            if (dstMemory == null) {
                awaitQueued(what + " of " + bytes + " bytes");
            } else {
                // The stream's thread gets a copy of memory that it may not read.
                copy(what, dstMemory, dst, dstOffset, null, Arena.ofAuto().allocate(bytes).copyFrom(src.asSlice(srcOffset, bytes)), 0,
                        bytes);
                return;
            }
        }
        if (bytes > INLINE_BYTES && !callersOnly || completed != submitted) {
            submit(new Copy(what, HostDeviceMemory.retain(dstMemory), dst, dstOffset,
                    HostDeviceMemory.retain(srcMemory), src, srcOffset, bytes));
            return;
        }
        try {
            MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
        } catch (RuntimeException e) {
            throw fail(what + " of " + bytes + " bytes", e);
        }
    }

    /**
     * Waits for queued work before an operation of the calling thread; callers that serve peers in their waits wait
     * before.
     */
    private void awaitQueued(String what) {
        if (!sync(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS))) {
            throw new DeviceException(this + ": " + what + " in memory of a confined arena waits for what was queued before, "
                    + (submitted - completed) + " operations are left after " + CLOSE_TIMEOUT_MS + " ms; call sync() first");
        }
    }

    @Override
    public void fill(DeviceMemory dst, long offset, long bytes, byte value) {
        requireUsable();
        MemorySegment segment = HostDeviceMemory.segmentOf(dst);
        if (bytes > INLINE_BYTES || completed != submitted) {
            submit(new Fill(HostDeviceMemory.retain(dst), segment, offset, bytes, value));
            return;
        }
        try {
            segment.asSlice(offset, bytes).fill(value);
        } catch (RuntimeException e) {
            throw fail("fill of " + bytes + " bytes", e);
        }
    }

    @Override
    public void gemm(long m, long n, long k, double alpha, Buffer a, long lda, Buffer b, long ldb, double beta, Buffer c,
                     long ldc) {
        requireUsable();
        OpenBlas.require(device.threads());
        int rows = OpenBlas.dimension("m", m);
        int columns = OpenBlas.dimension("n", n);
        int inner = OpenBlas.dimension("k", k);
        if (rows == 0 || columns == 0) {
            return;
        }
        // OpenBLAS requires leading dimensions of 1 at least, also of matrices without elements.
        int strideA = OpenBlas.dimension("lda", Math.max(lda, 1));
        int strideB = OpenBlas.dimension("ldb", Math.max(ldb, 1));
        int strideC = OpenBlas.dimension("ldc", Math.max(ldc, 1));
        long addressA = address(a); // all three, before any is held: they throw if their memory is closed
        long addressB = address(b);
        long addressC = address(c);
        HostDeviceMemory[] held = {HostDeviceMemory.retain(a.deviceMemory()), HostDeviceMemory.retain(b.deviceMemory()),
            HostDeviceMemory.retain(c.deviceMemory())};
        submit(new Gemm(held, c.type(), rows, columns, inner, alpha, addressA, strideA, addressB, strideB, beta,
                addressC, strideC));
    }

    private static long address(Buffer block) {
        return block.deviceMemory().address() + block.deviceOffset();
    }

    @Override
    public void launch(Kernel kernel, Kernel.Shape shape, Object[] args) {
        requireUsable();
        if (kernel.body() == null) {
            throw new DeviceException("kernel " + kernel.name() + " has no Java body, which " + device
                    + " needs; it has CUDA source only");
        }
        submit(new Launch(device.kernels(), kernel, shape, KernelArgs.of(kernel, 0, args)));
    }

    @Override
    public void waitValue(MemorySegment host, long offset, long value) {
        requireUsable();
        if (completed != submitted || (long) WORD.getAcquire(host, offset) - value < 0) {
            submit(new WaitWord(this, host, offset, value));
        }
    }

    @Override
    public void takeNonZero(MemorySegment host, long offset) {
        requireUsable();
        if (completed != submitted || (long) WORD.getAcquire(host, offset) == 0) {
            submit(new TakeNonZero(this, host, offset));
        } else {
            WORD.setRelease(host, offset, 0L);
        }
    }

    @Override
    public void writeValue(MemorySegment host, long offset, long value) {
        requireUsable();
        if (completed == submitted) {
            // release: pairs with the acquire of the reader of the word
            WORD.setRelease(host, offset, value);
        } else {
            submit(new WriteWord(null, host, offset, value, Long.BYTES));
        }
    }

    @Override
    public void writeValue(DeviceMemory dst, long offset, long value) {
        write(dst, offset, value, Long.BYTES);
    }

    @Override
    public void writeValue32(DeviceMemory dst, long offset, int value) {
        write(dst, offset, value, Integer.BYTES);
    }

    private void write(DeviceMemory dst, long offset, long value, int bytes) {
        requireUsable();
        MemorySegment segment = HostDeviceMemory.segmentOf(dst);
        if (completed == submitted) {
            set(segment, offset, value, bytes);
        } else {
            submit(new WriteWord(HostDeviceMemory.retain(dst), segment, offset, value, bytes));
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
            if (closing) {
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
    public void launchBlocks(BlockGrid grid) {
        requireUsable();
        if (grid.body() == null) {
            throw new DeviceException("block program " + grid.kernel().name() + " has no Java form, which " + device
                    + " needs; it has CUDA source only");
        }
        if (grid.blocks() > HostAccelerator.MAX_BLOCKS) {
            throw new DeviceException("block program " + grid.kernel().name() + ": " + grid.blocks()
                    + " blocks cannot run at once on " + device + ", which takes " + HostAccelerator.MAX_BLOCKS);
        }
        submit(new LaunchBlocks(new BlockThreads(grid, toString()), KernelArgs.of(grid.kernel(), 1, grid.args())));
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        requireUsable();
        RecordedStream recorded = new RecordedStream(device);
        work.accept(recorded);
        return recorded;
    }

    @Override
    public void launch(AcceleratorGraph graph) {
        requireUsable();
        if (!(graph instanceof RecordedStream recorded)) {
            throw new IllegalArgumentException("graph: " + graph + " (expected: a graph of a host device)");
        }
        recorded.playOn(this, device);
    }

    @Override
    public StreamEvent record() {
        requireUsable();
        HostEvent event = new HostEvent(toString());
        if (completed == submitted) {
            event.pass(null);
        } else {
            submit(new Pass(event));
        }
        return event;
    }

    @Override
    public void await(StreamEvent event) {
        requireUsable();
        if (!(event instanceof HostEvent host)) {
            throw new IllegalArgumentException("event: " + event + " (expected: an event of a host device)");
        }
        if (!host.isDone()) {
            submit(new Join(host));
        }
    }

    @Override
    public int ahead() {
        return (int) Math.min(Integer.MAX_VALUE, submitted - completed);
    }

    @Override
    public boolean isIdle() {
        requireUsable();
        if (completed != submitted) {
            return false;
        }
        requireUsable(); // the last piece of work may just have failed
        return true;
    }

    @Override
    public boolean sync(long deadlineNs) {
        for (int i = 0; i < SPINS; i++) {
            if (isIdle()) {
                return true;
            }
            Thread.onSpinWait();
        }
        for (int i = 0; i < YIELDS; i++) {
            if (isIdle()) {
                return true;
            }
            Thread.yield();
        }
        return syncSlowPath(deadlineNs);
    }

    private boolean syncSlowPath(long deadlineNs) {
        waiter = Thread.currentThread(); // before the check of completed: pairs with the order in perform
        try {
            while (!isIdle()) {
                long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    return false;
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new DeviceException("interrupted while waiting for " + this + ": " + (submitted - completed)
                            + " operations are left");
                }
                LockSupport.parkNanos(this, Math.min(leftNs, PARK_NS));
            }
            return true;
        } finally {
            waiter = null;
        }
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        device.forget(this);
        if (worker == null) {
            return;
        }
        LockSupport.unpark(worker);
        try {
            worker.join(CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (worker.isAlive()) {
            throw new DeviceException(this + " closed with work that did not end: " + (submitted - completed)
                    + " operations left, waited up to " + CLOSE_TIMEOUT_MS + " ms; call sync() first");
        }
    }

    private void requireUsable() {
        if (failure != null) {
            throw again(failure);
        }
        if (closing) {
            throw new DeviceException(this + " is closed");
        }
    }

    /** A copy of a stream's failure, for a further caller. */
    static RuntimeException again(RuntimeException failure) {
        return switch (failure) {
            case KernelException kernel -> new KernelException(kernel.getMessage(), kernel.getCause());
            case IllegalStateException closed -> new IllegalStateException(closed.getMessage(), closed);
            default -> new DeviceException(failure.getMessage(), failure);
        };
    }

    private RuntimeException fail(String what, Throwable cause) {
        RuntimeException e = switch (cause) {
            case KernelException thrown -> new KernelException(this + ": " + thrown.getMessage(), thrown.getCause());
            case IllegalStateException closed -> new IllegalStateException(this + ": " + what + " failed: " + closed.getMessage(),
                    closed);
            default -> new DeviceException(this + ": " + what + " failed: " + cause.getMessage(), cause);
        };
        failure = e;
        return e;
    }

    private void submit(Task task) {
        submitted++;
        queue.offer(task); // before the check of workerParked: pairs with the order in work
        if (worker == null) {
            worker = Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name("pgas-stream-" + device)
                    .start(this::work);
        } else if (workerParked) {
            LockSupport.unpark(worker);
        }
    }

    private void work() {
        int idle = 0;
        while (true) {
            boolean last = closing; // before the poll: nothing is queued after closing
            Task task = queue.poll();
            if (task != null) {
                perform(task);
                idle = 0;
            } else if (last) {
                return;
            } else if (idle++ < SPINS) {
                Thread.onSpinWait();
            } else {
                workerParked = true;
                if (queue.isEmpty() && !closing) {
                    LockSupport.park(this);
                }
                workerParked = false;
            }
        }
    }

    private void perform(Task task) {
        try {
            if (failure == null) {
                task.run();
            }
        } catch (Throwable e) { // reported at the next call
            fail(task.toString(), e);
        } finally {
            task.finish(failure);
            completed = completed + 1; // this thread is the only writer
            Thread waiting = waiter;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    @Override
    public String toString() {
        return "stream of " + device;
    }

    private record Copy(String what, HostDeviceMemory dstHeld, MemorySegment dst, long dstOffset,
                        HostDeviceMemory srcHeld, MemorySegment src, long srcOffset, long bytes) implements Task {

        @Override
        public void run() {
            try {
                MemorySegment.copy(src, srcOffset, dst, dstOffset, bytes);
            } catch (IllegalStateException e) { // what a device holds cannot be closed
                throw new IllegalStateException(HostBuffers.closed(srcHeld == null ? src.byteSize() : dst.byteSize()), e);
            }
        }

        @Override
        public void finish(RuntimeException failure) {
            HostDeviceMemory.release(dstHeld);
            HostDeviceMemory.release(srcHeld);
        }

        @Override
        public String toString() {
            return what + " of " + bytes + " bytes";
        }
    }

    private record Fill(HostDeviceMemory held, MemorySegment dst, long offset, long bytes, byte value)
            implements Task {

        @Override
        public void run() {
            dst.asSlice(offset, bytes).fill(value);
        }

        @Override
        public void finish(RuntimeException failure) {
            HostDeviceMemory.release(held);
        }

        @Override
        public String toString() {
            return "fill of " + bytes + " bytes";
        }
    }

    private record Gemm(HostDeviceMemory[] held, ElementType type, int m, int n, int k, double alpha, long a, int lda,
                        long b, int ldb, double beta, long c, int ldc) implements Task {

        @Override
        public void run() {
            OpenBlas.gemm(type, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        }

        @Override
        public void finish(RuntimeException failure) {
            for (HostDeviceMemory memory : held) {
                HostDeviceMemory.release(memory);
            }
        }

        @Override
        public String toString() {
            return "gemm of " + m + " x " + n + " x " + k;
        }
    }

    private record Launch(KernelPool pool, Kernel kernel, Kernel.Shape shape, KernelArgs args) implements Task {

        @Override
        public void run() {
            pool.run(kernel, shape, args);
        }

        @Override
        public void finish(RuntimeException failure) {
            args.release();
        }

        @Override
        public String toString() {
            return "launch of " + kernel.name();
        }
    }

    private record LaunchBlocks(BlockThreads threads, KernelArgs args) implements Task {

        @Override
        public void run() {
            threads.run(args);
        }

        @Override
        public void finish(RuntimeException failure) {
            args.release();
        }

        @Override
        public String toString() {
            return "launch of " + threads;
        }
    }

    private record Pass(HostEvent event) implements Task {

        @Override
        public void run() {
            // The point itself is all there is to do.
        }

        @Override
        public void finish(RuntimeException failure) {
            event.pass(failure);
        }

        @Override
        public String toString() {
            return "event";
        }
    }

    private record Join(HostEvent event) implements Task {

        @Override
        public void run() {
            event.join();
        }

        @Override
        public void finish(RuntimeException failure) {
            // Nothing is held.
        }

        @Override
        public String toString() {
            return "wait for an event";
        }
    }

    private record WaitWord(HostStream stream, MemorySegment host, long offset, long value) implements Task {

        @Override
        public void run() {
            stream.awaitWord(host, offset, word -> word - value >= 0);
        }

        @Override
        public void finish(RuntimeException failure) {
            // Nothing is held.
        }

        @Override
        public String toString() {
            return "wait for a word to reach " + value;
        }
    }

    private record TakeNonZero(HostStream stream, MemorySegment host, long offset) implements Task {

        @Override
        public void run() {
            stream.awaitWord(host, offset, word -> word != 0);
            WORD.setRelease(host, offset, 0L);
        }

        @Override
        public void finish(RuntimeException failure) {
            // Nothing is held.
        }

        @Override
        public String toString() {
            return "wait for a word that is not 0";
        }
    }

    private record WriteWord(HostDeviceMemory held, MemorySegment dst, long offset, long value, int bytes)
            implements Task {

        @Override
        public void run() {
            set(dst, offset, value, bytes);
        }

        @Override
        public void finish(RuntimeException failure) {
            HostDeviceMemory.release(held);
        }

        @Override
        public String toString() {
            return "write of " + value + " to a word of " + bytes + " bytes";
        }
    }
}
