package org.pgas4j.device.cuda;

import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
import static jcuda.driver.CUresult.CUDA_SUCCESS;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUstream;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceHandle;
import org.pgas4j.device.ExportedRange;
import org.pgas4j.device.HostRegistration;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.ResidentWorks;
import org.pgas4j.device.RunAheadStream;

/**
 * One GPU. Thread-safe. Streams need {@link #bind} first; everything else works in any thread and leaves the thread's
 * current context as it was.
 */
final class CudaAccelerator implements Accelerator {

    /**
     * The driver packs smaller allocations into blocks of this size, and an IPC handle stands for a whole block: memory
     * that is exported gets blocks of its own.
     */
    private static final long IPC_GRANULARITY = 2L << 20;

    private static final System.Logger LOG = System.getLogger("pgas.gpu");

    private final int ordinal;
    private final CUdevice device;
    private final CUcontext context;
    private final String name;
    private final CudaKernels kernels;
    private final IpcMappings mappings;
    private final ResidentWorks residents;
    private final EndWords endWords = new EndWords(this::allocatePinned);
    private final Set<AutoCloseable> resources = ConcurrentHashMap.newKeySet();
    private DeviceMemory scratch; // null until it is needed; guarded by this
    private volatile boolean closed;
    private volatile boolean shared;
    private final AtomicBoolean toldOfWaits = new AtomicBoolean();

