package org.pgas4j.runtime.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import org.pgas4j.AtomicOp;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.GridSplit;
import org.pgas4j.Kernel;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.os.trace.Trace;

/**
 * A block of the host device: the device library in Java, over the same memory. It has no channels, which gain on GPUs
 * only: direct notifications are atomic additions. Used by the block's thread.
 */
final class HostBlock implements GridRank {

    /** Shared memory of a block, bytes: as much as blocks of GPUs of compute capability 9.0 have. */
    static final int MAX_SHARED = 227 << 10;

    private static final VarHandle LONG = HostPage.LONG;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    /** Common to the blocks of a rank. */
    record World(int hostRank, BlockLayout layout, Partners partners, long area, MemorySegment[] segments,
                 MemorySegment ownSegment, HostPage page, boolean usesMailbox, boolean throughHost, boolean privateWindows,
                 int sharedBytes, Dims grid, long timeoutNs,
                 boolean spins, AtomicReference<Throwable> thrown) {
    }

    private final World world;
    private final BlockLayout layout;
    private final int block;
    private final MemorySegment own;
    private final HostBlockWaits waits;
    private final long record;
    private final long counts;
    private final MemorySegment shared;
    private final HostBlockCommands host;
    private final HostBlockBarriers barriers;
    private final HostBlockWindows windows;
    private final HostBlockTags tags;
    private final HostBlockRequests requests;
    private final HostBlockLog log;
    private final boolean leaveIsLast;
    private boolean left;

    /** @param leaveIsLast true if there are no operations after {@link #leave} */
    HostBlock(World world, int block, boolean leaveIsLast) {
        this.world = world;
        this.leaveIsLast = leaveIsLast;
        this.layout = world.layout();
        this.block = block;
        this.own = world.ownSegment();
        this.record = world.area() + layout.record(block);
        this.counts = world.area() + layout.counts(block);
        this.waits = new HostBlockWaits(world, block);
        if (waits.hasEnded()) {
            throw new BlockEnded();
        }
        long[] words = new long[Math.ceilDiv(world.sharedBytes(), Long.BYTES)];
        shared = MemorySegment.ofArray(words).asSlice(0, world.sharedBytes());
        host = new HostBlockCommands(world, block, waits);
        barriers = new HostBlockBarriers(world, block, waits, host);
        windows = new HostBlockWindows(this, world, record, waits, host, barriers);
        tags = new HostBlockTags(waits, own, record);
        requests = new HostBlockRequests(this, waits, host);
        log = new HostBlockLog(world, block, waits);
    }

    /**
     * Runs a program as block {@code block}; its failure is recorded, and ends the other blocks.
     *
     * @param leaveIsLast true if it has no operations after {@link #leave}, as those in CUDA C++
     */
    static void run(World world, GridProgram program, boolean leaveIsLast, int block, Kernel.Args args) {
        HostBlock self;
        try {
            self = new HostBlock(world, block, leaveIsLast);
        } catch (BlockEnded _) {
            return; // an earlier launch failed
        }
        try {
            program.body().run(self, args);
            self.finish();
        } catch (BlockEnded _) {
            // the block has recorded why
        } catch (Throwable e) { // of the user's code: lets all other blocks end
            self.waits.threw(e);
        } finally {
            self.waits.end("the end of its program");
        }
    }

    /** Ends the block, with the barrier that ends a launch unless it has left. */
    private void finish() {
        if (!left) {
            barriers.await(Comm.WORLD, BlockFailure.Barrier.END);
        }
        tags.save();
        host.save();
        barriers.save();
        windows.save();
        // orders: what this block wrote, and what all before it wrote
        long before = (long) LONG.getAndAdd(own, world.area() + BlockLayout.LEFT, 1L);
        if ((before + 1) % layout.perRank() == 0) {
            barriers.compare();
        }
    }

    // ---- ranks

    @Override
    public int rank(Comm comm) {
        return comm == Comm.DEVICE ? block : world.hostRank() * layout.perRank() + block;
    }

