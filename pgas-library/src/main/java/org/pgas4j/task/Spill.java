package org.pgas4j.task;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Tasks that found no room in the ring: a stack in private memory, which grows. */
final class Spill {

    private static final long FIRST_TASKS = 64;

    private final long taskBytes;
    private MemorySegment memory = MemorySegment.NULL;
    private long tasks;

    Spill(long taskBytes) {
        this.taskBytes = taskBytes;
    }

    boolean isEmpty() {
        return tasks == 0;
    }

    void push(MemorySegment task) {
        long end = (tasks + 1) * taskBytes;
        if (end > memory.byteSize()) {
            MemorySegment larger = Arena.ofAuto().allocate(Math.max(FIRST_TASKS, 2 * tasks) * taskBytes, Long.BYTES);
            MemorySegment.copy(memory, 0, larger, 0, tasks * taskBytes);
            memory = larger;
        }
        MemorySegment.copy(task, 0, memory, tasks * taskBytes, taskBytes);
        tasks++;
    }

    /** The newest task; stays there until {@link #drop}. */
    MemorySegment top() {
        return memory.asSlice((tasks - 1) * taskBytes, taskBytes);
    }

    void drop() {
        tasks--;
    }
}
