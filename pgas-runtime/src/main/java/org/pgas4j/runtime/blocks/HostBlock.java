package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.pgas4j.AtomicOp;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.Kernel;
import org.pgas4j.device.AtomicWords;

/**
 * A block of the host device: the device library in Java, over the same memory. It has no channels, which gain on GPUs
 * only: direct notifications are atomic additions. Used by the block's thread.
 */
final class HostBlock implements GridRank {

    private static final VarHandle LONG = HostPage.LONG;

    /** Common to the blocks of a rank. */
    record World(int hostRank, BlockLayout layout, long area, MemorySegment[] segments, MemorySegment ownSegment,
                 HostPage page, boolean usesMailbox, long timeoutNs, boolean spins, AtomicReference<Throwable> thrown) {
    }

    private final World world;
    private final BlockLayout layout;
    private final int block;
    private final MemorySegment own;
    private final HostBlockWaits waits;
    private final long record;
    private final long[] counts = new long[BlockLayout.TAGS];
    private final int[] slots = new int[2];
    private long worldEpoch;
    private long deviceEpoch;
    private long bulk;
    private boolean left;

    HostBlock(World world, int block) {
        this.world = world;
        this.layout = world.layout();
        this.block = block;
        this.own = world.ownSegment();
        this.record = world.area() + layout.record(block);
        this.waits = new HostBlockWaits(world, block);
        if (waits.hasEnded()) {
            throw new BlockEnded();
        }
        for (int tag = 0; tag < BlockLayout.TAGS; tag++) {
            counts[tag] = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.OWN + (long) tag * Long.BYTES);
        }
        worldEpoch = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.WORLD_EPOCH);
        deviceEpoch = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.DEVICE_EPOCH);
        bulk = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.BULK);
        long bits = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.OPEN_WINDOWS);
        slots[0] = (int) bits;
        slots[1] = (int) (bits >>> 32);
    }

    /** Runs a program as block {@code block}; its failure is recorded, and ends the other blocks. */
    static void run(World world, GridProgram program, int block, Kernel.Args args) {
        HostBlock self;
        try {
            self = new HostBlock(world, block);
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
        }
    }

    /** Ends the block, with the barrier that ends a launch unless it has left. */
    private void finish() {
        if (!left) {
            barrier(Comm.WORLD, BlockFailure.Barrier.END);
        }
        for (int tag = 0; tag < BlockLayout.TAGS; tag++) {
            own.set(ValueLayout.JAVA_LONG, record + BlockLayout.OWN + (long) tag * Long.BYTES, counts[tag]);
        }
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.WORLD_EPOCH, worldEpoch);
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.DEVICE_EPOCH, deviceEpoch);
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.BULK, bulk);
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.OPEN_WINDOWS,
                (long) slots[1] << 32 | Integer.toUnsignedLong(slots[0]));
        // orders: what this block wrote, and what all before it wrote
        long before = (long) LONG.getAndAdd(own, world.area() + BlockLayout.LEFT, 1L);
        if ((before + 1) % layout.perRank() == 0) {
            compareBarriers();
        }
    }

    /**
     * Compares the barriers of all blocks, as the last to end: one that skips a barrier lets others through too early,
     * now or later.
     */
    private void compareBarriers() {
        for (int other = 0; other < layout.perRank(); other++) {
            long its = world.area() + layout.record(other);
            long itsWorld = own.get(ValueLayout.JAVA_LONG, its + BlockLayout.WORLD_EPOCH);
            long itsDevice = own.get(ValueLayout.JAVA_LONG, its + BlockLayout.DEVICE_EPOCH);
            boolean ofDevice = itsDevice != deviceEpoch;
            if (ofDevice || itsWorld != worldEpoch) {
                throw waits.fail(BlockFailure.UNEQUAL_BARRIERS, 2 * other + (ofDevice ? 1 : 0),
                        ofDevice ? deviceEpoch : worldEpoch, ofDevice ? itsDevice : itsWorld);
            }
        }
    }

    private long word(long offset) {
        return (long) LONG.getAcquire(own, offset);
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
    public int hostRank() {
        return world.hostRank();
    }

    @Override
    public int hostRanks() {
        return layout.hostRanks();
    }

    private int worldRank(Comm comm, int rank) {
        return comm == Comm.DEVICE ? world.hostRank() * layout.perRank() + rank : rank;
    }

    // ---- windows

    @Override
    public int createWindow(Comm comm, MemorySegment base) {
        int free = ~slots[comm.ordinal()];
        long offset = base.address() - own.address();
        if (free == 0) {
            throw waits.fail(BlockFailure.MANY_WINDOWS, -1, BlockLayout.WINDOWS, 0, comm.ordinal(), 0);
        }
        if (!isShared(base, base.byteSize())) {
            throw waits.fail(BlockFailure.NOT_SHARED, -1, base.byteSize(), 0);
        }
        int made = Integer.numberOfTrailingZeros(free) | (comm == Comm.DEVICE ? BlockLayout.DEVICE_WINDOW : 0);
        waits.window(made);
        slots[comm.ordinal()] |= Integer.lowestOneBit(free);
        long entry = world.area() + layout.windowEntry(made, rank(comm));
        int first = comm == Comm.DEVICE ? world.hostRank() : 0;
        int end = comm == Comm.DEVICE ? first + 1 : layout.hostRanks();
        for (int r = first; r < end; r++) {
            writeWord(r, entry, offset);
            writeWord(r, entry + BlockLayout.ENTRY_SIZE, base.byteSize());
        }
        barrier(comm, BlockFailure.Barrier.CREATE);
        return made;
    }

    /** True if memory is in this rank's segment, where hosts and other devices can find it. */
    private boolean isShared(MemorySegment memory, long bytes) {
        long offset = memory.address() - own.address();
        return memory.isNative() && offset >= 0 && bytes <= own.byteSize() - offset;
    }

    private void writeWord(int hostRank, long offset, long value) {
        MemorySegment segment = hostRank == world.hostRank() ? own : world.segments()[hostRank];
        if (segment != null) {
            LONG.setRelease(segment, offset, value);
        } else {
            command(Command.WORD, 0, Long.BYTES, hostRank, offset, value, 0);
        }
    }

    @Override
    public void freeWindow(int number) {
        Comm comm = comm(number);
        requireWindow(number);
        waits.window(number);
        barrier(comm, BlockFailure.Barrier.FREE);
        slots[comm.ordinal()] &= ~(1 << (number & BlockLayout.WINDOWS - 1));
    }

    private static Comm comm(int number) {
        return (number & BlockLayout.DEVICE_WINDOW) != 0 ? Comm.DEVICE : Comm.WORLD;
    }

    @Override
    public long windowBytes(int number, int target) {
        return own.get(ValueLayout.JAVA_LONG, entry(number, target) + BlockLayout.ENTRY_SIZE);
    }

    private void requireWindow(int number) {
        int slot = number & ~BlockLayout.DEVICE_WINDOW;
        if (slot < 0 || slot >= BlockLayout.WINDOWS || (slots[comm(number).ordinal()] >>> slot & 1) == 0) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_WINDOW, -1, 0, 0);
        }
    }

    private long entry(int number, int target) {
        requireWindow(number);
        if (target < 0 || target >= ranks(comm(number))) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_TARGET, target, ranks(comm(number)), 0, comm(number).ordinal(), 0);
        }
        return world.area() + layout.windowEntry(number, target);
    }

    private long place(int number, int target, long offset, long bytes) {
        long entry = entry(number, target);
        long size = own.get(ValueLayout.JAVA_LONG, entry + BlockLayout.ENTRY_SIZE);
        if (offset < 0 || bytes < 0 || offset > size - bytes) {
            waits.window(number);
            throw waits.fail(BlockFailure.BAD_PLACE, target, offset, bytes, size, 0);
        }
        return own.get(ValueLayout.JAVA_LONG, entry) + offset;
    }

    // ---- sending

    @Override
    public void put(int number, int target, long offset, MemorySegment src, long bytes) {
        put(number, target, offset, src, bytes, -1);
    }

    @Override
    public void putNotify(int number, int target, long offset, MemorySegment src, long bytes, int tag) {
        checkTag(tag);
        put(number, target, offset, src, bytes, tag);
    }

    private void put(int number, int target, long offset, MemorySegment src, long bytes, int tag) {
        long place = place(number, target, offset, bytes);
        if (bytes > src.byteSize()) {
            waits.window(number);
            throw waits.fail(BlockFailure.SHORT_SOURCE, target, bytes, src.byteSize());
        }
        int to = worldRank(comm(number), target);
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if (segment == null) {
            putByHost(to, place, src, bytes, tag);
            return;
        }
        if (segment.address() + place != src.address()) {
            MemorySegment.copy(src, 0, segment, place, bytes);
        }
        if (tag >= 0) {
            add(segment, to, tag);
        }
    }

    private void putByHost(int to, long place, MemorySegment src, long bytes, int tag) {
        int with = tag >= 0 ? Command.WITH_NOTIFY : 0;
        int low = Math.max(tag, 0);
        if (bytes == 0) {
            if (tag >= 0) {
                command(Command.NOTIFY, low, 0, to, 0, 0, 0);
            }
        } else if (bytes <= Long.BYTES || !isShared(src, bytes)) {
            // A source that the host cannot reach goes in pieces, with the commands.
            long done = 0;
            for (; bytes - done > Long.BYTES; done += Long.BYTES) {
                command(Command.PUT_INLINE, 0, Long.BYTES, to, place + done, payload(src, done, Long.BYTES), 0);
            }
            int rest = (int) (bytes - done);
            command(Command.PUT_INLINE | with, low, rest, to, place + done, payload(src, done, rest), 0);
        } else {
            long from = src.address() - own.address();
            long done = 0;
            for (; bytes - done > Command.MAX_PUT_BYTES; done += Command.MAX_PUT_BYTES) {
                bulk++;
                command(Command.PUT, 0, 0, to, place + done, from + done, Command.MAX_PUT_BYTES);
            }
            bulk++;
            command(Command.PUT | with, low, 0, to, place + done, from + done, bytes - done);
        }
    }

    private static long payload(MemorySegment src, long from, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (src.get(ValueLayout.JAVA_BYTE, from + i) & 0xffL) << Byte.SIZE * i;
        }
        return value;
    }

    @Override
    public long atomic(int number, int target, long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        long place = place(number, target, offset, type.bytes());
        int to = worldRank(comm(number), target);
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if ((place & type.bytes() - 1) != 0) {
            waits.window(number);
            throw waits.fail(BlockFailure.ODD_WORD, target, offset, type.bytes());
        }
        if (segment == null) {
            waits.window(number);
            throw waits.fail(BlockFailure.NO_ATOMICS, target, 0, 0);
        }
        return AtomicWords.apply(segment, place, type, op, operand, comparand);
    }

    private void add(MemorySegment segment, int to, int tag) {
        // release: pairs with the acquire in available
        LONG.getAndAdd(segment, world.area() + layout.record(to % layout.perRank()) + BlockLayout.DIRECT
                + (long) tag * Long.BYTES, 1L);
    }

    private void checkTag(int tag) {
        if (tag < 0 || tag >= BlockLayout.TAGS) {
            throw waits.fail(BlockFailure.NO_TAG, tag, BlockLayout.TAGS, 0);
        }
    }

    @Override
    public void signal(Comm comm, int target, int tag) {
        checkTag(tag);
        if (target < 0 || target >= ranks(comm)) {
            waits.window(-1);
            throw waits.fail(BlockFailure.NO_TARGET, target, ranks(comm), 0, comm.ordinal(), 0);
        }
        int to = worldRank(comm, target);
        MemorySegment segment = world.segments()[to / layout.perRank()];
        if (segment == null) {
            command(Command.NOTIFY, tag, 0, to, 0, 0, 0);
        } else {
            add(segment, to, tag);
        }
    }

    @Override
    public void notifyHost(int hostRank, int tag) {
        checkTag(tag);
        if (hostRank < 0 || hostRank >= layout.hostRanks()) {
            throw waits.fail(BlockFailure.NO_HOST_RANK, hostRank, layout.hostRanks(), 0);
        }
        command(Command.HOST, tag, 0, hostRank, 0, 0, 0);
    }

    @Override
    public void trigger(int prepared) {
        command(Command.TRIGGER, 0, 0, prepared, 0, 0, 0);
    }

    @Override
    public void startTimer(int timer) {
        command(Command.TIMER, timer & BlockLayout.TIMERS - 1, 0, 1, 0, 0, 0);
    }

    @Override
    public void stopTimer(int timer) {
        command(Command.TIMER, timer & BlockLayout.TIMERS - 1, 0, 0, 0, 0, 0);
    }

    private void command(int op, int tag, int length, int target, long offset, long value, long bytes) {
        VarHandle.fullFence();
        HostPage page = world.page();
        long index = (long) LONG.getAndAdd(own, world.area() + BlockLayout.QUEUE_TAIL, 1L);
        waits.await(BlockFailure.LATE_QUEUE, tag, index - HostPage.QUEUE_ENTRIES + 1,
                () -> page.get(HostPage.QUEUE_HEAD));
        Command.write(page, index, op, tag, length, block, target, offset, value, bytes);
    }

    @Override
    public void flush() {
        waits.await(BlockFailure.LATE_FLUSH, -1, bulk, () -> word(record + BlockLayout.FLUSHED));
    }

    // ---- waiting for notifications

    private long available(int tag) {
        long at = record + (long) tag * Long.BYTES;
        return word(at + BlockLayout.DIRECT) + word(at + BlockLayout.PROXY) + counts[tag];
    }

    @Override
    public boolean testNotifications(int tag, long count) {
        checkTag(tag);
        if (available(tag) - count >= 0) {
            counts[tag] -= count;
            return true;
        }
        if (waits.hasEnded()) {
            throw new BlockEnded();
        }
        waits.pollMailbox();
        return false;
    }

    @Override
    public void awaitNotifications(int tag, long count) {
        checkTag(tag);
        waits.await(BlockFailure.LATE_NOTIFICATION, tag, count, () -> available(tag));
        counts[tag] -= count;
    }

    @Override
    public MemorySegment ptr(int number, int target) {
        long place = place(number, target, 0, 0);
        MemorySegment segment = world.segments()[worldRank(comm(number), target) / layout.perRank()];
        return segment == null ? null : segment.asSlice(place, windowBytes(number, target));
    }

    @Override
    public void barrier(Comm comm) {
        barrier(comm, comm == Comm.WORLD ? BlockFailure.Barrier.WORLD : BlockFailure.Barrier.DEVICE);
    }

    private void barrier(Comm comm, BlockFailure.Barrier what) {
        waits.barrier(what);
        deviceEpoch++;
        LONG.getAndAdd(own, world.area() + BlockLayout.ARRIVALS, 1L);
        int hosts = layout.hostRanks();
        if (comm == Comm.DEVICE || hosts == 1 || block == 0) {
            waits.await(BlockFailure.LATE_BARRIER, -1, deviceEpoch * layout.perRank(),
                    () -> word(world.area() + BlockLayout.ARRIVALS));
        }
        if (comm == Comm.DEVICE) {
            return;
        }
        worldEpoch++;
        if (hosts == 1) {
            return;
        }
        if (block == 0) {
            for (int r = 0; r < hosts; r++) {
                writeWord(r, world.area() + layout.checkedIn(world.hostRank()), worldEpoch);
            }
        }
        waits.awaited(worldEpoch);
        for (int r = 0; r < hosts; r++) {
            long at = world.area() + layout.checkedIn(r);
            waits.await(BlockFailure.LATE_BARRIER, -1, worldEpoch, () -> word(at));
        }
        waits.awaited(0);
    }

    @Override
    public void log(String text, double value) {
        HostPage page = world.page();
        long tail = world.area() + BlockLayout.LOG_TAIL;
        long index;
        do {
            index = word(tail);
            if (index - page.get(HostPage.LOG_HEAD) >= HostPage.LOG_ENTRIES) {
                LONG.getAndAdd(page.memory(), (long) HostPage.LOG_DROPPED, 1L);
                return;
            }
        } while (!LONG.compareAndSet(own, tail, index, index + 1));
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, HostPage.MAX_LOG_TEXT);
        long at = HostPage.LOG + index % HostPage.LOG_ENTRIES * HostPage.LOG_BYTES;
        MemorySegment.copy(bytes, 0, page.memory(), ValueLayout.JAVA_BYTE, at + HostPage.LOG_TEXT, length);
        page.set(at + HostPage.LOG_LENGTH_BLOCK, (long) length << 32 | block);
        page.set(at + HostPage.LOG_VALUE, Double.doubleToRawLongBits(value));
        page.set(at, index + 1);
    }

    @Override
    public void leave() {
        left = true;
    }
}
