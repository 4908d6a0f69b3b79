package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.pgas4j.Buffer;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Window;
import org.pgas4j.collective.CallJournal;
import org.pgas4j.collective.QueuedCollectives;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.os.trace.Trace;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.StreamMeeting;
import org.pgas4j.space.transfer.Route;

/**
 * Puts, values and waits for values of one stream that its device does by itself: the bytes are a copy, a value is a word written
 * straight into the target's segment behind it, a wait is the device's, and nothing in them changes from one time to the next, so
 * that a graph may hold them (the flags of LibMP's streams). Used by the rank's thread.
 */
public final class DeviceStreamOps implements QueuedCollectives.Queue, AutoCloseable {

    /** A value that is set at a rank. */
    private record Given(int target, int tag) {
    }

    /** A put of a graph. */
    private record Moved(Route route, long bytes) {
    }

    /** A collective call of a graph. */
    private record Called(CallJournal journal, long word, long count) {
    }

    private final AcceleratorStream stream;
    private final Counters counters;
    private final Puts puts;
    private final HappensBefore ordering;
    private final long timeoutNs;
    private final Descriptor scratch = new Descriptor();
    private final BitSet awaited = new BitSet();
    private final Set<Long> words = new HashSet<>(); // of collective operations
    private final Set<Runnable> stops = new HashSet<>(); // of their kernels
    private final List<Given> given; // of a graph; null of a stream
    private final List<QueuedCollectives.Meetings> met = new ArrayList<>(); // by a graph
    private final List<StreamMeeting> meetings = new ArrayList<>(); // of a stream, until it is complete
    private final List<Called> called = new ArrayList<>(); // by a graph
    private final List<CallJournal> journals = new ArrayList<>(); // of the collective calls of a stream
    private final List<Moved> moved = new ArrayList<>(); // of a graph
    private boolean closed;

    DeviceStreamOps(AcceleratorStream stream, Counters counters, Puts puts, HappensBefore ordering, long timeoutNs,
                         boolean captured) {
        this.stream = stream;
        this.counters = counters;
        this.puts = puts;
        this.ordering = ordering;
        this.timeoutNs = timeoutNs;
        this.given = captured ? new ArrayList<>() : null;
    }

    /** A put without notification; false, and nothing is queued, if it takes a host. */
    public boolean put(Window window, int target, long offset, Buffer src) {
        RankWindow own = RankWindow.of(window);
        own.check("put", target, offset, src.bytes());
        puts.describe(scratch, own, target, offset, src);
        if (!isByDevice()) {
            return false;
        }
        if (scratch.route != null) {
            move();
        }
        return true;
    }

    /** A put with a value; false as {@link #put}. */
    public boolean putNotifySet(Window window, int target, long offset, Buffer src, int tag, long value) {
        Counters.checkTag(tag);
        RankNotifications.checkValue(tag, value);
        RankWindow own = RankWindow.of(window);
        own.check("putNotify", target, offset, src.bytes());
        puts.describe(scratch, own, target, offset, src);
        if (!isByDevice()) {
            return false;
        }
        set(tag, value);
        return true;
    }

    /** A value; false as {@link #put}. */
    public boolean signalSet(int target, int tag, long value) {
        Counters.checkTag(tag);
        RankNotifications.checkValue(tag, value);
        puts.describe(scratch, target);
        if (!isByDevice()) {
            return false;
        }
        set(tag, value);
        return true;
    }

    /** Throws if a put of a graph cannot be done any more: its window is closed, or the memory that the target showed is freed. */
    public static void check(Window window, int target, long offset, Buffer src) {
        RankWindow.of(window).check("put of a graph", target, offset, src.bytes());
    }

    private boolean isByDevice() {
        return (scratch.route == null || scratch.route.isByDevice()) && puts.reaches(scratch.target);
    }

    private void move() {
        if (given == null) {
            scratch.route.tryPut(scratch.rma, stream);
        } else {
            scratch.route.capturePut(scratch.rma, stream);
            moved.add(new Moved(scratch.route, scratch.rma.bytes()));
        }
    }

    /** Sets a value, behind the bytes of the put if there are some. */
    private void set(int tag, long value) {
        if (given == null) {
            ordering.notifiesLater(scratch.target, tag, true);
        } else {
            given.add(new Given(scratch.target, tag));
        }
        long beginNs = Trace.isOn() && given == null ? System.nanoTime() : 0;
        MemorySegment words = puts.wordsOf(scratch.target);
        if (scratch.route == null) {
            stream.writeValue(words, counters.valueOffset(tag), value);
        } else {
            scratch.rma.thenWrite(words, counters.valueOffset(tag), value);
            move();
        }
        if (beginNs != 0) {
            Trace.signalSet(counters.rank(), scratch.target, tag, value, beginNs);
        }
    }

    /** Later work waits until the value of a tag is set, and takes it. */
    public void awaitValue(int tag) {
        Counters.checkTag(tag);
        awaited.set(tag);
        if (given == null) {
            ordering.takesUnseen();
        }
        stream.takeNonZero(puts.wordsOf(counters.rank()), counters.valueOffset(tag));
    }

