package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jcuda.Pointer;
import org.pgas4j.Buffer;
import org.pgas4j.device.KernelValues;

/**
 * Arguments of launches in the form that the driver takes: an array of pointers, then the values they point to, 8 bytes
 * each; structs have memory of their own. The driver copies them at the launch, so one buffer is enough for a stream. For the
 * stream's thread.
 */
final class KernelParameters implements AutoCloseable {

    private static final ValueLayout.OfLong LITTLE_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int FIRST_CAPACITY = 32;
    private static final int STRUCT_ALIGNMENT = 16;

    private final Pointer pointer = new Pointer();
    private Arena arena;
    private MemorySegment buffer;
    private int capacity;
    private Arena structArena;
    private MemorySegment structs = MemorySegment.NULL;
    private boolean pointsToStructs;

    KernelParameters() {
        grow(FIRST_CAPACITY);
    }

    private void grow(int count) {
        if (arena != null) {
            arena.close();
        }
        arena = Arena.ofShared(); // the stream may be handed to another thread
        capacity = count;
        buffer = arena.allocate(2L * Long.BYTES * count, Long.BYTES);
        pointToValues();
    }

    private void pointToValues() {
        for (int i = 0; i < capacity; i++) {
            buffer.setAtIndex(ValueLayout.JAVA_LONG, i, buffer.address() + (long) Long.BYTES * (capacity + i));
        }
        pointsToStructs = false;
    }

    /**
     * Writes {@code args} into the buffer.
     *
     * @param expected bytes of each parameter that the kernel declares; null if the driver does not report them
     * @return argument for {@code cuLaunchKernel}, valid until the next call
     * @throws IllegalArgumentException if number or types do not fit the kernel
     */
    Pointer pack(String kernel, int[] expected, Object[] args) {
        if (expected != null && expected.length != args.length) {
            throw new IllegalArgumentException("kernel " + kernel + ": " + args.length
                    + " arguments given, its CUDA source declares " + expected.length);
        }
        if (args.length > capacity) {
            grow(Math.max(args.length, 2 * capacity));
        }
        if (pointsToStructs) {
            pointToValues();
        }
        long structBytes = 0;
        for (int i = 0; i < args.length; i++) {
            long bytes = args[i] instanceof MemorySegment struct ? struct.byteSize() : put(kernel, i, args[i]);
            if (expected != null && expected[i] != bytes) {
                throw new IllegalArgumentException("kernel " + kernel + ": argument " + i + " is "
                        + (args[i] instanceof MemorySegment ? "a struct" : args[i].getClass().getSimpleName()) + " of " + bytes
                        + " bytes, its CUDA source declares " + expected[i] + " bytes");
            }
            structBytes += args[i] instanceof MemorySegment ? aligned(bytes) : 0;
        }
        if (structBytes > 0) {
            putStructs(args, structBytes);
        }
        return NativeAddress.set(pointer, buffer.address());
    }

    private static long aligned(long bytes) {
        return Math.ceilDiv(bytes, (long) STRUCT_ALIGNMENT) * STRUCT_ALIGNMENT;
    }

    private void putStructs(Object[] args, long bytes) {
        if (structs.byteSize() < bytes) {
            Arena larger = Arena.ofShared();
            structs = larger.allocate(Math.max(bytes, 2 * structs.byteSize()), STRUCT_ALIGNMENT);
            closeStructs();
            structArena = larger;
        }
        pointsToStructs = true;
        long offset = 0;
        for (int i = 0; i < args.length; i++) {
            if (args[i] instanceof MemorySegment struct) {
                MemorySegment.copy(struct, 0, structs, offset, struct.byteSize());
                buffer.setAtIndex(ValueLayout.JAVA_LONG, i, structs.address() + offset);
                offset += aligned(struct.byteSize());
            }
        }
    }

    /** Writes five arguments of 8 bytes, of which a kernel may take fewer; allocates nothing. */
    Pointer pack(long first, long second, long third, long fourth, long fifth) {
        if (pointsToStructs) {
            pointToValues();
        }
        long offset = (long) Long.BYTES * capacity;
        buffer.set(ValueLayout.JAVA_LONG, offset, first);
        buffer.set(ValueLayout.JAVA_LONG, offset + Long.BYTES, second);
        buffer.set(ValueLayout.JAVA_LONG, offset + 2 * Long.BYTES, third);
        buffer.set(ValueLayout.JAVA_LONG, offset + 3 * Long.BYTES, fourth);
        buffer.set(ValueLayout.JAVA_LONG, offset + 4 * Long.BYTES, fifth);
        return NativeAddress.set(pointer, buffer.address());
    }

    /** Writes an argument; returns its bytes. */
    private int put(String kernel, int index, Object arg) {
        long offset = (long) Long.BYTES * (capacity + index);
        return switch (arg) {
            case Buffer block when block.isDeviceAccessible() ->
                set(offset, block.deviceMemory().address() + block.deviceOffset(), Long.BYTES);
            case Long l -> set(offset, l, Long.BYTES);
            case Double d -> set(offset, Double.doubleToRawLongBits(d), Long.BYTES);
            case Integer i -> set(offset, i, Integer.BYTES);
            case Float f -> set(offset, Float.floatToRawIntBits(f), Float.BYTES);
            case Short s -> set(offset, s, Short.BYTES);
            case Character c -> set(offset, c, Character.BYTES);
            case Byte b -> set(offset, b, Byte.BYTES);
            case Boolean b -> set(offset, b ? 1 : 0, Byte.BYTES);
            case null, default -> throw KernelValues.refused(kernel, index, arg);
        };
    }

    /** Writes a value, of which the driver reads the first bytes. */
    private int set(long offset, long bits, int bytes) {
        buffer.set(LITTLE_LONG, offset, bits);
        return bytes;
    }

    private void closeStructs() {
        if (structArena != null) {
            structArena.close();
        }
    }

    @Override
    public void close() {
        arena.close();
        closeStructs();
    }
}
