package org.pgas4j.kernel.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.GlobalElements;
import org.pgas4j.GlobalPlace;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedArray;

/** Captured values of a kernel as its CUDA form takes them, and what is checked of them before a launch. */
final class KernelArguments {

    private static final int GRID_AXES = GlobalPlace.MAX_DIMENSIONS;
    private static final int AXIS_LONGS = 4;

    private KernelArguments() {
    }

    /**
     * Appends the parameters for captured values, in the order that the translated kernel declares.
     *
     * @param range   of the loop; null if there is none
     * @param buffers takes the memory of the own device that the kernel uses
     */
    static void append(String kernel, Object[] captured, KernelRange range, KernelReach reach, List<Object> arguments,
                       List<Buffer> buffers) {
        for (Object value : captured) {
            switch (value) {
                case SharedArray array -> append(kernel, array, reach, arguments, buffers);
                case GlobalElements elements -> {
                    int table = reach.table(kernel, elements.kind(), elements);
                    use(elements.local(), buffers);
                    arguments.add(struct(elements.place(), range == null ? 0 : range.aligned(elements.place()), table));
                }
                case Buffer buffer -> {
                    requireAccessible(kernel, buffer);
                    buffers.add(buffer);
                    arguments.add(buffer);
                    arguments.add(buffer.bytes());
                    arguments.add(buffer.length());
                }
                default -> arguments.add(value);
            }
        }
    }

    private static void append(String kernel, SharedArray array, KernelReach reach, List<Object> arguments, List<Buffer> buffers) {
        int table = reach.table(kernel, array.kind(), array);
        use(array.local(), buffers);
        SharedArray.Place place = array.place();
        arguments.add(table);
        arguments.add(place.offset());
        arguments.add(place.length());
        arguments.add(place.start());
        arguments.add(place.block());
        arguments.add(place.ranks());
        arguments.add(place.rank());
        arguments.add(reach.segments().address(place.rank(), array.kind(), place.offset()));
    }

    /** Adds memory of the device; a rank without a part has host memory of no bytes. */
    static void use(Buffer local, List<Buffer> buffers) {
        if (local.kind() == MemoryKind.DEVICE) {
            buffers.add(local);
        }
    }

    /** The bytes of {@code pgas_grid_place} of pgas_grid.cuh. */
    static MemorySegment struct(GlobalPlace place, int aligned, int table) {
        MemorySegment struct = MemorySegment.ofArray(new long[GRID_AXES * AXIS_LONGS + 1 + 3]);
        for (int d = 0; d < GRID_AXES; d++) {
            GlobalPlace.GridAxis axis = place.axis(d);
            long at = (long) d * AXIS_LONGS * Long.BYTES;
            struct.set(ValueLayout.JAVA_LONG, at, axis.length());
            struct.set(ValueLayout.JAVA_LONG, at + Long.BYTES, axis.block());
            struct.set(ValueLayout.JAVA_LONG, at + 2 * Long.BYTES, axis.stride());
            struct.set(ValueLayout.JAVA_INT, at + 3 * Long.BYTES, axis.ranks());
            struct.set(ValueLayout.JAVA_INT, at + 3 * Long.BYTES + Integer.BYTES, axis.coordinate());
        }
        long at = (long) GRID_AXES * AXIS_LONGS * Long.BYTES;
        struct.set(ValueLayout.JAVA_LONG, at, place.offset());
        int[] numbers = {table, place.firstRank(), place.rankStep(), place.axes().size(), aligned};
        for (int i = 0; i < numbers.length; i++) {
            struct.set(ValueLayout.JAVA_INT, at + Long.BYTES + (long) i * Integer.BYTES, numbers[i]);
        }
        return struct;
    }

    private static void requireAccessible(String kernel, Buffer buffer) {
        if (!buffer.isDeviceAccessible()) {
            throw new KernelRefusedException("kernel " + kernel + " uses " + buffer + " in host memory (expected: device memory, or "
                    + "memory of rank.device().allocPinned())");
        }
    }

    /** @throws KernelRefusedException if a captured array or buffer is in host memory, which block programs do not have */
    static void requireDevice(String kernel, Object[] captured) {
        for (Object value : captured) {
            if (value instanceof SharedArray array && array.kind() != MemoryKind.DEVICE
                    || value instanceof Buffer buffer && buffer.kind() != MemoryKind.DEVICE) {
                throw new KernelRefusedException("kernel " + kernel + " uses " + value + " in host memory (expected: device memory; "
                        + "allocate it under rank.onDevice(), or copy it there)");
            }
        }
    }

    /** The captured buffers, in order. */
    static List<Buffer> buffersOf(Object[] captured) {
        List<Buffer> buffers = new ArrayList<>();
        for (Object value : captured) {
            if (value instanceof Buffer buffer) {
                buffers.add(buffer);
            }
        }
        return buffers;
    }

    /** True if a kernel must not expect two of its captured values to be apart. */
    static boolean overlap(Object one, Object other) {
        if (one instanceof Buffer a && other instanceof Buffer b) {
            long first = a.deviceMemory().address() + a.deviceOffset();
            long second = b.deviceMemory().address() + b.deviceOffset();
            return first < second + b.bytes() && second < first + a.bytes();
        }
        if (one instanceof SharedArray a && other instanceof SharedArray b) {
            long first = a.place().offset();
            long second = b.place().offset();
            return first < second + bytes(b) && second < first + bytes(a);
        }
        return true;
    }

    /** Bytes that an array has at most on a rank. */
    private static long bytes(SharedArray array) {
        SharedArray.Place place = array.place();
        long end = place.start() + place.length();
        long elements = place.block() == 0 ? end : Math.ceilDiv(end, place.block() * place.ranks()) * place.block();
        return elements * array.elementBytes();
    }

    /** A bit for each captured value that is an array whose blocks are where those of the loop are. */
    static long aligned(Object[] captured, LoopRange range) {
        long bits = 0;
        for (int i = 0; i < captured.length; i++) {
            if (captured[i] instanceof SharedArray array && range.isAligned(array.place())) {
                bits |= 1L << i;
            }
        }
        return bits;
    }
}
