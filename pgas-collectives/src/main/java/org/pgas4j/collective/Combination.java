package org.pgas4j.collective;

import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;

/**
 * How devices combine elements.
 *
 * @param function of {@code op}; null for a {@link ReduceOp}
 */
record Combination(ElementType type, Reduction op, DeviceFunction function) {

    private static final Object[] NONE = {};

    static Combination of(ElementType type, ReduceOp op) {
        return new Combination(type, op, null);
    }

    /** The kernel for a number of sources, 2 to {@value CombineKernels#MAX_SOURCES}. */
    Kernel kernel(int sources) {
        return function == null ? CombineKernels.of(type, (ReduceOp) op, sources)
                : CombineKernels.of(type, op, function, sources);
    }

    /** The kernel for consecutive elements. */
    Kernel kernel(TileKernels.Work work) {
        return function == null ? TileKernels.of(work, type, (ReduceOp) op) : TileKernels.of(work, type, op, function);
    }

    /** Arguments of the kernel behind the others. */
    Object[] further() {
        return function == null ? NONE : function.arguments();
    }
}
