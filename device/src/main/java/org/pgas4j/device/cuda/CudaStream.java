package org.pgas4j.device.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Gemm;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.ByteProduct;
import org.pgas4j.device.HostBuffers;
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
import org.pgas4j.os.trace.Trace;

/**
 * A non-blocking CUDA stream. One thread at a time, with the device's context current. Pointers are passed to the
 * driver in objects of the stream, so a copy allocates nothing.
 */
final class CudaStream implements AcceleratorStream, CudaWait.Condition {

    /**
     * Time between copies of {@link #keepReady}. Calls of another kind do not keep those of a copy near: beside a kernel one of 8 KiB
     * to the host took 23 us 10 ms after the last one and 37 after 100 ms with queries of the stream between, 11 and 12 with a copy
     * of 8 bytes every millisecond as well (H200, a program without the library).
     */
    private static final long COPIES_APART_NS = 1_000_000;

    private final CudaAccelerator device;
    private final CUstream stream;
    private final boolean owned;
    private final CUdeviceptr dstPointer = new CUdeviceptr();
    private final CUdeviceptr srcPointer = new CUdeviceptr();
    private final Pointer hostPointer = new Pointer();
    private final StreamLaunches launches;
    private final MessageKernels messages; // null if small messages are copies and words
    private CudaProducts products;
    private boolean afterKernel; // the last work queued is a kernel and may still run
    private boolean mayWait;     // work that may wait for others was queued since the stream was found idle
    private final WordBatch words; // null on a stream that is not captured
    private final EndWord end;     // null on one that is
    private int operations;        // captured
    private boolean idle;          // nothing was queued since it was found idle
    private boolean foreign;       // others may queue work
    private boolean closed;
    private long touchedNs = System.nanoTime(); // time of the last copies of keepReady

    /** @param owned closed with this */
    CudaStream(CudaAccelerator device, CUstream stream, boolean owned) {
        this(device, stream, owned, null, null);
    }

    /** A stream whose small messages are kernels; closed with its driver's stream. */
    static CudaStream ofMessages(CudaAccelerator device, MessageKernels messages) {
        return new CudaStream(device, CudaDriver.createUrgentStream(), true, messages, null);
    }

    private CudaStream(CudaAccelerator device, CUstream stream, boolean owned, MessageKernels messages, WordBatch words) {
        this.device = device;
        this.messages = messages;
        this.stream = stream;
        this.launches = new StreamLaunches(device, stream);
        this.owned = owned;
        this.foreign = !owned; // the library that made it queues work, too
        this.words = words;
        this.end = words == null ? new EndWord(device.endWords().take()) : null;
        this.mayWait = words != null; // the graph may be launched behind a wait
    }

    @Override
    public long handle() {
        afterKernel = false; // the caller may queue anything
        foreign = true;
        return NativeAddress.get(open());
    }

