package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.Kernel;

/**
 * Launches of grids of clusters, and of kernels that may begin before the one before them has ended, by {@code cuLaunchKernelEx},
 * which JCuda lacks. Has the memory of one launch's description, which the driver reads at the call. For a stream's thread.
 */
final class ExtendedLaunch implements AutoCloseable {

    /* CUlaunchConfig: 0 grid:i32[3] | 12 block:i32[3] | 24 sharedBytes:i32 | 28 pad | 32 stream | 40 attributes
       | 48 count:i32 | 52 pad */
    static final long GRID = 0;
    static final long BLOCK = GRID + 3 * Integer.BYTES;
    static final long SHARED_BYTES = BLOCK + 3 * Integer.BYTES;
    static final long STREAM = SHARED_BYTES + 2 * Integer.BYTES;
    static final long ATTRIBUTES = STREAM + Long.BYTES;
    static final long ATTRIBUTE_COUNT = ATTRIBUTES + Long.BYTES;
    static final long CONFIG_BYTES = ATTRIBUTE_COUNT + 2 * Integer.BYTES;

    /* CUlaunchAttribute: 0 id:i32 | 4 pad | 8 value:byte[64], of a cluster its i32[3], of an early launch i32 1 */
    static final long ATTRIBUTE_VALUE = 2 * Integer.BYTES;
    static final long ATTRIBUTE_BYTES = ATTRIBUTE_VALUE + 64;
    static final int CLUSTER_DIMENSION = 4;
    static final int PROGRAMMATIC_STREAM_SERIALIZATION = 6;
    private static final int ATTRIBUTES_AT_MOST = 2;

    private final Arena arena = Arena.ofShared(); // the stream may be handed to another thread
    private final MemorySegment config = arena.allocate(CONFIG_BYTES + ATTRIBUTES_AT_MOST * ATTRIBUTE_BYTES, Long.BYTES);

    /** Writes the description of a launch; returns it, valid until the next call. */
    MemorySegment describe(Kernel.Shape shape, boolean early, long stream) {
        putDims(GRID, shape.grid());
        putDims(BLOCK, shape.block());
        config.set(ValueLayout.JAVA_INT, SHARED_BYTES, shape.sharedBytes());
        config.set(ValueLayout.JAVA_LONG, STREAM, stream);
        config.set(ValueLayout.JAVA_LONG, ATTRIBUTES, config.address() + CONFIG_BYTES);
        int count = 0;
        if (shape.cluster() != null) {
            putDims(attribute(count++, CLUSTER_DIMENSION), shape.cluster());
        }
        if (early) {
            config.set(ValueLayout.JAVA_INT, attribute(count++, PROGRAMMATIC_STREAM_SERIALIZATION), 1);
        }
        config.set(ValueLayout.JAVA_INT, ATTRIBUTE_COUNT, count);
        return config;
    }

    /** Writes the kind of an attribute; returns the place of its value. */
    private long attribute(int index, int kind) {
        long at = CONFIG_BYTES + index * ATTRIBUTE_BYTES;
        config.set(ValueLayout.JAVA_INT, at, kind);
        return at + ATTRIBUTE_VALUE;
    }

    private void putDims(long offset, Dims dims) {
        config.set(ValueLayout.JAVA_INT, offset, dims.x());
        config.set(ValueLayout.JAVA_INT, offset + Integer.BYTES, dims.y());
        config.set(ValueLayout.JAVA_INT, offset + 2 * Integer.BYTES, dims.z());
    }

    /** @param parameters address of an array of pointers, one to each parameter's value */
    void launch(CUfunction function, String name, Kernel.Shape shape, boolean early, CUstream stream, Pointer parameters) {
        int code;
        try {
            code = (int) Driver.LAUNCH_KERNEL_EX.invokeExact(describe(shape, early, NativeAddress.get(stream)),
                    NativeAddress.get(function), NativeAddress.get(parameters), 0L);
        } catch (Throwable e) {
            throw new IllegalStateException("cuLaunchKernelEx", e);
        }
        if (code != CUresult.CUDA_SUCCESS) {
            throw CudaDriver.failure("cuLaunchKernelEx", code,
                    "kernel " + name + ", " + shape + CudaDriver.limits(function, code));
        }
    }

    @Override
    public void close() {
        arena.close();
    }

    /** The call, looked up at its first use. */
    private static final class Driver {

        private static final MethodHandle LAUNCH_KERNEL_EX = find();

        private Driver() {
        }

        @SuppressWarnings("restricted")
        private static MethodHandle find() {
            return Linker.nativeLinker().downcallHandle(
                    SymbolLookup.libraryLookup(CudaBackend.DRIVER_LIBRARY, Arena.global()).findOrThrow("cuLaunchKernelEx"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG));
        }
    }
}
