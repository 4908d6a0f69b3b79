package org.pgas4j.runtime.notify;

import java.time.Duration;
import java.util.List;
import org.pgas4j.SourceWindow;

/** One rank's view of a window that counts its notifications by source. Used by the rank's thread. */
final class RankSourceWindow extends RankWindow implements SourceWindow {

    private final SourceCounters counters;
    private final RankNotifications notifications;
    private final Runnable fence;
    private final Runnable free;
    private final List<SourceWindow> alone = List.of(this);
    private boolean freed;

    /**
     * @param fence completes at their targets what this rank has sent
     * @param free  frees the memory of the counters, when no member uses the window any more
     */
    RankSourceWindow(Teams teams, RankTeam team, int slot, WindowActions actions, SourceCounters counters,
                     RankNotifications notifications, Runnable fence, Runnable free) {
        super(teams, team, slot, actions);
        this.counters = counters;
        this.notifications = notifications;
        this.fence = fence;
        this.free = free;
    }

    /** A window of this runtime. */
    static RankSourceWindow of(SourceWindow window) {
        if (window instanceof RankSourceWindow own) {
            return own;
        }
        throw new IllegalArgumentException("not a window of this runtime: " + window);
    }

    private void check(int source, int tag, long count) {
        requireOpen();
        counters.checkSource(source);
        Counters.checkCount(tag, count);
    }

    @Override
    public long available(int source, int tag) {
        check(source, tag, 0);
        long available = counters.available(source, tag);
        if (available > 0) {
            notifications.sawSourced(tag);
        }
        return available;
    }

    @Override
    public void await(int source, int tag, long count) {
        await(source, tag, count, notifications.timeoutNs());
    }

    @Override
    public void await(int source, int tag, long count, Duration timeout) {
        await(source, tag, count, RankNotifications.nanos(timeout));
    }

    private void await(int source, int tag, long count, long timeoutNs) {
        check(source, tag, count);
        if (counters.available(source, tag) < count) {
            notifications.awaitSourced(counters, slot(), source, tag, count, timeoutNs);
        }
        take(source, tag, count);
    }

    /** Consumes notifications of one source that may not have arrived; what its counter has to reach for that. */
    long reserve(int source, int tag, long count) {
        check(source, tag, count);
        if (source == ANY_SOURCE) {
            throw new IllegalArgumentException("a stream waits for one source: tag=" + tag + " source=ANY_SOURCE (expected: 0.."
                    + (team().ranks() - 1) + ")");
        }
        return counters.reserve(source, tag, count);
    }

    /** Offset in the rank's host segment of the counter of a source and a tag. */
    long word(int source, int tag) {
        return counters.word(source, tag);
    }

    private void take(int source, int tag, long count) {
        counters.take(source, tag, count);
        notifications.sawSourced(tag);
    }

    @Override
    public boolean test(int source, int tag, long count) {
        check(source, tag, count);
        if (counters.available(source, tag) < count) {
            notifications.pollOnce();
            if (counters.available(source, tag) < count) {
                return false;
            }
        }
        take(source, tag, count);
        return true;
    }

    @Override
    public Arrival awaitSome(int source, int first, int tags, Duration timeout) {
        return notifications.awaitSome(alone, source, first, tags, timeout);
    }

    @Override
    public Arrival testSome(int source, int first, int tags) {
        RankNotifications.checkRange(first, tags);
        Arrival arrival = poll(source, first, tags);
        if (arrival == null) {
            notifications.pollOnce();
            arrival = poll(source, first, tags);
        }
        return arrival;
    }

    /** Takes a notification of the lowest of these tags; null if there is none. */
    Arrival poll(int source, int first, int tags) {
        requireOpen();
        counters.checkSource(source);
        for (int tag = first; tag < first + tags; tag++) {
            int from = counters.source(source, tag);
            if (from >= 0) {
                take(from, tag, 1);
                return new Arrival(this, from, tag);
            }
        }
        return null;
    }

    @Override
    public void close() {
        if (!freed) {
            freed = true;
            fence.run(); // no notification of this rank comes later: the memory it goes to is freed
            super.close();
            if (!isGivenUp()) {
                free.run(); // else members may go on notifying
            }
        }
    }
}
