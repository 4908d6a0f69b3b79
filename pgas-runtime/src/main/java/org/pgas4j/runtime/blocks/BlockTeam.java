package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.GridProgram;
import org.pgas4j.DeviceGrid;
import org.pgas4j.DeviceException;
import org.pgas4j.JobAbortedException;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.ReduceOp;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.device.host.HostDeviceMemory;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.runtime.memory.Peer;
import org.pgas4j.runtime.memory.Peers;
import org.pgas4j.runtime.memory.Segments;
import org.pgas4j.runtime.sync.Waiter;
import org.pgas4j.runtime.sync.ScalarAllReduce;
import org.pgas4j.runtime.transfer.OpenBlocks;

/** The blocks of one rank, with what they need on the device and on the host. Used by the rank's thread. */
public final class BlockTeam implements DeviceGrid {

    /** Blocks see within microseconds that they are to end; those of a failed launch that compute on are not waited for. */
    private static final long END_NS = 20_000_000;
    private static final long CLOSE_NS = 5_000_000_000L;
    private static final long SERVE_NS = 1_000_000_000L;
    private static final int LOOKS_BETWEEN_CHECKS = 16;
    private static final long CHECK_NS = 5_000_000;

    /**
     * What a rank has and its blocks use.
     *
     * @param stream     the device's stream behind a program's
     * @param allocate   collective: memory of {@code bytes} bytes in every device segment, at the same offset
     * @param free       collective: frees it
     * @param fence      completes the rank's transfers at their targets
     * @param prepared   starts a prepared communication by its number; false if that cannot be done yet
     * @param directory  of this JVM's blocks
     */
    public record Environment(int rank, int ranks, Peers peers, Segments segments, Accelerator accelerator,
                              ProgressEngine progress, Waiter waiter, ScalarAllReduce words, BlockDirectory directory,
                              Function<Stream, AcceleratorStream> stream, Function<Long, SharedPointer> allocate,
                              Consumer<SharedPointer> free, Runnable fence, Runnable barrier, IntPredicate prepared) {
    }

    private final Environment env;
    private final int number;
    private final Options options;
    private final long timeoutNs;
    private final BlockLayout layout;
    private final SharedPointer memory;
    private final Peer self;
    private final PinnedMemory pinned;
    private final HostPage page;
    private final boolean posts;
    private final ProxyWriter writer;
    private final BlockService service;
    private final HostBlock.World hostWorld;
    private final Supplier<String> reason = this::describe;
    private final Thread thread = Thread.currentThread();
    private final ProgressEngine.Service watch = this::watch;
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private AcceleratorStream own;
    private AcceleratorStream last;
    private String lastProgram = "none";
    private long launched;
    private long moves;     // launches that began and that ended, when last seen
    private long movedNs;   // when that was seen first
    private long checkedNs;
    private boolean aborted;
    private RuntimeException failure;
    private boolean closed;
    private final long firstCount;

    /**
     * Collective over all ranks.
     *
     * @param number     of these blocks, the same on all ranks, not in use
     * @param firstCount of every notification counter
     */
    public BlockTeam(Environment env, int number, Options asked, long firstCount, Duration timeout) {
        this.firstCount = firstCount;
        this.env = env;
        this.number = number;
        boolean cuda = env.accelerator().backend().equals("cuda");
        env.words().requireSame("createGrid", asked::toString, asked.perRank(), asked.threads(), asked.forcedProxy() ? 1 : 0,
                firstCount);
        int perRank = asked.perRank() > 0 ? asked.perRank()
                : (int) env.words().allReduce((long) env.accelerator().multiprocessors() / ranksOnDevice(env), ReduceOp.MIN);
        if (perRank == 0 || perRank >= BlockDirectory.MAX_BLOCKS) {
            throw new IllegalArgumentException("blocks of a rank: " + perRank + " (expected: 1.." + (BlockDirectory.MAX_BLOCKS - 1)
                    + ")");
        }
        this.options = new Options(perRank, asked.threads(), asked.timeout(), asked.launchTimeout(), asked.forcedProxy());
        // A wait in a launch ends before the wait for the launch does, and says more.
        this.timeoutNs = asked.timeout() == null ? timeout.toNanos() / 4 * 3 : asked.timeout().toNanos();
        this.layout = new BlockLayout(env.ranks(), perRank);
        this.memory = allocate();
        this.self = env.peers().get(env.rank());
        this.pinned = env.accelerator().allocatePinned(HostPage.BYTES);
        this.page = HostPage.of(pinned.segment());
        long area = memory.addrField();
        this.posts = postsAnything();
        this.writer = new ProxyWriter(env.accelerator(), self.device(), self.deviceOffset(), area, layout, page, posts);
        this.service = new BlockService(number, env.rank(), layout, page, env.segments(), env.progress(), env.directory(),
                env.accelerator(), writer, self.device(), self.deviceOffset(), area, env.prepared());
        writeArea(area);
        this.hostWorld = cuda ? null : hostWorld(area);
        env.directory().add(number, env.rank(), writer);
        env.progress().addService(service);
        env.progress().addService(watch);
        env.barrier().run();
    }

