package org.pgas4j.device.host;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pgas4j.DeviceException;
import org.pgas4j.KernelException;
import org.pgas4j.os.trace.Trace;

/**
 * Queue of a host stream's work and the thread that does it in order, started with the first. One thread at a time queues and
 * waits.
 */
final class HostWorker {

    private static final long STACK_BYTES = 512 * 1024;
    private static final long CLOSE_TIMEOUT_MS = 10_000;
    private static final int SPINS = 200;
    private static final int YIELDS = 20;
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * Operation of a stream.
     *
     * @param name of its kind or its kernel
     * @param rank that queued it, and number of the operation on the timeline; both -1 if that is off
     */
    private record Task(String name, long bytes, int rank, long link, Supplier<String> what, Runnable work,
                        Consumer<RuntimeException> finish) {
    }

    private final HostAccelerator device;
    private final ConcurrentLinkedQueue<Task> queue = new ConcurrentLinkedQueue<>();
    private long submitted;
    private Thread thread;
    private volatile long completed;
    private volatile boolean threadParked;
    private volatile boolean closing;
    private volatile boolean givenUp;
    private volatile Thread waiter;
    private volatile RuntimeException failure;

    HostWorker(HostAccelerator device) {
        this.device = device;
    }

    /** True if work is queued or running. */
    boolean isBusy() {
        return completed != submitted;
    }

    /** Number of operations that are queued or running. */
    long left() {
        return submitted - completed;
    }

    /** True once the stream is being closed. Any thread. */
    boolean isClosing() {
        return closing;
    }

    /**
     * Queues work.
     *
     * @param name   of the kind of work, or its kernel
     * @param bytes  that it moves, or 0
     * @param what   text of the work for errors
     * @param finish called after {@code work}, or instead of it on a failed stream, with the stream's failure or null
     */
    void submit(String name, long bytes, Supplier<String> what, Runnable work, Consumer<RuntimeException> finish) {
        if (!Trace.isOn()) {
            submit(new Task(name, bytes, -1, -1, what, work, finish));
            return;
        }
        long beginNs = System.nanoTime();
        long link = Trace.nextLink();
        submit(new Task(name, bytes, Trace.rank(), link, what, work, finish));
        Trace.submitted(name, bytes, link, beginNs);
    }

    private void submit(Task task) {
        submitted++;
        queue.offer(task); // before the check of threadParked: pairs with the order in work
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name("pgas-stream-" + device)
                    .start(this::work);
        } else if (threadParked) {
            LockSupport.unpark(thread);
        }
    }

    private void work() {
        int idle = 0;
        while (true) {
            boolean last = closing; // before the poll: nothing is queued after closing
            Task task = queue.poll();
            if (task != null) {
                perform(task);
                idle = 0;
            } else if (last) {
                return;
            } else if (idle++ < SPINS) {
                Thread.onSpinWait();
            } else {
                threadParked = true;
                if (queue.isEmpty() && !closing) {
                    LockSupport.park(this);
                }
                threadParked = false;
            }
        }
    }

    private void perform(Task task) {
        try {
            if (failure == null && task.link() >= 0 && Trace.isOn()) {
                performTraced(task);
            } else if (failure == null) {
                task.work().run();
            }
        } catch (Throwable e) { // reported at the next call
            fail(task.what().get(), e);
        } finally {
            task.finish().accept(failure);
            completed = completed + 1; // this thread is the only writer
            Thread waiting = waiter;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    private static void performTraced(Task task) {
        if (Trace.rank() != task.rank()) {
            Trace.attach(task.rank());
        }
        long beginNs = System.nanoTime();
        try {
            task.work().run();
        } finally {
            Trace.ran(task.name(), task.bytes(), task.link(), beginNs);
        }
    }

    /** As {@link HostStream#isIdle}. */
    boolean isIdle() {
        requireUsable();
        if (completed != submitted) {
            return false;
        }
        requireUsable(); // the last piece of work may just have failed
        return true;
    }

    /** As {@link HostStream#sync}. */
    boolean sync(long deadlineNs) {
        for (int i = 0; i < SPINS; i++) {
            if (isIdle()) {
                return true;
            }
            Thread.onSpinWait();
        }
        for (int i = 0; i < YIELDS; i++) {
            if (isIdle()) {
                return true;
            }
            Thread.yield();
        }
        return syncSlowPath(deadlineNs);
    }

    private boolean syncSlowPath(long deadlineNs) {
        waiter = Thread.currentThread(); // before the check of completed: pairs with the order in perform
        try {
            while (!isIdle()) {
                long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    return false;
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new DeviceException("interrupted while waiting for " + this + ": " + (submitted - completed)
                            + " operations are left");
                }
                LockSupport.parkNanos(this, Math.min(leftNs, PARK_NS));
            }
            return true;
        } finally {
            waiter = null;
        }
    }

    /** Makes {@link #close} wait for nothing. */
    void giveUp() {
        givenUp = true;
    }

    /** Ends the thread after what is queued, once. */
    void close() {
        closing = true;
        if (thread == null) {
            return;
        }
        LockSupport.unpark(thread);
        if (givenUp) {
            return;
        }
        try {
            thread.join(CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new DeviceException(this + " closed with work that did not end: " + (submitted - completed)
                    + " operations left, waited up to " + CLOSE_TIMEOUT_MS + " ms; call sync() first");
        }
    }

    /** False if something has failed before, or the stream is closed. */
    boolean isUsable() {
        return failure == null && !closing;
    }

    /** Throws what failed before, or if the stream is closed. */
    void requireUsable() {
        if (failure != null) {
            throw again(failure);
        }
        if (closing) {
            throw new DeviceException(this + " is closed");
        }
    }

    /** A copy of a stream's failure, for a further caller. */
    static RuntimeException again(RuntimeException failure) {
        return switch (failure) {
            case KernelException kernel -> new KernelException(kernel.getMessage(), kernel.getCause());
            case IllegalStateException closed -> new IllegalStateException(closed.getMessage(), closed);
            default -> new DeviceException(failure.getMessage(), failure);
        };
    }

    /** Makes a failure the stream's; returns it. */
    RuntimeException fail(String what, Throwable cause) {
        RuntimeException e = switch (cause) {
            case KernelException thrown -> new KernelException(this + ": " + thrown.getMessage(), thrown.getCause());
            case IllegalStateException closed -> new IllegalStateException(this + ": " + what + " failed: " + closed.getMessage(),
                    closed);
            default -> new DeviceException(this + ": " + what + " failed: " + cause.getMessage(), cause);
        };
        failure = e;
        return e;
    }

    @Override
    public String toString() {
        return "stream of " + device;
    }
}
