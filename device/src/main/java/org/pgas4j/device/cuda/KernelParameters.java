package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jcuda.Pointer;
import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;

/**
 * Arguments of launches in the form that the driver takes: an array of pointers, then the values they point to, 8 bytes
 * each. The driver copies them at the launch, so one buffer is enough for a stream. For the stream's thread.
 */
final class KernelParameters implements AutoCloseable {

    private static final int FIRST_CAPACITY = 32;

    private final Pointer pointer = new Pointer();
    private Arena arena;
    private MemorySegment buffer;
    private int capacity;

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
        for (int i = 0; i < count; i++) {
            buffer.setAtIndex(ValueLayout.JAVA_LONG, i, buffer.address() + (long) Long.BYTES * (count + i));
        }
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
        for (int i = 0; i < args.length; i++) {
            int bytes = put(kernel, i, args[i]);
            if (expected != null && expected[i] != bytes) {
                throw new IllegalArgumentException("kernel " + kernel + ": argument " + i + " is "
                        + args[i].getClass().getSimpleName() + " of " + bytes + " bytes, its CUDA source declares "
                        + expected[i] + " bytes");
            }
        }
        return NativeAddress.set(pointer, buffer.address());
    }

    /** Writes three arguments of 8 bytes; allocates nothing. */
    Pointer pack(long first, long second, long third) {
        long offset = (long) Long.BYTES * capacity;
        buffer.set(ValueLayout.JAVA_LONG, offset, first);
        buffer.set(ValueLayout.JAVA_LONG, offset + Long.BYTES, second);
        buffer.set(ValueLayout.JAVA_LONG, offset + 2 * Long.BYTES, third);
        return NativeAddress.set(pointer, buffer.address());
    }

    private int put(String kernel, int index, Object arg) {
        long offset = (long) Long.BYTES * (capacity + index);
        switch (arg) {
            case Buffer block when block.kind() == MemoryKind.DEVICE -> buffer.set(ValueLayout.JAVA_LONG, offset,
                    block.deviceMemory().address() + block.deviceOffset());
            case Long l -> buffer.set(ValueLayout.JAVA_LONG, offset, l);
            case Double d -> buffer.set(ValueLayout.JAVA_DOUBLE, offset, d);
            case Integer i -> {
                buffer.set(ValueLayout.JAVA_INT, offset, i);
                return Integer.BYTES;
            }
            case Float f -> {
                buffer.set(ValueLayout.JAVA_FLOAT, offset, f);
                return Float.BYTES;
            }
            case null, default -> throw new IllegalArgumentException("kernel " + kernel + ": argument " + index + " is "
                    + (arg instanceof Buffer ? arg : arg == null ? "null" : arg.getClass().getName())
                    + " (expected: a Buffer on the device, Integer, Long, Float or Double)");
        }
        return Long.BYTES;
    }

    @Override
    public void close() {
        arena.close();
    }
}