    @Override
    public void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        if (bytes == 0) {
            return;
        }
        afterKernel = false;
        CudaDriver.copyIn(at(dstPointer, dst, dstOffset), at(hostPointer, src, srcOffset), bytes, open());
    }

    /** Words go with the call, which takes a microsecond less than the copy engine. */
    @Override
    public void copyInWritten(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        long to = dst.address() + dstOffset;
        if (bytes == Long.BYTES && to % Long.BYTES == 0) {
            write(to, src.get(ValueLayout.JAVA_LONG_UNALIGNED, srcOffset), Long.BYTES);
        } else if (bytes == Integer.BYTES && to % Integer.BYTES == 0) {
            write(to, src.get(ValueLayout.JAVA_INT_UNALIGNED, srcOffset), Integer.BYTES);
        } else {
            copyIn(dst, dstOffset, src, srcOffset, bytes);
        }
    }

    @Override
    public void copyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        if (bytes == 0) {
            return;
        }
        afterKernel = false;
        CudaDriver.copyOut(at(hostPointer, dst, dstOffset), at(srcPointer, src, srcOffset), bytes, open());
    }

    @Override
    public void copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        if (bytes == 0) {
            return;
        }
        if (afterKernel && bytes <= CopyKernel.MAX_BYTES || (mayWait || foreign) && isOfOtherDevice(src)) {
            open();
            launches.copy(dst.address() + dstOffset, src.address() + srcOffset, bytes);
            return;
        }
        afterKernel = false;
        CudaDriver.copy(at(dstPointer, dst, dstOffset), at(srcPointer, src, srcOffset), bytes, open());
    }

    /**
     * True for memory of another device that this process has, too. The driver gives copies from there to one queue of that
     * device, for all streams: a copy that waits holds up those behind it, of other ranks as well, and the wait may be for one of
     * those.
     */
    private boolean isOfOtherDevice(DeviceMemory src) {
        return src instanceof CudaMemory memory && !memory.isOf(device);
    }

    @Override
    public void copyAndWrite(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes, MemorySegment host,
                             long offset, long value) {
        long to = dst.address() + dstOffset;
        long from = src.address() + srcOffset;
        if (messages != null && MessageKernels.isSentWhole(bytes, words != null)) {
            send(to, from, bytes, addressOf(host, offset), value);
            return;
        }
        if (messages != null && messages.copies(bytes)) {
            open();
            launches.copy(to, from, bytes);
            afterKernel = true;
        } else {
            copy(dst, dstOffset, src, srcOffset, bytes);
        }
        writeValue(host, offset, value);
    }

    private void send(long dst, long src, long bytes, long word, long value) {
        open();
        messages.send(launches, dst, src, bytes, word, value);
        afterKernel = true;
    }

    @Override
    public void submit(StreamOperation operation) {
        NvtxRanges ranges = NvtxRanges.current();
        if (Trace.isOn() || ranges != null) {
            performSeen(operation, ranges);
        } else {
            perform(operation);
        }
    }

    /** Performs an operation that profilers and the timeline show. */
    private void performSeen(StreamOperation operation, NvtxRanges ranges) {
        String name = nameOf(operation);
        long beginNs = System.nanoTime();
        if (ranges == null) {
            perform(operation);
        } else {
            ranges.begin(name);
            try {
                perform(operation);
            } finally {
                ranges.end();
            }
        }
        if (Trace.isOn()) {
            Trace.submitted(name, 0, 0, beginNs);
        }
    }

    private static String nameOf(StreamOperation operation) {
        return switch (operation) {
            case Launch launch -> launch.kernel().name();
            case LaunchBlocks launch -> launch.grid().kernel().name();
            case LaunchGraph _ -> "graph";
            case Product _ -> "product";
            case Fill _ -> "fill";
            case WaitValue _, TakeNonZero _ -> "wait for a word";
            case WriteValue _, WriteDeviceValue _ -> "write";
            case CopyIn _ -> "copy from host";
            case CopyOut _ -> "copy to host";
            case Copy _ -> "copy";
            case CopyAndWrite _ -> "message";
        };
    }

    private void perform(StreamOperation operation) {
        switch (operation) {
            case CopyIn copy -> copyIn(copy.dst(), copy.dstOffset(), copy.src(), copy.srcOffset(), copy.bytes());
            case CopyOut copy -> copyOut(copy.dst(), copy.dstOffset(), copy.src(), copy.srcOffset(), copy.bytes());
            case Copy copy -> copy(copy.dst(), copy.dstOffset(), copy.src(), copy.srcOffset(), copy.bytes());
            case WriteValue write -> writeValue(write.host(), write.offset(), write.value());
            case CopyAndWrite both -> copyAndWrite(both.dst(), both.dstOffset(), both.src(), both.srcOffset(), both.bytes(),
                    both.host(), both.offset(), both.value());
            case Fill fill -> fill(fill);
            case Product product -> multiply(product);
            case Launch launch -> launch(launch);
            case LaunchBlocks launch -> {
                open();
                launches.launch(launch.grid());
                afterKernel = true;
                mayWait = true;
            }
            case LaunchGraph launch -> play(launch.graph());
            case WaitValue wait -> waitValue(wait);
            case TakeNonZero take -> takeNonZero(take);
            case WriteDeviceValue write -> write(write.dst().address() + write.offset(), write.value(), write.bytes());
        }
    }

    private void fill(Fill fill) {
        if (fill.bytes() > 0) {
            afterKernel = false;
            CudaDriver.fill(at(dstPointer, fill.dst(), fill.offset()), fill.value(), fill.bytes(), open());
        }
    }

    private static CUdeviceptr at(CUdeviceptr pointer, DeviceMemory memory, long offset) {
        return NativeAddress.set(pointer, memory.address() + offset);
    }

    private static Pointer at(Pointer pointer, MemorySegment host, long offset) {
        if (!host.isNative()) {
            throw new IllegalArgumentException("host memory of a copy must be native: " + host);
        }
        return NativeAddress.set(pointer, HostBuffers.requireOpen(host, "copy of a stream").address() + offset);
    }

    private void multiply(Product product) {
        open();
        Gemm gemm = product.gemm();
        if (gemm.m() == 0 || gemm.n() == 0) {
            return;
        }
        if (products == null) {
            products = new CudaProducts(device, stream, owned && words == null);
        }
        afterKernel = true;
        if (!products.multiply(product)) {
            launch(new Launch(ByteProduct.KERNEL, ByteProduct.shape(gemm),
                    ByteProduct.args(gemm, product.a(), product.b(), product.c()), false));
        }
    }

    private void launch(Launch launch) {
        open();
        launches.launch(launch);
        afterKernel = true;
    }

    private void waitValue(WaitValue wait) {
        mayWait = true;
        long address = addressOf(wait.host(), wait.offset());
        if (waitsByKernel()) {
            await(address, wait.value(), false);
        } else if (isWordCaptured()) {
            words.waitValue(stream, address, wait.value());
        } else {
            CudaDriver.waitValue(open(), at(address), wait.value());
        }
    }

    private void takeNonZero(TakeNonZero take) {
        mayWait = true;
        long address = addressOf(take.host(), take.offset());
        if (waitsByKernel()) {
            await(address, 0, true);
        } else if (isWordCaptured()) {
            words.waitNonZero(stream, address);
            words.write(stream, address, 0, Long.BYTES);
        } else {
            CudaDriver.waitNonZero(open(), at(address));
            CudaDriver.writeValue(stream, at(address), 0); // fenced: drivers take no other writes of this form
        }
    }

    private boolean waitsByKernel() {
        return messages != null && messages.waits();
    }

    private void await(long word, long value, boolean taken) {
        open();
        messages.await(launches, word, value, taken);
        afterKernel = true;
    }

    @Override
    public void writeValue(MemorySegment host, long offset, long value) {
        if (waitsByKernel()) {
            send(0, 0, 0, addressOf(host, offset), value);
        } else {
            write(addressOf(host, offset), value, Long.BYTES);
        }
    }

    private void write(long address, long value, int bytes) {
        if (isWordCaptured()) {
            words.write(stream, address, value, bytes);
        } else if (bytes == Long.BYTES) {
            CudaDriver.writeValue(open(), at(address), value);
        } else {
            CudaDriver.writeValue32(open(), at(address), (int) value);
        }
    }

    /** Prepares an operation on a word; true if it goes to {@link #words}. */
    private boolean isWordCaptured() {
        afterKernel = false;
        if (words == null) {
            return false;
        }
        operations++;
        return true;
    }

    private CUdeviceptr at(long address) {
        return NativeAddress.set(dstPointer, address);
    }

    /** Device address of a word: registered and pinned memory have the same address on host and device. */
    private static long addressOf(MemorySegment host, long offset) {
        if (!host.isNative() || !host.scope().isAlive()) {
            throw new IllegalArgumentException("host memory of a word must be native and open: " + host);
        }
        return host.address() + offset;
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        open();
        CUstream apart = messages == null ? CudaDriver.createStream() : CudaDriver.createUrgentStream();
        try (CudaStream captured = new CudaStream(device, apart, true, messages, new WordBatch())) {
            CUgraph graph = CudaDriver.captured(apart, () -> {
                work.accept(captured);
                captured.words.flush(apart);
            });
            CUgraphExec executable = device.residents().without(() -> CudaDriver.instantiate(graph));
            CudaDriver.upload(executable, apart);
            return device.keep(new CudaGraph(device, executable, captured.operations));
        }
    }

    private void play(AcceleratorGraph graph) {
        if (!(graph instanceof CudaGraph cuda)) {
            throw new IllegalArgumentException("graph: " + graph + " (expected: a graph of a CUDA device)");
        }
        afterKernel = false;
        mayWait = true;
        CudaDriver.launch(cuda.graph(device), open());
    }

    @Override
    public StreamEvent record() {
        CUevent event = CudaDriver.createEvent();
        boolean success = false;
        try {
            CudaDriver.record(event, open());
            success = true;
            return new CudaEvent(device, event, mayWait);
        } finally {
            if (!success) {
                CudaDriver.destroyEvent(event);
            }
        }
    }

    @Override
    public void await(StreamEvent event) {
        if (!(event instanceof CudaEvent cuda)) {
            throw new IllegalArgumentException("event: " + event + " (expected: an event of a CUDA device)");
        }
        mayWait |= cuda.isBehindAWait();
        CudaDriver.await(open(), cuda.event());
    }

    @Override
    public void expectEnd() {
        if (end != null && !end.isMarked() && !idle && !foreign) {
            CudaDriver.writeValue(openStream(), at(end.word().address()), end.mark());
        }
    }

    @Override
    public void keepReady() {
        CudaDriver.touch(openStream());
        long nowNs = System.nanoTime();
        if (end != null && nowNs - touchedNs >= COPIES_APART_NS) {
            touchedNs = nowNs;
            afterKernel = false;
            CudaDriver.touch(at(dstPointer, device.scratch(), 0), at(hostPointer, end.word(), Long.BYTES), open());
        }
    }

    @Override
    public void slept() {
        if (end != null) {
            end.askNext();
        }
    }

    @Override
    public boolean isIdle() {
        CUstream queried = openStream();
        EndWord.State state = end == null || foreign ? EndWord.State.UNKNOWN : end.look();
        idle = state == EndWord.State.UNKNOWN ? CudaDriver.isIdle(queried) : state == EndWord.State.ENDED;
        if (idle) {
            afterKernel = false;
            mayWait = false;
        }
        return idle;
    }

    @Override
    public boolean isDone() {
        return isIdle();
    }

    /** Queues nothing: another thread may queue work meanwhile. */
    @Override
    public boolean sync(long deadlineNs) {
        return CudaWait.await(this, deadlineNs);
    }

    @Override
    public int ahead() {
        return 0;
    }

    /** The stream, for an operation; passes words captured before to the driver first. */
    private CUstream open() {
        openStream();
        if (words != null) {
            words.flush(stream);
            operations++;
        } else {
            idle = false;
            end.queued();
        }
        return stream;
    }

    private CUstream openStream() {
        if (closed) {
            throw new DeviceException(this + " is closed");
        }
        return stream;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        device.forget(this);
        if (end != null && idle) {
            device.endWords().giveBack(end.word()); // else the stream may still write it: the device frees it with itself
        }
        device.bound(() -> {
            try {
                if (products != null) {
                    products.close();
                }
            } finally {
                if (owned) {
                    CudaDriver.destroyStream(stream);
                }
            }
        });
        launches.close();
    }

    @Override
    public String toString() {
        return "stream of " + device;
    }
}
