package org.pgas4j.kernel.runtime;

import java.io.Serializable;
import org.pgas4j.Kernel;

/**
 * The last few plans of one kernel, each of another lambda object or shape: programs that take turns between two buffers have as many
 * objects. Used by the rank's thread.
 */
final class LaunchPlans {

    /** Plans that are kept. */
    static final int MAX = 8;

    private final LaunchPlan[] plans = new LaunchPlan[MAX];
    private int next;

    /** The plan of an object and a shape, or null; allocates nothing. */
    LaunchPlan find(Serializable body, Kernel.Shape shape) {
        for (LaunchPlan plan : plans) {
            if (plan != null && plan.isFor(body, shape)) {
                return plan;
            }
        }
        return null;
    }

    /** Keeps a plan in place of the oldest. */
    void keep(LaunchPlan plan) {
        plans[next] = plan;
        next = (next + 1) % MAX;
    }
}
