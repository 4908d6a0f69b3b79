package org.pgas4j.device;

import org.pgas4j.Kernel;

/**
 * A grid whose blocks may wait for each other, so that all of them have to be resident at once.
 *
 * @param kernel  kernel for GPUs: its first parameter is {@code world}, {@code args} follow; its body is not used
 * @param blocks  number of blocks in the grid
 * @param threads number of threads in a block; the host device has one thread for each block
 * @param sharedBytes dynamic shared memory of a block; the host device has its own
 * @param world   first argument of the kernel: the address of the blocks' memory on the device
 * @param args    further arguments, as those of {@link org.pgas4j.Stream#launch}
 * @param body    body for the host device, or null
 */
public record BlockGrid(Kernel kernel, int blocks, int threads, int sharedBytes, long world, Object[] args, Body body) {

    public BlockGrid {
        args = KernelValues.kept(args);
    }

    /** Body of a block on the host device. */
    @FunctionalInterface
    public interface Body {

        /** Runs as one block, on a thread of its own. */
        void run(int block, Kernel.Args args) throws Exception;
    }

    @Override
    public String toString() {
        return kernel.name() + " on " + blocks + " blocks";
    }
}
