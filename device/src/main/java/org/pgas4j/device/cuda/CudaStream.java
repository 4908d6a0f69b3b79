package org.pgas4j.device.cuda;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.device.StreamEvent;

/**
 * A non-blocking CUDA stream. One thread at a time, with the device's context current. Pointers are passed to the
 * driver in objects of the stream, so a copy allocates nothing.
 */
final class CudaStream implements AcceleratorStream, CudaWait.Condition {

    private final CudaAccelerator device;
    private final CUstream stream;
    private final CUdeviceptr dstPointer = new CUdeviceptr();
    private final CUdeviceptr srcPointer = new CUdeviceptr();
    private final Pointer hostPointer = new Pointer();
    private Cublas blas;
    private KernelParameters parameters;
    private Kernel lastKernel;
    private CudaKernels.Function lastFunction;
    private CudaKernels.Function copyFunction;
    private boolean afterKernel; // the last work queued is a kernel and may still run
    private final WordBatch words; // null on a stream that is not captured
    private int operations;        // captured
    private boolean closed;

    CudaStream(CudaAccelerator device, CUstream stream) {
        this(device, stream, null);
    }

    private CudaStream(CudaAccelerator device, CUstream stream, WordBatch words) {
        this.device = device;
        this.stream = stream;
        this.words = words;
    }

