package org.pgas4j.runtime.notify;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.Notifications;
import org.pgas4j.OwnThread;
import org.pgas4j.PgasException;
import org.pgas4j.SourceWindow;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.Failpoint;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.Waiter;

/** Notifications of a rank's host code. A wait reads the rank's own counter and serves other ranks meanwhile. */
public final class RankNotifications implements Notifications, ProgressEngine.Service, AutoCloseable {

    private static final Duration MAX_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

    private record Pending(int tag, long count, long target, long deadlineNs, CompletableFuture<Void> future) {
    }

    private final Counters counters;
    private final Notifier notifier;
    private final Waiter waiter;
    private final ProgressEngine progress;
    private final HappensBefore ordering;
    private final Thread thread = Thread.currentThread();
    private final Supplier<String> reason = this::describe;
    private final Supplier<NotificationTimeoutException> late = this::timeout;
    private final Supplier<NotificationTimeoutException> lateSourced = this::timeoutSourced;
    private final ConcurrentLinkedQueue<Pending> started = new ConcurrentLinkedQueue<>();
    private final List<Pending> pending = new ArrayList<>(); // the service's
    private boolean serving;
    private String waitsFor;
    private int waitsForTag;
    private long waitsForCount;
    private long waitsNs;
    private boolean forValue;
    private SourceCounters waitsAt; // while it waits for what a window counts by source
    private int waitsAtWindow;
    private int waitsForSource;

    /** @param ordering is told of what has been seen */
    public RankNotifications(Counters counters, Notifier notifier, Waiter waiter, ProgressEngine progress,
                             HappensBefore ordering) {
        this.ordering = ordering;
        this.counters = counters;
        this.notifier = notifier;
        this.waiter = waiter;
        this.progress = progress;
    }

    @Override
    public void signal(int target, int tag) {
        requireOwnThread();
        Counters.checkTag(tag);
        notifier.signal(target, tag, NotificationSink.COUNTER, 1);
    }

    @Override
    public void signalSet(int target, int tag, long value) {
        requireOwnThread();
        Counters.checkTag(tag);
        checkValue(tag, value);
        notifier.signal(target, tag, NotificationSink.VALUE, value);
    }

    private void requireOwnThread() {
        OwnThread.require(thread, counters.rank(), "notifications", "");
    }

    static void checkValue(int tag, long value) {
        if (value == 0) {
            throw new IllegalArgumentException("value of a notification: tag=" + tag
                    + " value=0, which means that there is none");
        }
    }

    @Override
    public long available(int tag) {
        requireOwnThread();
        Counters.checkTag(tag);
        long available = Math.max(0, counters.available(tag));
        if (available > 0) {
            ordering.takes(tag, false);
        }
        return available;
    }

    @Override
    public void await(int tag, long count) {
        await(tag, count, waiter.timeoutNs());
    }

    @Override
    public void await(int tag, long count, Duration timeout) {
        await(tag, count, nanos(timeout));
    }

    private void await(int tag, long count, long timeoutNs) {
        requireOwnThread();
        Counters.checkCount(tag, count);
        if (counters.available(tag) < count || Failpoint.isOn()) { // its place does not depend on who is quicker
            begin("await", tag, count, timeoutNs, false);
            while (counters.available(tag) < count) {
                waiter.pause(reason);
            }
            waiter.activity().leave();
        }
        take(tag, count);
    }

    /** Consumes notifications that have arrived. */
    private void take(int tag, long count) {
        seen(tag, count, counters.reserve(tag, count));
    }

    private void seen(int tag, long count, long counter) {
        ordering.takes(tag, false);
        if (Trace.isOn()) {
            Trace.seen(counters.rank(), tag, count, counter);
        }
    }

    private void begin(String what, int tag, long count, long timeoutNs, boolean value) {
        waitsFor = what;
        waitsForTag = tag;
        waitsForCount = count;
        waitsNs = timeoutNs;
        forValue = value;
        waiter.begin(System.nanoTime() + timeoutNs, late);
        waiter.activity().enter(Phase.NOTIFICATION);
        Failpoint.hit(Failpoint.NOTIFY);
    }

