package org.pgas4j.runtime.blocks;

import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.KernelException;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;

/** Why a block ended before its time, as it wrote it down. The kinds are the device library's. */
final class BlockFailure {

    static final int LATE_NOTIFICATION = 1;
    static final int LATE_BARRIER = 2;
    static final int LATE_CREDIT = 3;
    static final int LATE_FLUSH = 4;
    static final int LATE_QUEUE = 5;
    static final int BAD_RANGE = 6;
    static final int BAD_ARGUMENT = 7;
    /** A Java body threw; what it threw is with the host's data. */
    static final int THREW = 8;
    static final int LATE_LOCK = 17;
    static final int UNEQUAL_BARRIERS = 18;

    private BlockFailure() {
    }

    /** True if a block wrote something down. */
    static boolean isThere(HostPage page) {
        return page.get(HostPage.ERROR) != 0;
    }

    /**
     * The exception for what is written down.
     *
     * @param program that was launched last
     * @param thrown  by its Java body, or null
     */
    static RuntimeException of(HostPage page, String program, int rank, int firstBlock, long timeoutNs, Throwable thrown) {
        int kind = (int) page.get(HostPage.ERROR);
        int block = firstBlock + (int) page.get(HostPage.ERROR + 8);
        int window = (int) page.get(HostPage.ERROR + 16);
        int tag = (int) page.get(HostPage.ERROR + 24);
        long expected = page.get(HostPage.ERROR + 32);
        long seen = page.get(HostPage.ERROR + 40);
        String who = "rank " + rank + " block " + block;
        String late = " after " + timeoutNs / 1_000_000 + " ms; raise pgas.timeout or the blocks' own if that is too short";
        return switch (kind) {
            case LATE_NOTIFICATION -> new NotificationTimeoutException(rank, block, window, tag, expected, seen,
                    "the notifications a block waits for did not come" + late);
            case LATE_BARRIER -> new PgasTimeoutException(who + ": barrier, " + seen + " arrivals or epoch of " + expected + late);
            case LATE_CREDIT -> new PgasTimeoutException(who + ": block " + tag + " takes no messages, " + seen + " of " + expected
                    + late);
            case LATE_FLUSH -> new PgasTimeoutException(who + ": flush, " + seen + " of " + expected + " puts" + late);
            case LATE_QUEUE -> new PgasTimeoutException(who + ": command queue full, " + seen + " of " + expected + " taken" + late);
            case BAD_RANGE -> new IndexOutOfBoundsException(who + ": out of range: window=" + window + " target=" + tag + " end="
                    + expected + " windowBytes=" + seen);
            case BAD_ARGUMENT -> new IllegalArgumentException(who + ": no such window, target or tag: window=" + window + " tag="
                    + tag + " most=" + expected + " given=" + seen);
            case THREW -> new KernelException(who + ": block program " + program + " threw " + thrown, thrown);
            case LATE_LOCK -> new PgasTimeoutException(who + ": another thread of the block makes the way to block " + tag + late);
            case UNEQUAL_BARRIERS -> new CollectiveMismatchException(who + ": the blocks of a rank came to different numbers of barriers"
                    + ((tag & 1) == 0 ? " of all ranks" : "") + " in a launch: block " + block + " to " + expected + ", block "
                    + (firstBlock + (tag >> 1)) + " to " + seen + ", windows created and freed and the end among them");
            default -> new PgasException(who + ": unknown failure " + kind);
        };
    }
}
