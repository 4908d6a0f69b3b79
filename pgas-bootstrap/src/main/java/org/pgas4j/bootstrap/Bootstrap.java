package org.pgas4j.bootstrap;

import java.util.function.Consumer;

/**
 * The control plane of one JVM of a job: layout of ranks, exchange of addresses, calls and the abort path. No data of
 * programs goes over it. Thread-safe. Every wait has a deadline ({@link System#nanoTime()} value).
 */
public interface Bootstrap extends AutoCloseable {

    /** Answers calls of other JVMs; runs on a control thread and must not block for long. */
    @FunctionalInterface
    interface Service {

        /** Answers one request; an exception travels back to the caller as its message. */
        byte[] answer(byte[] request);
    }

    /** Short name of the job, unique on this node among running jobs. */
    String jobId();

    /** This JVM's number, 0..{@link #processes()}-1. */
    int process();

    int processes();

    /** Ranks of the whole job. */
    int ranks();

    /** The JVM that hosts {@code rank}; ranks are dealt out in contiguous runs. */
    int processOf(int rank);

    /** First rank of JVM {@code process}; {@code firstRank(processes())} is {@link #ranks()}. */
    int firstRank(int process);

    /**
     * Collective over the JVMs: every JVM's {@code mine}, in JVM order. Calls with the same key match; a key is used
     * once.
     *
     * @throws org.pgas4j.PgasTimeoutException naming the JVMs (and their ranks) that are missing
     */
    byte[][] allGather(String key, byte[] mine, long deadlineNs);

    /**
     * Collective over the JVMs that live: the value of each that has given one, null of those that were lost before, or have
     * left the job. All JVMs that return have the same values. As {@link #allGather} where {@link #losses} has none.
     */
    default byte[][] gatherLiving(String key, byte[] mine, long deadlineNs) {
        return allGather(key, mine, deadlineNs);
    }

    /** JVMs that were lost, where the job goes on without them. */
    default Losses losses() {
        return Losses.NONE;
    }

    /** Registers the handler of {@link #call} with a {@link ServiceNumber}; before the first allGather. */
    void serve(int service, Service handler);

    /**
     * Calls a service of a JVM, this one included.
     *
     * @throws org.pgas4j.PgasTimeoutException if no answer came; naming service and JVM
     */
    byte[] call(int process, int service, byte[] request, long deadlineNs);

    /**
     * Calls a service whose answer to this request never changes: coordinators on the way cache it for the next caller,
     * so that the JVM answers once however many JVMs call.
     *
     * @throws org.pgas4j.PgasTimeoutException as {@link #call}
     */
    byte[] lookup(int process, int service, byte[] request, long deadlineNs);

    /**
     * Reports a failure here: the first one of the job wins and reaches every JVM, this one too. Returns the winner.
     */
    Abort abort(Abort cause);

    /** The failure that ended the job, or null. Cheap: read in wait loops. */
    Abort aborted();

    /** Adds a listener that is called once, when the job fails; at once if it has. On a control thread. */
    void onAbort(Consumer<Abort> listener);

    /** Leaves the job, since this JVM's ranks are done, and disconnects. */
    @Override
    void close();
}
