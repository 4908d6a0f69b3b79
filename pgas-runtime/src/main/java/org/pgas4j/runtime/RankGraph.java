package org.pgas4j.runtime;

import java.util.List;
import org.pgas4j.StreamGraph;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.runtime.notify.DeviceStreamOps;

/** A captured graph of a rank, with checks of the buffers, windows and words that it uses. */
final class RankGraph implements StreamGraph {

    private final RankDevice device;
    private final AcceleratorGraph graph;
    private final DeviceStreamOps byDevice;
    private final List<Runnable> uses;

    RankGraph(RankDevice device, AcceleratorGraph graph, DeviceStreamOps byDevice, List<Runnable> uses) {
        this.device = device;
        this.graph = graph;
        this.byDevice = byDevice;
        this.uses = uses;
    }

    AcceleratorGraph graph() {
        return graph;
    }

    DeviceStreamOps byDevice() {
        return byDevice;
    }

    /** Before a launch by the rank of {@code its}. */
    void check(RankDevice its) {
        if (its != device) {
            throw new IllegalArgumentException("graph of rank " + device.rank() + " launched by rank " + its.rank());
        }
        for (int i = 0; i < uses.size(); i++) {
            uses.get(i).run();
        }
    }

    @Override
    public int operations() {
        return graph.operations();
    }

    @Override
    public void close() {
        device.forget(this);
        graph.close();
    }

    @Override
    public String toString() {
        return graph + ", captured by rank " + device.rank();
    }
}
