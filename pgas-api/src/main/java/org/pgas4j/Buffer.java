package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A contiguous run of elements in memory the calling rank can use directly: its part of a shared array, or private
 * memory, on the host or on its device. The buffer that {@link Device#alloc} returns owns its memory; every other one is a view.
 */
public final class Buffer implements AutoCloseable {

    private final ElementType type;
    private final long length;
    private final long bytes;
    private final MemorySegment host;
    private final DeviceMemory device;
    private final long deviceOffset;
    private final Lease lease; // of shared device memory; else null
    private final boolean owner;
    private final long kernelAddress; // of a view for a kernel on the host device; else 0

    private Buffer(ElementType type, long length, MemorySegment host, DeviceMemory device, long deviceOffset, Lease lease,
                   boolean owner) {
        this(type, length, host, device, deviceOffset, lease, owner, 0);
    }

    private Buffer(ElementType type, long length, MemorySegment host, DeviceMemory device, long deviceOffset, Lease lease,
                   boolean owner, long kernelAddress) {
        this.type = type;
        this.length = length;
        this.bytes = length * type.bytes();
        this.host = host;
        this.device = device;
        this.deviceOffset = deviceOffset;
        this.lease = lease;
        this.owner = owner;
        this.kernelAddress = kernelAddress;
    }

    /** Host memory as elements of {@code type}; its size is rounded down to whole elements. */
    public static Buffer ofHost(MemorySegment segment, ElementType type) {
        return new Buffer(type, segment.byteSize() / type.bytes(), segment, null, 0, null, false);
    }

    /**
     * Device memory as elements.
     *
     * @param offset bytes from the start of {@code memory}
     * @param length elements
     */
    public static Buffer ofDevice(DeviceMemory memory, long offset, ElementType type, long length) {
        return ofDevice(memory, offset, type, length, null);
    }

    /** All of a device's memory as elements, in a buffer that owns it: {@link #close()} frees it. */
    public static Buffer owning(DeviceMemory memory, ElementType type, long length) {
        Buffer view = ofDevice(memory, 0, type, length);
        return new Buffer(type, view.length, null, memory, 0, null, true);
    }

    /**
     * Page-locked host memory as elements, in a buffer that owns it. Made by the runtime: {@link Device#allocPinned}.
     *
     * @param memory the same memory as kernels see it
     */
    public static Buffer ofPinned(MemorySegment segment, DeviceMemory memory, ElementType type, long length) {
        return new Buffer(type, length, segment.asSlice(0, type.bytes(length)), memory, 0, null, true);
    }

    static Buffer ofDevice(DeviceMemory memory, long offset, ElementType type, long length, Lease lease) {
        long bytes = type.bytes(length);
        if (offset < 0 || offset > memory.bytes() - bytes) {
            throw new IndexOutOfBoundsException("block out of bounds: kind=DEVICE offset=" + offset + " length="
                    + bytes + " memoryBytes=" + memory.bytes());
        }
        return new Buffer(type, length, null, memory, offset, lease, false);
    }

    /** HOST or DEVICE. */
    public MemoryKind kind() {
        return host != null ? MemoryKind.HOST : MemoryKind.DEVICE;
    }

    /** Element type. */
    public ElementType type() {
        return type;
    }

    /** Number of elements. */
    public long length() {
        return length;
    }

    /** Size in bytes. */
    public long bytes() {
        return bytes;
    }

    /**
     * Elements {@code from} to {@code from + count - 1}.
     *
     * @throws IndexOutOfBoundsException if they are not all in this block
     */
    public Buffer slice(long from, long count) {
        Objects.checkFromIndexSize(from, count, length);
        long offset = from * type.bytes();
        return host != null
                ? new Buffer(type, count, host.asSlice(offset, count * type.bytes()), device, deviceOffset + offset, null, false)
                : new Buffer(type, count, null, device, deviceOffset + offset, lease, false,
                        kernelAddress == 0 ? 0 : kernelAddress + offset);
    }

    /** The same memory as elements of another type; its size is rounded down to whole elements. */
    public Buffer as(ElementType other) {
        return new Buffer(other, bytes() / other.bytes(), host, device, deviceOffset, lease, false, kernelAddress);
    }

    /**
     * The memory itself.
     *
     * @throws IllegalStateException if this block is in device memory
     */
    public MemorySegment segment() {
        if (host == null) {
            throw new IllegalStateException("Buffer.segment() needs HOST memory, this buffer of " + length + " " + type
                    + " is on a DEVICE; copy it with Stream.copy or Rank.memget");
        }
        return host;
    }

    /** True if kernels can use it: device memory, or page-locked host memory of {@link Device#allocPinned}. */
    public boolean isDeviceAccessible() {
        return device != null;
    }

    /**
     * The memory this buffer lies in, at {@link #deviceOffset()}, as kernels see it.
     *
     * @throws IllegalStateException if this buffer is in host memory that is not {@link #isDeviceAccessible()}
     */
    public DeviceMemory deviceMemory() {
        if (device == null) {
            throw new IllegalStateException("Buffer.deviceMemory() needs DEVICE memory, this buffer of " + length + " "
                    + type + " is on the HOST");
        }
        return device;
    }

    /** The allocation of shared device memory that it is a part of, or null. */
    Lease lease() {
        return lease;
    }

    /** Bytes from the start of {@link #deviceMemory()}; 0 for host memory that has none. */
    public long deviceOffset() {
        return deviceOffset;
    }

    /**
     * Element {@code index}, counted in elements of the size that is read: of host memory anywhere, of device memory in kernels.
     *
     * @throws IndexOutOfBoundsException if the buffer has no such element
     * @throws IllegalStateException     if it is in device memory and the caller is no kernel
     */
    public byte getByte(long index) {
        return kernelAddress == 0 ? segment().get(ValueLayout.JAVA_BYTE, offset(index, Byte.BYTES))
                : KernelMemory.all().get(ValueLayout.JAVA_BYTE, kernelAddress + offset(index, Byte.BYTES));
    }

    /** Writes an element; otherwise as {@link #getByte}. */
    public void putByte(long index, byte value) {
        if (kernelAddress == 0) {
            segment().set(ValueLayout.JAVA_BYTE, offset(index, Byte.BYTES), value);
        } else {
            KernelMemory.all().set(ValueLayout.JAVA_BYTE, kernelAddress + offset(index, Byte.BYTES), value);
        }
    }

    /** As {@link #getByte}. */
    public int getInt(long index) {
        return kernelAddress == 0 ? segment().get(ElementType.LAYOUT_INT, offset(index, Integer.BYTES))
                : KernelMemory.all().get(ElementType.LAYOUT_INT, kernelAddress + offset(index, Integer.BYTES));
    }

    /** Writes an element; otherwise as {@link #getByte}. */
    public void putInt(long index, int value) {
        if (kernelAddress == 0) {
            segment().set(ElementType.LAYOUT_INT, offset(index, Integer.BYTES), value);
        } else {
            KernelMemory.all().set(ElementType.LAYOUT_INT, kernelAddress + offset(index, Integer.BYTES), value);
        }
    }

    /** Adds to an element in one step and returns what was there; otherwise as {@link #getByte}. */
    public int getAndAddInt(long index, int value) {
        return kernelAddress == 0 ? AtomicElements.add(segment(), offset(index, Integer.BYTES), value)
                : AtomicElements.add(KernelMemory.all(), kernelAddress + offset(index, Integer.BYTES), value);
    }

    /** As {@link #getByte}. */
    public long getLong(long index) {
        return kernelAddress == 0 ? segment().get(ElementType.LAYOUT_LONG, offset(index, Long.BYTES))
                : KernelMemory.all().get(ElementType.LAYOUT_LONG, kernelAddress + offset(index, Long.BYTES));
    }

    /** Writes an element; otherwise as {@link #getByte}. */
    public void putLong(long index, long value) {
        if (kernelAddress == 0) {
            segment().set(ElementType.LAYOUT_LONG, offset(index, Long.BYTES), value);
        } else {
            KernelMemory.all().set(ElementType.LAYOUT_LONG, kernelAddress + offset(index, Long.BYTES), value);
        }
    }

    /** Adds to an element in one step and returns what was there; otherwise as {@link #getByte}. */
    public long getAndAddLong(long index, long value) {
        return kernelAddress == 0 ? AtomicElements.add(segment(), offset(index, Long.BYTES), value)
                : AtomicElements.add(KernelMemory.all(), kernelAddress + offset(index, Long.BYTES), value);
    }

    /** As {@link #getByte}. */
    public float getFloat(long index) {
        return kernelAddress == 0 ? segment().get(ElementType.LAYOUT_FLOAT, offset(index, Float.BYTES))
                : KernelMemory.all().get(ElementType.LAYOUT_FLOAT, kernelAddress + offset(index, Float.BYTES));
    }

    /** Writes an element; otherwise as {@link #getByte}. */
    public void putFloat(long index, float value) {
        if (kernelAddress == 0) {
            segment().set(ElementType.LAYOUT_FLOAT, offset(index, Float.BYTES), value);
        } else {
            KernelMemory.all().set(ElementType.LAYOUT_FLOAT, kernelAddress + offset(index, Float.BYTES), value);
        }
    }

    /** Adds to an element in one step and returns what was there; otherwise as {@link #getByte}. */
    public float getAndAddFloat(long index, float value) {
        return kernelAddress == 0 ? AtomicElements.add(segment(), offset(index, Float.BYTES), value)
                : AtomicElements.add(KernelMemory.all(), kernelAddress + offset(index, Float.BYTES), value);
    }

    /** As {@link #getByte}. */
    public double getDouble(long index) {
        return kernelAddress == 0 ? segment().get(ElementType.LAYOUT_DOUBLE, offset(index, Double.BYTES))
                : KernelMemory.all().get(ElementType.LAYOUT_DOUBLE, kernelAddress + offset(index, Double.BYTES));
    }

    /** Writes an element; otherwise as {@link #getByte}. */
    public void putDouble(long index, double value) {
        if (kernelAddress == 0) {
            segment().set(ElementType.LAYOUT_DOUBLE, offset(index, Double.BYTES), value);
        } else {
            KernelMemory.all().set(ElementType.LAYOUT_DOUBLE, kernelAddress + offset(index, Double.BYTES), value);
        }
    }

    /** Adds to an element in one step and returns what was there; otherwise as {@link #getByte}. */
    public double getAndAddDouble(long index, double value) {
        return kernelAddress == 0 ? AtomicElements.add(segment(), offset(index, Double.BYTES), value)
                : AtomicElements.add(KernelMemory.all(), kernelAddress + offset(index, Double.BYTES), value);
    }

    private long offset(long index, int elementBytes) {
        return Objects.checkIndex(index, bytes / elementBytes) * elementBytes;
    }

    /** The memory itself, also of a view that a kernel on the host device has of device memory; throws elsewhere. */
    MemorySegment inKernel() {
        return kernelAddress == 0 ? segment() : KernelMemory.all().asSlice(kernelAddress, bytes());
    }

    /** This buffer as a kernel on the host device reaches it, from an address on. */
    Buffer inKernel(long address) {
        return new Buffer(type, length, host, device, deviceOffset, lease, false, address);
    }

    /**
     * Frees private memory, if this is the buffer that {@link Device#alloc} or {@link Device#allocPinned} returned; a view closes
     * nothing. Twice does nothing.
     */
    @Override
    public void close() {
        if (owner) {
            device.close();
        }
    }

    @Override
    public String toString() {
        return "Buffer[" + kind() + " " + length + " x " + type + "]";
    }
}