    CudaAccelerator(int ordinal, KernelCompiler compiler, ResidentWorks residents) {
        this.ordinal = ordinal;
        this.residents = residents;
        device = CudaDriver.device(ordinal);
        context = CudaDriver.retainPrimaryContext(device, ordinal);
        name = CudaDriver.name(device);
        mappings = new IpcMappings(toString());
        kernels = new CudaKernels(compiler,
                "sm_" + CudaDriver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
                        + CudaDriver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), residents);
    }

    @Override
    public void prepareCompiler() {
        kernels.prepare();
    }

    /** The compiled kernels of this device. */
    CudaKernels kernels() {
        return kernels;
    }

    /** Words that streams of this device write behind their work. */
    EndWords endWords() {
        return endWords;
    }

    @Override
    public String backend() {
        return CudaBackend.NAME;
    }

    @Override
    public int ordinal() {
        return ordinal;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long totalBytes() {
        return CudaDriver.totalBytes(device);
    }

    @Override
    public long freeBytes() {
        return bound(CudaDriver::freeBytes);
    }

    @Override
    public void bind() {
        requireOpen();
        CudaDriver.setCurrentContext(context);
    }

    /** Runs {@code work} with this device's context current. */
    <T> T bound(Supplier<T> work) {
        CUcontext before = CudaDriver.currentContext();
        if (NativeAddress.get(before) == NativeAddress.get(context)) {
            return work.get();
        }
        CudaDriver.setCurrentContext(context);
        try {
            return work.get();
        } finally {
            CudaDriver.setCurrentContext(before);
        }
    }

    /** Runs {@code work} as {@link #bound(Supplier)}. */
    void bound(Runnable work) {
        bound(() -> {
            work.run();
            return null;
        });
    }

    /**
     * Runs {@code work} as {@link #bound(Supplier)} without resident kernels, for which calls of the driver that free, map or
     * page-lock memory and load code may wait.
     */
    <T> T quiet(Supplier<T> work) {
        return residents.without(() -> bound(work));
    }

    /** Runs {@code work} as {@link #quiet(Supplier)}. */
    void quiet(Runnable work) {
        residents.without(() -> bound(work));
    }

    @Override
    public ResidentWorks residents() {
        return residents;
    }

    @Override
    public DeviceMemory allocate(long bytes, boolean shareable) {
        requireOpen();
        if (bytes < 0 || bytes > Long.MAX_VALUE - IPC_GRANULARITY) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: 0.."
                    + (Long.MAX_VALUE - IPC_GRANULARITY) + ")");
        }
        long rounded = Math.max(1, shareable ? Math.ceilDiv(bytes, IPC_GRANULARITY) * IPC_GRANULARITY : bytes);
        return keep(quiet(() -> {
            long address = CudaDriver.allocate(rounded);
            if (address == 0) {
                throw new DeviceException(this + ": cannot allocate " + bytes + " bytes, " + CudaDriver.freeBytes()
                        + " of " + totalBytes() + " bytes are free; allocate less, or lower pgas.heap.device");
            }
            return new CudaMemory(this, address, bytes, shareable, () -> free(address));
        }));
    }

    private void free(long address) {
        IpcMappings.forgetExport(address);
        CudaDriver.free(address);
    }

    @Override
    public DeviceHandle export(DeviceMemory memory) {
        requireOpen();
        if (!(memory instanceof CudaMemory own) || !own.isShareableOn(this)) {
            throw new DeviceException(memory + " cannot be exported: it was not allocated as shareable on " + this);
        }
        byte[] token = bound(() -> CudaDriver.ipcHandle(own.address()));
        IpcMappings.noteExport(own.address(), token);
        return new DeviceHandle(CudaBackend.NAME, ordinal, own.bytes(), token);
    }

    @Override
    public ExportedRange exportRange(long address, long bytes) {
        requireOpen();
        return bound(() -> {
            AddressRange allocation = CudaDriver.deviceOf(address) == ordinal ? CudaDriver.allocationOf(address)
                    : new AddressRange(address, 0);
            if (bytes > allocation.end() - address) {
                throw new DeviceException(bytes + " bytes at 0x" + Long.toHexString(address) + " are not in one allocation of " + this);
            }
            byte[] token = CudaDriver.ipcHandle(allocation.start());
            IpcMappings.noteExport(allocation.start(), token);
            return new ExportedRange(new DeviceHandle(CudaBackend.NAME, ordinal, allocation.bytes(), token),
                    address - allocation.start());
        });
    }

    @Override
    public DeviceMemory importMemory(DeviceHandle handle) {
        requireOpen();
        if (!handle.backend().equals(CudaBackend.NAME)) {
            throw new DeviceException(this + " cannot reach memory of " + handle.backend() + ":" + handle.ordinal());
        }
        return keep(quiet(() -> {
            long address = mappings.open(handle);
            return new CudaMemory(this, address, handle.bytes(), false, () -> mappings.close(address));
        }));
    }

    @Override
    public boolean canReach(Accelerator peer) {
        return peer instanceof CudaAccelerator cuda
                && (cuda.ordinal == ordinal || CudaDriver.canAccessPeer(device, cuda.device));
    }

    @Override
    public void enableReach(Accelerator peer) {
        requireOpen();
        if (!canReach(peer)) {
            throw new DeviceException(this + " cannot reach " + peer
                    + ": the driver reports no peer access between them");
        }
        CudaAccelerator cuda = (CudaAccelerator) peer;
        if (cuda.ordinal != ordinal) {
            quiet(() -> CudaDriver.enablePeerAccess(cuda.context, cuda.ordinal));
            bound(() -> { // now: loading it later may wait for streams that wait for this one
                kernels.function(CopyKernel.KERNEL, toString());
            });
        }
    }

    @Override
    public boolean canImportFrom(int peer) {
        if (peer < 0 || peer >= CudaDriver.deviceCount()) {
            return false;
        }
        return peer == ordinal || CudaDriver.canAccessPeer(device, CudaDriver.device(peer));
    }

    @Override
    public boolean hasAtomics(int peer) {
        return peer == ordinal || canImportFrom(peer) && CudaDriver.hasPeerAtomics(device, CudaDriver.device(peer));
    }

    @Override
    public int multiprocessors() {
        return CudaDriver.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    }

    @Override
    public void prepare(Kernel kernel) {
        bound(() -> kernels.function(kernel, toString()));
    }

    @Override
    public int residentBlocks(Kernel kernel, int threads) {
        return residentBlocks(kernel, threads, 0);
    }

    /** The same for blocks with {@code sharedBytes} of dynamic shared memory, which the kernel may use from then on. */
    int residentBlocks(Kernel kernel, int threads, int sharedBytes) {
        return multiprocessors() * bound(() -> {
            CudaKernels.Function function = kernels.function(kernel, toString());
            function.allowShared(sharedBytes);
            return CudaDriver.blocksOnMultiprocessor(function.handle(), kernel.name(), threads, sharedBytes);
        });
    }

    @Override
    public void share() {
        shared = true;
    }

    @Override
    public AcceleratorStream newStream() {
        requireOpen();
        return quiet(() -> new RunAheadStream(this, keep(new CudaStream(this, CudaDriver.createStream(), true)), shared));
    }

    @Override
    public AcceleratorStream newUrgentStream() {
        requireOpen();
        return quiet(() -> {
            scratch();
            return keep(new CudaStream(this, CudaDriver.createUrgentStream(), true));
        });
    }

    @Override
    public AcceleratorStream newLowLatencyStream(boolean alone, long limitNs) {
        requireOpen();
        boolean waits = alone && !shared;
        if (!waits && !toldOfWaits.getAndSet(true)) {
            LOG.log(System.Logger.Level.WARNING, "low-latency streams of " + this + " wait as others do, which takes several us more:"
                    + " more than one rank computes on it");
        }
        return quiet(() -> {
            MessageKernels messages = new MessageKernels(this, waits, limitNs);
            return new RunAheadStream(this, keep(CudaStream.ofMessages(this, messages)), shared);
        });
    }

    /** Eight bytes that nobody reads, for copies for their own sake. Allocates them the first time. */
    synchronized DeviceMemory scratch() {
        if (scratch == null) {
            scratch = allocate(Long.BYTES, false);
        }
        return scratch;
    }

    @Override
    public AcceleratorStream wrapStream(long handle) {
        requireOpen();
        CUstream stream = NativeAddress.set(new CUstream(), handle);
        return bound(() -> {
            long its = NativeAddress.get(CudaDriver.contextOf(stream));
            if (its != NativeAddress.get(context)) {
                throw new DeviceException("stream 0x" + Long.toHexString(handle) + " belongs to context 0x"
                        + Long.toHexString(its) + " (expected: 0x" + Long.toHexString(NativeAddress.get(context))
                        + ", the primary context of " + this + ")");
            }
            return new RunAheadStream(this, keep(new CudaStream(this, stream, false)), shared);
        });
    }

    @Override
    public void requireOwn(long address, long bytes) {
        requireOpen();
        if (bytes > 0) {
            requireOwnByte(address);
            requireOwnByte(address + bytes - 1);
        }
    }

    private void requireOwnByte(long address) {
        int found = quiet(() -> CudaDriver.deviceOf(address));
        if (found != ordinal) {
            throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + " is "
                    + (found < 0 ? "no device memory" : "memory of device " + found) + " (expected: memory of " + this + ")");
        }
    }

    @Override
    public HostRegistration register(MemorySegment host) {
        requireOpen();
        if (!host.isNative() || host.byteSize() == 0) {
            return CudaRegistration.NONE;
        }
        int code = quiet(() -> CudaDriver.registerHost(host.address(), host.byteSize()));
        if (code != CUDA_SUCCESS) {
            LOG.log(System.Logger.Level.DEBUG, () -> CudaDriver.failure("cuMemHostRegister", code, host.byteSize()
                    + " bytes on " + this + "; copies of this memory go through the driver's own buffers")
                    .getMessage());
            return CudaRegistration.NONE;
        }
        return keep(new CudaRegistration(this, host.address()));
    }

    @Override
    public PinnedMemory allocatePinned(long bytes) {
        requireOpen();
        if (bytes <= 0 || bytes > Integer.MAX_VALUE) {
            throw new DeviceException(this + ": cannot allocate " + bytes
                    + " bytes of page-locked memory (expected: 1.." + Integer.MAX_VALUE
                    + "; register mapped memory for more)");
        }
        return keep(quiet(() -> new CudaPinned(this, CudaDriver.allocateHost(bytes), bytes)));
    }

    /** Adds a resource that is closed with the device at the latest. */
    <T extends AutoCloseable> T keep(T resource) {
        resources.add(resource);
        return resource;
    }

    /** Removes a resource that was closed. */
    void forget(AutoCloseable resource) {
        resources.remove(resource);
    }

    private void requireOpen() {
        if (closed) {
            throw new DeviceException(this + " is closed");
        }
    }

    /** Ends the streams, frees what is left, then releases the device. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<AutoCloseable> left = new ArrayList<>(resources);
        left.sort((a, b) -> Boolean.compare(b instanceof CudaStream, a instanceof CudaStream));
        left.add(() -> quiet(kernels::close));
        left.add(() -> CudaDriver.releasePrimaryContext(device, ordinal));
        DeviceException failure = null;
        for (AutoCloseable resource : left) {
            try {
                resource.close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new DeviceException("cannot close " + this + ": " + e.getMessage(), e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return CudaBackend.NAME + ":" + ordinal;
    }
}
