package org.pgas4j.runtime.blocks;

/**
 * The places beside a queue where blocks leave bytes of their puts, as the host frees them. Blocks claim them in a row, and the
 * commands that name them may come in another order; a block learns how many are free again from the first that is not. Used by one
 * thread at a time.
 */
final class StagedPlaces {

    private final HostPage page;
    private final boolean[] free = new boolean[HostPage.STAGED_PLACES]; // behind the first that is not
    private long freed;

    StagedPlaces(HostPage page) {
        this.page = page;
    }

    /** The bytes of a place are not needed any more. */
    void free(long place) {
        free[index(place)] = true;
        while (free[index(freed)]) {
            free[index(freed)] = false;
            freed++;
        }
        page.set(HostPage.STAGED_FREED, freed);
    }

    private static int index(long place) {
        return (int) (place % HostPage.STAGED_PLACES);
    }
}
