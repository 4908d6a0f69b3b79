package org.pgas4j.task;

import org.pgas4j.Atomics;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/**
 * Finds out that all tasks have been executed: rank 0 reads the number of executed tasks of all ranks and then that of created
 * ones (the counting argument of Mattern, "Algorithms for distributed termination detection", Distributed Computing 2, 1987).
 *
 * <p>A rank publishes the number it has created before it shows tasks to thieves, and both, in this order, when it has run out of
 * tasks. So at any time every task that is counted as executed is counted as created. Counters only grow: if the sum of executed
 * ones, read first, equals that of created ones, then they were equal in between, and every created task that is counted was
 * executed. No other exists: until a rank has run out of tasks, one that it has or had is counted as created and not as executed.
 */
final class Termination {

    private final PoolMemory memory;
    private final Rank rank;
    private final Atomics atomics;
    private final SharedPointer createdWord;
    private final SharedPointer executedWord;
    private final SharedPointer startedWord;
    private final SharedPointer doneWord;
    private long created;
    private long executed;
    private long started;
    private long createdSeen;
    private boolean busy;
    private long run;

    Termination(PoolMemory memory) {
        this.memory = memory;
        this.rank = memory.rank();
        this.atomics = rank.atomics();
        this.createdWord = memory.on(rank.rank(), PoolMemory.CREATED_OFFSET);
        this.executedWord = memory.on(rank.rank(), PoolMemory.EXECUTED_OFFSET);
        this.startedWord = memory.on(rank.rank(), PoolMemory.STARTED_OFFSET);
        this.doneWord = memory.on(rank.rank(), PoolMemory.DONE_OFFSET);
    }

    /** Begins a run; before a barrier. */
    void begin() {
        run++;
        publishCreated();
    }

    void created() {
        created++;
    }

    void started() {
        started++;
        busy = true;
        atomics.set(startedWord, 2 * started + 1);
    }

    void executed() {
        executed++;
    }

    long executedTasks() {
        return executed;
    }

    /** Before tasks are shown to thieves. */
    void publishCreated() {
        if (created != createdSeen) {
            atomics.swap(createdWord, created); // complete before what follows
            createdSeen = created;
        }
    }

    /** When this rank has run out of tasks. */
    void publishIdle() {
        if (busy) {
            busy = false;
            publishCreated();
            atomics.swap(executedWord, executed);
            atomics.set(startedWord, 2 * started);
        }
    }

    /** True if all tasks of this run have been executed; of a rank without tasks. */
    boolean isDone() {
        if (rank.rank() != 0) {
            return atomics.get(doneWord) == run;
        }
        long ends = memory.sum(PoolMemory.EXECUTED_OFFSET); // before the created ones
        if (ends != memory.sum(PoolMemory.CREATED_OFFSET)) {
            return false;
        }
        for (int target = 0; target < rank.ranks(); target++) {
            atomics.set(memory.on(target, PoolMemory.DONE_OFFSET), run);
        }
        rank.fence();
        return true;
    }
}
