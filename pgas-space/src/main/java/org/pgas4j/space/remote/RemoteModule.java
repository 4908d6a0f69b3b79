package org.pgas4j.space.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
import org.pgas4j.space.sync.RankEnvironment;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;

/** One rank's remote calls, all that it has opened. Used by its thread. */
public final class RemoteModule implements AutoCloseable {

    private final RankEnvironment environment;
    private final ProgressEngine progress;
    private final ScalarAllReduce words;
    private final List<RankRemoteCalls> open = new ArrayList<>();
    private boolean runs;

    /** @param words the exchange of all ranks */
    public RemoteModule(RankEnvironment environment, ProgressEngine progress, ScalarAllReduce words) {
        this.environment = environment;
        this.progress = progress;
        this.words = words;
    }

    int rank() {
        return environment.rank();
    }

    int ranks() {
        return environment.ranks();
    }

    Peers peers() {
        return environment.peers();
    }

    Waiter waiter() {
        return environment.waiter();
    }

    ProgressEngine progress() {
        return progress;
    }

    RankEnvironment environment() {
        return environment;
    }

    ScalarAllReduce words() {
        return words;
    }

    void during(Runnable operation) {
        environment.during(Phase.REMOTE_CALL, operation);
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
            environment.ordering().gives(lease.generation(), other, lease.start() + by);
        }
    }

    /** Orders what {@code other} has given before what this rank does now. */
    void joins(Lease lease, int other, int by) {
        if (lease != null) {
            environment.ordering().joins(lease.generation(), other, lease.start() + by);
        }
    }

    /** Collective: see {@link org.pgas4j.Rank#remote}. */
    public RemoteCalls open(RemoteFunctions functions) {
        environment.requireOwnThread();
        Set<String> names = functions.functions().keySet();
        environment.requireSame("remote", () -> names + ", maxBytes " + functions.maxBytes() + ", capacity " + functions.capacity(),
                names.toString().hashCode(), functions.maxBytes(), functions.capacity());
        long bytes = new RemoteLayout(0, functions.capacity(), functions.maxBytes()).bytes();
        SharedPointer memory = environment.allAlloc("remote", bytes);
        Peer self = peers().get(rank());
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
