package org.pgas4j.runtime.blocks;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.GridKernel;
import org.pgas4j.GridProgram;
import org.pgas4j.JobAbortedException;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Prepared;
import org.pgas4j.ReduceOp;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.kernel.runtime.JavaBlocks;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.transfer.OpenBlocks;
import org.pgas4j.space.transfer.SharedRegion;

/** The blocks of one rank: launches, their deadlines and failures, and the host's part. Used by the rank's thread. */
public final class BlockTeam implements DeviceGrid {

    private static final long SERVE_NS = 1_000_000_000L;
    private static final int LOOKS_BETWEEN_CHECKS = 16;

    private final BlockEnvironment env;
    private final int number;
    private final Options options;
    private final long timeoutNs;
    private final BlockLayout layout;
    private final SharedPointer memory;
    private final Peer self;
    private final PinnedMemory pinned;
    private final HostPage page;
    private final ProxyWriter writer;
    private final BlockService service;
    private final BlockLaunches launches;
    private final BlockCounts counts;
    private final BlockRegions regions;
    private final BlockSignals signals;
    private final boolean throughHost;
    private final Supplier<String> reason;
    private final Thread thread = Thread.currentThread();
    private final ProgressEngine.Service watch = this::watch;
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private RuntimeException failure;
    private boolean closed;

    /**
     * Collective over all ranks.
     *
     * @param number of these blocks, the same on all ranks, not in use
     */
    public BlockTeam(BlockEnvironment env, int number, Options asked, Duration timeout) {
        this.env = env;
        this.number = number;
        boolean cuda = env.accelerator().backend().equals("cuda");
        env.words().requireSame("createGrid", asked::toString, asked.perRank(), asked.threads(),
                asked.sharedBytes(), asked.windows(), asked.forcedProxy() ? 1 : 0, asked.partnerRanks() == null ? 0 : 1,
                (int) env.packetBytes(), env.firstCount());
        int perRank = asked.perRank() > 0 ? asked.perRank() : env.defaultPerRank();
        if (perRank == 0 || perRank >= BlockDirectory.MAX_BLOCKS) {
            throw new IllegalArgumentException("blocks of a rank: " + perRank + " (expected: 1.."
                    + (BlockDirectory.MAX_BLOCKS - 1) + ")");
        }
        if (!cuda && asked.sharedBytes() > HostBlock.MAX_SHARED) {
            throw new IllegalArgumentException("shared memory of blocks of rank " + env.rank() + ": " + asked.sharedBytes()
                    + " bytes (expected: 0.." + HostBlock.MAX_SHARED + " on the host device)");
        }
        this.options = new Options(perRank, asked.threads(), asked.timeout(), asked.launchTimeout(),
                asked.forcedProxy(), asked.sharedBytes(), asked.grid(), asked.block(), asked.windows(), asked.partnerRanks());
        // A wait in a launch ends before the wait for the launch does, and says more.
        this.timeoutNs = asked.timeout() == null ? timeout.toNanos() / 4 * 3 : asked.timeout().toNanos();
        Partners partners = Partners.of(env.rank(), env.ranks(), asked.partnerRanks(), env.words());
        this.layout = new BlockLayout(env.ranks(), perRank, env.packetRings(perRank, asked.threads()), asked.windows(),
                partners.most());
        this.memory = allocate();
        this.self = env.peers().get(env.rank());
        long area = memory.addrField();
        WorldImage image = new WorldImage(env, options, layout, partners, area, timeoutNs);
        this.pinned = env.accelerator().allocatePinned(HostPage.bytes(image.usesMailbox()));
        this.page = HostPage.of(pinned.segment());
        if (partners.most() != 0) {
            meet(image);
        }
        this.writer = new ProxyWriter(env.accelerator(), self.device(), self.deviceOffset(), area, layout, page,
                image.usesMailbox());
        this.service = new BlockService(number, env.rank(), layout, page, env.segments(), env.progress(),
                env.directory(), env.accelerator(), writer, self.device(), self.deviceOffset(), area, env.prepared()::execute);
        this.throughHost = env.words().allReduce(image.usesMailbox() ? 1 : 0, ReduceOp.MAX) != 0;
        image.write(page, this::creation, throughHost);
        this.launches = new BlockLaunches(env.accelerator(), env.rank(), options, layout,
                self.device().address() + self.deviceOffset() + area, page, writer,
                new LaunchDeadlines(page, Duration.ofNanos(env.waiter().timeoutNs()), options.launchTimeout()),
                cuda ? null : image.hostWorld(page, thrown, throughHost));
        this.reason = launches::describe;
        this.counts = new BlockCounts(env, layout, partners, area, image::reaches);
        this.regions = new BlockRegions(env, area);
        this.signals = new BlockSignals(env, number, perRank, ranks());
        env.directory().add(number, env.rank(), writer);
        env.progress().addService(service);
        env.progress().addService(watch);
        env.barrier().run();
    }

