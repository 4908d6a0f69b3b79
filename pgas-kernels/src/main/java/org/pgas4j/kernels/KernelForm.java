package org.pgas4j.kernels;

/** Use that a kernel makes of its body. */
public enum KernelForm {
    /** Calls it for each index of a loop. */
    LOOP,
    /** Combines its values of type double for each index of a loop; each block leaves one result. */
    REDUCE_DOUBLES,
    /** The same with values of type long. */
    REDUCE_LONGS,
    /** Calls it once for each thread of a grid. */
    GRID,
    /** Calls it once for each thread of blocks that are ranks. */
    BLOCKS
}
