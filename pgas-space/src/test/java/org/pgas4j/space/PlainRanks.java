package org.pgas4j.space;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.pgas4j.bootstrap.node.NodeIdentity;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.watch.Activity;
import org.pgas4j.bootstrap.watch.StatusBoard;
import org.pgas4j.bootstrap.watch.StatusQuery;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;
import org.pgas4j.space.memory.ControlArea;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;

/**
 * Ranks without a job: their segments are plain memory of this JVM, whatever process they belong to, and the threads
 * are the test's.
 */
public final class PlainRanks implements AutoCloseable {

    /** Longer than any test takes. */
    public static final long LONG_NS = 20_000_000_000L;

    private static final long HEAP_BYTES = 1 << 16;

    private final int ranks;
    private final Conduit conduit;
    private final HostBackend devices = new HostBackend(1, 1);
    private final List<FakeBootstrap> job;
    private final List<Segments> segments = new ArrayList<>();
    private final List<StatusQuery> statuses = new ArrayList<>();
    private final StatusBoard board;

    /** Ranks of one process. */
    public PlainRanks(int ranks) {
        this(1, ranks, new LoopbackConduit());
    }

    /** Ranks of several processes over a conduit, which is closed with them. */
    public PlainRanks(int processes, int ranks, Conduit conduit) {
        this.ranks = ranks;
        this.conduit = conduit;
        this.job = FakeBootstrap.job(processes, ranks);
        this.board = StatusBoard.local(0, ranks);
        for (FakeBootstrap process : job) {
            Nodes nodes = Nodes.agree(process, "nodes", NodeIdentity.current(null, null), 0);
            Segments made =
                    new Segments(process, nodes, conduit, devices, null, new ControlArea(ranks), HEAP_BYTES, HEAP_BYTES,
                    LONG_NS);
            made.create("segments", 1, 0);
            segments.add(made);
            statuses.add(new StatusQuery(process, board));
        }
    }

    public int count() {
        return ranks;
    }

    /** The process of a rank. */
    public FakeBootstrap bootstrap(int rank) {
        return job.get(job.getFirst().processOf(rank));
    }

    /** As the process of a rank has them. */
    public Segments segments(int rank) {
        return segments.get(job.getFirst().processOf(rank));
    }

    public ControlArea area() {
        return segments.getFirst().area();
    }

    public Conduit conduit() {
        return conduit;
    }

    public HostBackend devices() {
        return devices;
    }

    /** All ranks as one rank reaches them, without wakes. */
    public Peers peers(int rank) {
        return peers(rank, null);
    }

    public Peers peers(int rank, IntConsumer waker) {
        return new Peers(rank, segments(rank), devices.open(0), ranks, waker);
    }

    public Activity activity(int rank) {
        return board.activity(rank);
    }

    /** How a rank waits, which yields soon. */
    public Waiter waiter(int rank, long timeoutNs) {
        return waiter(rank, timeoutNs, ranks);
    }

    /** Words that a rank exchanges with all others. */
    public ScalarAllReduce words(int rank) {
        return words(rank, LONG_NS);
    }

    public ScalarAllReduce words(int rank, long timeoutNs) {
        Waiter waiter = waiter(rank, timeoutNs);
        return new ScalarAllReduce(rank, count(), peers(rank), waiter, area(),
                new Arrivals(rank, peers(rank), waiter, () -> { }, HappensBefore.NONE));
    }

    /** How a rank waits where one thread is all ranks, and would yield to none of them: by looking again, for long. */
    public Waiter waiterOfAll(int rank) {
        return waiter(rank, LONG_NS, ranks + 1);
    }

    private Waiter waiter(int rank, long timeoutNs, int processors) {
        return new Waiter(bootstrap(rank), timeoutNs, ranks + 1, processors, true, activity(rank),
                statuses.get(job.getFirst().processOf(rank)));
    }

    @Override
    public void close() {
        conduit.close();
        devices.close();
    }
}
