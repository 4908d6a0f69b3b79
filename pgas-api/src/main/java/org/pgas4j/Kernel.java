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
        return code == null || code.form() != CudaCode.Form.SOURCE ? null : code.text();
    }

    /**
     * The same kernel, compiled with further options: {@link CudaCode#withOptions(List)}. A kernel without CUDA form is the same.
     */
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
     * Place of a thread in the grid. Threads and blocks are numbered as {@link DeviceGrid.Dims} says: x runs fastest.
     *
     * @param block       number of the block
     * @param thread      number in the block
     * @param shape       the launch's shape
     */
    public record At(int block, int thread, Shape shape) {

        /** Number of the thread in a grid of one dimension: {@code blockIdx.x * blockDim.x + threadIdx.x}. */
        public long global() {
            return (long) block * shape.threads() + thread;
        }

        /** {@code blockIdx.x}. */
        public int blockX() {
            return block % shape.grid().x();
        }

        /** {@code blockIdx.y}. */
        public int blockY() {
            return block / shape.grid().x() % shape.grid().y();
        }

        /** {@code blockIdx.z}. */
        public int blockZ() {
            return block / (shape.grid().x() * shape.grid().y());
        }

        /** {@code threadIdx.x}. */
        public int threadX() {
            return thread % shape.block().x();
        }

        /** {@code threadIdx.y}. */
        public int threadY() {
            return thread / shape.block().x() % shape.block().y();
        }

        /** {@code threadIdx.z}. */
        public int threadZ() {
            return thread / (shape.block().x() * shape.block().y());
        }

        /** {@code blockIdx.x * blockDim.x + threadIdx.x}. */
        public long x() {
            return (long) blockX() * shape.block().x() + threadX();
        }

        /** {@code blockIdx.y * blockDim.y + threadIdx.y}. */
        public long y() {
            return (long) blockY() * shape.block().y() + threadY();
        }

        /** {@code blockIdx.z * blockDim.z + threadIdx.z}. */
        public long z() {
            return (long) blockZ() * shape.block().z() + threadZ();
        }
    }

    /**
     * Shape of a launch: a grid of blocks of threads, each in up to three dimensions. Its ranges are those that all GPUs have in
     * common (CUDA C++ Programming Guide, technical specifications of compute capabilities); what a kernel and a device take
     * beside them, as registers and shared memory, is checked at the launch.
     *
     * @param grid    blocks; y and z up to 65,535
     * @param block   threads of a block, at most 1024 in all, z at most 64
     * @param cluster blocks of a cluster, which can use each other's shared memory, at most 16 in all; its numbers divide those
     *                of the grid. Null for none, or for that of the source ({@code __cluster_dims__}). Java bodies know no
     *                clusters
     * @param sharedBytes dynamic shared memory of a block, which a CUDA form declares as {@code extern __shared__}; the host
     *                    device runs threads one after the other and has none
     */
    public record Shape(DeviceGrid.Dims grid, DeviceGrid.Dims block, DeviceGrid.Dims cluster, int sharedBytes) {

        /** Threads of a block that suit most kernels without shared memory. */
        public static final int COMMON_THREADS = 256;
        /** Blocks of that size that a processor of any GPU can hold at once. */
        static final int BLOCKS_OF_PROCESSOR = 8;
        private static final int MAX_GRID_YZ = 65_535;
        private static final int MAX_THREADS = 1024;
        private static final int MAX_THREADS_Z = 64;
        private static final int MAX_CLUSTER = 16;

        public Shape {
            require(grid.y() <= MAX_GRID_YZ && grid.z() <= MAX_GRID_YZ, "grid", grid, "y and z <= " + MAX_GRID_YZ);
            require(block.count() <= MAX_THREADS && block.z() <= MAX_THREADS_Z, "block", block,
                    "at most " + MAX_THREADS + " threads, z <= " + MAX_THREADS_Z);
            require(cluster == null || cluster.count() <= MAX_CLUSTER && divides(cluster, grid), "cluster", cluster,
                    "at most " + MAX_CLUSTER + " blocks, x, y and z divide those of " + grid);
            if (sharedBytes < 0) {
                throw new IllegalArgumentException("launch shape out of range: sharedBytes=" + sharedBytes + " (expected: >= 0)");
            }
        }

        /** One dimension. */
        public Shape(int blocks, int threads, int sharedBytes) {
            this(DeviceGrid.Dims.of(blocks), DeviceGrid.Dims.of(threads), null, sharedBytes);
        }

        /** One dimension, without dynamic shared memory. */
        public Shape(int blocks, int threads) {
            this(blocks, threads, 0);
        }

        /** Without dynamic shared memory. */
        public Shape(DeviceGrid.Dims grid, DeviceGrid.Dims block) {
            this(grid, block, null, 0);
        }

        private static void require(boolean fits, String what, DeviceGrid.Dims value, String expected) {
            if (!fits) {
                throw new IllegalArgumentException("launch shape out of range: " + what + "=" + value + " (expected: " + expected
                        + ")");
            }
        }

        private static boolean divides(DeviceGrid.Dims part, DeviceGrid.Dims whole) {
            return whole.x() % part.x() == 0 && whole.y() % part.y() == 0 && whole.z() % part.z() == 0;
        }

        /** As many blocks of {@code threads} as cover {@code count} threads. */
        public static Shape covering(long count, int threads) {
            return new Shape(blocks(count, threads), threads);
        }

        /** As many blocks as cover that many threads in each dimension. */
        public static Shape covering(long x, long y, long z, DeviceGrid.Dims block) {
            return new Shape(new DeviceGrid.Dims(blocks(x, block.x()), blocks(y, block.y()), blocks(z, block.z())), block);
        }

        private static int blocks(long count, int threads) {
            return Math.toIntExact(Math.max(1, Math.ceilDiv(count, (long) threads)));
        }

        /** The same with dynamic shared memory. */
        public Shape withShared(int bytes) {
            return new Shape(grid, block, cluster, bytes);
        }

        /** The same with clusters of blocks. */
        public Shape withCluster(DeviceGrid.Dims blocks) {
            return new Shape(grid, block, blocks, sharedBytes);
        }

        /** Number of blocks in the grid. */
        public int blocks() {
            return grid.count();
        }

        /** Number of threads in a block. */
        public int threads() {
            return block.count();
        }

        /** Number of threads of the whole grid. */
        public long allThreads() {
            return (long) blocks() * threads();
        }
    }

    /** A launch's arguments as a Java body reads them. */
    public interface Args {

        /**
         * The {@code index}-th argument, from 0, a buffer, as memory the body may read and write; a struct as memory that it may
         * read.
         *
         * @throws IllegalArgumentException if there are fewer, or if it is of another type; so do all of these
         */
        java.lang.foreign.MemorySegment segment(int index);

        int intAt(int index);

        long longAt(int index);

        float floatAt(int index);

        double doubleAt(int index);

        byte byteAt(int index);

        short shortAt(int index);

        boolean booleanAt(int index);

        char charAt(int index);

        /** A struct as a record: see {@link RecordLayout}. */
        <R extends Record> R recordAt(int index, Class<R> type);
    }
}
