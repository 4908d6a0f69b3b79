package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Prepared;
import org.pgas4j.SourceWindow;
import org.pgas4j.Window;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.Route;

/**
 * Puts and notifications of one stream. The host writes down what is to be done and queues a write to the stream's doorbell; a
 * service sees the bell and does it. A put that the device does by itself is queued as a copy before the bell; of one that the
 * service does the stream waits for the end, because later work may change its source. Used by the rank's thread.
 */
public final class ProxiedStreamOps implements Completions.Follower, AutoCloseable {

    private static final int CAPACITY = 4096;
    private static final long BELL = 0;
    private static final long PERFORMED = 128;
    private static final long WORDS_BYTES = 256;
    /** Time a closed stream has to go on without what it waits for. */
    static final long CLOSE_NS = 1_000_000_000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final AcceleratorStream stream;
    private final Counters counters;
    private final Puts puts;
    private final ProgressEngine progress;
    private final Waiter waiter;
    private final HappensBefore ordering;
    private final PinnedMemory pinned;
    private final MemorySegment words;
    private final DescriptorRing ring;
    private final Supplier<String> reason = this::describe;
    private final StreamWaits waits;
    private long preceding; // the stream has been told to wait for this one
    private boolean closed;

    ProxiedStreamOps(AcceleratorStream stream, Counters counters, Puts puts, Notifier notifier, ProgressEngine progress,
                         Waiter waiter, HappensBefore ordering) {
        this.ordering = ordering;
        this.stream = stream;
        this.counters = counters;
        this.puts = puts;
        this.progress = progress;
        this.waiter = waiter;
        this.pinned = puts.accelerator().allocatePinned(WORDS_BYTES);
        this.words = pinned.segment().fill((byte) 0);
        this.waits = new StreamWaits(counters);
        this.ring = new DescriptorRing(CAPACITY, new DescriptorEngine(progress, notifier, puts.accelerator()),
                () -> (long) WORD.getAcquire(words, BELL), this::performed);
        puts.segments().register(counters.rank(), counters.rank(), puts.accelerator());
        progress.addService(ring);
    }

    private void performed() {
        // release: pairs with the acquire of the stream that waits for the word
        WORD.setRelease(words, PERFORMED, ring.performed());
    }

    private Descriptor next() {
        if (ring.isFull()) {
            waiter.activity().enter(Phase.TRANSFER);
            waiter.begin();
            while (ring.isFull()) {
                waiter.pause(reason);
            }
            waiter.activity().leave();
        }
        return ring.next();
    }

    private String describe() {
        return "stream of rank " + counters.rank() + " with " + (ring.submitted() - ring.performed())
                + " puts and notifications to be done, " + ((long) WORD.getAcquire(words, BELL) - ring.performed())
                + " of which it has reached";
    }

    private void submit(Descriptor what) {
        Route route = what.route;
        if (route != null && route.isByDevice()) {
            if (what.notifies()) {
                what.rma.thenWrite(words, BELL, ring.submitted() + 1);
            }
            route.tryPut(what.rma, stream);
            what.route = null; // the stream has the bytes, and the service what is left
            if (what.notifies()) {
                ring.submit();
            }
            return;
        }
        long number = ring.submit();
        stream.writeValue(words, BELL, number);
        if (route != null) {
            stream.waitValue(words, PERFORMED, number);
        }
    }

    /** A put, without notification. */
    public void put(Window window, int target, long offset, Buffer src) {
        RankWindow own = RankWindow.of(window);
        own.check("put", target, offset, src.bytes());
        Descriptor next = next();
        puts.describe(next, own, target, offset, src);
        if (src.bytes() > 0) {
            submit(next);
        }
    }

    /** A put with its notification. */
    public void putNotify(Window window, int target, long offset, Buffer src, int tag) {
        putNotifySet(window, target, offset, src, tag, 0);
    }

    /** A put with a value for a tag, or with a notification that is counted if that is 0. */
    public void putNotifySet(Window window, int target, long offset, Buffer src, int tag, long value) {
        Counters.checkTag(tag);
        RankWindow own = RankWindow.of(window);
        own.check("putNotify", target, offset, src.bytes());
        Descriptor next = next();
        puts.describe(next, own, target, offset, src);
        if (value == 0) {
            own.describeNotification(next, target, tag);
        } else {
            next.valued(tag, value);
        }
        submit(next);
    }

