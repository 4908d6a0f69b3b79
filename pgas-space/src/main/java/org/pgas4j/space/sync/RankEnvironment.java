package org.pgas4j.space.sync;

import java.util.function.Supplier;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.space.memory.Peers;

/** Parts of one rank that its locks and its remote calls use. Used by the rank's thread. */
public interface RankEnvironment {

    /** Number of the rank. */
    int rank();

    /** Ranks of the job. */
    int ranks();

    /** All ranks as this one reaches them. */
    Peers peers();

    /** Waits of the rank. */
    Waiter waiter();

    /** Receives what orders the rank's work with that of others. */
    HappensBefore ordering();

    /** Runs an operation under a phase of the status board. */
    void during(Phase phase, Runnable operation);

    /** Collective: a run of {@code bytes} bytes of host memory on each rank, the first on rank 0; a barrier as well. */
    SharedPointer allAlloc(String call, long bytes);

    /** The same by one rank. */
    SharedPointer globalAlloc(long bytes);

    /** A pointer that another rank has passed on. */
    SharedPointer pointer(long... words);

    /** Frees it, by one rank. */
    void free(SharedPointer pointer);

    /** Frees it, collectively. */
    void allFree(SharedPointer pointer);

    /** Refuses other threads than the rank's. */
    void requireOwnThread();

    /** Completes the rank's transfers at their targets; atomic operations order them before what follows. */
    void complete();

    /** A barrier of all ranks. */
    void barrier();

    /**
     * Refuses arguments that differ among the ranks.
     *
     * @param details this rank's arguments, for the error
     */
    void requireSame(String call, Supplier<String> details, long... values);
}
