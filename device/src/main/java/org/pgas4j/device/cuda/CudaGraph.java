package org.pgas4j.device.cuda;

import jcuda.driver.CUgraphExec;
import org.pgas4j.device.AcceleratorGraph;

/** An executable graph of the driver. */
final class CudaGraph implements AcceleratorGraph {

    private final CudaAccelerator device;
    private final CUgraphExec graph;
    private final int operations;
    private boolean closed;

    CudaGraph(CudaAccelerator device, CUgraphExec graph, int operations) {
        this.device = device;
        this.graph = graph;
        this.operations = operations;
    }

    /** The graph, for a stream of device {@code its}. */
    CUgraphExec graph(CudaAccelerator its) {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        if (its != device) {
            throw new IllegalArgumentException(this + " launched on " + its);
        }
        return graph;
    }

    @Override
    public int operations() {
        return operations;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.forget(this);
            device.quiet(() -> CudaDriver.destroyGraph(graph));
        }
    }

    @Override
    public String toString() {
        return "graph of " + operations + " operations of " + device;
    }
}