    @Override
    public int ranks(Comm comm) {
        return comm == Comm.DEVICE ? layout.perRank() : (int) layout.blocks();
    }

    @Override
    public Dims gridShape() {
        return world.grid();
    }

    @Override
    public int[] blockIndex() {
        return world.grid().at(block);
    }

    @Override
    public int hostRank() {
        return world.hostRank();
    }

    @Override
    public int hostRanks() {
        return layout.hostRanks();
    }

    int worldRank(Comm comm, int rank) {
        return comm == Comm.DEVICE ? world.hostRank() * layout.perRank() + rank : rank;
    }

    // ---- windows

    @Override
    public int createWindow(Comm comm, MemorySegment base) {
        return windows.create(comm, base, false);
    }

    @Override
    public void freeWindow(int number) {
        windows.free(number);
    }

    @Override
    public long windowBytes(int number, int target) {
        return windows.bytes(number, target);
    }

    HostBlockWindows windows() {
        return windows;
    }

    @Override
    public long sourceBytes(Comm comm, int tags) {
        return SourcesLayout.bytes(ranks(comm), tags);
    }

    @Override
    public GridSourceWindow createSourceWindow(Comm comm, MemorySegment base, int tags, MemorySegment work) {
        return new HostBlockSources(this, waits, own, comm, base, tags, work);
    }

    // ---- sending

    @Override
    public void put(int number, int target, long offset, MemorySegment src, long bytes) {
        put(number, target, offset, src, bytes, -1);
    }

    @Override
    public void putNotify(int number, int target, long offset, MemorySegment src, long bytes, int tag) {
        tags.check(tag);
        put(number, target, offset, src, bytes, tag);
    }

    private void put(int number, int target, long offset, MemorySegment src, long bytes, int tag) {
        long place = windows.place(number, target, offset, bytes);
        if (bytes > src.byteSize()) {
            waits.window(number);
            throw waits.fail(BlockFailure.SHORT_SOURCE, target, bytes, src.byteSize());
        }
        putPlaced(worldRank(HostBlockWindows.comm(number), target), place, src, bytes, tag);
    }

    /** Puts to a place in the segment of block {@code to} of the world, as a put of the program. */
    void putPlaced(int to, long place, MemorySegment src, long bytes, int tag) {
        long beginNs = Trace.isOn() ? System.nanoTime() : 0;
        putTo(to, place, src, bytes, tag);
        count(to, BlockLayout.COUNTED_PUTS, bytes);
        if (beginNs != 0) {
            Trace.blockPut(to / layout.perRank(), to % layout.perRank(), bytes, beginNs);
        }
    }

    /** Adds a transfer with a block to the counts, which {@link BlockCounts} may read meanwhile. */
    private void count(int other, int operation, long bytes) {
        long at = counts + (long) world.partners().here(other / layout.perRank()) * BlockLayout.COUNTS_BYTES + operation;
        LONG.setOpaque(own, at, (long) LONG.get(own, at) + 1);
        long sum = at + BlockLayout.COUNTED_BYTES;
        LONG.setOpaque(own, sum, (long) LONG.get(own, sum) + bytes);
    }

    private void putTo(int to, long place, MemorySegment src, long bytes, int tag) {
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if (segment == null) {
            host.put(to, place, src, bytes, tag);
            return;
        }
        if (segment.address() + place != src.address()) {
            MemorySegment.copy(src, 0, HostPlaces.memory(segment, place), HostPlaces.offset(segment, place), bytes);
        }
        if (tag >= 0) {
            add(segment, to, tag);
        }
    }

    // ---- prepared puts

    @Override
    public int preparePut(int number, int target, long offset, MemorySegment src, long bytes) {
        return requests.prepare(number, target, offset, src, bytes, -1);
    }

    @Override
    public int preparePutNotify(int number, int target, long offset, MemorySegment src, long bytes, int tag) {
        tags.check(tag);
        return requests.prepare(number, target, offset, src, bytes, tag);
    }

    @Override
    public void freeRequest(int request) {
        requests.free(request);
    }

