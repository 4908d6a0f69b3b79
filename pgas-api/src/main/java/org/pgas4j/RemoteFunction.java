package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * A function that other ranks call on this one; see {@link RemoteCalls}. Runs in the rank's thread, between or within waits of
 * its program. It may read and write memory, start transfers and {@link RemoteCalls#send}; it must not wait for other ranks.
 */
@FunctionalInterface
public interface RemoteFunction {

    /**
     * Runs the function. What it throws goes back to the caller of {@link RemoteCalls#call}; in a call that was sent, whose
     * caller does not wait, it fails the job.
     *
     * @param from      rank that has called
     * @param arguments bytes that it gave, read only, 8-aligned; good until the function returns
     * @param result    memory for the result, {@link RemoteFunctions#maxBytes()} bytes
     * @return bytes of the result; it goes nowhere if the call was sent
     */
    long run(int from, MemorySegment arguments, MemorySegment result) throws Exception;
}
