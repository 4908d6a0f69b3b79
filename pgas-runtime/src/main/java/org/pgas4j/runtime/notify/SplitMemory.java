package org.pgas4j.runtime.notify;

import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * Memory of all teams of one split, as one of the ranks that were split has it. Each counts itself out when it uses the memory no
 * more, and the last one frees it.
 */
final class SplitMemory {

    private final Endpoint home;
    private final long left;
    private final int sharers;
    private final Runnable free;

    /**
     * @param home    host segment of the first of the ranks that were split
     * @param left    offset there of the number of ranks that use the memory no more, 0 at first
     * @param sharers ranks that were split
     * @param free    frees the memory on all ranks
     */
    SplitMemory(Endpoint home, long left, int sharers, Runnable free) {
        this.home = home;
        this.left = left;
        this.sharers = sharers;
        this.free = free;
    }

    /** Ends this rank's use. Other ranks have seen all that it has written there, or will before they come here. */
    void leave() {
        if (home.fetchAndAddWord(left, 1) == sharers - 1) {
            free.run();
        }
    }
}
