package org.pgas4j.runtime.notify;

import java.util.Arrays;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.Prepared;
import org.pgas4j.Window;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.sync.Waiter;

/**
 * Prepared communications of one rank by number. Kept by the rank's thread; {@link #execute} is for the services of the rank,
 * on any thread.
 */
public final class PreparedTable implements AutoCloseable {

    private static final int CAPACITY = 4096;

    private final Puts puts;
    private final Notifier notifier;
    private final ProgressEngine progress;
    private final Waiter waiter;
    private final Supplier<String> reason = this::describe;
    private final Object lock = new Object();
    private volatile Entry[] entries = new Entry[0];
    private DescriptorRing ring;
    private AcceleratorStream stream;

    PreparedTable(Puts puts, Notifier notifier, ProgressEngine progress, Waiter waiter) {
        this.puts = puts;
        this.notifier = notifier;
        this.progress = progress;
        this.waiter = waiter;
    }

    private final class Entry implements Prepared {
        private final int id;
        private final Descriptor what;
        private boolean closed;

        Entry(int id, Descriptor what) {
            this.id = id;
            this.what = what;
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                complete();
                Entry[] fewer = entries.clone();
                fewer[id] = null;
                entries = fewer;
            }
        }

        @Override
        public String toString() {
            return "Prepared[" + id + " target=" + what.target + " bytes=" + what.rma.bytes() + " tag=" + what.tag() + "]";
        }
    }

    static Descriptor descriptor(Prepared prepared) {
        if (!(prepared instanceof Entry entry)) {
            throw new IllegalArgumentException("not prepared by this runtime: " + prepared);
        }
        if (entry.closed) {
            throw new IllegalStateException(entry + " is closed");
        }
        return entry.what;
    }

    Prepared putNotify(RankWindow window, int member, long offset, Buffer src, int tag) {
        Descriptor what = new Descriptor();
        puts.describe(what, window, member, offset, src);
        window.describeNotification(what, member, tag);
        return add(what);
    }

    Prepared signal(RankWindow window, int member, int tag) {
        Descriptor what = new Descriptor();
        puts.describe(what, window.worldRank(member));
        window.describeNotification(what, member, tag);
        return add(what);
    }

    /**
     * A put to a rank's part of a window with a notification of one of its blocks.
     *
     * @param block name in messages
     */
    public Prepared putNotifyBlock(Window window, int rank, long offset, Buffer src, int block, int tag) {
        RankWindow own = RankWindow.of(window);
        int member = own.member(rank);
        own.check("preparePutNotify", member, offset, src.bytes());
        Descriptor what = new Descriptor();
        puts.describe(what, own, member, offset, src);
        what.ofBlock(block, tag);
        return add(what);
    }

    /** A notification of a block of a rank. */
    public Prepared signalBlock(int rank, int block, int tag) {
        Descriptor what = new Descriptor();
        puts.describe(what, rank);
        what.ofBlock(block, tag);
        return add(what);
    }

    private Prepared add(Descriptor what) {
        start();
        int id = 0;
        while (id < entries.length && entries[id] != null) {
            id++;
        }
        Entry entry = new Entry(id, what);
        Entry[] more = Arrays.copyOf(entries, Math.max(entries.length, id + 1));
        more[id] = entry;
        entries = more;
        return entry;
    }

    private void start() {
        if (ring == null) {
            DescriptorEngine engine = new DescriptorEngine(progress, notifier, puts.accelerator());
            stream = puts.accelerator().newStream();
            engine.stream(stream);
            synchronized (lock) {
                ring = new DescriptorRing(CAPACITY, engine, () -> Long.MAX_VALUE, () -> { });
            }
            progress.addService(ring);
        }
    }

    /**
     * Starts a prepared communication, after those started here before.
     *
     * @return false if so many are unfinished that there is no room; ask again later
     * @throws IllegalStateException if there is none of this number
     */
    public boolean execute(int id) {
        Entry[] now = entries;
        if (id < 0 || id >= now.length || now[id] == null) {
            throw new IllegalStateException("no communication is prepared under number " + id);
        }
        synchronized (lock) {
            if (ring.isFull()) {
                return false;
            }
            ring.next().copyFrom(now[id].what);
            ring.submit();
            return true;
        }
    }

    /** True if everything that {@link #execute} started is done; any thread. */
    public boolean isIdle() {
        synchronized (lock) {
            return ring == null || ring.performed() == ring.submitted();
        }
    }

    /** Waits until everything that {@link #execute} started is done. */
    public void complete() {
        if (!isIdle()) {
            waiter.begin();
            while (!isIdle()) {
                waiter.pause(reason);
            }
        }
    }

    private String describe() {
        return "prepared communications that were started";
    }

    @Override
    public void close() {
        if (ring != null) {
            progress.removeService(ring);
            stream.close();
        }
    }
}
