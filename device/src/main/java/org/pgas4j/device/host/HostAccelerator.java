package org.pgas4j.device.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
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
import org.pgas4j.os.Libc;
import org.pgas4j.os.SharedMemory;
import org.pgas4j.os.SystemMemory;

/** The host as a device. Thread-safe; {@link #bind} is not needed. */
final class HostAccelerator implements Accelerator {

    /** Largest number of blocks of a grid whose blocks wait for each other: each is a thread. */
    static final int MAX_BLOCKS = 1024;

    private static final int PAGE = 4096;
    /** Requests of so many bytes are compared with the system's free memory, which takes as long as several small ones. */
    private static final long CHECKED_BYTES = 1 << 20;
    private static final HostRegistration NO_REGISTRATION = new NoRegistration();

    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

    private final int ordinal;
    private final int threads;
    private final String name = processor();
    private final KernelPool kernels;
    private final ResidentWorks residents = new ResidentWorks();
    private final Set<AutoCloseable> resources = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    HostAccelerator(int ordinal, int threads) {
        this.ordinal = ordinal;
        this.threads = threads;
        this.kernels = new KernelPool(toString(), threads);
    }

    /** Name that the processor reports. */
    private static String processor() {
        try (Stream<String> lines = Files.lines(CPUINFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst().orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + CPUINFO, e);
        }
    }

    /** Number of threads that a matrix product may use. */
    int threads() {
        return threads;
    }

    /** The threads that run kernels. */
    KernelPool kernels() {
        return kernels;
    }

    @Override
    public String backend() {
        return HostBackend.NAME;
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
        return SystemMemory.totalBytes();
    }

    @Override
    public long freeBytes() {
        return SystemMemory.freeBytes();
    }

    @Override
    public void bind() {
        // Any thread can use the host's memory.
    }

    @Override
    public DeviceMemory allocate(long bytes, boolean shareable) {
        requireOpen();
        long mapped = requestable(bytes);
        try {
            return residents.without(() -> keep(shareable ? shared(bytes, mapped) : unshared(bytes, mapped))); // as a GPU does
        } catch (Libc.LibcException e) {
            throw new DeviceException(outOfMemory(bytes, freeBytes()) + ": " + e.getMessage(), e);
        }
    }

    private HostDeviceMemory shared(long bytes, long mapped) {
        SharedMemory memory = SharedMemory.create("pgas-" + this, mapped);
        return new HostDeviceMemory(this, memory.segment().asSlice(0, bytes), memory.path(), false, memory::close);
    }

    private HostDeviceMemory unshared(long bytes, long mapped) {
        Arena arena = Arena.ofShared();
        boolean success = false;
        try {
            MemorySegment segment = Libc.mapPrivate(mapped, arena);
            HostDeviceMemory memory = new HostDeviceMemory(this, segment.asSlice(0, bytes), null, false, arena::close);
            success = true;
            return memory;
        } finally {
            if (!success) {
                arena.close();
            }
        }
    }

    /** Bytes to map for a request of {@code bytes}. The system overcommits, so its free memory is checked before a large one. */
    private long requestable(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 0)");
        }
        if (bytes >= CHECKED_BYTES) {
            long free = freeBytes();
            if (bytes > free) {
                throw new DeviceException(outOfMemory(bytes, free));
            }
        }
        return Math.max(bytes, 1);
    }

    private String outOfMemory(long bytes, long free) {
        return this + ": cannot allocate " + bytes + " bytes, " + free + " of " + totalBytes()
                + " bytes are free; allocate less, or lower pgas.heap.device";
    }

    @Override
    public DeviceHandle export(DeviceMemory memory) {
        if (!(memory instanceof HostDeviceMemory host) || host.sharedPath() == null) {
            throw new DeviceException(memory + " cannot be exported: it was not allocated as shareable on " + this);
        }
        if (!host.isOpen()) {
            throw new DeviceException(memory + " cannot be exported: it is closed");
        }
        return new DeviceHandle(HostBackend.NAME, ordinal, host.bytes(),
                host.sharedPath().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public ExportedRange exportRange(long address, long bytes) {
        for (AutoCloseable resource : resources) {
            if (resource instanceof HostDeviceMemory memory && memory.canShare(address, bytes)) {
                byte[] path = memory.share("pgas-" + this).getBytes(StandardCharsets.UTF_8);
                return new ExportedRange(new DeviceHandle(HostBackend.NAME, ordinal, memory.bytes(), path), address - memory.address());
            }
        }
        throw new DeviceException(bytes + " bytes at 0x" + Long.toHexString(address) + " were not allocated on " + this
                + ": of the host device's memory, other processes can map only what it allocated itself");
    }

    @Override
    public DeviceMemory importMemory(DeviceHandle handle) {
        requireOpen();
        if (!handle.backend().equals(HostBackend.NAME)) {
            throw new DeviceException(this + " cannot reach memory of " + handle.backend() + ":" + handle.ordinal());
        }
        String path = new String(handle.token(), StandardCharsets.UTF_8);
        try {
            SharedMemory memory = SharedMemory.open(path, Math.max(handle.bytes(), 1));
            return keep(new HostDeviceMemory(this, memory.segment().asSlice(0, handle.bytes()), null, true, memory::close));
        } catch (IOException e) {
            throw new DeviceException(this + ": cannot map memory of host:" + handle.ordinal() + " of another process: "
                    + e, e);
        }
    }

    @Override
    public boolean canReach(Accelerator peer) {
        return peer instanceof HostAccelerator;
    }

    @Override
    public void enableReach(Accelerator peer) {
        if (!canReach(peer)) {
            throw new DeviceException(this + " cannot reach " + peer);
        }
    }

    @Override
    public boolean hasAtomics(int peer) {
        return true;
    }

    @Override
    public boolean canImportFrom(int peer) {
        return peer >= 0;
    }

    @Override
    public int multiprocessors() {
        return Math.max(2, Runtime.getRuntime().availableProcessors());
    }

    @Override
    public int residentBlocks(Kernel kernel, int threads) {
        return MAX_BLOCKS;
    }

    @Override
    public AcceleratorStream newStream() {
        requireOpen();
        return keep(new HostStream(this));
    }

    @Override
    public ResidentWorks residents() {
        return residents;
    }

    @Override
    public HostRegistration register(MemorySegment host) {
        return NO_REGISTRATION;
    }

    @Override
    public PinnedMemory allocatePinned(long bytes) {
        requireOpen();
        requestable(bytes);
        Arena arena = Arena.ofShared();
        return keep(new HostPinned(this, arena, arena.allocate(bytes, PAGE)));
    }

    private <T extends AutoCloseable> T keep(T resource) {
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

    /** Ends the streams, then frees what is left. */
    void close() {
        closed = true;
        List<AutoCloseable> left = new ArrayList<>(resources);
        left.sort((a, b) -> Boolean.compare(b instanceof HostStream, a instanceof HostStream));
        DeviceException failure = null;
        for (AutoCloseable resource : left) {
            try {
                resource.close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new DeviceException(this + ": cannot close " + resource + ": " + e.getMessage(), e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        kernels.close();
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return HostBackend.NAME + ":" + ordinal;
    }

    private static final class NoRegistration implements HostRegistration {

        @Override
        public boolean effective() {
            return false;
        }

        @Override
        public void close() {
            // Nothing was registered.
        }
    }

    private record HostPinned(HostAccelerator device, Arena arena, MemorySegment segment) implements PinnedMemory {

        @Override
        public void close() {
            if (arena.scope().isAlive()) {
                device.forget(this);
                arena.close();
            }
        }
    }
}
