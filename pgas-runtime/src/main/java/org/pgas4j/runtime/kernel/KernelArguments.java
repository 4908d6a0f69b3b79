package org.pgas4j.runtime.kernel;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.MemoryKind;
import org.pgas4j.SharedArray;

/** Captured values of a kernel as its CUDA form takes them, and what is checked of them before a launch. */
final class KernelArguments {

    private KernelArguments() {
    }

    /**
     * Appends the parameters for captured values, in the order that the translated kernel declares.
     *
     * @param segments of the ranks
     * @param buffers  takes the memory that the kernel uses
     */
    static void append(String kernel, Object[] captured, RankSegments segments, List<Object> arguments, List<Buffer> buffers) {
        for (Object value : captured) {
            switch (value) {
                case SharedArray array -> {
                    requireDevice(kernel, array.kind(), array);
                    Buffer local = array.local();
                    if (local.kind() == MemoryKind.DEVICE) { // else this rank has no part
                        buffers.add(local);
                    }
                    SharedArray.Place place = array.place();
                    arguments.add(place.offset());
                    arguments.add(place.length());
                    arguments.add(place.start());
                    arguments.add(place.block());
                    arguments.add(place.ranks());
                    arguments.add(place.rank());
                    arguments.add(segments.address(place.rank(), place.offset()));
                }
                case Buffer buffer -> {
                    requireDevice(kernel, buffer.kind(), buffer);
                    buffers.add(buffer);
                    arguments.add(buffer);
                    arguments.add(buffer.bytes());
                    arguments.add(buffer.length());
                }
                default -> arguments.add(value);
            }
        }
    }

    private static void requireDevice(String kernel, MemoryKind kind, Object memory) {
        if (kind != MemoryKind.DEVICE) {
            throw new KernelRefusedException("kernel " + kernel + " uses " + memory + " in host memory (expected: device memory; "
                    + "allocate it under rank.onDevice(), or copy it there)");
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