    /** Blocks of a program that can be resident at once. */
    public static int resident(Accelerator accelerator, GridProgram program, int threads) {
        return accelerator.residentBlocks(DeviceLibrary.kernel(program), threads);
    }

    private static int ranksOnDevice(Environment env) {
        int mine = env.segments().ordinalOf(env.rank());
        int count = 0;
        for (int rank = 0; rank < env.ranks(); rank++) {
            count += env.segments().isOnThisNode(rank) && env.segments().ordinalOf(rank) == mine ? 1 : 0;
        }
        return count;
    }

    // ---- memory

    private SharedPointer allocate() {
        try {
            return env.allocate().apply(layout.bytes());
        } catch (SegmentMemoryException e) {
            throw new SegmentMemoryException("createBlocks of rank " + env.rank() + ": " + options.perRank() + " blocks of the rank and "
                    + layout.blocks() + " of the job need " + layout.bytes() + " bytes of the shared device heap, "
                    + (BlockLayout.RECORD_BYTES >> 10) + " KiB for each of the rank's; make fewer, or raise pgas.heap.device ("
                    + e.getMessage() + ")", e);
        }
    }

    private boolean reaches(int rank) {
        return rank == env.rank() || !options.forcedProxy() && env.peers().get(rank).device() != null;
    }

    /** True if some of what blocks here are sent comes through the host. */
    private boolean postsAnything() {
        for (int rank = 0; rank < env.ranks(); rank++) {
            if (!reaches(rank)) {
                return true;
            }
        }
        return false;
    }

    private void writeArea(long area) {
        try (Arena arena = Arena.ofShared()) { // the stream may copy it on a thread of its own
            MemorySegment image = arena.allocate(layout.bytes(), Long.BYTES);
            long segment = self.device().address() + self.deviceOffset();
            long host = page.memory().address();
            put(image, 0, env.rank() | (long) env.ranks() << 32);
            put(image, 8, options.perRank() | (options.forcedProxy() ? 1L << 32 : 0));
            put(image, 16, timeoutNs);
            put(image, 24, segment);
            put(image, 32, self.deviceBytes());
            put(image, 40, area);
            put(image, 48, host + HostPage.QUEUE);
            put(image, 56, host + HostPage.QUEUE_HEAD);
            put(image, 64, host + HostPage.LOG);
            put(image, 72, host + HostPage.LOG_HEAD);
            put(image, 80, host + HostPage.ERROR);
            put(image, 88, HostPage.QUEUE_ENTRIES | (long) HostPage.LOG_ENTRIES << 32);
            put(image, 96, layout.windowsAt());
            put(image, 104, layout.blocksAt());
            put(image, 112, BlockLayout.RECORD_BYTES);
            put(image, 120, firstCount);
            put(image, 128, posts ? host + HostPage.POST : 0);
            put(image, 136, host + HostPage.POST_TAKEN);
            for (int rank = 0; rank < env.ranks(); rank++) {
                Peer peer = env.peers().get(rank);
                put(image, BlockLayout.PEERS + (long) rank * Long.BYTES, reaches(rank)
                        ? peer.device().address() + peer.deviceOffset() : 0);
            }
            for (int block = 0; block < options.perRank(); block++) {
                writeRecord(image, layout.record(block));
            }
            try (AcceleratorStream stream = env.accelerator().newStream()) {
                stream.copyIn(self.device(), self.deviceOffset() + area, image, 0, layout.bytes());
                env.waiter().begin();
                while (!stream.isIdle()) {
                    env.waiter().pauseQuietly(reason);
                }
            }
        }
    }

    private void writeRecord(MemorySegment image, long record) {
        long first = firstCount;
        for (int tag = 0; tag < BlockLayout.TAGS; tag++) {
            put(image, record + BlockLayout.DIRECT + (long) tag * Long.BYTES, first);
            put(image, record + BlockLayout.OWN + (long) tag * Long.BYTES, -first);
        }
        for (int lane = 0; lane < BlockLayout.LANES; lane++) {
            image.set(ValueLayout.JAVA_INT, record + BlockLayout.HEADS + (long) lane * Integer.BYTES, (int) first);
        }
        for (int slot = 0; slot < BlockLayout.LANES * BlockLayout.SLOTS; slot++) {
            // As if a message had been there a whole round ago: what a slot holds is never taken for its first message.
            int next = (int) first + 1 + (slot - (int) first - 1 & BlockLayout.SLOTS - 1);
            for (int word = 0; word < BlockLayout.SLOT_BYTES / Long.BYTES; word++) {
                put(image, record + BlockLayout.LANE_SLOTS + (long) slot * BlockLayout.SLOT_BYTES + (long) word * Long.BYTES,
                        (long) (next - BlockLayout.SLOTS) << 32);
            }
        }
        for (int way = 0; way < BlockLayout.TARGETS; way++) {
            put(image, record + BlockLayout.CREDITS + (long) way * Long.BYTES, first);
        }
    }

