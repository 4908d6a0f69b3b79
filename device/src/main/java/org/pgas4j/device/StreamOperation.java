package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.Gemm;
import org.pgas4j.Kernel;

/**
 * Operation of a stream, as the method of {@link AcceleratorStream} with its parameters describes it: a value that can be
 * kept and queued later, any number of times.
 */
public sealed interface StreamOperation {

    /** Number of operations of a device that it is. */
    default int operations() {
        return 1;
    }

    /** Host to device. */
    record CopyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) implements StreamOperation {
    }

    /** Device to host. */
    record CopyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) implements StreamOperation {
    }

    /** Device to device. */
    record Copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) implements StreamOperation {
    }

    /** Device to device, and the write of a 64-bit word of host memory behind it. */
    record CopyAndWrite(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes, MemorySegment host, long offset,
                        long value) implements StreamOperation {
    }

    /** Setting of bytes. */
    record Fill(DeviceMemory dst, long offset, long bytes, byte value) implements StreamOperation {

        @Override
        public String toString() {
            return "fill of " + bytes + " bytes";
        }
    }

    /** Matrix product, without the bias and the activation of {@code gemm}. */
    record Product(Gemm gemm, Buffer a, Buffer b, Buffer c) implements StreamOperation {

        @Override
        public String toString() {
            return gemm.toString();
        }
    }

    /**
     * Launch of a kernel, with arguments of its own.
     *
     * @param early see {@link AcceleratorStream#launchEarly}
     */
    record Launch(Kernel kernel, Kernel.Shape shape, Object[] args, boolean early) implements StreamOperation {

        public Launch {
            args = KernelValues.kept(args);
        }

        @Override
        public String toString() {
            return "launch of " + kernel.name();
        }
    }

    /** Launch of a grid whose blocks may wait for each other. */
    record LaunchBlocks(BlockGrid grid) implements StreamOperation {

        @Override
        public String toString() {
            return "launch of " + grid;
        }
    }

    /** Launch of captured work. */
    record LaunchGraph(AcceleratorGraph graph) implements StreamOperation {

        @Override
        public int operations() {
            return graph.operations();
        }
    }

    /** Wait until a word of host memory is {@code value} or later. */
    record WaitValue(MemorySegment host, long offset, long value) implements StreamOperation {

        @Override
        public String toString() {
            return "wait for a word to reach " + value;
        }
    }

    /** Wait until a word of host memory is not 0, which sets it to 0. */
    record TakeNonZero(MemorySegment host, long offset) implements StreamOperation {

        @Override
        public String toString() {
            return "wait for a word that is not 0";
        }
    }

    /** Write of a 64-bit word of host memory. */
    record WriteValue(MemorySegment host, long offset, long value) implements StreamOperation {

        @Override
        public String toString() {
            return "write of " + value + " to a word of 8 bytes";
        }
    }

    /** Write of a word of a device; {@code bytes} is 8 or 4. */
    record WriteDeviceValue(DeviceMemory dst, long offset, long value, int bytes) implements StreamOperation {

        @Override
        public String toString() {
            return "write of " + value + " to a word of " + bytes + " bytes";
        }
    }
}