    // ---- words of collective operations

    @Override
    public AcceleratorStream stream() {
        return stream;
    }

    @Override
    public void setWord(int target, long offset) {
        stream.writeValue(puts.wordsOf(target), offset, 1);
    }

    @Override
    public void takeWord(long offset) {
        words.add(offset);
        stream.takeNonZero(puts.wordsOf(counters.rank()), offset);
    }

    @Override
    public void waitsUntil(Runnable stop) {
        stops.add(stop);
    }

    @Override
    public void meets(QueuedCollectives.Meetings of) {
        if (ordering == HappensBefore.NONE) {
            return;
        }
        if (given == null) {
            meetings.add(of.next(ordering));
        } else {
            met.add(of);
        }
    }

    @Override
    public void calls(CallJournal journal, long word, long count) {
        if (given == null) {
            journal.add(word, count);
            keep(journal);
        } else {
            called.add(new Called(journal, word, count));
        }
    }

    private void keep(CallJournal journal) {
        for (int i = 0; i < journals.size(); i++) {
            if (journals.get(i) == journal) {
                return;
            }
        }
        journals.add(journal);
    }

    /**
     * Compares the collective calls of the stream with those that other members have queued; waits for none.
     *
     * @throws org.pgas4j.CollectiveMismatchException if they differ
     */
    public void compareCalls() {
        for (int i = journals.size() - 1; i >= 0; i--) {
            CallJournal journal = journals.get(i);
            if (journal.isClosed()) {
                journals.remove(i);
            } else {
                journal.compare();
            }
        }
    }

    /** Operations that the stream has not passed, as far as the rank knows. */
    public List<StreamMeeting> meetings() {
        return meetings.isEmpty() ? List.of() : List.copyOf(meetings);
    }

    /** Puts everything that is queued from now on behind these. */
    public void follows(List<StreamMeeting> others) {
        meetings.addAll(others);
    }

    /** The rank knows that the stream has done all that it was given: it waits for nothing of that any more. */
    public void completed() {
        meetings.forEach(StreamMeeting::leave);
        meetings.clear();
        awaited.clear();
        words.clear(); // they are their operations', whose memory may serve others by the time the stream is closed
        stops.clear();
    }

    /** Before what a graph holds is queued on this stream. */
    public void launches(DeviceStreamOps captured) {
        for (int i = 0; i < captured.called.size(); i++) {
            Called call = captured.called.get(i);
            calls(call.journal(), call.word(), call.count());
        }
        captured.met.forEach(this::meets);
        words.addAll(captured.words);
        stops.addAll(captured.stops);
        for (int i = 0; i < captured.moved.size(); i++) {
            Moved put = captured.moved.get(i);
            put.route().launchedPut(put.bytes());
        }
        if (!captured.awaited.isEmpty()) {
            awaited.or(captured.awaited);
            ordering.takesUnseen();
        }
        for (int i = 0; i < captured.given.size(); i++) {
            Given value = captured.given.get(i);
            ordering.notifiesLater(value.target(), value.tag(), true);
        }
    }

    /** Exception for a wait for this stream that passed its deadline: which value is missing, if the stream waits for one. */
    public PgasTimeoutException late(PgasTimeoutException timeout) {
        for (int tag = awaited.nextSetBit(0); tag >= 0; tag = awaited.nextSetBit(tag + 1)) {
            if (counters.value(tag) == 0) {
                PgasTimeoutException late = counters.timeout(tag, 1, 0,
                        "stream, for a value (tags " + awaited + " are waited for),", timeoutNs);
                late.addSuppressed(timeout);
                return late;
            }
        }
        if (!words.isEmpty() || !stops.isEmpty()) {
            StringBuilder progress = new StringBuilder();
            journals.forEach(journal -> progress.append(journal.describeProgress()));
            return new PgasTimeoutException("stream of rank " + counters.rank() + ", which has collective operations, "
                    + timeout.getMessage() + progress, timeout);
        }
        return timeout;
    }

    /** Sets what has not come until the stream ends, which its owner closes then. */
    @Override
    public void close() {
        if (closed || awaited.isEmpty() && words.isEmpty() && stops.isEmpty()) {
            return;
        }
        closed = true;
        if (!stops.isEmpty() && !ProxiedStreamOps.hasEnded(stream)) {
            stops.forEach(Runnable::run);
        }
        long endNs = System.nanoTime() + ProxiedStreamOps.CLOSE_NS;
        boolean any = false;
        while (!ProxiedStreamOps.hasEnded(stream) && System.nanoTime() - endNs < 0) {
            any = true;
            awaited.stream().forEach(tag -> counters.setValue(tag, 1));
            setWords(1);
            Thread.yield();
        }
        if (any) {
            awaited.stream().forEach(counters::takeValue);
            setWords(0);
        }
    }

    private void setWords(long value) {
        MemorySegment own = puts.wordsOf(counters.rank());
        words.forEach(offset -> own.set(ValueLayout.JAVA_LONG, offset, value));
    }
}