    @Override
    public void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        if (bytes == 0) {
            return;
        }
        afterKernel = false;
        CudaDriver.copyIn(at(dstPointer, dst, dstOffset), at(hostPointer, src, srcOffset), bytes, open());
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
        if (afterKernel && bytes <= CopyKernel.MAX_BYTES) {
            copyByKernel(dst.address() + dstOffset, src.address() + srcOffset, bytes);
            return;
        }
        afterKernel = false;
        CudaDriver.copy(at(dstPointer, dst, dstOffset), at(srcPointer, src, srcOffset), bytes, open());
    }

    private void copyByKernel(long dst, long src, long bytes) {
        CUstream on = open();
        if (copyFunction == null) {
            copyFunction = device.kernels().function(CopyKernel.KERNEL, device.toString());
        }
        if (parameters == null) {
            parameters = new KernelParameters();
        }
        CudaDriver.launch(copyFunction.handle(), CopyKernel.KERNEL.name(), CopyKernel.blocks(bytes), CopyKernel.THREADS, on,
                parameters.pack(dst, src, bytes));
    }

    @Override
    public void fill(DeviceMemory dst, long offset, long bytes, byte value) {
        if (bytes == 0) {
            return;
        }
        afterKernel = false;
        CudaDriver.fill(at(dstPointer, dst, offset), value, bytes, open());
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

    @Override
    public void gemm(long m, long n, long k, double alpha, Buffer a, long lda, Buffer b, long ldb, double beta, Buffer c,
                     long ldc) {
        open();
        if (m == 0 || n == 0) {
            return;
        }
        if (blas == null) {
            blas = Cublas.open(NativeAddress.get(stream), device.toString());
        }
        afterKernel = true;
        blas.gemm(c.type(), m, n, k, alpha, address(a), lda, address(b), ldb, beta, address(c), ldc);
    }

    private static long address(Buffer block) {
        return block.deviceMemory().address() + block.deviceOffset();
    }

    @Override
    public void launch(Kernel kernel, Kernel.Shape shape, Object[] args) {
        open();
        if (kernel != lastKernel) {
            lastFunction = device.kernels().function(kernel, device.toString());
            lastKernel = kernel;
        }
        if (parameters == null) {
            parameters = new KernelParameters();
        }
        afterKernel = true;
        CudaDriver.launch(lastFunction.handle(), kernel.name(), shape.blocks(), shape.threads(), stream,
                parameters.pack(kernel.name(), lastFunction.parameterBytes(), args));
    }

    @Override
    public void waitValue(MemorySegment host, long offset, long value) {
        if (isWordCaptured()) {
            words.waitValue(stream, addressOf(host, offset), value);
        } else {
            CudaDriver.waitValue(open(), deviceAt(host, offset), value);
        }
    }

    @Override
    public void takeNonZero(MemorySegment host, long offset) {
        if (isWordCaptured()) {
            words.waitNonZero(stream, addressOf(host, offset));
            words.writeValue(stream, addressOf(host, offset), 0);
        } else {
            CudaDriver.waitNonZero(open(), deviceAt(host, offset));
            CudaDriver.writeValue(stream, deviceAt(host, offset), 0); // fenced: drivers take no other writes of this form
        }
    }

    @Override
    public void writeValue(MemorySegment host, long offset, long value) {
        if (isWordCaptured()) {
            words.writeValue(stream, addressOf(host, offset), value);
        } else {
            CudaDriver.writeValue(open(), deviceAt(host, offset), value);
        }
    }

    @Override
    public void writeValue(DeviceMemory dst, long offset, long value) {
        if (isWordCaptured()) {
            words.writeValue(stream, dst.address() + offset, value);
        } else {
            CudaDriver.writeValue(open(), at(dstPointer, dst, offset), value);
        }
    }

    @Override
    public void writeValue32(DeviceMemory dst, long offset, int value) {
        if (isWordCaptured()) {
            words.writeValue32(stream, dst.address() + offset, value);
        } else {
            CudaDriver.writeValue32(open(), at(dstPointer, dst, offset), value);
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

    /** Device address of a word: registered and pinned memory have the same address on host and device. */
    private CUdeviceptr deviceAt(MemorySegment host, long offset) {
        return NativeAddress.set(dstPointer, addressOf(host, offset));
    }

    private static long addressOf(MemorySegment host, long offset) {
        if (!host.isNative() || !host.scope().isAlive()) {
            throw new IllegalArgumentException("host memory of a word must be native and open: " + host);
        }
        return host.address() + offset;
    }

    @Override
    public void launchBlocks(BlockGrid grid) {
        open();
        Kernel kernel = grid.kernel();
        CudaKernels.Function function = device.kernels().function(kernel, device.toString());
        int resident = device.residentBlocks(kernel, grid.threads());
        if (grid.blocks() > resident) {
            throw new DeviceException("kernel " + kernel.name() + ": " + grid.blocks() + " blocks of " + grid.threads()
                    + " threads cannot be resident at once on " + device + ", which holds " + resident + " ("
                    + device.multiprocessors() + " multiprocessors); use fewer blocks or threads");
        }
        if (parameters == null) {
            parameters = new KernelParameters();
        }
        Object[] all = new Object[grid.args().length + 1];
        all[0] = grid.world();
        System.arraycopy(grid.args(), 0, all, 1, grid.args().length);
        afterKernel = true;
        CudaDriver.launchCooperative(function.handle(), kernel.name(), grid.blocks(), grid.threads(), stream,
                parameters.pack(kernel.name(), function.parameterBytes(), all));
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        open();
        CUstream apart = CudaDriver.createStream();
        try (CudaStream captured = new CudaStream(device, apart, new WordBatch())) {
            CUgraph graph = captured.written(work);
            CUgraphExec executable;
            try {
                executable = CudaDriver.instantiate(graph);
            } finally {
                CudaDriver.destroyGraph(graph);
            }
            CudaDriver.upload(executable, apart);
            return device.keep(new CudaGraph(device, executable, captured.operations));
        }
    }

    private CUgraph written(Consumer<AcceleratorStream> work) {
        CudaDriver.beginCapture(stream);
        boolean success = false;
        try {
            work.accept(this);
            words.flush(stream);
            success = true;
        } finally {
            if (!success) {
                CudaDriver.abandonCapture(stream);
            }
        }
        return CudaDriver.endCapture(stream);
    }

    @Override
    public void launch(AcceleratorGraph graph) {
        if (!(graph instanceof CudaGraph cuda)) {
            throw new IllegalArgumentException("graph: " + graph + " (expected: a graph of a CUDA device)");
        }
        afterKernel = false;
        CudaDriver.launch(cuda.graph(device), open());
    }

    @Override
    public StreamEvent record() {
        CUevent event = CudaDriver.createEvent();
        boolean success = false;
        try {
            CudaDriver.record(event, open());
            success = true;
            return new CudaEvent(device, event);
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
        CudaDriver.await(open(), cuda.event());
    }

    @Override
    public boolean isIdle() {
        boolean idle = CudaDriver.isIdle(open());
        if (idle) {
            afterKernel = false;
        }
        return idle;
    }

    @Override
    public boolean isDone() {
        return isIdle();
    }

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
        if (closed) {
            throw new DeviceException(this + " is closed");
        }
        if (words != null) {
            words.flush(stream);
            operations++;
        }
        return stream;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        device.forget(this);
        device.bound(() -> {
            try {
                if (blas != null) {
                    blas.close();
                }
            } finally {
                CudaDriver.destroyStream(stream);
            }
        });
        if (parameters != null) {
            parameters.close();
        }
    }

    @Override
    public String toString() {
        return "stream of " + device;
    }
}
