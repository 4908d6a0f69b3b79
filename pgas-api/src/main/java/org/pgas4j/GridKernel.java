package org.pgas4j;

import java.io.Serializable;

/**
 * A block program in Java, one source for GPUs and the host device: a lambda expression or a static method that {@link
 * DeviceGrid#launch(GridKernel)} runs as each block of a rank. On a GPU every thread of a block runs it, translated to CUDA C++; on the
 * host device a block has one thread and runs the lambda as it is.
 *
 * <p>It uses numbers, records of numbers, buffers and shared arrays that it has captured, and {@link GridRank} for everything between
 * blocks. All threads of a block call the same operations of {@link GridRank} in the same order with the same arguments, but for
 * those of one thread or warp ({@link GridRank.Callers}). Work is divided among the threads of a block by {@link GridRank#thread} and
 * {@link GridRank#threads}; each operation of the block begins and ends with a barrier of its threads. docs/kernels.md lists what
 * such a program has; what it has not is refused with {@link KernelRefusedException} before it is launched, on the host device as
 * well.
 */
@FunctionalInterface
public interface GridKernel extends Serializable {

    /** Runs as one block, or on a GPU as one thread of it. */
    void run(GridRank self);
}
