package org.pgas4j.task;

import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Shared memory of a pool, alike on every rank; each word is in 64 bytes of its own.
 *
 * <pre>
 *   0  open: index of the first task for thieves modulo 2^32, in the upper half, and number of such tasks, in the lower
 *  64  copied: tasks that thieves have copied, of all times
 * 128  created: tasks submitted by this rank, as of its last publication
 * 192  executed: tasks executed by this rank, as of its last publication
 * 256  started: twice the tasks this rank has begun, plus 1 if it has not run out of tasks since
 * 320  done: number of the last run that has ended, set by rank 0
 * 384  tasks, a ring
 * </pre>
 */
final class PoolMemory {

    static final long WORD_BYTES = 64;
    static final long OPEN_OFFSET = 0;
    static final long COPIED_OFFSET = OPEN_OFFSET + WORD_BYTES;
    static final long CREATED_OFFSET = COPIED_OFFSET + WORD_BYTES;
    static final long EXECUTED_OFFSET = CREATED_OFFSET + WORD_BYTES;
    static final long STARTED_OFFSET = EXECUTED_OFFSET + WORD_BYTES;
    static final long DONE_OFFSET = STARTED_OFFSET + WORD_BYTES;
    static final long TASKS_OFFSET = DONE_OFFSET + WORD_BYTES;

    private final Rank rank;
    private final long taskBytes;
    private final int capacity;
    private final SharedPointer memory;
    private final SharedPointer base;

    /** Collective: words are 0. */
    PoolMemory(Rank rank, long taskBytes, int capacity) {
        this.rank = rank;
        this.taskBytes = taskBytes;
        this.capacity = capacity;
        try (Scope _ = rank.offDevice()) {
            this.memory = rank.allAlloc(rank.ranks(), TASKS_OFFSET + capacity * taskBytes);
        }
        this.base = memory.cast(0, 1);
        for (long word = 0; word < TASKS_OFFSET; word += WORD_BYTES) {
            rank.atomics().set(on(rank.rank(), word), 0);
        }
        rank.barrier();
    }

    /** A place in the memory of a rank. */
    SharedPointer on(int target, long offset) {
        return base.onRank(target).plus(offset);
    }

    /** Place of a task in the memory of a rank. */
    SharedPointer task(int target, long index) {
        return on(target, TASKS_OFFSET + slot(index) * taskBytes);
    }

    /** Number of the ring's slot for a task. */
    long slot(long index) {
        return index & capacity - 1;
    }

    /** Slots of the ring, a power of two. */
    int capacity() {
        return capacity;
    }

    long taskBytes() {
        return taskBytes;
    }

    Rank rank() {
        return rank;
    }

    /** Sum of a word over all ranks, read one by one. */
    long sum(long offset) {
        long sum = 0;
        for (int target = 0; target < rank.ranks(); target++) {
            sum += rank.atomics().get(on(target, offset));
        }
        return sum;
    }

    /** Collective. */
    void free() {
        rank.allFree(memory);
    }
}
