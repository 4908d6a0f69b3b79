package org.pgas4j;

/**
 * A program for a device: CUDA C++ source for GPUs, compiled at run time, and a Java body for the host device. Either
 * may be missing; launching it on a device it has no form for is an error.
 *
 * @param name of the {@code extern "C" __global__} function in {@code code}
 * @param body Java body called once per thread of the grid, or null
 * @param code form for GPUs, or null
 */
public record Kernel(String name, Body body, CudaCode code) {

    public Kernel {
        if (name == null || name.isBlank() || code == null && body == null) {
            throw new IllegalArgumentException("kernel needs a name and at least one form: name=" + name);
        }
    }

    /**
     * A kernel of source without options.
     *
     * @param cuda CUDA C++ source, or null
     */
    public Kernel(String name, String cuda, Body body) {
        this(name, body, cuda == null ? null : CudaCode.source(cuda));
    }

    /** The CUDA C++ source, or null if there is none. */
    public String cuda() {
        return code == null ? null : code.source();
    }

    /** The same kernel, compiled with further options: {@link CudaCode#withOptions(List)}. A kernel without CUDA form is the same. */
    public Kernel withOptions(String... options) {
        return code == null ? this : new Kernel(name, body, code.withOptions(options));
    }

    /** Body of one thread of the grid on the host device. */
    @FunctionalInterface
    public interface Body {

        /** Runs as the thread at {@code at}; threads run in any order and cannot wait for each other. */
        void run(At at, Args args);
    }

    /**
     * Place of a thread in the grid, in one dimension.
     *
     * @param block       index of the block
     * @param thread      index in the block
     * @param shape       the launch's shape
     */
    public record At(int block, int thread, Shape shape) {

        /** {@code blockIdx.x * blockDim.x + threadIdx.x}. */
        public long global() {
            return (long) block * shape.threads() + thread;
        }
    }

    /**
     * A one-dimensional launch.
     *
     * @param blocks  in the grid
     * @param threads in a block
     * @param sharedBytes dynamic shared memory of a block, which a CUDA form declares as {@code extern __shared__}; the host device
     *                    runs threads one after the other and has none
     */
    public record Shape(int blocks, int threads, int sharedBytes) {

        public Shape {
            if (blocks <= 0 || threads <= 0 || threads > 1024 || sharedBytes < 0) {
                throw new IllegalArgumentException("launch shape out of range: blocks=" + blocks + " threads="
                        + threads + " sharedBytes=" + sharedBytes + " (expected: > 0, threads <= 1024, sharedBytes >= 0)");
            }
        }

        /** Without dynamic shared memory. */
        public Shape(int blocks, int threads) {
            this(blocks, threads, 0);
        }

        /** As many blocks of {@code threads} as cover {@code count} threads. */
        public static Shape covering(long count, int threads) {
            return new Shape(Math.toIntExact(Math.max(1, Math.ceilDiv(count, (long) threads))), threads);
        }
    }

    /** A launch's arguments as a Java body reads them. */
    public interface Args {

        /**
         * The {@code index}-th argument, from 0, a block, as memory the body may read and write.
         *
         * @throws IllegalArgumentException if there are fewer, or if it is of another type; so do all of these
         */
        java.lang.foreign.MemorySegment segment(int index);

        int intAt(int index);

        long longAt(int index);

        float floatAt(int index);

        double doubleAt(int index);
    }
}
