package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;

/** A launch as the stream takes it. One of the same lambda object and shape is the same again: what it has captured is final. */
final class LaunchPlan {

    private final int rank;
    private final Kernel kernel;
    private final Kernel.Shape shape;
    private final Object[] arguments;
    private final Buffer[] uses;
    private Serializable body;
    private Kernel.Shape asked;

    /** @param uses memory of the kernel */
    LaunchPlan(int rank, Kernel kernel, Kernel.Shape shape, Object[] arguments, Buffer[] uses) {
        this.rank = rank;
        this.kernel = kernel;
        this.shape = shape;
        this.arguments = arguments;
        this.uses = uses;
    }

    /** This plan, for later launches of a lambda with the shape that the program gives. */
    LaunchPlan of(Serializable lambda, Kernel.Shape given) {
        body = lambda;
        asked = given;
        return this;
    }

    /** True if a launch is this one again. */
    boolean isFor(Serializable lambda, Kernel.Shape given) {
        return lambda == body && given.equals(asked);
    }

    void launch(JavaKernels.Queue queue) {
        for (Buffer buffer : uses) {
            queue.use(buffer);
        }
        Launches.launch(rank, queue.stream(), kernel, shape, arguments);
    }
}
