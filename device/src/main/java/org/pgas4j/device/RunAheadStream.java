package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;

/**
 * Allows the host to run thousands of operations ahead of a stream whose own queue is short and blocks the caller when
 * it is full: that of a CUDA stream holds about a thousand. Operations for which the stream has no room are kept here
 * and handed over in order when it has, by the next call or by {@link #handOver}. After every {@value #MARK_EVERY}
 * operations the stream writes a mark.
 *
 * <p>On a device of several ranks of one process the host looks at the words that streams wait for, and what is behind a wait is kept
 * here as well. A stream that waits for a word would hold back driver calls of the other ranks, such as loading a kernel or
 * freeing memory, and it may be one of them that has to set the word. So graphs are played there, operation by operation.
 *
 * <p>One thread at a time queues work, as for any stream; any thread may call {@link #handOver}. If the device refuses
 * an operation that was kept, the call that hands it over reports it.
 */
public final class RunAheadStream implements AcceleratorStream {

    static final int MARK_EVERY = 32;

    private static final int MAX_QUEUED = 256;
    /** Largest number of operations waited for without sleep: more take the device longer than a sleep does. */
    private static final int MAX_SPUN_FOR = 96;
    private static final long SLEEP_NS = 50_000;
    private static final long SLICE_NS = 100_000;
    private static final long WORD_NS = 10_000;
    private static final long CLOSE_NS = 1_000_000_000;
    private static final VarHandle WORD_OF = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle WORD = WORD_OF.withInvokeExactBehavior();

    private static final int WAITS = -1;

    /** Operation kept for later; returns the number of operations handed over, or {@link #WAITS} for a stream or a word. */
    @FunctionalInterface
    private interface Step {
        int run();
    }

    private final Accelerator accelerator;
    private final AcceleratorStream stream;
    private final boolean waitsOnHost;
    private final PinnedMemory pinned;
    private final MemorySegment word;
    private final ArrayDeque<Step> kept = new ArrayDeque<>(); // guarded by this
    private volatile int ahead; // its size; while 0, the fields below belong to the thread that queues, else to the lock
    private volatile RunAheadStream blockedOn;
    private long queued;
    private long marked;
    private long retired;

    /** @param stream of {@code accelerator}, whose device waits for words; closed with this */
    public RunAheadStream(Accelerator accelerator, AcceleratorStream stream) {
        this(accelerator, stream, false);
    }

    /**
     * @param stream      of {@code accelerator}; closed with this
     * @param waitsOnHost whether the host looks at words that the stream waits for
     */
    public RunAheadStream(Accelerator accelerator, AcceleratorStream stream, boolean waitsOnHost) {
        this.accelerator = accelerator;
        this.stream = stream;
        this.waitsOnHost = waitsOnHost;
        this.pinned = accelerator.allocatePinned(Long.BYTES);
        this.word = pinned.segment();
        word.set(ValueLayout.JAVA_LONG, 0, 0);
    }

    @Override
    public int ahead() {
        return ahead;
    }

    private boolean hasRoom() {
        if (ahead > 0 && !handOver()) {
            return false;
        }
        if (queued - retired >= MAX_QUEUED) {
            look();
        }
        return queued - retired < MAX_QUEUED;
    }

    /** Reads the stream's mark. For the thread that the fields belong to. */
    private void look() {
        retired = Math.max(retired, (long) WORD.getAcquire(word, 0L));
    }

    /** Counts operations that were handed to the stream. */
    private void count(int operations) {
        queued += operations;
        if (queued - marked >= MARK_EVERY) {
            stream.writeValue(word, 0, queued);
            marked = queued;
        }
    }

    private synchronized void keep(Step step) {
        kept.add(step);
        ahead = ahead + 1; // under the lock
    }

