package org.pgas4j.runtime;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.pgas4j.Atomics;
import org.pgas4j.Buffer;
import org.pgas4j.Collectives;
import org.pgas4j.Device;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Diagnostics;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.Layout;
import org.pgas4j.Lendable;
import org.pgas4j.Locks;
import org.pgas4j.Memory;
import org.pgas4j.MemoryKind;
import org.pgas4j.Notifications;
import org.pgas4j.OwnThread;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.RemoteCalls;
import org.pgas4j.RemoteFunctions;
import org.pgas4j.Rma;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedBooleans;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedChars;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;
import org.pgas4j.SharedShorts;
import org.pgas4j.SourceWindow;
import org.pgas4j.Stream;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.collective.CollectiveEngine;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.kernel.runtime.JavaKernels;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.os.Failpoint;
import org.pgas4j.runtime.blocks.BlockNotifications;
import org.pgas4j.runtime.blocks.BlockTraffic;
import org.pgas4j.runtime.notify.NotifyModule;
import org.pgas4j.space.remote.RemoteModule;
import org.pgas4j.space.check.FullHeapChecks;
import org.pgas4j.space.check.HeapChecks;
import org.pgas4j.space.check.RankHappensBefore;
import org.pgas4j.space.check.WatchedTransfers;
import org.pgas4j.space.lock.LockModule;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.Arrivals;
import org.pgas4j.space.sync.Barrier;
import org.pgas4j.space.sync.CallSite;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.Meetings;
import org.pgas4j.space.sync.ReleaseTree;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.HostRoute;
import org.pgas4j.space.transfer.PieceTransfers;
import org.pgas4j.space.transfer.RouteTable;
import org.pgas4j.space.transfer.Transfers;

/** One rank: hands each call to the part that does it. Used by the rank's thread. */
final class RankContext implements Rank, Lendable, AutoCloseable {

    /** Of so many blocking transfers one looks whether the job has failed: programs poll memory of other ranks with them. */
    private static final int TRANSFERS_BETWEEN_LOOKS = 1 << 10;

    private static final boolean FAILPOINTS = Failpoint.isOn();

    static {
        CallSite.addLibrary(RankContext.class);
        CallSite.addLibrary(CollectiveEngine.class);
        CallSite.addLibrary(JavaKernels.class);
    }

    private final Job job;
    private final int rank;
    private final Function<Throwable, Abort> failing;
    private final Waiter waiter;
    private final int ranks;
    private Thread thread = Thread.currentThread(); // that makes the transfers
    private final Peers peers;
    private final RouteTable routes;
    private final Completions completions;
    private final Transfers transfers;
    private final HappensBefore ordering;
    private final ProgressEngine progress;
    private final Barrier barrier;
    private final ScalarAllReduce words;
    private final CollectiveEngine collectives;
    private final RankMemory memory;
    private final RankRma rma;
    private final RankAtomics atomics;
    private final LockModule locks;
    private final RemoteModule remote;
    private final RankCounts counts;
    private final RankDiagnostics diagnostics;
    private final HeapChecks heapChecks;
    private final Allocator allocator;
    private final NotifyModule communications;
    private final BlockTraffic blockTraffic = new BlockTraffic();
    private final RankDevice device;
    private final RankLosses losses;
    private final RankGrids grids;
    private final Stream stream;
    private MemoryKind allocationKind = MemoryKind.HOST;
    private int blockingTransfers;

