package org.pgas4j.bootstrap.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Lines on which the events of a thread are drawn: those of one line are apart or inside of each other. A copy that a thread has
 * started and looks at later overlaps with others, and goes to a further line.
 */
final class Lanes {

    private final List<Deque<Long>> open = new ArrayList<>(); // ends of the events that have begun, the innermost first

    /**
     * Line of the next event, from 0.
     *
     * @param beginNs not before that of the event before; of those that begin together the longest comes first
     */
    int next(long beginNs, long endNs) {
        for (int lane = 0; lane < open.size(); lane++) {
            Deque<Long> ends = open.get(lane);
            while (!ends.isEmpty() && ends.peek() <= beginNs) {
                ends.pop();
            }
            if (ends.isEmpty() || ends.peek() >= endNs) {
                ends.push(endNs);
                return lane;
            }
        }
        Deque<Long> made = new ArrayDeque<>();
        made.push(endNs);
        open.add(made);
        return open.size() - 1;
    }
}
