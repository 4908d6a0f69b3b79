package org.pgas4j.runtime.blocks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.RankCounters.Traffic;

/**
 * Transfers that the blocks of one rank have started, of all its grids, as lines of its counters. Written by the rank's thread when it
 * reads the blocks' counts; any thread may look.
 */
public final class BlockTraffic {

    /** Route of what blocks load and store by themselves. */
    public static final String ROUTE = "blocks";
    /** Route of what the host carries for them. */
    public static final String ROUTE_BY_HOST = "blocks-by-host";

    private record Line(int peer, String route, String operation, long minBytes) {
    }

    private final Map<Line, long[]> lines = new LinkedHashMap<>();

    /** Adds transfers of one block with one peer, whose size class is that of their mean. */
    synchronized void add(int peer, String route, String operation, long calls, long bytes) {
        if (calls > 0) {
            long[] sums = lines.computeIfAbsent(new Line(peer, route, operation, Long.highestOneBit(bytes / calls)), _ -> new long[2]);
            sums[0] += calls;
            sums[1] += bytes;
        }
    }

    /** A line for each peer, route, operation and size class. */
    public synchronized List<Traffic> look() {
        List<Traffic> seen = new ArrayList<>();
        lines.forEach((line, sums) -> seen.add(new Traffic(line.peer, line.route, line.operation, line.minBytes, sums[0], sums[1], "")));
        return seen;
    }
}