    /** @param failing makes a failure of this rank the job's, unless the job has failed before; returns the first one */
    RankContext(Job job, int rank, Function<Throwable, Abort> failing) {
        this.job = job;
        this.rank = rank;
        this.failing = failing;
        this.ranks = job.bootstrap().ranks();
        Accelerator accelerator = job.segments().acceleratorOf(rank);
        accelerator.bind();
        this.progress = job.ports().engine(rank);
        this.waiter = job.ports().waiter(rank);
        this.peers = new Peers(rank, job.segments(), accelerator, ranks, job.waker());
        this.completions = new Completions(rank, peers, progress, accelerator, waiter);
        completions.hold(job.config().bytes(PgasKey.RENDEZVOUS_BUFFERED));
        completions.resident(job.residentOptions(rank));
        this.routes = new RouteTable(rank, ranks, peers, job.forcedRoute(), job.checks() != null, job.segments(), accelerator,
                progress, completions, job::thresholds);
        this.transfers = new Transfers(rank, routes, completions,
                job.checks() == null ? null : new WatchedTransfers(rank, job.checks()));
        FullHeapChecks full = job.checks() == null ? null
                : new FullHeapChecks(rank, ranks, job.heap(), job.checks(), peers, transfers, job.segments());
        this.heapChecks = full == null ? new HeapChecks(job.heap()) : full;
        this.ordering = full == null ? HappensBefore.NONE : new RankHappensBefore(job.checks(), rank, full);
        Arrivals arrivals = new Arrivals(rank, peers, waiter, this::completeTransfers, ordering);
        this.barrier = new Barrier(rank, ranks, peers, waiter, arrivals,
                new ReleaseTree(rank, peers, job.nodes().firstRanks(), job.nodes().nodeOf(rank)));
        this.words = new ScalarAllReduce(rank, ranks, peers, waiter, job.segments().area(), arrivals);
        this.collectives = new CollectiveEngine(rank, peers, transfers, words, waiter, arrivals, progress, accelerator);
        this.allocator = new Allocator(rank, ranks, job.heap(), collectives, heapChecks);
        collectives.stage(allocator);
        collectives.streamSetup().settings(job.config().text(PgasKey.COLLECTIVE_PROFILES),
                job.config().count(PgasKey.COLLECTIVE_BLOCKS), job.config().flag(PgasKey.EXPLAIN));
        PieceTransfers pieces = new PieceTransfers(rank, transfers, accelerator);
        this.communications = new NotifyModule(rank, ranks, peers, job.heap(), transfers, pieces, progress, waiter, job.segments(),
                accelerator, words, this::barrier, arrivals, ordering, collectives, this::collectives,
                new BlockNotifications(job.blocks(), progress, job.segments(), accelerator));
        this.losses = new RankLosses(rank, job.bootstrap(), job.goesOn(), job.meetings(), peers, transfers, waiter, arrivals, allocator,
                communications);
        this.memory = new RankMemory(rank, job.heap(), heapChecks, peers, allocator, collectives, () -> allocationKind);
        this.rma = new RankRma(this::own, pieces, completions, waiter);
        this.atomics = new RankAtomics(this::own, routes, completions, collectives);
        ContextEnvironment environment = new ContextEnvironment(this, rank, ranks, peers, waiter, ordering, allocator,
                collectives);
        this.locks = new LockModule(environment);
        this.remote = new RemoteModule(environment, progress, words);
        waiter.activity().rank(rank);
        this.counts = new RankCounts(rank, routes, waiter.activity().counts(), barrier.late(), blockTraffic);
        job.stats().add(rank, counts);
        this.diagnostics = new RankDiagnostics(routes, progress, () -> job.explainMessages(rank), counts, this::countBlocks, job.stats().run(),
                job.ports().helpers());
        this.device = new RankDevice(rank, accelerator, transfers, communications,
                () -> accelerator.newLowLatencyStream(!job.segments().isDeviceOfOtherProcesses(accelerator.ordinal()),
                        2 * Math.min(waiter.timeoutNs(), Long.MAX_VALUE / 4)),
                () -> new JavaKernels(rank, ranks, accelerator, peers, job.segments()::isOnThisNode,
                        rank == 0 ? job.config().text(PgasKey.KERNEL_EXPLAIN) : "none",
                        peer -> job.segments().register(rank, peer, accelerator), this::gather));
        collectives.translator(ReductionFunction.translator(device::kernels));
        this.stream = device.newStream();
        this.grids = new RankGrids(this, job, peers, progress, words, ordering, allocator, communications, device, blockTraffic);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public int processes() {
        return job.bootstrap().processes();
    }

    @Override
    public int node() {
        return job.nodes().here();
    }

    @Override
    public int nodes() {
        return job.nodes().count();
    }

    @Override
    public int nodeOf(int other) {
        if (other < 0 || other >= ranks) {
            throw new IndexOutOfBoundsException("rank out of range: rank=" + other + " ranks=" + ranks);
        }
        return job.nodes().nodeOf(other);
    }

    @Override
    public List<String> args() {
        return job.args();
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public Stream stream() {
        return stream;
    }

    @Override
    public Duration timeout() {
        return job.timeout();
    }

    @Override
    public RuntimeException abort(Throwable cause) {
        throw failing.apply(Objects.requireNonNull(cause, "cause")).exception();
    }

    // ---- allocation

    @Override
    public Scope onDevice() {
        return allocateFrom(MemoryKind.DEVICE);
    }

    @Override
    public Scope offDevice() {
        return allocateFrom(MemoryKind.HOST);
    }

    private Scope allocateFrom(MemoryKind kind) {
        MemoryKind before = allocationKind;
        allocationKind = kind;
        return new OnceScope(() -> allocationKind = before);
    }

    @Override
    public SharedPointer allAlloc(long nblocks, long blockBytes) {
        return allocator.allAlloc("allAlloc", allocationKind, nblocks, blockBytes);
    }

    @Override
    public SharedPointer alloc(long bytes) {
        SharedPointer[] result = new SharedPointer[1];
        collectives.during(Phase.ALLOCATION, () -> result[0] = allocator.alloc(allocationKind, bytes));
        return result[0];
    }

    @Override
    public void allFree(SharedPointer pointer) {
        barrier();
        allocator.allFree(pointer);
    }

    @Override
    public void free(SharedPointer pointer) {
        requireOwnThread();
        if (pointer != null) {
            completeTransfers();
            allocator.free(pointer);
        }
    }

    @Override
    public SharedFloats allAllocFloats(Layout layout, long length) {
        return new SharedFloats(this, layout, length, array(layout, ElementType.FLOAT, length));
    }

    @Override
    public SharedDoubles allAllocDoubles(Layout layout, long length) {
        return new SharedDoubles(this, layout, length, array(layout, ElementType.DOUBLE, length));
    }

    @Override
    public SharedInts allAllocInts(Layout layout, long length) {
        return new SharedInts(this, layout, length, array(layout, ElementType.INT, length));
    }

    @Override
    public SharedLongs allAllocLongs(Layout layout, long length) {
        return new SharedLongs(this, layout, length, array(layout, ElementType.LONG, length));
    }

    @Override
    public SharedBytes allAllocBytes(Layout layout, long length) {
        return new SharedBytes(this, layout, length, array(layout, ElementType.BYTE, length));
    }

    @Override
    public SharedShorts allAllocShorts(Layout layout, long length) {
        return new SharedShorts(this, layout, length, array("allAllocShorts", layout, Short.BYTES, length));
    }

    @Override
    public SharedChars allAllocChars(Layout layout, long length) {
        return new SharedChars(this, layout, length, array("allAllocChars", layout, Character.BYTES, length));
    }

    @Override
    public SharedBooleans allAllocBooleans(Layout layout, long length) {
        return new SharedBooleans(this, layout, length, array("allAllocBooleans", layout, Byte.BYTES, length));
    }

    @Override
    public SharedRecords allAllocRecords(MemoryLayout record, Layout layout, long length) {
        return new SharedRecords(this, record, layout, length, array("allAllocRecords", layout, record.byteSize(), length));
    }

    private SharedPointer array(Layout layout, ElementType type, long length) {
        return array(Allocator.call(type), layout, type.bytes(), length);
    }

    /** Words of all ranks, one rank's after the other's. */
    private long[] gather(long... own) {
        long[] all = new long[own.length * ranks];
        collectives().allGather(Buffer.ofHost(MemorySegment.ofArray(all), ElementType.LONG),
                Buffer.ofHost(MemorySegment.ofArray(own), ElementType.LONG));
        return all;
    }

    private SharedPointer array(String call, Layout layout, long elementBytes, long length) {
        return allocator.array(call, allocationKind, layout, elementBytes, length);
    }

    @Override
    public void allFree(SharedArray array) {
        allFree(array == null ? null : allocator.allocation(array.layout(), array.pointer()));
    }

    // ---- local access

    @Override
    public MemorySegment local(SharedPointer pointer) {
        return memory.local(pointer);
    }

    @Override
    public void lend(Thread borrower) {
        thread = borrower;
    }

    /** The transfers, for the rank's thread: they are no other's. */
    private Transfers own() {
        requireOwnThread();
        return transfers;
    }

    void requireOwnThread() {
        OwnThread.require(thread, rank, "a transfer", "");
    }

    // ---- transfer, blocking

    private void lookAtTheJob(String failpoint) {
        if (FAILPOINTS) {
            Failpoint.hit(failpoint);
        }
        if ((++blockingTransfers & TRANSFERS_BETWEEN_LOOKS - 1) == 0) {
            waiter.throwIfAborted();
        }
    }

    @Override
    public void memput(SharedPointer dst, MemorySegment src, long bytes) {
        lookAtTheJob(Failpoint.PUT);
        requireOwnThread();
        HostRoute direct = routes.direct(dst.rank());
        if (direct != null && dst.kind() == MemoryKind.HOST) {
            direct.put(dst, src, bytes);
        } else {
            completions.finish(transfers.put(dst, src, bytes));
        }
    }

    @Override
    public void memput(SharedPointer dst, Buffer src) {
        lookAtTheJob(Failpoint.PUT);
        completions.finish(own().put(dst, src, null));
    }

    @Override
    public void memget(MemorySegment dst, SharedPointer src, long bytes) {
        lookAtTheJob(Failpoint.GET);
        requireOwnThread();
        HostRoute direct = routes.direct(src.rank());
        if (direct != null && src.kind() == MemoryKind.HOST) {
            direct.get(dst, src, bytes);
        } else {
            completions.finish(transfers.get(dst, src, bytes));
        }
    }

    @Override
    public void memget(Buffer dst, SharedPointer src) {
        lookAtTheJob(Failpoint.GET);
        completions.finish(own().get(dst, src, null));
    }

    @Override
    public void memcpy(SharedPointer dst, SharedPointer src, long bytes) {
        completions.finish(own().copy(dst, src, bytes));
    }

    @Override
    public void memset(SharedPointer dst, int value, long bytes) {
        completions.finish(own().set(dst, value, bytes));
    }

    // ---- ordering

    /** Completes every transfer of this rank at its target. */
    private void completeTransfers() {
        device.completeTransfers();
        completions.fence();
    }

    /** As {@link #fence}, for a caller that goes on with an atomic operation, which orders as well. */
    void completeForRelease() {
        device.completeTransfers();
        completions.completeAtTargets();
        ordering.fences();
    }

    @Override
    public void fence() {
        requireOwnThread();
        completeTransfers();
        ordering.fences();
    }

    @Override
    public void barrier() {
        barrier.arrive(0);
        barrier.await(0);
    }

    @Override
    public void barrier(int label) {
        barrier.arrive(Barrier.label(label));
        barrier.await(Barrier.label(label));
    }

    // ---- collectives

    @Override
    public double allReduce(double value, ReduceOp op) {
        double[] result = new double[1];
        collectives.during(Phase.ALL_REDUCE, () -> result[0] = words.allReduce(value, op));
        return result[0];
    }

    @Override
    public long allReduce(long value, ReduceOp op) {
        long[] result = new long[1];
        collectives.during(Phase.ALL_REDUCE, () -> result[0] = words.allReduce(value, op));
        return result[0];
    }

    // ---- teams, windows, notifications, blocks

    @Override
    public Team world() {
        return communications.world();
    }

    @Override
    public List<Integer> lostRanks() {
        requireOwnThread();
        return losses.lostRanks();
    }

    @Override
    public Team survivors() {
        requireOwnThread();
        return losses.survivors();
    }

    @Override
    public Window createWindow(Team team, SharedPointer base, long bytes) {
        return communications.createWindow(team, base, bytes);
    }

    @Override
    public Window createWindow(Team team, MemorySegment memory) {
        return createWindow(team, memory == null ? null : Buffer.ofHost(memory, ElementType.BYTE));
    }

    @Override
    public Window createWindow(Team team, Buffer memory) {
        return communications.createWindow(team, memory, job.shownMemory(), job.segments().acceleratorOf(rank));
    }

    @Override
    public SourceWindow createSourceWindow(Team team, SharedPointer base, long bytes) {
        SharedPointer counters = allocator.alloc(MemoryKind.HOST, communications.sourceBytes(team));
        boolean made = false;
        try {
            SourceWindow window = communications.createSourceWindow(team, base, bytes, counters, this::fence,
                    () -> allocator.free(counters));
            made = true;
            return window;
        } finally {
            if (!made) {
                allocator.free(counters);
            }
        }
    }

    @Override
    public DeviceGrid createGrid(DeviceGrid.Options options) {
        return createGrid(options, 0);
    }

    @Override
    public DeviceGrid createGrid(DeviceGrid.Options options, long firstCount) {
        return grids.create(options, firstCount);
    }

    // ---- the rest, by subject

    @Override
    public Memory memory() {
        return memory;
    }

    @Override
    public Rma rma() {
        return rma;
    }

    @Override
    public Collectives collectives() {
        return communications.world().collectives();
    }

    private Collectives collectives(Team team) {
        return new RankCollectives(this, team, ranks, collectives, barrier, communications, allocator);
    }

    @Override
    public Atomics atomics() {
        return atomics;
    }

    @Override
    public Locks locks() {
        return locks;
    }

    @Override
    public RemoteCalls remote(RemoteFunctions functions) {
        return remote.open(functions);
    }

    @Override
    public Notifications notifications() {
        return communications.notifications();
    }

    @Override
    public Diagnostics diagnostics() {
        return diagnostics;
    }

    // ---- progress

    @Override
    public Scope busy() {
        progress.beginBusy();
        return new OnceScope(progress::endBusy);
    }

    @Override
    public boolean progress() {
        requireOwnThread();
        waiter.throwIfAborted();
        return progress.serveAll() | rma.runCompleted();
    }

    /** Teams, windows and notifications. */
    NotifyModule communications() {
        return communications;
    }

    /** The stream on which the rank's own transfers run. */
    AcceleratorStream transferStream() {
        return completions.stream();
    }

    /** Number of ranks that this one has reached, itself included. */
    int reached() {
        return peers.reached();
    }

    private void countBlocks() {
        grids.count();
    }

    /** Waits for all ranks after the program has ended, as long as the job lives: a rank may compute longer than others. */
    void finish() {
        if (losses.goesOn()) {
            losses.untilNoLoss(this::finishAlone); // the barrier needs all ranks, the meeting those that live
        } else {
            finishAlone();
            barrier.finish();
        }
        if (job.endsByMeeting()) {
            waiter.activity().enter(Phase.END);
            job.meetings().meet(Meetings.Purpose.END, Meetings.NOTHING, waiter, false);
            waiter.activity().leave();
        }
    }

    private void finishAlone() {
        completeTransfers();
        device.requireNoFailure();
        countBlocks();
        heapChecks.atEnd();
        locks.atEnd();
    }

    @Override
    public void close() {
        counts.end();
        CloseHelper.closeAll(List.<AutoCloseable>of(grids, diagnostics, remote, collectives, device, communications, rma,
                completions, communications::free));
    }
}
