package org.pgas4j.runtime.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.pgas4j.Lease;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.RemoteCalls;
import org.pgas4j.RemoteFunctions;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;

/** One rank's remote calls, all that it has opened. Used by its thread. */
public final class RemoteModule implements AutoCloseable {

    /** Memory of the calls, and all that surrounds them. */
    public interface Environment {

        /** Collective: a block of {@code bytes} bytes of host memory on each rank; a barrier as well. */
        SharedPointer allAlloc(String call, long bytes);

        /** Frees it, collectively. */
        void allFree(SharedPointer pointer);

        /** Refuses other threads than the rank's. */
        void requireOwnThread();

        /** Completes the rank's transfers at their targets; atomic operations order them before what follows. */
        void complete();

        /** A barrier of all ranks. */
        void barrier();

        /** Refuses arguments that differ among the ranks. */
        void requireSame(String call, long... values);
    }

    private final int rank;
    private final int ranks;
    private final Peers peers;
    private final Waiter waiter;
    private final ProgressEngine progress;
    private final Environment environment;
    private final ScalarAllReduce words;
    private final HappensBefore ordering;
    private final BiConsumer<Phase, Runnable> during;
    private final List<RankRemoteCalls> open = new ArrayList<>();
    private boolean runs;

    /**
     * @param words  the exchange of all ranks
     * @param during runs an operation under a phase of the status board
     */
    public RemoteModule(int rank, int ranks, Peers peers, Waiter waiter, ProgressEngine progress, Environment environment,
                        ScalarAllReduce words, HappensBefore ordering, BiConsumer<Phase, Runnable> during) {
        this.rank = rank;
        this.ranks = ranks;
        this.peers = peers;
        this.waiter = waiter;
        this.progress = progress;
        this.environment = environment;
        this.words = words;
        this.ordering = ordering;
        this.during = during;
    }

    int rank() {
        return rank;
    }

    int ranks() {
        return ranks;
    }

    Peers peers() {
        return peers;
    }

    Waiter waiter() {
        return waiter;
    }

    ProgressEngine progress() {
        return progress;
    }

    Environment environment() {
        return environment;
    }

    ScalarAllReduce words() {
        return words;
    }

    void during(Runnable operation) {
        during.accept(Phase.REMOTE_CALL, operation);
    }

    /** True while a function runs. */
    boolean runs() {
        return runs;
    }

    void runs(boolean now) {
        runs = now;
    }

    /** Orders what this rank has done before what {@code other} does with its next call or result. */
    void gives(Lease lease, int other, int by) {
        if (lease != null) {
            ordering.gives(lease.generation(), other, lease.start() + by);
        }
    }

    /** Orders what {@code other} has given before what this rank does now. */
    void joins(Lease lease, int other, int by) {
        if (lease != null) {
            ordering.joins(lease.generation(), other, lease.start() + by);
        }
    }

    /** Collective: see {@link org.pgas4j.Rank#remote}. */
    public RemoteCalls open(RemoteFunctions functions) {
        environment.requireOwnThread();
        environment.requireSame("remote", functions.functions().keySet().toString().hashCode(), functions.maxBytes(),
                functions.capacity());
        long bytes = new RemoteLayout(0, functions.capacity(), functions.maxBytes()).bytes();
        SharedPointer memory = environment.allAlloc("remote", bytes);
        Peer self = peers.get(rank);
        RankRemoteCalls made = new RankRemoteCalls(this, functions, memory, PgasUnsafe.lease(memory),
                new RemoteLayout(self.heapStart() + memory.addrField(), functions.capacity(), functions.maxBytes()));
        open.add(made);
        environment.barrier();
        return made;
    }

    void closed(RankRemoteCalls calls) {
        open.remove(calls);
    }

    /** The rank ends: nothing runs any more. */
    @Override
    public void close() {
        CloseHelper.closeAll(open.stream().map(calls -> (AutoCloseable) calls::end).toList());
    }
}