    @Override
    public void start(int request) {
        requests.start(request);
    }

    @Override
    public boolean testRequest(int request) {
        return requests.testAll(request);
    }

    @Override
    public void awaitRequest(int request) {
        requests.awaitAll(request);
    }

    @Override
    public int testAnyRequest(int[] list) {
        return requests.testAny(list);
    }

    @Override
    public int awaitAnyRequest(int[] list) {
        return requests.awaitAny(list);
    }

    @Override
    public int awaitSomeRequests(int[] list, long[] indices) {
        return requests.awaitSome(list, indices);
    }

    @Override
    public void awaitAllRequests(int[] list) {
        requests.awaitAll(list);
    }

    @Override
    public long atomic(int number, int target, long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        requireOperation(number, target, type, op);
        long place = windows.place(number, target, offset, type.bytes());
        int to = worldRank(HostBlockWindows.comm(number), target);
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if ((place & type.bytes() - 1) != 0) {
            waits.window(number);
            throw waits.fail(BlockFailure.ODD_WORD, target, offset, type.bytes());
        }
        if (segment == null) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_ATOMICS, target, 0, 0);
        }
        return AtomicWords.apply(HostPlaces.memory(segment, place), HostPlaces.offset(segment, place), type, op, operand,
                comparand);
    }

    private void requireOperation(int number, int target, ElementType type, AtomicOp op) {
        int code = switch (type) {
            case INT, LONG, FLOAT, DOUBLE -> AtomicWords.code(type);
            case BYTE, SHORT, CHAR, HALF, BFLOAT16 -> 0;
        };
        if (!op.isOf(type)) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_OPERATION, target, op.code(), code);
        }
    }

    private void add(MemorySegment segment, int to, int tag) {
        // release: pairs with the acquire in available
        LONG.getAndAdd(segment, world.area() + layout.record(to % layout.perRank()) + BlockLayout.DIRECT
                + (long) tag * Long.BYTES, 1L);
    }

    @Override
    public void signal(Comm comm, int target, int tag) {
        tags.check(tag);
        if (target < 0 || target >= ranks(comm)) {
            waits.window(-1);
            throw waits.fail(BlockFailure.NO_TARGET, target, ranks(comm), 0, comm.ordinal(), 0);
        }
        int to = worldRank(comm, target);
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if (segment == null) {
            host.send(Command.NOTIFY, tag, 0, to, 0, 0, 0);
        } else {
            add(segment, to, tag);
        }
    }

    @Override
    public void notifyHost(int hostRank, int tag) {
        tags.check(tag);
        if (hostRank < 0 || hostRank >= layout.hostRanks()) {
            throw waits.fail(BlockFailure.NO_HOST_RANK, hostRank, layout.hostRanks(), 0);
        }
        host.send(Command.HOST, tag, 0, hostRank, 0, 0, 0);
    }

    @Override
    public void trigger(int prepared) {
        host.send(Command.TRIGGER, 0, 0, prepared, 0, 0, 0);
    }

    @Override
    public void startTimer(int timer) {
        time(timer, 1);
    }

    @Override
    public void stopTimer(int timer) {
        time(timer, 0);
    }

    private void time(int timer, int start) {
        if (timer < 0 || timer >= BlockLayout.TIMERS) {
            throw waits.fail(BlockFailure.NO_TIMER, timer, BlockLayout.TIMERS, 0);
        }
        host.send(Command.TIMER, timer, 0, start, 0, 0, 0);
    }

    @Override
    public void fence() {
        VarHandle.releaseFence(); // before the atomic addition of a notification, and before a command's publication
    }

    @Override
    public void flush() {
        host.flush();
    }

    // ---- splits

    @Override
    public long splitBytes(Comm comm, long stage) {
        return SplitLayout.bytes(ranks(comm), stage);
    }

    @Override
    public GridSplit split(Comm comm, int colour, int key, MemorySegment work) {
        return new HostBlockSplit(this, waits, own, comm, colour, key, work);
    }

    /** Puts to a place in the segment of a block. */
    void putAt(Comm comm, int target, long place, MemorySegment src, long bytes) {
        putTo(worldRank(comm, target), place, src, bytes, -1);
    }

    /** Stores a word in the segment of a block, after what was put there before. */
    void storeWord(Comm comm, int target, long place, long value) {
        host.writeWord(worldRank(comm, target) / layout.perRank(), place, value);
    }

    // ---- gets

    @Override
    public void get(int number, int target, long offset, MemorySegment dst, long bytes) {
        get(number, target, offset, dst, bytes, -1);
        awaitGets();
    }

    @Override
    public void getNotify(int number, int target, long offset, MemorySegment dst, long bytes, int tag) {
        tags.check(tag);
        get(number, target, offset, dst, bytes, tag);
        awaitGets();
    }

    @Override
    public void startGet(int number, int target, long offset, MemorySegment dst, long bytes) {
        get(number, target, offset, dst, bytes, -1);
    }

    private void get(int number, int target, long offset, MemorySegment dst, long bytes, int tag) {
        long place = windows.place(number, target, offset, bytes);
        if (bytes > dst.byteSize()) {
            waits.window(number);
            throw waits.fail(BlockFailure.SHORT_TARGET, target, bytes, dst.byteSize());
        }
        int from = worldRank(HostBlockWindows.comm(number), target);
        long beginNs = Trace.isOn() ? System.nanoTime() : 0;
        getFrom(from, place, dst, bytes, tag);
        count(from, BlockLayout.COUNTED_GETS, bytes);
        if (beginNs != 0) {
            Trace.blockGet(from / layout.perRank(), from % layout.perRank(), bytes, beginNs);
        }
    }

    private void getFrom(int from, long place, MemorySegment dst, long bytes, int tag) {
        MemorySegment segment = world.segments()[from / layout.perRank()];
        if (segment == null) {
            host.get(from, place, dst, bytes, tag);
            return;
        }
        if (segment.address() + place != dst.address()) {
            VarHandle.fullFence();
            MemorySegment.copy(HostPlaces.memory(segment, place), HostPlaces.offset(segment, place), dst, 0, bytes);
        }
        if (tag >= 0) {
            add(segment, from, tag);
        }
    }

    @Override
    public void awaitGets() {
        host.awaitGets();
    }

    @Override
    public void putSet(int number, int target, long offset, MemorySegment src, long bytes, long at, ElementType type, long value) {
        requireWord(type);
        put(number, target, offset, src, bytes, -1);
        long place = windows.place(number, target, at, type.bytes());
        if ((place & type.bytes() - 1) != 0) {
            waits.window(number);
            throw waits.fail(BlockFailure.ODD_WORD, target, at, type.bytes());
        }
        if (type == ElementType.INT) {
            setInt(HostBlockWindows.comm(number), target, place, (int) value);
        } else {
            int to = worldRank(HostBlockWindows.comm(number), target);
            MemorySegment segment = world.segments()[to / layout.perRank()];
            if (segment == null) {
                host.send(Command.PUT_INLINE, 0, Long.BYTES, to, place, value, 0);
            } else {
                LONG.setRelease(HostPlaces.memory(segment, place), HostPlaces.offset(segment, place), value);
            }
        }
    }

    /** Sets a word of 32 bits in the segment of a block, after what was put there before. */
    void setInt(Comm comm, int target, long place, int value) {
        int to = worldRank(comm, target);
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if (segment == null) {
            host.send(Command.PUT_INLINE, 0, Integer.BYTES, to, place, value, 0);
        } else {
            // release: pairs with the acquire in HostBlockWords and HostBlockSources
            INT.setRelease(HostPlaces.memory(segment, place), HostPlaces.offset(segment, place), value);
        }
    }

    private void requireWord(ElementType type) {
        if (type != ElementType.INT && type != ElementType.LONG) {
            throw waits.fail(BlockFailure.BAD_TYPE, type.ordinal(), 2, 0);
        }
    }

    @Override
    public void putValue(int number, int target, long offset, ElementType type, long bits) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(Long.BYTES, Long.BYTES);
            value.set(ValueLayout.JAVA_LONG, 0, bits);
            put(number, target, offset, value, type.bytes());
        }
    }

    @Override
    public long getValue(int number, int target, long offset, ElementType type) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(Long.BYTES, Long.BYTES);
            get(number, target, offset, value, type.bytes());
            long bits = value.get(ValueLayout.JAVA_LONG, 0);
            int unused = Long.SIZE - Byte.SIZE * type.bytes();
            return bits << unused >> unused;
        }
    }

    // ---- waiting for notifications

    @Override
    public boolean testNotifications(int tag, long count) {
        return tags.test(tag, count);
    }

    @Override
    public void awaitNotifications(int tag, long count) {
        tags.await(tag, count);
    }

    @Override
    public long availableNotifications(int tag) {
        return tags.look(tag);
    }

    @Override
    public long takeNotifications(int tag) {
        return tags.take(tag);
    }

    @Override
    public int awaitAnyTag(int first, int count) {
        return tags.awaitAny(first, count);
    }

    @Override
    public int testAnyTag(int first, int count) {
        return tags.testAny(first, count);
    }

    @Override
    public int awaitSomeTags(int first, int count, long[] counts) {
        return tags.awaitSome(first, count, counts);
    }

    @Override
    public void awaitAllTags(int first, int count, long each) {
        tags.awaitAll(first, count, each);
    }

    // ---- waiting for values

    private HostBlockWords words(int number, long offset, long count, ElementType type, Comparison comparison, long value) {
        requireWord(type);
        int self = rank(HostBlockWindows.comm(number));
        long place = windows.place(number, self, offset, count > Long.MAX_VALUE / Long.BYTES ? Long.MAX_VALUE : count * type.bytes());
        waits.window(number);
        if ((place & type.bytes() - 1) != 0) {
            throw waits.fail(BlockFailure.ODD_WORD, self, offset, type.bytes());
        }
        return new HostBlockWords(waits, HostPlaces.memory(own, place), HostPlaces.offset(own, place), count, type, comparison,
                value);
    }

    @Override
    public void awaitValue(int number, long offset, ElementType type, Comparison comparison, long value) {
        words(number, offset, 1, type, comparison, value).await(1);
    }

    @Override
    public long awaitAnyValue(int number, long offset, long count, ElementType type, Comparison comparison, long value) {
        return words(number, offset, count, type, comparison, value).awaitAny();
    }

    @Override
    public long awaitSomeValues(int number, long offset, long count, ElementType type, Comparison comparison, long value,
                                long[] indices) {
        return words(number, offset, count, type, comparison, value).awaitSome(indices);
    }

    @Override
    public void awaitAllValues(int number, long offset, long count, ElementType type, Comparison comparison, long value) {
        words(number, offset, count, type, comparison, value).await(count);
    }

    @Override
    public long testValues(int number, long offset, long count, ElementType type, Comparison comparison, long value) {
        return words(number, offset, count, type, comparison, value).test();
    }

    @Override
    public MemorySegment ptr(int number, int target) {
        long place = windows.place(number, target, 0, 0);
        MemorySegment segment = world.segments()[worldRank(HostBlockWindows.comm(number), target) / layout.perRank()];
        return segment == null ? null
                : HostPlaces.memory(segment, place).asSlice(HostPlaces.offset(segment, place), windowBytes(number, target));
    }

    @Override
    public void barrier(Comm comm) {
        barriers.await(comm, comm == Comm.WORLD ? BlockFailure.Barrier.WORLD : BlockFailure.Barrier.DEVICE);
    }

    @Override
    public void log(String text, double value) {
        log.log(text, value);
    }

    @Override
    public void printf(String format, Object... values) {
        log.printf(format, values);
    }

    @Override
    public MemorySegment shared() {
        return shared;
    }

    @Override
    public void leave() {
        left = true;
        if (leaveIsLast) {
            waits.end("leave(), which is the last call of a GridProgram");
        }
    }
}
