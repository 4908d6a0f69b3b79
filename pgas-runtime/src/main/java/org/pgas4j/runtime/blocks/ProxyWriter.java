package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.StreamEvent;

/**
 * Writes into a rank's device memory on behalf of others, in order, by one of two ways. By a stream: payloads, then counters,
 * which nobody else writes, so that it needs no atomic operation. By the mailbox while blocks run: messages in host memory, which
 * a block that waits takes and delivers ({@link MailboxReader}); that needs no driver and is 2 us faster. The way changes only
 * when nothing is left on the other: a stream waits for the messages before it, and messages are written while the stream is
 * idle. Any thread; one at a time.
 *
 * <p>What comes after {@link #close} is dropped, as messages between processes to closed blocks are: the blocks of other ranks
 * end later, and their helpers still perform commands then. Their rank learns why the blocks ended from the failure that ended
 * them.
 */
final class ProxyWriter implements AutoCloseable {

    /** How a small command goes on. */
    enum Posting {
        /** By a message, which is written. */
        POSTED,
        /** By a message, as soon as blocks have taken some: nothing is written. */
        LATER,
        /** By the stream: nothing is written. */
        BY_STREAM,
        /** Not at all: the blocks are closed, and the command is dropped. */
        DROPPED
    }

    /** Time without a message taken after which a full mailbox is given up for the stream. */
    private static final long PATIENCE_NS = 1_000_000;
    /** Operations that the stream has no room for, behind which small commands wait. */
    private static final int MAX_AHEAD = 4096;

    private final Accelerator accelerator;
    private final DeviceMemory memory;
    private final long segment;
    private final long area;
    private final BlockLayout layout;
    private final HostPage page;
    private final boolean posts;
    private final long[] counts;
    private final Command message = new Command();
    private volatile AcceleratorStream stream; // set once, under the lock, until the end
    private volatile AcceleratorStream beside;
    private volatile AcceleratorStream fetching;
    private boolean streaming; // the stream may have work; no message was written since
    private long posted;
    private long staged; // messages whose bytes lie beside the mailbox
    private final long[] stagedEnd = new long[HostPage.STAGED_PLACES]; // of each place: messages after which it is free
    private long takenWhenFull = -1;
    private long fullSinceNs;
    private long launches;
    private boolean delivered; // messages, by the stream, since the last launch
    private final Deque<WhenTaken> whenTaken = new ArrayDeque<>();
    private volatile boolean hasWhenTaken;
    private boolean closed;

    /** An action to run when the first so many messages are taken. */
    private record WhenTaken(long messages, Runnable what) {
    }

    /**
     * @param memory  allocation that holds the device segment
     * @param segment where the segment begins there
     * @param area    where the blocks' area begins in the segment
     * @param posts   whether the rank's blocks read the mailbox
     */
    ProxyWriter(Accelerator accelerator, DeviceMemory memory, long segment, long area, BlockLayout layout, HostPage page,
                boolean posts) {
        this.accelerator = accelerator;
        this.memory = memory;
        this.segment = segment;
        this.area = area;
        this.layout = layout;
        this.page = page;
        this.posts = posts;
        this.counts = new long[layout.perRank() * BlockLayout.TAGS];
    }

    /**
     * A launch is about to be queued: blocks will read the mailbox.
     *
     * @return what it has to wait for, or null
     */
    synchronized StreamEvent launching() {
        launches++;
        boolean wait = delivered;
        delivered = false;
        return wait ? stream.record() : null;
    }

    /**
     * Hands over what the streams had no room for; whoever writes here does not come back for it. True if there was something.
     */
    boolean handOver() {
        return (isAhead(stream) || isAhead(beside) || isAhead(fetching)) && handOverAll();
    }

    private static boolean isAhead(AcceleratorStream stream) {
        return stream != null && stream.ahead() > 0;
    }

    private synchronized boolean handOverAll() {
        return !closed && advance(stream) | advance(beside) | advance(fetching);
    }

    private static boolean advance(AcceleratorStream stream) {
        return isAhead(stream) && AcceleratorStream.advance(stream);
    }

    /** True once the blocks are closed: the writer drops everything. */
    synchronized boolean isClosed() {
        return closed;
    }

    /** True if a launch has not ended, or not even begun: blocks will take messages. */
    synchronized boolean hasLaunch() {
        return !closed && isLaunched();
    }

    private boolean isLaunched() {
        return page.get(HostPage.DONE) - launches < 0;
    }

    private long taken() {
        return page.get(HostPage.MAILBOX_TAKEN);
    }

    /** Returns whether a message may be written now: blocks run, nothing is left on the stream, and there is room. */
    private Posting posting() {
        if (closed) {
            return Posting.DROPPED;
        }
        if (!posts || !isLaunched() || streaming && !stream.isIdle()) {
            return streaming && stream.ahead() > MAX_AHEAD ? Posting.LATER : Posting.BY_STREAM;
        }
        streaming = false;
        long taken = taken();
        if (posted - taken < HostPage.MAILBOX_ENTRIES) {
            return Posting.POSTED;
        }
        return isTakenSlowly(taken) ? Posting.BY_STREAM : Posting.LATER;
    }

