package org.pgas4j.task;

import java.lang.foreign.MemorySegment;

/** Work of a task of a {@link TaskPool}. */
@FunctionalInterface
public interface TaskBody {

    /**
     * Does a task in the thread of the rank that has it; may submit others to the pool, and use the rank but for collective
     * operations.
     *
     * @param task its bytes; valid until the method returns
     * @throws Exception which ends the job
     */
    void run(MemorySegment task) throws Exception;
}
