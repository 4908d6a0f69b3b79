package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * Calls of functions on other ranks (UPC++ {@code rpc} and {@code rpc_ff}); made by {@link Rank#remote}. A function runs in the
 * thread of the rank it is called on, while that rank waits for other ranks (barriers and other collective operations, locks,
 * notifications, calls) or calls {@link Rank#progress()}; calls of one rank on another run in the order in which they were made.
 * A rank that computes runs none, nor does one that waits for a transfer or a stream.
 *
 * <p>Nothing is kept without bound: a rank that calls another whose {@link RemoteFunctions#capacity(int) capacity} is used up
 * waits for room, and runs meanwhile what others have called on it.
 *
 * <p><b>Memory.</b> A function sees what its caller has put, anywhere, before the call. The caller sees after {@link
 * RemoteCall#sync} what the function has written to the memory of its own rank.
 *
 * <p>Used by the rank's thread.
 */
public interface RemoteCalls extends AutoCloseable {

    /**
     * Calls a function on rank {@code target}, which may be this one. Waits for room only. Refused in functions.
     *
     * @param arguments host memory of up to {@link RemoteFunctions#maxBytes()} bytes; may be reused at return
     * @return completes when the function has run
     * @throws IllegalArgumentException  if there is no such function or there are too many bytes
     * @throws IndexOutOfBoundsException if the job has no such rank
     * @throws IllegalStateException     in a function
     * @throws PgasTimeoutException      if there is no room for the job's timeout
     */
    RemoteCall call(int target, String function, MemorySegment arguments);

    /**
     * Calls a function with numbers, which it finds as little-endian {@code long}s; as {@link #call(int, String, MemorySegment)}.
     */
    RemoteCall call(int target, String function, long... arguments);

    /**
     * Calls a function whose result nobody waits for; as {@link #call(int, String, MemorySegment)}, and also in functions, where
     * it never waits.
     *
     * @throws IllegalStateException in a function that finds no room, here and at the target; {@link
     *                               RemoteFunctions#capacity(int)} is the setting
     */
    void send(int target, String function, MemorySegment arguments);

    /** Calls a function with numbers; as {@link #send(int, String, MemorySegment)}. */
    void send(int target, String function, long... arguments);

    /**
     * Collective, and a barrier as well: returns when all calls that any rank has made before have run, and all that those have
     * sent, and so on.
     *
     * @throws PgasTimeoutException if calls are left and none runs for the job's timeout
     */
    void quiesce();

    /**
     * Collective: {@link #quiesce}, then gives back the memory. {@link ExceptionalExit On the way of an exception} it waits for
     * no other rank, runs no further calls, and the memory stays taken until the job ends.
     */
    @Override
    void close();
}