    /** True if blocks have taken no message of a full mailbox for some time. The stream is no quicker as long as they do. */
    private boolean isTakenSlowly(long taken) {
        long nowNs = System.nanoTime();
        if (taken != takenWhenFull) {
            takenWhenFull = taken;
            fullSinceNs = nowNs;
        }
        return nowNs - fullSinceNs > PATIENCE_NS;
    }

    /** The stream, whose next work comes after all messages. While open. */
    private AcceleratorStream stream() {
        if (stream == null) {
            stream = accelerator.newStream();
        }
        if (!streaming && posted - taken() > 0) {
            if (isLaunched()) {
                stream.waitValue(page.memory(), HostPage.MAILBOX_TAKEN, posted);
            } else {
                deliver();
            }
        }
        streaming = true;
        return stream;
    }

    /** Delivers by the stream the messages that no block has taken, while no blocks run. */
    private void deliver() {
        for (long index = taken(); index < posted; index++) {
            if (!message.readMessage(page, index)) {
                throw new IllegalStateException("message " + index + " of " + posted + " is gone");
            }
            if (message.isStaged()) {
                stream.copyIn(memory, segment + message.offset(), page.memory(),
                        HostPage.stagedForMailbox(message.value(), message.offset()), message.length());
            } else if (message.length() != 0) {
                write(stream, message.offset(), message.value(), message.length());
            }
            if (message.notifies()) {
                count(stream, message.messageBlock(), message.tag(), message.messageCount());
            }
        }
        stream.writeValue(memory, segment + area + BlockLayout.MAILBOX, posted << BlockLayout.READER_BITS);
        page.set(HostPage.MAILBOX_TAKEN, posted);
        delivered = true;
    }

    /** Adds to a block's counter, after everything written here before. With the device's context. */
    synchronized void signal(int block, int tag, long count) {
        Posting posting = tryPost(0, 0, 0, block, tag, count);
        if (posting == Posting.LATER || posting == Posting.BY_STREAM) {
            notifyByStream(block, tag, count);
        }
    }

    /** The same by the stream in any case. With the device's context. */
    synchronized void notifyByStream(int block, int tag, long count) {
        requireBlock(block, tag);
        if (!closed) {
            count(stream(), block, tag, count);
        }
    }

    /**
     * As {@link #putByStream} and then {@link #notify}, if that goes by the mailbox now, which needs no context.
     *
     * @param bytes 0 for a notification alone
     */
    synchronized Posting tryPost(long offset, long value, int bytes, int block, int tag, long count) {
        checkRange(offset, bytes);
        requireBlock(block, tag);
        Posting posting = count > Command.MAX_COUNT ? Posting.BY_STREAM : posting();
        if (posting == Posting.POSTED) {
            Command.writeMessage(page, posted, bytes, offset, value, block, tag, (int) count);
            posted++;
        }
        return posting;
    }

    /**
     * As {@link #tryPost}, of up to {@link HostPage#MAX_STAGED} bytes of host memory, which may change again afterwards.
     */
    synchronized Posting tryPostStaged(long offset, MemorySegment from, long fromOffset, int bytes, int block, int tag,
                                       long count) {
        checkRange(offset, bytes);
        requireBlock(block, tag);
        Posting posting = posting();
        if (posting != Posting.POSTED) {
            return posting;
        }
        long taken = taken();
        int place = HostPage.stagedIndex(staged);
        if (stagedEnd[place] - taken > 0) {
            return isTakenSlowly(taken) ? Posting.BY_STREAM : Posting.LATER;
        }
        MemorySegment.copy(from, fromOffset, page.memory(), HostPage.stagedForMailbox(staged, offset), bytes);
        Command.writeMessage(page, posted, bytes, offset, staged, block, tag, (int) count);
        posted++;
        staged++;
        stagedEnd[place] = posted;
        return Posting.POSTED;
    }

    /**
     * Copies host memory into the segment by the stream. With the device's context.
     *
     * @return passes when that is done; null, and nothing is copied, if the blocks are closed
     */
    synchronized StreamEvent copyIn(long offset, MemorySegment from, long fromOffset, long bytes) {
        checkRange(offset, bytes);
        if (closed) {
            return null;
        }
        AcceleratorStream to = stream();
        to.copyIn(memory, segment + offset, from, fromOffset, bytes);
        return to.record();
    }

    /**
     * Puts and notifies by either way; false if that cannot be done yet. Parameters are those of {@link #tryPost}. With the
     * device's context.
     */
    synchronized boolean tryWrite(long offset, long value, int bytes, int block, int tag, long count) {
        Posting posting = tryPost(offset, value, bytes, block, tag, count);
        if (posting == Posting.BY_STREAM) {
            if (bytes != 0) {
                putByStream(offset, value, bytes);
            }
            if (count != 0) {
                notifyByStream(block, tag, count);
            }
        }
        return posting != Posting.LATER;
    }