    /** Hands over operations for which the stream has room; true if none is kept any more. Never blocks. */
    @Override
    public boolean handOver() {
        RunAheadStream other = blockedOn;
        if (other != null) {
            blockedOn = null; // by the time the other stream looks at this one again: streams may wait for each other in turn
            other.handOver(); // without the lock of this
        }
        synchronized (this) {
            if (ahead == 0) {
                return true; // another thread was faster, and the fields are the queueing thread's
            }
            accelerator.bind();
            look();
            while (ahead > 0 && queued - retired < MAX_QUEUED) {
                int operations;
                try {
                    operations = kept.element().run();
                } catch (RuntimeException e) {
                    kept.remove();
                    ahead = ahead - 1; // under the lock
                    throw e;
                }
                if (operations == WAITS) {
                    return false;
                }
                count(operations);
                kept.remove();
                ahead = ahead - 1; // last: from 0 on the fields are the queueing thread's again
            }
            return ahead == 0;
        }
    }

    /** True if the device has so much left to do that a waiting thread has time to sleep. */
    private synchronized boolean isFarFromDone() {
        look();
        return queued - retired > MAX_SPUN_FOR;
    }

    private void retireAll() {
        retired = queued;
        marked = queued;
    }

    private void later(StreamOperation operation) {
        keep(() -> {
            stream.submit(operation);
            return operation.operations();
        });
    }

    @Override
    public void copyIn(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        if (hasRoom()) {
            stream.copyIn(dst, dstOffset, src, srcOffset, bytes);
            count(1);
        } else {
            later(new StreamOperation.CopyIn(dst, dstOffset, src, srcOffset, bytes));
        }
    }

    @Override
    public void copyInWritten(DeviceMemory dst, long dstOffset, MemorySegment src, long srcOffset, long bytes) {
        if (hasRoom()) {
            stream.copyInWritten(dst, dstOffset, src, srcOffset, bytes);
            count(1);
        } else {
            later(new StreamOperation.CopyIn(dst, dstOffset, src, srcOffset, bytes));
        }
    }

    @Override
    public void copyOut(MemorySegment dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        if (hasRoom()) {
            stream.copyOut(dst, dstOffset, src, srcOffset, bytes);
            count(1);
        } else {
            later(new StreamOperation.CopyOut(dst, dstOffset, src, srcOffset, bytes));
        }
    }

    @Override
    public void copy(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes) {
        if (hasRoom()) {
            stream.copy(dst, dstOffset, src, srcOffset, bytes);
            count(1);
        } else {
            later(new StreamOperation.Copy(dst, dstOffset, src, srcOffset, bytes));
        }
    }

    @Override
    public void writeValue(MemorySegment host, long offset, long value) {
        if (hasRoom()) {
            stream.writeValue(host, offset, value);
            count(1);
        } else {
            later(new StreamOperation.WriteValue(host, offset, value));
        }
    }

    @Override
    public void copyAndWrite(DeviceMemory dst, long dstOffset, DeviceMemory src, long srcOffset, long bytes, MemorySegment host,
                             long offset, long value) {
        if (hasRoom()) {
            stream.copyAndWrite(dst, dstOffset, src, srcOffset, bytes, host, offset, value);
            count(1);
        } else {
            later(new StreamOperation.CopyAndWrite(dst, dstOffset, src, srcOffset, bytes, host, offset, value));
        }
    }

    /** Counts a graph as all its operations: it takes more than half as much room as they would by themselves. */
    @Override
    public void submit(StreamOperation operation) {
        if (waitsOnHost && operation instanceof StreamOperation.WaitValue wait) {
            waitOnHost(() -> (long) WORD_OF.getAcquire(wait.host(), wait.offset()) - wait.value() >= 0);
        } else if (waitsOnHost && operation instanceof StreamOperation.TakeNonZero take) {
            waitOnHost(() -> (long) WORD_OF.getAcquire(take.host(), take.offset()) != 0
                    && (long) WORD_OF.getAndSet(take.host(), take.offset(), 0L) != 0);
        } else if (operation instanceof StreamOperation.LaunchGraph launch && launch.graph() instanceof RecordedStream recorded) {
            recorded.playOn(this, accelerator);
        } else if (hasRoom()) {
            stream.submit(operation);
            count(operation.operations());
        } else {
            later(operation);
        }
    }