    private static void put(MemorySegment image, long offset, long value) {
        image.set(ValueLayout.JAVA_LONG, offset, value);
    }

    private HostBlock.World hostWorld(long area) {
        MemorySegment[] segments = new MemorySegment[env.ranks()];
        for (int rank = 0; rank < env.ranks(); rank++) {
            Peer peer = env.peers().get(rank);
            if (reaches(rank)) {
                segments[rank] = HostDeviceMemory.segmentOf(peer.device()).asSlice(peer.deviceOffset(), peer.deviceBytes());
            }
        }
        return new HostBlock.World(env.rank(), layout, area, segments, segments[env.rank()], page, posts, timeoutNs,
                layout.blocks() <= Runtime.getRuntime().availableProcessors(), thrown);
    }

    // ---- launching

    @Override
    public void launch(GridProgram program, Object... args) {
        if (own == null) {
            own = env.accelerator().newStream();
        }
        launchOn(own, program, args);
    }

    @Override
    public void launch(Stream stream, GridProgram program, Object... args) {
        launchOn(env.stream().apply(stream), program, args);
    }

    private void launchOn(AcceleratorStream stream, GridProgram program, Object[] args) {
        requireUsable();
        Objects.requireNonNull(program, "program");
        for (Object arg : args) {
            if (arg instanceof Buffer block && block.kind() == MemoryKind.DEVICE) {
                OpenBlocks.require("launch of " + program.name(), env.rank(), block);
            }
        }
        if (last != null && last != stream) {
            try (StreamEvent before = last.record()) {
                stream.await(before);
            }
        }
        try (StreamEvent before = writer.launching()) {
            if (before != null) {
                stream.await(before);
            }
        }
        if (!isUnfinished()) {
            movedNs = System.nanoTime();
        }
        stream.writeValue(page.memory(), HostPage.BEGUN, launched + 1);
        stream.launchBlocks(new BlockGrid(DeviceLibrary.kernel(program), options.perRank(), options.threads(),
                self.device().address() + self.deviceOffset() + memory.addrField(), args,
                program.body() == null ? null : (block, given) -> runOnHost(program, block, given)));
        stream.writeValue(page.memory(), HostPage.DONE, ++launched);
        last = stream;
        lastProgram = program.name();
    }

    private void runOnHost(GridProgram program, int block, Kernel.Args args) {
        HostBlock self;
        try {
            self = new HostBlock(hostWorld, block);
        } catch (BlockEnded _) {
            return; // an earlier launch failed
        }
        try {
            program.body().run(self, args);
            self.finish();
        } catch (BlockEnded _) {
            // the host knows why
        } catch (Throwable e) { // of the user's code
            self.threw(e);
        }
    }

    private void requireUsable() {
        if (closed || failure != null) {
            throw new IllegalStateException("the blocks of rank " + env.rank() + (closed ? " are closed"
                    : " have failed before; create new ones"), failure);
        }
    }

    private String describe() {
        return "blocks of rank " + env.rank() + ", program " + lastProgram + ", launch " + (page == null ? 0
                : Math.min(launched, page.get(HostPage.DONE) + 1)) + " of " + launched;
    }

    private boolean isUnfinished() {
        return page.get(HostPage.DONE) - launched < 0;
    }

    // ---- failures

    /** As a service: a failure is thrown wherever the rank waits. */
    private boolean watch() {
        if (Thread.currentThread() == thread) {
            throwFailure();
        }
        return false;
    }

    /** Throws what a block wrote down, once. */
    private void throwFailure() {
        if (failure == null && BlockFailure.isThere(page)) {
            throw failed(BlockFailure.of(page, lastProgram, env.rank(), firstRank(), timeoutNs, thrown.get()));
        }
    }

    /** Now and then while launches are unfinished: throws if the device failed or if they take too long. */
    private void check() {
        long nowNs = System.nanoTime();
        if (nowNs - checkedNs < CHECK_NS) {
            return;
        }
        checkedNs = nowNs;
        last.isIdle(); // throws if the device failed
        long done = page.get(HostPage.DONE);
        long begun = page.get(HostPage.BEGUN);
        if (moves != begun + done) {
            moves = begun + done;
            movedNs = nowNs;
        }
        boolean runs = begun - done > 0;
        Duration limit = runs ? options.launchTimeout() : Duration.ofNanos(env.waiter().timeoutNs());
        if (limit != null && nowNs - movedNs > limit.toNanos()) {
            throw new PgasTimeoutException(describe() + (runs ? " still runs after " + limit.toMillis() + " ms, and no wait in it is"
                    + " past its own deadline; raise launchTimeout of the blocks if that is too short" : " has not begun after "
                    + limit.toMillis() + " ms: its stream has not done what was queued before; raise pgas.timeout if that is too"
                    + " short"));
        }
    }

