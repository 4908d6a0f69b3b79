package org.pgas4j.launch;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * The JVMs of a job that run on one node: a run of numbers.
 *
 * @param node   number of the node, from 0
 * @param host   its name; null if it is this machine and the only one
 * @param first  first JVM
 * @param end    the JVM after the last
 * @param layout of the whole job
 */
record NodeShare(int node, String host, int first, int end, ProcessLayout layout) {

    /** All of the job, on this machine. */
    static NodeShare all(ProcessLayout layout) {
        return new NodeShare(0, null, 0, layout.processes(), layout);
    }

    /** JVMs on this node. */
    int processes() {
        return end - first;
    }

    /** Name of the job's directory here: several nodes may turn out to be one machine. */
    String directoryName(String job) {
        return host == null ? job : job + "." + node;
    }

    /** {@code rank 3} or {@code ranks 4-7}. */
    String ranks() {
        return layout.ranksOf(first, end);
    }

    /**
     * Deals the JVMs out: hosts take as many as they have slots, in order; the rest is spread evenly over the hosts
     * without a given number of slots. Hosts that get none are left out.
     *
     * @throws UsageException if there are too few slots
     */
    static List<NodeShare> deal(ProcessLayout layout, List<Host> hosts) {
        int[] counts = new int[hosts.size()];
        int left = layout.processes();
        for (int i = 0; i < counts.length; i++) {
            counts[i] = Math.min(hosts.get(i).slots(), left);
            left -= counts[i];
        }
        long open = hosts.stream().filter(host -> !host.fixed()).count();
        if (left > 0 && open == 0) {
            throw new UsageException(layout.processes() + " JVMs for " + Host.slots(hosts) + " slots on " + hosts.size()
                    + (hosts.size() == 1 ? " host" : " hosts")
                    + "; give the hosts more slots (-H a:4, slots=4) or fewer --processes");
        }
        for (int i = 0; i < counts.length && left > 0; i++) {
            if (!hosts.get(i).fixed()) {
                int share = (int) Math.ceilDiv(left, open--);
                counts[i] += share;
                left -= share;
            }
        }
        List<NodeShare> shares = new ArrayList<>();
        int first = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                shares.add(new NodeShare(shares.size(), hosts.get(i).shortName(), first, first + counts[i], layout));
                first += counts[i];
            }
        }
        return shares;
    }
}
