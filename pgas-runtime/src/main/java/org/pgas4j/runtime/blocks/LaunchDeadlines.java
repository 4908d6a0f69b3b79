package org.pgas4j.runtime.blocks;

import java.time.Duration;
import java.util.function.Supplier;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.device.AcceleratorStream;

/**
 * Deadlines of a rank's launches: one to begin, after the launch before it, and one to end. One without the latter may compute as
 * long as it likes; a warning says so once. Used by the rank's thread.
 */
final class LaunchDeadlines {

    private static final System.Logger LOG = System.getLogger("pgas.blocks");
    private static final long CHECK_NS = 5_000_000;

    private final HostPage page;
    private final Duration toBegin;
    private final Duration toEnd; // null for none
    private long moves;     // launches that began and that ended, when last seen
    private long movedNs;   // when that was seen first
    private long checkedNs;
    private boolean passed;
    private boolean warned; // of a launch without a deadline

    LaunchDeadlines(HostPage page, Duration toBegin, Duration toEnd) {
        this.page = page;
        this.toBegin = toBegin;
        this.toEnd = toEnd;
    }

    /** Starts the time of a launch which has none before it. */
    void start() {
        movedNs = System.nanoTime();
    }

    /** True if a launch was late. */
    boolean havePassed() {
        return passed;
    }

    /**
     * Looks now and then, while launches are unfinished, whether they are late.
     *
     * @param last     stream of the last launch
     * @param launches text for the error
     * @throws org.pgas4j.DeviceException if the device failed
     */
    void check(AcceleratorStream last, Supplier<String> launches) {
        long nowNs = System.nanoTime();
        if (nowNs - checkedNs < CHECK_NS) {
            return;
        }
        checkedNs = nowNs;
        last.isIdle(); // throws if the device failed
        long done = page.get(HostPage.DONE);
        long begun = page.get(HostPage.BEGUN);
        if (moves != begun + done) {
            moves = begun + done;
            movedNs = nowNs;
        }
        boolean runs = begun - done > 0;
        if (runs && toEnd == null && !warned && (nowNs - movedNs) / 2 > toBegin.toNanos()) {
            warned = true;
            LOG.log(System.Logger.Level.WARNING, launches.get() + " still runs after " + 2 * toBegin.toMillis()
                    + " ms, and no wait in it is past its deadline: should it never end, neither will the wait for it;"
                    + " DeviceGrid.Options.launchTimeout bounds a launch");
        }
        Duration limit = runs ? toEnd : toBegin;
        if (limit != null && nowNs - movedNs > limit.toNanos()) {
            passed = true;
            throw new PgasTimeoutException(launches.get() + (runs ? " still runs after " : " has not begun after ")
                    + limit.toMillis()
                    + " ms" + (runs ? ", and no wait in it is past its own deadline; raise launchTimeout of the blocks"
                    : ": its stream has not done what was queued before; raise pgas.timeout") + " if that is too short");
        }
    }
}