    private String creation() {
        return "createGrid of rank " + env.rank();
    }

    private void meet(WorldImage image) {
        try {
            image.meet(memory, this::creation);
        } catch (IllegalArgumentException e) { // on every rank
            pinned.close();
            env.free().accept(memory);
            throw e;
        }
    }

    /** Blocks of a program that can be resident at once; those of so many get no packets, if these would be too many registers. */
    public static int resident(Accelerator accelerator, GridProgram program, int threads) {
        return accelerator.residentBlocks(DeviceLibrary.kernel(program, DeviceLibrary.Form.PLAIN), threads);
    }

    // ---- memory

    private SharedPointer allocate() {
        try {
            return env.allocate().apply(layout.bytes());
        } catch (SegmentMemoryException e) {
            throw new SegmentMemoryException(creation() + ": " + options.perRank()
                    + " blocks of the rank and " + layout.blocks() + " of the job need " + layout.bytes()
                    + " bytes of the shared device heap, " + (layout.blockBytes() >> 10)
                    + " KiB for each of the rank's and " + layout.windowBytes() + " bytes for each of the "
                    + options.windows() + " windows of all blocks; make fewer blocks or windows (DeviceGrid.Options.windows), or"
                    + " raise pgas.heap.device (" + e.getMessage() + ")", e);
        }
    }

    @Override
    public Registration register(Buffer shown) {
        requireUsable();
        String what = "DeviceGrid.register of rank " + env.rank();
        if (shown != null) {
            OpenBlocks.require(what, env.rank(), shown);
        }
        if (launches.areUnfinished()) {
            throw new IllegalStateException(what + ": a launch is unfinished; sync() first");
        }
        env.words().requireSame("DeviceGrid.register", () -> "grid " + number, number);
        if (throughHost) {
            throw new IllegalStateException(what + ": some devices reach each other through the host alone, which finds no private"
                    + " memory; use memory of the shared device heap (rank.onDevice())");
        }
        SharedRegion region = regions.add(shown == null ? 0 : PgasUnsafe.address(shown), shown == null ? 0 : shown.bytes());
        env.barrier().run();
        return () -> unregister(region);
    }

    private void unregister(SharedRegion region) {
        if (closed || !regions.has(region)) {
            return;
        }
        if (!ExceptionalExit.isTaken() && failure == null) {
            sync();
            env.barrier().run();
            regions.remove(region);
            env.barrier().run();
        }
    }

    // ---- launching

    @Override
    public void compile(GridProgram program) {
        requireUsable();
        launches.prepare(program);
    }

    @Override
    public void compile(GridKernel body) {
        requireUsable();
        compile(env.java().get().of(body, options.threads()).program());
    }

    @Override
    public void launch(GridProgram program, Object... args) {
        launchOn(launches.ownStream(), program, args);
    }

    @Override
    public void launch(Stream stream, GridProgram program, Object... args) {
        launchOn(env.stream().apply(stream), program, args);
    }

    @Override
    public void launch(GridKernel body) {
        launchOn(launches.ownStream(), body);
    }

    @Override
    public void launch(Stream stream, GridKernel body) {
        launchOn(env.stream().apply(stream), body);
    }

    private void launchOn(AcceleratorStream stream, GridKernel body) {
        requireUsable();
        JavaBlocks.Launch launch = env.java().get().of(body, options.threads());
        for (Buffer buffer : launch.used()) {
            OpenBlocks.require("launch of " + launch.name(), env.rank(), buffer);
        }
        launches.launch(stream, launch.program(), launch.name(), false, launch.sharedBytes(), launch.arguments());
    }

    private void launchOn(AcceleratorStream stream, GridProgram program, Object[] args) {
        requireUsable();
        Objects.requireNonNull(program, "program");
        for (Object arg : args) {
            if (arg instanceof Buffer buffer && buffer.isDeviceAccessible()) {
                OpenBlocks.require("launch of " + program.name(), env.rank(), buffer);
            }
        }
        launches.launch(stream, program, program.name(), true, 0, args);
    }

    private void requireUsable() {
        if (closed || failure != null) {
            throw new IllegalStateException("the blocks of rank " + env.rank() + (closed ? " are closed"
                    : " have failed before; create new ones"), failure);
        }
    }

    // ---- failures

    /** As a service: a failure is thrown wherever the rank waits. */
    private boolean watch() {
        if (Thread.currentThread() == thread) {
            throwFailure();
        }
        return false;
    }

    /** Throws the failure that a block recorded, once. */
    private void throwFailure() {
        if (failure == null && BlockFailure.isThere(page)) {
            throw failed(BlockFailure.of(page, launches.program(), env.rank(), firstRank(), timeoutNs,
                    BlockFailure.isOfJava(page) ? BlockFailure.fault(page, env.java().get()) : thrown.get()));
        }
    }