    /** The launches end, and these blocks are of no more use. */
    private RuntimeException failed(RuntimeException cause) {
        failure = cause;
        try {
            abortLaunches(END_NS);
        } catch (DeviceException e) {
            cause.addSuppressed(e); // of a device that takes nothing any more
        }
        return cause;
    }

    /** Ends what runs: waits in launches see it soon, and others end by themselves. */
    private void abortLaunches(long limitNs) {
        if (!isUnfinished()) {
            return;
        }
        if (!aborted) {
            aborted = true;
            writer.area(BlockLayout.ABORT, 1);
        }
        long endNs = System.nanoTime() + limitNs;
        while (isUnfinished() && !hasFailed(last) && System.nanoTime() - endNs < 0) {
            Thread.yield();
        }
    }

    /** True if nothing runs on a stream any more because it has failed. */
    private static boolean hasFailed(AcceleratorStream stream) {
        try {
            stream.isIdle();
            return false;
        } catch (DeviceException _) {
            return true;
        }
    }

    // ---- waiting

    @Override
    public boolean isDone() {
        requireUsable();
        try {
            env.progress().pollServices();
            throwFailure();
            if (isUnfinished()) {
                check();
                return false;
            }
            throwFailure();
            if (last != null) {
                last.isIdle(); // throws if the device failed
            }
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
            throwFailure();
            if (last != null) {
                last.isIdle(); // throws if the device failed
            }
        } catch (RuntimeException e) {
            throw failure == e ? e : failed(e);
        } finally {
            env.progress().endBusy();
        }
    }

    private void awaitLaunches() {
        env.waiter().beginUnlimited(); // the launches have their own deadlines
        for (int looks = 1; isUnfinished(); looks++) {
            throwFailure();
            if (looks % LOOKS_BETWEEN_CHECKS == 0) {
                check();
            }
            env.waiter().pause(reason);
        }
        throwFailure();
        // The commands of the launches are done before this returns; a poll under way may have come too early to see it.
        env.waiter().begin();
        int poll = service.polls();
        while (!service.wasIdleAfter(poll)) {
            env.waiter().pause(reason);
        }
    }

    // ---- the host's part

    @Override
    public void signal(int block, int tag) {
        requireUsable();
        if (block < 0 || block >= ranks() || tag < 0 || tag >= BlockLayout.TAGS) {
            throw new IllegalArgumentException("no such block or tag: block=" + block + " tag=" + tag + " (expected: 0.."
                    + (ranks() - 1) + ", 0.." + (BlockLayout.TAGS - 1) + ")");
        }
        env.fence().run();
        int target = block / perRank();
        ProxyWriter there = env.directory().writer(number, target);
        if (there != null) {
            env.segments().acceleratorOf(target).bind();
            try {
                there.signal(block % perRank(), tag, 1);
            } finally {
                env.accelerator().bind();
            }
            return;
        }
        Port port = env.progress().enter();
        try {
            port.signal(target, BlockDirectory.name(number, block % perRank()), tag, NotificationSink.COUNTER, 1);
        } finally {
            env.progress().exit();
        }
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
        return service.timerNanos(block, timer);
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
        try {
            if (failure == null) {
                sync();
            }
        } finally {
            if (failure != null) {
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

    /** Carries out the commands that blocks gave before they failed: others may wait for them, and are to fail by their own. */
    private void serveRest() {
        abortLaunches(CLOSE_NS);
        int poll = service.polls();
        long endNs = System.nanoTime() + SERVE_NS;
        while (!(failure instanceof JobAbortedException) && !service.wasIdleAfter(poll) && System.nanoTime() - endNs < 0) {
            env.progress().poll();
        }
    }

    /** Ends launches and gives back what is the rank's own: for a rank that ends, in whatever way. */
    public void release() {
        if (closed) {
            return;
        }
        closed = true;
        List<AutoCloseable> all = new ArrayList<>();
        all.add(() -> abortLaunches(CLOSE_NS));
        all.add(() -> env.progress().removeService(watch));
        all.add(() -> env.progress().removeService(service));
        all.add(() -> env.directory().remove(number, env.rank()));
        if (own != null) {
            all.add(own);
        }
        all.add(writer);
        all.add(service::close);
        all.add(pinned);
        CloseHelper.closeAll(all);
    }
}