    private void waitOnHost(BooleanSupplier passed) {
        if (ahead > 0 && !handOver() || !passed.getAsBoolean()) {
            keep(() -> passed.getAsBoolean() ? 0 : WAITS);
        }
    }

    @Override
    public long handle() {
        return stream.handle();
    }

    @Override
    public AcceleratorGraph capture(Consumer<AcceleratorStream> work) {
        if (!waitsOnHost) {
            return stream.capture(work);
        }
        RecordedStream recorded = new RecordedStream(accelerator);
        work.accept(recorded);
        return recorded;
    }

    @Override
    public StreamEvent record() {
        RunAheadEvent event = new RunAheadEvent(this);
        if (hasRoom()) {
            event.recorded(stream.record());
            count(1);
        } else {
            keep(() -> {
                event.recorded(stream.record());
                return 1;
            });
        }
        return event;
    }

    @Override
    public void await(StreamEvent event) {
        if (!(event instanceof RunAheadEvent other)) {
            throw new IllegalArgumentException("event: " + event + " (expected: an event of a device of the same kind)");
        }
        other.requireOpen();
        if ((other.isRecorded() || other.stream().handOver() || other.isRecorded()) && hasRoom()) {
            other.join(stream);
            count(1);
            return;
        }
        other.retain();
        keep(() -> {
            if (!other.isRecorded()) {
                blockedOn = other.stream();
                return WAITS;
            }
            other.join(stream);
            other.release();
            return 1;
        });
    }

    /** Not while operations are kept: then another thread may hand them over. */
    @Override
    public void expectEnd() {
        if (ahead == 0) {
            stream.expectEnd(); // not counted: the device has room for one more behind each operation
        }
    }

    @Override
    public void keepReady() {
        if (ahead == 0) {
            stream.keepReady();
        }
    }

    @Override
    public boolean isIdle() {
        if (ahead > 0 && !handOver() || !stream.isIdle()) {
            return false;
        }
        retireAll();
        return true;
    }

    @Override
    public boolean sync(long deadlineNs) {
        while (true) {
            boolean kept = ahead > 0 && !handOver();
            if (!kept && !isFarFromDone()) {
                break;
            }
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            if (leftNs > SLEEP_NS && isFarFromDone() && !Thread.currentThread().isInterrupted()) {
                if (stream.isIdle() && !kept) { // throws if the work failed, which would never come nearer to its end
                    break;
                }
                LockSupport.parkNanos(this, SLEEP_NS);
            } else if (kept) {
                if (stream.sync(deadlineNs - Math.max(0, leftNs - SLICE_NS)) && waitsOnHost) {
                    LockSupport.parkNanos(this, WORD_NS);
                }
            } else {
                break;
            }
        }
        expectEnd();
        if (!stream.sync(deadlineNs)) {
            return false;
        }
        retireAll();
        return true;
    }

    @Override
    public void giveUp() {
        stream.giveUp();
    }

    @Override
    public boolean isClosed() {
        return stream.isClosed();
    }

    /** @throws DeviceException if operations are left that the stream had no room for within a second */
    @Override
    public void close() {
        long endNs = System.nanoTime() + CLOSE_NS;
        int left;
        try {
            while (ahead > 0 && !handOver() && System.nanoTime() - endNs < 0) {
                stream.sync(System.nanoTime() + SLICE_NS);
            }
        } finally {
            synchronized (this) {
                left = ahead;
                kept.clear();
                ahead = 0;
            }
            boolean ended = ended(endNs);
            stream.close();
            if (ended) {
                pinned.close(); // else the stream may still write its mark: the device frees it with itself
            }
        }
        if (left > 0) {
            throw new DeviceException(stream + " closed with work that did not end: " + left
                    + " operations were never handed to the device; call sync() first");
        }
    }

    /** True if the stream has ended: all is done, or it has failed, which was reported to its caller. */
    private boolean ended(long endNs) {
        try {
            return stream.sync(endNs);
        } catch (DeviceException e) {
            return true;
        }
    }

    @Override
    public String toString() {
        return stream.toString();
    }
}