    private String describe() {
        return waitsFor + " of rank " + counters.rank();
    }

    private NotificationTimeoutException timeout() {
        return counters.timeout(waitsForTag, waitsForCount,
                forValue ? counters.value(waitsForTag) == 0 ? 0 : 1 : Math.max(0, counters.available(waitsForTag)), waitsFor,
                waitsNs);
    }

    @Override
    public boolean test(int tag, long count) {
        requireOwnThread();
        Counters.checkCount(tag, count);
        if (counters.available(tag) < count) {
            pollOnce();
            if (counters.available(tag) < count) {
                return false;
            }
        }
        take(tag, count);
        return true;
    }

    @Override
    public int awaitAny(int[] tags, Duration timeout) {
        requireOwnThread();
        if (tags.length == 0) {
            throw new IllegalArgumentException("awaitAny of no tags");
        }
        for (int tag : tags) {
            Counters.checkTag(tag);
        }
        int tag = takeAny(tags);
        if (tag < 0) {
            begin(tags.length == 1 ? "awaitAny" : "awaitAny of tags " + Arrays.toString(tags), tags[0], 1, nanos(timeout),
                    false);
            while ((tag = takeAny(tags)) < 0) {
                waiter.pause(reason);
            }
            waiter.activity().leave();
        }
        return tag;
    }

    private int takeAny(int[] tags) {
        for (int tag : tags) {
            if (counters.available(tag) > 0) {
                take(tag, 1);
                return tag;
            }
        }
        return -1;
    }

    @Override
    public int awaitSome(int first, int count, Duration timeout) {
        requireOwnThread();
        checkRange(first, count);
        int tag = some(first, count);
        if (tag < 0) {
            begin("awaitSome of " + count + " values", first, 1, nanos(timeout), true);
            while ((tag = some(first, count)) < 0) {
                waiter.pause(reason);
            }
            waiter.activity().leave();
        }
        return tag;
    }

    @Override
    public int testSome(int first, int count) {
        requireOwnThread();
        checkRange(first, count);
        int tag = some(first, count);
        if (tag < 0) {
            pollOnce();
            tag = some(first, count);
        }
        return tag;
    }

    /** Nanoseconds of a timeout; as many as there are if it is longer, 292 years. */
    static long nanos(Duration timeout) {
        return timeout.compareTo(MAX_TIMEOUT) > 0 ? Long.MAX_VALUE : timeout.toNanos();
    }

    static void checkRange(int first, int count) {
        if (first < 0 || count <= 0 || first > TAGS - count) {
            throw new IllegalArgumentException("tags out of range: first=" + first + " count=" + count + " (expected: 0.."
                    + (TAGS - 1) + ")");
        }
    }

    private int some(int first, int count) {
        for (int tag = first; tag < first + count; tag++) {
            if (counters.value(tag) != 0) {
                ordering.takes(tag, true);
                return tag;
            }
        }
        return -1;
    }

    @Override
    public long reset(int tag) {
        requireOwnThread();
        Counters.checkTag(tag);
        long value = counters.takeValue(tag);
        if (value != 0) {
            ordering.takes(tag, true);
            if (Trace.isOn()) {
                Trace.seenSet(counters.rank(), tag, value);
            }
        }
        return value;
    }

    // ---- by source

    @Override
    public SourceWindow.Arrival awaitSome(List<? extends SourceWindow> windows, int source, int first, int tags,
                                          Duration timeout) {
        requireOwnThread();
        checkRange(first, tags);
        if (windows.isEmpty()) {
            throw new IllegalArgumentException("awaitSome of rank " + counters.rank() + " at no windows");
        }
        SourceWindow.Arrival arrival = some(windows, source, first, tags);
        if (arrival == null) {
            beginSourced("awaitSome of " + tags + " tags at " + windows.size() + " windows", source, first, nanos(timeout));
            while ((arrival = some(windows, source, first, tags)) == null) {
                waiter.pause(reason);
            }
            waiter.activity().leave();
        }
        return arrival;
    }