    private void requireBlock(int block, int tag) {
        if (block < 0 || block >= layout.perRank() || tag < 0 || tag >= BlockLayout.TAGS) {
            throw new IllegalStateException("no block " + block + " or tag " + tag + " (" + layout.perRank() + " blocks)");
        }
    }

    private void count(AcceleratorStream to, int block, int tag, long count) {
        int index = block * BlockLayout.TAGS + tag;
        counts[index] += count;
        to.writeValue(memory, segment + area + layout.proxy(block, tag), counts[index]);
    }

    /** Writes up to 8 bytes of the segment by the stream. With the device's context. */
    synchronized void putByStream(long offset, long value, int bytes) {
        checkRange(offset, bytes);
        if (!closed) {
            write(stream(), offset, value, bytes);
        }
    }

    private void write(AcceleratorStream to, long offset, long value, int bytes) {
        long at = segment + offset;
        if (bytes == Long.BYTES && at % Long.BYTES == 0) {
            to.writeValue(memory, at, value);
        } else if (bytes == Integer.BYTES && at % Integer.BYTES == 0) {
            to.writeValue32(memory, at, (int) value);
        } else {
            for (int i = 0; i < bytes; i++) {
                to.fill(memory, at + i, 1, (byte) (value >>> Byte.SIZE * i));
            }
        }
    }

    /**
     * Copies from another device's memory that this one reaches.
     *
     * @return an event that passes when that is done; null if the blocks are closed
     */
    synchronized StreamEvent copy(long offset, DeviceMemory from, long fromOffset, long bytes) {
        checkRange(offset, bytes);
        if (closed) {
            return null;
        }
        AcceleratorStream to = stream();
        to.copy(memory, segment + offset, from, fromOffset, bytes);
        return to.record();
    }

    /**
     * Copies from the memory of another rank of this JVM into the segment and then writes a word of the area, beside all else:
     * a get waits for nobody's messages. With the device's context.
     *
     * @param word offset in the area
     * @return passes when both are done; null, and nothing is copied, if the blocks are closed
     */
    synchronized StreamEvent fetch(long offset, ProxyWriter from, long fromOffset, long bytes, long word, long value) {
        checkRange(offset, bytes);
        from.checkRange(fromOffset, bytes);
        if (closed) {
            return null;
        }
        if (fetching == null) {
            fetching = accelerator.newStream();
        }
        fetching.copy(memory, segment + offset, from.memory, from.segment + fromOffset, bytes);
        fetching.writeValue(memory, segment + area + word, value);
        return fetching.record();
    }

    /** Writes a word of the area, at once: beside what a launch does, and before what waits for it. */
    synchronized void area(long offset, long value) {
        if (!closed) {
            beside().writeValue(memory, segment + area + offset, value);
        }
    }

    /** Writes a word of the area after an event of another device. */
    synchronized void areaAfter(StreamEvent event, long offset, long value) {
        if (!closed) {
            beside().await(event);
            area(offset, value);
        }
    }

    private AcceleratorStream beside() {
        if (beside == null) {
            beside = accelerator.newStream();
        }
        return beside;
    }

    /** Number of messages written so far, for {@link #isTaken}. */
    synchronized long posted() {
        return posted;
    }

    /** True if the first so many messages are delivered, or dropped; later ones do not matter. */
    synchronized boolean isTaken(long messages) {
        return closed || taken() - messages >= 0 && (!streaming || stream.isIdle()); // a stream may deliver them
    }

    /** True if everything written here is there, or dropped. */
    synchronized boolean isIdle() {
        if (closed) {
            return true; // the page is freed
        }
        if (posted - taken() > 0) {
            if (isLaunched()) {
                return false;
            }
            stream(); // by which it is delivered
        }
        return stream == null || stream.isIdle();
    }

    /** Runs something when all that is written here now is delivered, or dropped: at once, by {@link #runTaken} or at the end. */
    synchronized void whenTaken(Runnable what) {
        whenTaken.add(new WhenTaken(posted, what));
        hasWhenTaken = true;
        runTaken();
    }

    /** Runs what is due of {@link #whenTaken}, in order; true if there was something. */
    boolean runTaken() {
        return hasWhenTaken && runAllTaken();
    }

    private synchronized boolean runAllTaken() {
        boolean any = false;
        accelerator.bind(); // what no block has taken, a stream may have to deliver
        while (hasWhenTaken && (isTaken(whenTaken.peek().messages()) || isIdle())) {
            whenTaken.remove().what().run();
            hasWhenTaken = !whenTaken.isEmpty();
            any = true;
        }
        return any;
    }

    private void checkRange(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > memory.bytes() - segment - bytes) {
            throw new IndexOutOfBoundsException("access of a block out of its segment: offset=" + offset + " length=" + bytes
                    + " memoryBytes=" + (memory.bytes() - segment));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        page.set(HostPage.MAILBOX_TAKEN, posted); // whatever waits for messages that no block takes any more
        runTaken();
        if (beside != null) {
            beside.close();
            beside = null;
        }
        if (fetching != null) {
            fetching.close();
            fetching = null;
        }
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
