package org.pgas4j.task;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.OwnThread;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;

/**
 * A pool of tasks of all ranks. A task is a record of a fixed number of bytes. A rank works on what it has submitted itself,
 * newest first; one that has nothing left steals half of the oldest tasks of a random rank. A run ends on all ranks when every
 * task has been executed, once.
 *
 * <p>Tasks lie in host memory, in a ring on each rank. A rank whose ring is full keeps further tasks in private memory until
 * there is room; none is lost. What a rank has put and fenced before it submits a task, the rank that executes it reads.
 *
 * <p>Stealing works by atomic operations on the other rank's memory, also while that computes; where only messages reach it
 * ({@link org.pgas4j.Diagnostics#route}), a body that computes for long has to call {@link Rank#progress()} now and then.
 * Submitting and executing allocate nothing while the ring has room. Used by the rank's thread.
 */
public final class TaskPool implements AutoCloseable {

    private static final int MAX_CAPACITY = 1 << 30;

    private final Rank rank;
    private final Thread thread = Thread.currentThread();
    private final Arena arena = Arena.ofConfined();
    private final PoolMemory memory;
    private final TaskDeque deque;
    private final Thief thief;
    private final Spill spill;
    private final Termination termination;
    private final IdleWait idle;
    private final MemorySegment current;
    private boolean running;
    private boolean failed; // from the begin of a run until it has ended well
    private boolean closed;
    private long stolen;
    private long spilled;

    private TaskPool(Rank rank, long taskBytes, int capacity) {
        this.rank = rank;
        this.memory = new PoolMemory(rank, taskBytes, capacity);
        this.deque = new TaskDeque(memory);
        this.thief = new Thief(memory, arena);
        this.spill = new Spill(taskBytes);
        this.termination = new Termination(memory);
        this.idle = new IdleWait(memory);
        this.current = arena.allocate(taskBytes, Long.BYTES);
    }

    /**
     * Collective, and a barrier as well: an empty pool.
     *
     * @param taskBytes size of a task
     * @param capacity  tasks that each rank's ring has room for; rounded up to a power of two
     */
    public static TaskPool allocate(Rank rank, long taskBytes, int capacity) {
        if (taskBytes < 1 || capacity < 1 || capacity > MAX_CAPACITY || taskBytes > Long.MAX_VALUE / 4 / capacity) {
            throw new IllegalArgumentException("task pool of rank " + rank.rank() + ": taskBytes=" + taskBytes + " capacity="
                    + capacity + " (expected: taskBytes >= 1, capacity 1.." + MAX_CAPACITY + ")");
        }
        int power = Integer.highestOneBit(capacity);
        return new TaskPool(rank, taskBytes, power == capacity ? capacity : 2 * power);
    }

    /** Size of a task, bytes. */
    public long taskBytes() {
        return memory.taskBytes();
    }

    /**
     * Adds a copy of a task, before a run or from a body of this rank; never waits.
     *
     * @throws IllegalArgumentException if it is not of {@link #taskBytes} bytes
     */
    public void submit(MemorySegment task) {
        OwnThread.require(thread, rank.rank(), this, "");
        requireOpen("submit");
        if (task.byteSize() != memory.taskBytes()) {
            throw new IllegalArgumentException("submit to " + this + ": a task of " + task.byteSize() + " bytes (expected: "
                    + memory.taskBytes() + ")");
        }
        termination.created();
        if (!deque.push(task)) {
            spill.push(task);
            spilled++;
        }
        if (running) {
            share((deque.privateTasks() + 1) / 2); // the task that is running remains
        }
    }

    /** Shows tasks to thieves if they see none. */
    private void share(long count) {
        if (count > 0 && deque.isClosed()) {
            termination.publishCreated();
            deque.share(count);
        }
    }

    /**
     * Collective, with a barrier at its begin and at its end: executes all tasks, those that bodies submit as well.
     *
     * @throws org.pgas4j.PgasTimeoutException if this rank has nothing to do and no rank has begun a task for the job's timeout
     * @throws org.pgas4j.JobAbortedException  if a body has thrown, on every rank; the job fails with an exception that names the
     *                                         rank, whose cause is that of the body
     */
    public void run(TaskBody body) {
        requireOpen("run");
        if (running) {
            throw new IllegalStateException("run of " + this + ": it is running (expected: no call from a body)");
        }
        termination.begin();
        rank.barrier();
        running = true;
        failed = true;
        try {
            idle.begin();
            do {
                executeAll(body);
            } while (steal() || awaitOthers());
            failed = false;
        } finally {
            running = false;
        }
        rank.barrier();
    }

    /** Executes tasks until this rank has none. */
    private void executeAll(TaskBody body) {
        boolean any = false;
        while (next()) {
            any = true;
            execute(body);
        }
        if (any) {
            termination.publishIdle();
            idle.begin();
        }
    }

    /** Waits a little, if the run has not ended. */
    private boolean awaitOthers() {
        if (termination.isDone()) {
            return false;
        }
        idle.pause();
        return true;
    }

    private boolean next() {
        while (!spill.isEmpty() && deque.push(spill.top())) {
            spill.drop();
        }
        share(deque.privateTasks() / 2); // one at least remains
        return deque.pop(current);
    }

    private void execute(TaskBody body) {
        termination.started();
        try {
            body.run(current);
        } catch (Throwable e) { // whatever it is, the task is not done and cannot be
            throw rank.abort(new PgasException("task " + (termination.executedTasks() + 1) + " of rank " + rank.rank() + " in "
                    + this + ": " + e, e));
        }
        termination.executed();
    }

    private boolean steal() {
        if (rank.ranks() == 1) {
            return false;
        }
        long count = thief.steal(thief.victim());
        for (long task = 0; task < count; task++) {
            if (!deque.push(thief.task(task))) {
                spill.push(thief.task(task));
                spilled++;
            }
        }
        stolen += count;
        return count > 0;
    }

    private void requireOpen(String operation) {
        if (closed) {
            throw new IllegalStateException(operation + " of " + this + ": it is closed");
        }
    }

    /** Tasks that this rank has executed, in all runs. */
    public long executed() {
        return termination.executedTasks();
    }

    /** Tasks that this rank has taken from others, in all runs. */
    public long stolen() {
        return stolen;
    }

    /** Tasks that found no room in this rank's ring, in all runs. */
    public long spilled() {
        return spilled;
    }

    /**
     * Collective, and a barrier as well: frees the memory; twice does nothing. After a run that threw, and {@link ExceptionalExit
     * on the way of an exception}, it waits for nobody, so that the failure ends the job at once, which frees the memory.
     *
     * @throws IllegalStateException from a body
     */
    @Override
    public void close() {
        if (running) {
            throw new IllegalStateException("close of " + this + ": it is running (expected: no call from a body)");
        }
        if (!closed) {
            closed = true;
            arena.close();
            if (!failed && !ExceptionalExit.isTaken()) {
                memory.free();
            }
        }
    }

    @Override
    public String toString() {
        return "TaskPool[rank=" + rank.rank() + " taskBytes=" + memory.taskBytes() + " capacity=" + memory.capacity() + "]";
    }
}