    private static SourceWindow.Arrival some(List<? extends SourceWindow> windows, int source, int first, int tags) {
        for (int i = 0; i < windows.size(); i++) {
            SourceWindow.Arrival arrival = RankSourceWindow.of(windows.get(i)).poll(source, first, tags);
            if (arrival != null) {
                return arrival;
            }
        }
        return null;
    }

    /** Waits for notifications that a window counts by source; consumes nothing. */
    void awaitSourced(SourceCounters sourced, int slot, int source, int tag, long count, long timeoutNs) {
        waitsAt = sourced;
        waitsAtWindow = slot;
        beginSourced("await", source, tag, timeoutNs);
        waitsForCount = count;
        while (sourced.available(source, tag) < count) {
            waiter.pause(reason);
        }
        waiter.activity().leave();
        waitsAt = null;
    }

    private void beginSourced(String what, int source, int tag, long timeoutNs) {
        String from = source == SourceWindow.ANY_SOURCE ? "from any source" : "from source " + source;
        waitsForSource = source;
        begin(what + " " + from, tag, 1, timeoutNs, false);
        waiter.begin(System.nanoTime() + timeoutNs, lateSourced);
    }

    private NotificationTimeoutException timeoutSourced() {
        SourceCounters at = waitsAt;
        waitsAt = null;
        long seen = at == null ? 0 : at.available(waitsForSource, waitsForTag);
        return new NotificationTimeoutException(counters.rank(), -1, at == null ? -1 : waitsAtWindow, waitsForTag, waitsForCount,
                seen, Counters.late(waitsFor, waitsNs));
    }

    /** The rank has seen notifications that a window counts by source. */
    void sawSourced(int tag) {
        ordering.takes(tag, false);
    }

    long timeoutNs() {
        return waiter.timeoutNs();
    }

    /** Serves others once, for a test that has found nothing. */
    void pollOnce() {
        waiter.throwIfAborted();
        progress.poll();
    }

    // ---- futures

    @Override
    public CompletableFuture<Void> future(int tag, long count) {
        requireOwnThread();
        Counters.checkCount(tag, count);
        CompletableFuture<Void> future = new CompletableFuture<>();
        long target = counters.reserve(tag, count);
        if (counters.missing(tag, target) <= 0) {
            seen(tag, count, target);
            future.complete(null);
            return future;
        }
        started.add(new Pending(tag, count, target, waiter.deadline(), future));
        if (!serving) {
            serving = true;
            progress.addService(this);
        }
        return future;
    }

    @Override
    public boolean poll() {
        for (Pending next = started.poll(); next != null; next = started.poll()) {
            pending.add(next);
        }
        boolean any = false;
        for (int i = 0; i < pending.size(); ) {
            if (isOver(pending.get(i))) {
                pending.remove(i);
                any = true;
            } else {
                i++;
            }
        }
        return any;
    }

    private boolean isOver(Pending wait) {
        long missing = counters.missing(wait.tag(), wait.target());
        if (missing <= 0) {
            seen(wait.tag(), wait.count(), wait.target());
            wait.future().complete(null);
            return true;
        }
        if (System.nanoTime() - wait.deadlineNs() > 0) {
            wait.future().completeExceptionally(counters.timeout(wait.tag(), wait.count(), Math.max(0, wait.count() - missing),
                    "future", waiter.timeoutNs()));
            return true;
        }
        try {
            waiter.throwIfAborted();
            return wait.future().isDone();
        } catch (PgasException e) {
            wait.future().completeExceptionally(e);
            return true;
        }
    }

    /** The rank ends: futures that are not complete are cancelled. */
    @Override
    public void close() {
        if (serving) {
            progress.removeService(this);
            poll();
            pending.forEach(wait -> wait.future().cancel(false));
        }
    }
}