    /**
     * A put to a rank's part of a window with a notification of one of its blocks.
     *
     * @param block name in messages
     */
    public void putNotifyBlock(Window window, int rank, long offset, Buffer src, int block, int tag) {
        RankWindow own = RankWindow.of(window);
        int member = own.member(rank);
        own.check("putNotify", member, offset, src.bytes());
        Descriptor next = next();
        puts.describe(next, own, member, offset, src);
        next.ofBlock(block, tag);
        submit(next);
    }

    /** A notification of a block of a rank alone. */
    public void signalBlock(int rank, int block, int tag) {
        Descriptor next = next();
        puts.describe(next, rank);
        next.ofBlock(block, tag);
        submit(next);
    }

    /** A notification alone. */
    public void signal(int target, int tag) {
        signalSet(target, tag, 0);
    }

    /** A value for a tag, or a notification that is counted if that is 0. */
    public void signalSet(int target, int tag, long value) {
        Counters.checkTag(tag);
        Descriptor next = next();
        puts.describe(next, target);
        next.valued(tag, value);
        submit(next);
    }

    /** A notification that the checks know already; arguments are {@link Notifier#signal}'s. */
    void signalReported(int target, int tag, int kind, long value) {
        Descriptor next = next();
        puts.describe(next, target);
        next.notification(tag, kind, value);
        next.reported();
        submit(next);
    }

    /** A prepared communication. */
    public void trigger(Prepared prepared) {
        Descriptor what = PreparedTable.descriptor(prepared);
        Descriptor next = next();
        next.copyFrom(what);
        submit(next);
    }

    /** Later work waits for notifications, which are consumed now. */
    public void awaitNotifications(int tag, long count) {
        Counters.checkCount(tag, count);
        long beginNs = Trace.isOn() ? System.nanoTime() : 0;
        long target = counters.reserve(tag, count);
        boolean waits = await(tag, counters.offset(tag), count, target);
        if (beginNs != 0 && waits) {
            Trace.seenByStream(counters.rank(), tag, count, target, beginNs);
        } else if (beginNs != 0) {
            Trace.seen(counters.rank(), tag, count, target);
        }
    }

    /** Later work waits for notifications of one source, which are consumed now. */
    public void awaitNotifications(SourceWindow window, int source, int tag, long count) {
        RankSourceWindow own = RankSourceWindow.of(window);
        long target = own.reserve(source, tag, count);
        await(tag, own.word(source, tag), count, target);
    }

    /** False if they have come already. */
    private boolean await(int tag, long word, long count, long target) {
        ordering.takesUnseen();
        if (counters.missingAt(word, target) <= 0) {
            return false;
        }
        waits.add(tag, word, count, target);
        stream.waitValue(counters.memory(), word, target);
        return true;
    }

    /** Orders what the device does by itself from here on behind what the service has been given. */
    public void precede() {
        long last = ring.submitted();
        if (preceding != last && !isIdle()) {
            preceding = last;
            stream.waitValue(words, PERFORMED, last);
        }
    }

    /** True if everything the stream has started is done. */
    @Override
    public boolean isIdle() {
        return ring.performed() == ring.submitted();
    }

    /** Waits until everything the stream has started is done; the stream itself is idle. */
    @Override
    public void complete() {
        if (!isIdle()) {
            waiter.begin();
            while (!isIdle()) {
                waiter.pause(reason);
            }
        }
    }

    /** Exception for a wait for this stream that passed its deadline. */
    public PgasTimeoutException late(PgasTimeoutException timeout) {
        return waits.late(timeout, waiter.timeoutNs());
    }

    /** Gives up what has not come: the stream goes on without, and ends. The stream is closed by its owner afterwards. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        progress.removeService(ring);
        if (!hasEnded(stream)) {
            WORD.setRelease(words, PERFORMED, Long.MAX_VALUE);
            waits.giveUp();
            settle();
        }
    }

    /** A stream that has failed does nothing any more; whoever used it was told. */
    static boolean hasEnded(AcceleratorStream stream) {
        try {
            return stream.isIdle();
        } catch (DeviceException e) {
            return true;
        }
    }

    private void settle() {
        long endNs = System.nanoTime() + CLOSE_NS;
        while (!hasEnded(stream) && System.nanoTime() - endNs < 0) {
            Thread.yield();
        }
    }

    /** Frees what the stream wrote to; it is closed. */
    public void free() {
        pinned.close();
    }
}
