package org.pgas4j.runtime.blocks;

import org.pgas4j.device.StreamEvent;

/**
 * The places beside a queue where blocks leave bytes of their puts, as the host frees them. Blocks claim them in a row, and the
 * commands that name them may come in another order; a block learns how many are free again from the first that is not. Streams may
 * copy from places long after their command, which nothing waits for. Used by one thread at a time.
 */
final class StagedPlaces {

    private final HostPage page;
    private final boolean[] free = new boolean[HostPage.STAGED_PLACES]; // behind the first that is not
    private final StreamEvent[] copies = new StreamEvent[HostPage.STAGED_PLACES];
    private int copied; // how many of them there are
    private long freed;

    StagedPlaces(HostPage page) {
        this.page = page;
    }

    /** The bytes of a place are not needed any more. */
    void free(long place) {
        free[HostPage.stagedIndex(place)] = true;
        while (free[HostPage.stagedIndex(freed)]) {
            free[HostPage.stagedIndex(freed)] = false;
            freed++;
        }
        page.set(HostPage.STAGED_FREED, freed);
    }

    /** As {@link #free}, when an event has passed; at once if it is null. */
    void freeAfter(long place, StreamEvent event) {
        if (event == null) {
            free(place);
        } else {
            copies[HostPage.stagedIndex(place)] = event;
            copied++;
        }
    }

    /** Frees the places whose events have passed; true if there are some. */
    boolean freeCopied() {
        boolean any = false;
        long first = freed;
        for (long place = first; place < first + HostPage.STAGED_PLACES && copied > 0; place++) {
            StreamEvent event = copies[HostPage.stagedIndex(place)];
            if (event != null && event.isDone()) {
                event.close();
                copies[HostPage.stagedIndex(place)] = null;
                copied--;
                free(place);
                any = true;
            }
        }
        return any;
    }

    /** True if streams may still copy from some. */
    boolean areCopied() {
        return copied > 0;
    }
}
