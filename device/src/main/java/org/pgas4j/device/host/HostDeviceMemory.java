package org.pgas4j.device.host;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.os.SharedMemory;

/**
 * Memory of a host device. It is freed when it is closed and no queued work uses it any more, so closing beside running
 * work is safe, as on a GPU. Thread-safe.
 */
public final class HostDeviceMemory implements DeviceMemory {

    private final HostAccelerator device;
    private final MemorySegment segment;
    private final long address;
    private final boolean isForeign;
    private final Runnable free;
    private final AtomicInteger holders = new AtomicInteger(1);
    private String path; // null if other processes do not find it
    private SharedMemory behind; // of what was private
    private volatile boolean open = true;

    /**
     * @param path      of shared memory, else null
     * @param isForeign true if it is another process's, else it is shared, or private and mapped page by page
     */
    HostDeviceMemory(HostAccelerator device, MemorySegment segment, String path, boolean isForeign, Runnable free) {
        this.device = device;
        this.segment = segment;
        this.address = segment.address();
        this.path = path;
        this.isForeign = isForeign;
        this.free = free;
    }

    /**
     * The memory behind {@code memory}, as a segment of its size. For the runtime alone: programs must not touch it.
     *
     * @param memory memory of the host device, or a part of such memory given by its address
     * @throws DeviceException if it is closed
     */
    @SuppressWarnings("restricted")
    public static MemorySegment segmentOf(DeviceMemory memory) {
        if (memory instanceof HostDeviceMemory host) {
            host.requireOpen();
            return host.segment;
        }
        return MemorySegment.ofAddress(memory.address()).reinterpret(memory.bytes());
    }

    /** All memory of this process, at its addresses. For the runtime alone. */
    @SuppressWarnings("restricted")
    public static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /** Keeps the memory from being freed until {@link #release}. Null if {@code memory} is not managed here. */
    static HostDeviceMemory retain(DeviceMemory memory) {
        if (!(memory instanceof HostDeviceMemory host)) {
            return null;
        }
        host.requireOpen();
        int holders = host.holders.get();
        while (holders > 0) {
            if (host.holders.compareAndSet(holders, holders + 1)) {
                return host;
            }
            holders = host.holders.get();
        }
        throw host.closed();
    }

    /** Undoes {@link #retain}. */
    static void release(HostDeviceMemory memory) {
        if (memory != null && memory.holders.decrementAndGet() == 0) {
            memory.free();
        }
    }

    /** Path at which another process opens it; null if it is not shared. */
    synchronized String sharedPath() {
        return path;
    }

    /** True if other processes can be given this range of it. */
    boolean canShare(long from, long bytes) {
        return open && !isForeign && from >= address && bytes <= segment.byteSize() - (from - address);
    }

    /**
     * Makes it shared, at the same addresses: nothing may use it during the call.
     *
     * @return the path
     */
    synchronized String share(String name) {
        if (path == null) {
            behind = SharedMemory.inPlaceOf(segment, name);
            path = behind.path();
        }
        return path;
    }

    private synchronized void free() {
        free.run();
        if (behind != null) {
            behind.close();
        }
    }

    @Override
    public long bytes() {
        return segment.byteSize();
    }

    @Override
    public long address() {
        requireOpen();
        return address;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!open) {
                return;
            }
            open = false;
        }
        device.forget(this);
        release(this);
    }

    private void requireOpen() {
        if (!open) {
            throw closed();
        }
    }

    private DeviceException closed() {
        return new DeviceException(this + " is closed");
    }

    @Override
    public String toString() {
        return "DeviceMemory[" + device + " " + segment.byteSize() + " bytes]";
    }
}