    private void throwFailures() {
        throwFailure();
        launches.throwFailure();
    }

    /** The launches end, and these blocks are of no more use. */
    private RuntimeException failed(RuntimeException cause) {
        failure = cause;
        try {
            launches.abort();
        } catch (DeviceException e) {
            cause.addSuppressed(e); // of a device that takes nothing any more
        }
        return cause;
    }

    // ---- waiting

    @Override
    public boolean isDone() {
        requireUsable();
        try {
            env.progress().pollServices();
            throwFailure();
            if (launches.areUnfinished()) {
                launches.check(reason);
                return false;
            }
            throwFailures();
            return true;
        } catch (RuntimeException e) {
            throw failure == e ? e : failed(e);
        }
    }

    @Override
    public void sync() {
        requireUsable();
        env.progress().beginBusy();
        try {
            awaitLaunches();
            throwFailures();
        } catch (RuntimeException e) {
            throw failure == e ? e : failed(e);
        } finally {
            env.progress().endBusy();
        }
    }

    private void awaitLaunches() {
        env.waiter().beginUnlimited(); // the launches have their own deadlines
        for (int looks = 1; launches.areUnfinished(); looks++) {
            throwFailure();
            if (looks % LOOKS_BETWEEN_CHECKS == 0) {
                launches.check(reason);
            }
            env.waiter().pause(reason);
        }
        throwFailure();
        // The commands of the launches are done before this returns; a poll in progress may have begun too early to see
        // them.
        env.waiter().begin();
        service.settle();
        int poll = service.polls();
        while (!service.wasIdleAfter(poll)) {
            env.waiter().pause(reason);
        }
    }

    /** Brings the rank's counters up to what blocks have transferred until now; of blocks that have failed nothing is read. */
    public void count() {
        if (!closed && failure == null && launches.count() > 0) {
            counts.read(reason);
        }
    }

    // ---- the host's part

    @Override
    public void signal(int block, int tag) {
        requireUsable();
        signals.signal(block, tag);
    }

    @Override
    public void signal(Stream stream, int block, int tag) {
        requireUsable();
        signals.signal(stream, block, tag);
    }

    @Override
    public void putNotify(Stream stream, Window window, long offset, Buffer src, int block, int tag) {
        requireUsable();
        signals.putNotify(stream, window, offset, src, block, tag);
    }

    @Override
    public Prepared preparePutNotify(Window window, long offset, Buffer src, int block, int tag) {
        requireUsable();
        return signals.preparePutNotify(window, offset, src, block, tag);
    }

    @Override
    public Prepared prepareSignal(int block, int tag) {
        requireUsable();
        return signals.prepare(block, tag);
    }

    @Override
    public int ranks() {
        return (int) layout.blocks();
    }

    @Override
    public int perRank() {
        return options.perRank();
    }

    @Override
    public int threads() {
        return options.threads();
    }

    @Override
    public int firstRank() {
        return env.rank() * options.perRank();
    }

    @Override
    public long timerNanos(int block, int timer) {
        return service.timers().sumNs(block, timer);
    }

    @Override
    public long[] timerIntervals(int block, int timer) {
        return service.timers().intervalsNs(block, timer);
    }

    @Override
    public void logTo(Consumer<LogLine> receiver) {
        service.logTo(receiver);
    }

    @Override
    public long droppedLogLines() {
        return service.droppedLines();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        boolean leaves = ExceptionalExit.isTaken();
        try {
            if (failure == null && !leaves) {
                sync();
                count();
            }
        } finally {
            if (failure != null || leaves) {
                serveRest();
                release();
            }
        }
        if (closed) {
            return;
        }
        env.barrier().run();
        release();
        env.free().accept(memory);
    }

    /**
     * Carries out the commands that blocks gave before they failed: others may wait for them, and shall not fail for
     * their lack.
     */
    private void serveRest() {
        launches.abortAtEnd();
        int poll = service.polls();
        long endNs = System.nanoTime() + SERVE_NS;
        while (!(failure instanceof JobAbortedException) && !service.wasIdleAfter(poll)
                && System.nanoTime() - endNs < 0) {
            env.progress().poll();
        }
    }

    /** Ends launches and frees the resources that are the rank's own: for a rank that ends, in whatever way. */
    public void release() {
        if (closed) {
            return;
        }
        closed = true;
        CloseHelper.closeAll(Arrays.<AutoCloseable>asList(launches::end,
                () -> env.progress().removeService(watch), () -> env.progress().removeService(service),
                () -> env.directory().remove(number, env.rank()), launches, writer, service::close, regions,
                () -> service.closePage(pinned)));
    }
}
